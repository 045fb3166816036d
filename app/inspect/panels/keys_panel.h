#pragma once

#include "app/inspect/panels/inspect_panel.h"
#include "widgets/pictures/explanation.h"

class QLabel;

namespace lambda {

class EquationView;
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
class KeysPanel : public InspectPanel {
  Q_OBJECT

 public:
  explicit KeysPanel(QWidget* parent = nullptr);

  HeatmapView& regions() { return *regions_; }

  /// The text about dead and collapsed slots.
  QString summary() const;

  ExplanationText explanation() const;

  std::vector<const Exportable*> exports() const override;

 protected:
  void showState(const PanelState& state) override;

 private:
  std::shared_ptr<const InspectionSnapshot> snapshot_;
  EquationView* equation_;
  QLabel* summary_;
  HeatmapView* regions_;
};

}  // namespace lambda
