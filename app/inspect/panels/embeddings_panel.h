#pragma once

#include "app/inspect/panels/inspect_panel.h"
#include "widgets/pictures/explanation.h"

class QCheckBox;

namespace lambda {

class EquationView;
class HeatmapView;
class Segmented;

/// The learned position embeddings of a layer: a tile for each of the k u slots over the offsets m
/// - n, as they are or as change since the start, and their strongest patterns.
class EmbeddingsPanel : public InspectPanel {
  Q_OBJECT

 public:
  explicit EmbeddingsPanel(QWidget* parent = nullptr);

  HeatmapView& tiles() { return *tiles_; }

  HeatmapView& patterns() { return *patterns_; }

  /// Whether the current embeddings minus those at the start are shown: the first choice, where the
  /// start is known.
  bool showsChange() const;
  void setShowsChange(bool change);
  void setSorted(bool sorted);

  ExplanationText explanation() const;

  std::vector<const Exportable*> exports() const override;

  bool showsPatterns() const override { return true; }

  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 protected:
  void showState(const PanelState& state) override;

 private:
  void updateViews();
  void updatePatterns();
  bool knowsChange() const;
  const Array& source() const;
  const PrincipalPatterns& foundPatterns() const;

  std::shared_ptr<const InspectionSnapshot> snapshot_;
  PanelScales scales_;
  bool prefersChange_ = true;
  EquationView* equation_;
  Segmented* kind_;
  QCheckBox* sorted_;
  QCheckBox* perTile_;
  HeatmapView* tiles_;
  HeatmapView* patterns_;
};

}  // namespace lambda
