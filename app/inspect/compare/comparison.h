#pragma once

#include <filesystem>
#include <vector>

#include <QWidget>

#include "app/inspect/feed/snapshot_feed.h"
#include "app/session/runs/run_summary.h"
#include "engine/values/inspection/contribution_maps.h"
#include "widgets/work/work.h"

class QCheckBox;

namespace lambda {

class CompareSide;
class DifferenceColumn;
class Segmented;

/// Two layers, checkpoints or runs side by side on the same image and position, and their
/// difference where their shapes agree.
class Comparison : public QWidget {
  Q_OBJECT

 public:
  Comparison(TrainingSession& training, CheckpointService& checkpoints, QWidget* parent = nullptr);

  void setRuns(const std::vector<RunSummary>& runs);
  void setLive(const std::optional<InspectionSource>& live);

  /// Selects two things worth comparing, and this layer on both sides: the two `checked` runs,
  /// where they are two, otherwise the first and the last epoch of the source's run, or its first
  /// one and the live weights. What a person has selected since the last call stays where this
  /// start is the same.
  void begin(const InspectionSource& source,
             const std::vector<std::filesystem::path>& checked,
             const std::string& layer);

  /// The image for both sides; layer and position of the request are not used.
  void setImage(const InspectionRequest& image);

  /// The query of both sides, as shares of the map's height and width.
  void setQuery(double rowShare, double columnShare);

  void setActive(bool active);

  /// The controls for the two sides and their scale, for the page's bar at the top.
  QWidget& controls() { return *controls_; }

  CompareSide& left() { return *left_; }

  CompareSide& right() { return *right_; }

  DifferenceColumn& difference() { return *difference_; }

  bool isOneScale() const;
  void setOneScale(bool one);

 Q_SIGNALS:
  /// A run can't be chosen for a side: what happened, why and what to do.
  void refused(const QString& reason);

 private:
  /// A comparison starts from the page's source and the checked runs.
  struct Start {
    SourceKind kind = SourceKind::none;
    std::filesystem::path run;
    std::vector<std::filesystem::path> checked;

    bool operator==(const Start&) const = default;
  };

  /// The checkpoints of a start, as they were found on the disk.
  struct Found {
    std::vector<std::filesystem::path> own;      ///< Checkpoints of its run.
    std::vector<std::filesystem::path> checked;  ///< Those of its checked runs that have any.
  };

  void choose(const Start& start, const InspectionSource& source, const std::string& layer);
  void chooseAmong(const Found& found, const InspectionSource& source, const std::string& layer);
  void ask();
  ContributionKind shownQuantity() const;
  bool haveMaps(ContributionKind quantity) const;
  void updateViews();

  CompareSide* left_;
  CompareSide* right_;
  QWidget* controls_;
  Segmented* quantities_;
  QCheckBox* oneScale_;
  DifferenceColumn* difference_;
  Start start_;
  InspectionRequest image_;
  double rowShare_ = 0.5;
  double columnShare_ = 0.5;
  Work tasks_;
};

}  // namespace lambda
