#pragma once

#include <memory>
#include <optional>

#include <QWidget>

#include "app/inspect/contribution_maps.h"
#include "app/inspect/panels/panel_parts.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/pictures/explanation.h"

class QBoxLayout;
class QComboBox;
class QLabel;
class QSlider;

namespace lambda {

class BalanceBar;
class ElidedLabel;
class FlowLayout;
class HeatmapView;
class ImageView;
class Segmented;

/// The image and beside or over it the contributions of every position to the output at the query,
/// of all heads together and of each head, the prediction in words, and the proof that the
/// contributions add up to the layer's own output.
class ImagePanel : public QWidget {
  Q_OBJECT

 public:
  explicit ImagePanel(QWidget* parent = nullptr);

  void setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot);

  /// An image alone, for networks that have no lambda layer.
  void setImage(const Image& image);
  /// The map can't be chosen where there is none.
  void setControlsEnabled(bool enabled);
  /// Shown instead of an image.
  void setPlaceholder(const QString& text);

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

  void setQuery(const Cell& query);
  void setGridVisible(bool visible);

  /// The prediction for an image that is shown without a snapshot.
  void setPrediction(const PredictionText& words);

  QString predictionWords() const;

  /// Sets the scale of contributions; none = that of the shown map.
  void setScale(std::optional<double> greatest);

  /// The picture with the contributions.
  ImageView& image() { return *image_; }

  /// The image alone, beside it.
  ImageView& plain() { return *plain_; }

  HeatmapView& heads() { return *heads_; }

  /// "✓ Adds up to the layer's output within 3e-7"
  QString residualText() const;
  QString balanceText() const;

  ExplanationText explanation() const;

  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void queryChosen(int row, int column);
  void quantityChanged();
  void headChanged(int head);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fitToText();
  void fitHeads();
  void fitFacts();
  void updateHeadList();
  void updateViews();
  void updateResidual();
  void updateMode();

  std::shared_ptr<const InspectionSnapshot> snapshot_;
  ContributionKind quantity_ = ContributionKind::total;
  int head_ = -1;
  std::optional<double> scale_;
  Segmented* quantities_;
  FlowLayout* controls_;
  QComboBox* headList_;
  Segmented* modes_;
  QLabel* opacityLabel_;
  QSlider* opacity_;
  ElidedLabel* prediction_;
  ImageView* plain_;
  ImageView* image_;
  HeatmapView* heads_;
  QBoxLayout* facts_;
  ElidedLabel* residual_;
  BalanceBar* balance_;
};

}  // namespace lambda
