#pragma once

#include <vector>

#include <QWidget>

#include "app/inspect/contribution_maps.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/session/run_summary.h"

class QCheckBox;
class QLabel;

namespace lambda {

class CompareSide;
class HeatmapView;
class Segmented;

/// Two layers, checkpoints or runs side by side on the same image and position, and their
/// difference where their shapes agree.
class Comparison : public QWidget {
  Q_OBJECT

 public:
  Comparison(TrainingSession& training, InspectionSession& inspection, QWidget* parent = nullptr);

  void setRuns(const std::vector<RunSummary>& runs);
  void setLive(const std::optional<InspectionSource>& live);

  /// Selects the first and the last epoch of this run, or its last checkpoint and the live weights,
  /// where nothing is selected yet, and this layer on both sides.
  void begin(const InspectionSource& source, const std::string& layer);

  /// The image for both sides; layer and position of the request are not used.
  void setImage(const InspectionRequest& image);

  /// The query of both sides, as shares of the map's height and width.
  void setQuery(double rowShare, double columnShare);

  void setActive(bool active);

  /// The controls for the two sides and their scale, for the page's bar at the top.
  QWidget& controls() { return *controls_; }

  CompareSide& left() { return *left_; }

  CompareSide& right() { return *right_; }

  HeatmapView& mapDifference() { return *mapDifference_; }

  HeatmapView& lambdaDifference() { return *lambdaDifference_; }

  HeatmapView& embeddingDifference() { return *embeddingDifference_; }

  bool isOneScale() const;
  void setOneScale(bool one);

 private:
  std::array<HeatmapView*, 3> differences() const;
  void ask();
  void updateViews();
  void updateDifference();

  CompareSide* left_;
  CompareSide* right_;
  QWidget* controls_;
  Segmented* quantities_;
  QCheckBox* oneScale_;
  HeatmapView* mapDifference_;
  HeatmapView* lambdaDifference_;
  HeatmapView* embeddingDifference_;
  QLabel* note_;
  InspectionRequest image_;
  double rowShare_ = 0.5;
  double columnShare_ = 0.5;
};

}  // namespace lambda
