#pragma once

#include <memory>
#include <vector>

#include <QWidget>

#include "engine/values/inspection/inspection.h"
#include "widgets/pictures/explanation.h"

class QLabel;

namespace lambda {

class HeatmapView;

/// The state of a slot, derived from its entropy.
enum class KeySlotState {
  alive,
  dead,       ///< Equal weights everywhere: it gathers the mean of the image, whatever its content.
  collapsed,  ///< One position alone.
};

/// Dead from 99 % of the maximum entropy ln(positions) on, collapsed below the entropy of one and a
/// half positions.
KeySlotState stateOf(float entropy, int positions);

/// The normalised keys as k u soft regions over the image: where each slot gathers its values from,
/// with its effective number of positions.
class KeysPanel : public QWidget {
  Q_OBJECT

 public:
  explicit KeysPanel(QWidget* parent = nullptr);

  void setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot);

  HeatmapView& regions() { return *regions_; }

  /// The text about dead and collapsed slots.
  QString summary() const;

  ExplanationText explanation() const;

 private:
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  QLabel* summary_;
  HeatmapView* regions_;
};

}  // namespace lambda
