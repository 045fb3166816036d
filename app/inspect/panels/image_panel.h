#pragma once

#include "app/inspect/panels/inspect_panel.h"
#include "engine/values/inspection/contribution_maps.h"
#include "widgets/pictures/explanation.h"

class QComboBox;
class QLabel;
class QSlider;

namespace lambda {

class ContributionFacts;
class ContributionPictures;
class EquationView;
class FlowLayout;
class HeatmapView;
class ImageView;
class Segmented;

/// The image and beside or over it the contributions of every position to the output at the query,
/// of all heads together and of each head, the prediction in words, and the proof that the
/// contributions add up to the layer's own output.
class ImagePanel : public InspectPanel {
  Q_OBJECT

 public:
  explicit ImagePanel(QWidget* parent = nullptr);

  /// The map can't be chosen where there is none.
  void setControlsEnabled(bool enabled);

  ContributionKind quantity() const { return quantity_; }

  void setQuantity(ContributionKind quantity);

  /// -1 = all heads together.
  int head() const { return head_; }

  void setHead(int head);
  void stepHead(int by);

  /// Whether the contributions lie over the image instead of beside it.
  bool isOverlay() const;
  void setOverlay(bool overlay);

  /// Opacity of contributions that lie over the image.
  double opacity() const;
  void setOpacity(double opacity);

  QString predictionWords() const;

  /// The picture with the contributions.
  ImageView& image();

  /// The image alone, beside it.
  ImageView& plain();
  HeatmapView& heads();

  ContributionFacts& facts() { return *facts_; }

  ExplanationText explanation() const;

  std::vector<const Exportable*> exports() const override;
  QList<QAction*> panelActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  void queryChosen(int row, int column);

 protected:
  void showState(const PanelState& state) override;

 private:
  void makeActions();
  void fitToText();
  void setQuery(const Cell& query);
  void updateHeadList();
  /// Whether the total has a content part and a position part.
  bool hasParts() const;
  bool hasEffect() const;
  /// The chosen map, or the total where the snapshot does not have that one.
  ContributionKind shownQuantity() const;
  void updateViews();
  void updateMode();

  std::shared_ptr<const InspectionSnapshot> snapshot_;
  ContributionKind quantity_ = ContributionKind::total;
  int head_ = -1;
  std::optional<double> scale_;
  QList<QAction*> actions_;
  QAction* grid_ = nullptr;
  Segmented* quantities_;
  FlowLayout* controls_;
  QComboBox* headList_;
  Segmented* modes_;
  QWidget* opacityRow_;  ///< The slider and its name.
  QSlider* opacity_;
  QLabel* prediction_;
  ContributionPictures* pictures_;
  EquationView* equation_;
  ContributionFacts* facts_;
};

}  // namespace lambda
