#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/runs/observer.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// The records since the last update, in the order of recording.
struct MetricsUpdate {
  std::vector<BatchRecord> batches;
  std::vector<EpochRecord> epochs;
  std::vector<EventRecord> events;
};

/// The start of a run, with the records that a resumed one has from before.
struct TrainingOpening {
  RunRecord record;
  std::string run;
  Metrics earlier;
};

/// The messages of the training thread between two reads of the GUI thread. All batches are kept,
/// since a curve shows each of them; of counts only the newest. Starts and the replies to
/// inspections are passed on at once.
class TrainingMailbox : public Observer {
 public:
  /// A change of the run's settings, and its place among the run's changes.
  struct Change {
    RunChange change;
    std::size_t index = 0;
  };

  /// The answer to a request for a change.
  struct ChangeAnswer {
    std::uint64_t request = 0;
    std::optional<std::string> refusal = std::nullopt;  ///< Nothing if it was granted.
  };

  struct Content {
    MetricsUpdate metrics = {};
    std::vector<Change> changes = {};
    std::vector<ChangeAnswer> answers = {};
    EvaluationProgress evaluation = {};
  };

  /// Called on the training thread.
  struct PassedOn {
    std::function<void(TrainingOpening)> opening;
    std::function<void(std::shared_ptr<const InspectionSnapshot>)> snapshot;
    std::function<void(const InspectionRequest&, const std::string& reason)> failure;
  };

  explicit TrainingMailbox(PassedOn passedOn);

  /// All messages since the last call, and the progress of the evaluation under way.
  Content take();

  void started(const RunRecord& record,
               const std::string& run,
               std::uint64_t metricsBytes) override;
  void batchFinished(const BatchRecord& record) override;
  void epochFinished(const EpochRecord& record) override;
  void evaluated(const EvaluationProgress& progress) override;
  void eventRecorded(const EventRecord& record) override;
  void settingsChanged(const RunChange& change, std::size_t index) override;
  void changeGranted(const ChangeRequest& request) override;
  void changeRefused(const ChangeRequest& request, const std::string& reason) override;
  void inspected(std::shared_ptr<const InspectionSnapshot> snapshot) override;
  void inspectionFailed(const InspectionRequest& request, const std::string& reason) override;

 private:
  std::mutex mutex_;
  Content content_;
  PassedOn passedOn_;
};

}  // namespace lambda
