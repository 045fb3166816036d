#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "engine/training/loop/trainer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace lambda {

/// A training that a test controls and observes, in a folder of its own, and what kills of it leave
/// on disk.
class ObservedRun {
 public:
  RunControl control;
  RecordingObserver observer;

  RunResult train(const RunConfig& config) {
    return trainRun(config, folder_.path() / "runs", control, observer);
  }

  RunResult resume(const std::filesystem::path& run, const ResumeOptions& options = {}) {
    return resumeRun(run, options, control, observer);
  }

  RunResult fork(const std::filesystem::path& checkpoint, const RunConfig& config) {
    return forkRun(checkpoint, config, folder_.path() / "runs", control, observer);
  }

  /// Requests a change after the batch `step`, before the next one.
  void requestAfter(std::int64_t step, const ChangeRequest& request) {
    observer.onBatch = [this, step, request](const BatchRecord& batch) {
      if (batch.step == step) control.requestChange(request);
    };
  }

  /// Copies the run as a kill at this moment leaves it. Returns the copy.
  std::filesystem::path kill() {
    const std::filesystem::path killed =
        folder_.path() / ("killed-" + std::to_string(killed_.size()));
    std::filesystem::copy(observer.run, killed, std::filesystem::copy_options::recursive);
    killed_.push_back(killed);
    return killed;
  }

  /// What the kills have left, in their order.
  const std::vector<std::filesystem::path>& killed() const { return killed_; }

  std::vector<EventRecord> events(EventKind kind) const {
    std::vector<EventRecord> found;
    std::ranges::copy_if(observer.events,
                         std::back_inserter(found),
                         [kind](const EventRecord& each) { return each.kind == kind; });
    return found;
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::filesystem::path> killed_;
};

}  // namespace lambda
