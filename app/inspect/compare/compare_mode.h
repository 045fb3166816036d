#pragma once

#include <filesystem>
#include <vector>

#include "app/inspect/modes/inspect_mode.h"
#include "app/session/runs/run_summary.h"

namespace lambda {

class Comparison;
class CheckpointService;
class FittedArea;
class TrainingSession;

/// Two layers, checkpoints or runs side by side.
class CompareMode : public InspectMode {
  Q_OBJECT

 public:
  /// Both outlive the mode.
  CompareMode(TrainingSession& training, CheckpointService& checkpoints, QObject* parent = nullptr);

  void setRuns(const std::vector<RunSummary>& runs);
  void setLive(const std::optional<InspectionSource>& live);

  /// The runs that the person has chosen to compare elsewhere: where they are two, a comparison
  /// begins with them.
  void setCheckedRuns(std::vector<std::filesystem::path> runs);

  Parts parts() override;
  void setSource(const InspectionSource& source) override;
  void begin(const InspectSelection& selection) override;
  void show(const InspectSelection& selection) override;
  void setInView(bool isInView) override;
  QString status() const override;

 private:
  Comparison* comparison_;  ///< Belongs to the page that shows it, as its area does.
  FittedArea* area_;
  InspectionSource source_;
  std::vector<std::filesystem::path> checked_;
};

}  // namespace lambda
