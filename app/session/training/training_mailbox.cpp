#include "app/session/training/training_mailbox.h"

#include <utility>

#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/error.h"

namespace lambda {

TrainingMailbox::TrainingMailbox(PassedOn passedOn) : passedOn_(std::move(passedOn)) {}

TrainingMailbox::Content TrainingMailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(content_, Content{.evaluation = content_.evaluation});
}

void TrainingMailbox::started(const RunRecord& record,
                              const std::string& run,
                              std::uint64_t metricsBytes) {
  {
    const std::lock_guard lock(mutex_);
    content_ = {};  // A run that begins again has what was recorded so far in its file.
  }
  TrainingOpening opening{record, run, {}};
  try {
    opening.earlier = readMetrics(std::filesystem::path(run) / "metrics.jsonl", metricsBytes);
  } catch (const Error& error) {
    opening.earlier.warnings.emplace_back(error.what());
  }
  passedOn_.opening(std::move(opening));
}

void TrainingMailbox::batchFinished(const BatchRecord& record) {
  const std::lock_guard lock(mutex_);
  content_.metrics.batches.push_back(record);
  content_.evaluation = {};
}

void TrainingMailbox::epochFinished(const EpochRecord& record) {
  const std::lock_guard lock(mutex_);
  content_.metrics.epochs.push_back(record);
  content_.evaluation = {};
}

void TrainingMailbox::evaluated(const EvaluationProgress& progress) {
  const std::lock_guard lock(mutex_);
  content_.evaluation = progress;
}

void TrainingMailbox::eventRecorded(const EventRecord& record) {
  const std::lock_guard lock(mutex_);
  content_.metrics.events.push_back(record);
}

void TrainingMailbox::settingsChanged(const RunChange& change, std::size_t index) {
  const std::lock_guard lock(mutex_);
  content_.changes.push_back({change, index});
}

void TrainingMailbox::changeGranted(const ChangeRequest& request) {
  const std::lock_guard lock(mutex_);
  content_.answers.push_back({request.id});
}

void TrainingMailbox::changeRefused(const ChangeRequest& request, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  content_.answers.push_back({request.id, reason});
}

void TrainingMailbox::inspected(std::shared_ptr<const InspectionSnapshot> snapshot) {
  passedOn_.snapshot(std::move(snapshot));
}

void TrainingMailbox::inspectionFailed(const InspectionRequest& request,
                                       const std::string& reason) {
  passedOn_.failure(request, reason);
}

}  // namespace lambda
