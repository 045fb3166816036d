#pragma once

#include <QFrame>

#include "app/design/gallery/mixer_offers.h"
#include "engine/values/fields/problem.h"
#include "widgets/forms/field_rows.h"
#include "widgets/network/parts/mixer_memory.h"
#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/part_costs.h"

class QLabel;

namespace lambda {

class ElidedLabel;
class FieldForm;

/// The options of the selection in a network, with its cost above them. Shows the given network and
/// requests changes of it.
class PropertyPanel : public QFrame {
  Q_OBJECT

 public:
  explicit PropertyPanel(QWidget* parent = nullptr);

  void show(const Architecture& architecture,
            const NetworkCosts& costs,
            const Selection& selection,
            const std::vector<Problem>& problems);

  /// Puts the cursor into the field at a path of the configuration, where the field is shown.
  bool focusField(const std::string& path);

  /// Gives the selected blocks a mixer of this kind, an index of kMixerTraits.
  void chooseMixer(std::size_t kind);

  /// Puts the cursor into the first field.
  void focusFirst();

  FieldForm& form() { return *form_; }

 Q_SIGNALS:
  void architectureEdited(const lambda::Architecture& architecture,
                          const QString& text,
                          const QString& gesture);
  void fixRequested(const lambda::Fix& fix);
  /// A person wants to choose among these mixers.
  void mixerChoiceRequested(const std::vector<lambda::MixerOffer>& offers);
  /// A person wants to compare several values of this field, whose path is that in a run's
  /// configuration.
  void varyRequested(const lambda::FieldRow& row);
  /// An edit has also changed other options, or a request has no answer.
  void told(const QString& text, bool isFailure);

 private:
  void edit(const std::string& path, const FieldValue& value, const QString& gesture);
  void vary(const FieldRow& row);
  void showHeader();

  Architecture architecture_;
  NetworkCosts costs_;
  Selection selection_;
  MixerMemory memory_;
  ElidedLabel* title_;
  QLabel* cost_;
  FieldForm* form_;
};

}  // namespace lambda
