#include "app/session/inspection/checkpoint_service.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace lambda {

namespace {

/// Both halves of a comparison and two more.
constexpr std::size_t kOpenCheckpoints = 4;

}  // namespace

class CheckpointService::OpenCheckpoints {
 public:
  explicit OpenCheckpoints(EngineHandle engine) : engine_(std::move(engine)) {}

  /// The checkpoint, newly opened or still open. A file that was written again is opened again.
  OpenCheckpoint& at(const std::filesystem::path& run, int threads) {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(
        std::filesystem::is_directory(run, error) ? run / "checkpoints" : run, error);
    const auto found =
        std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.run == run; });
    if (found != open_.end() && found->written == written) {
      std::rotate(open_.begin(), found, found + 1);
      return *open_.front().checkpoint;
    }
    if (found != open_.end()) open_.erase(found);
    open_.push_front({run, written, engine_->openCheckpoint(run, threads)});
    if (open_.size() > kOpenCheckpoints) open_.pop_back();
    return *open_.front().checkpoint;
  }

 private:
  struct Open {
    std::filesystem::path run;
    std::filesystem::file_time_type written;
    std::unique_ptr<OpenCheckpoint> checkpoint;
  };

  EngineHandle engine_;
  std::deque<Open> open_;  // The most recently used first.
};

CheckpointService::CheckpointService(EngineLanes& lanes)
    : lanes_(lanes),
      inspected_(std::make_shared<OpenCheckpoints>(lanes.engine)),
      classified_(std::make_shared<OpenCheckpoints>(lanes.engine)) {}

CheckpointService::~CheckpointService() {
  // The checkpoints' tensors are destroyed on the thread that created them.
  lanes_.soon.run([open = std::move(inspected_)] {});
  lanes_.longTasks.run([open = std::move(classified_)] {});
}

QFuture<SnapshotPointer> CheckpointService::inspect(const std::filesystem::path& run,
                                                    const InspectionRequest& request) {
  return lanes_.soon.run([open = inspected_, run, request, threads = threads_] {
    return std::make_shared<const InspectionSnapshot>(open->at(run, threads).inspect(request));
  });
}

QFuture<TokensPointer> CheckpointService::inspectTokens(const std::filesystem::path& run,
                                                        const TokenInspectionRequest& request) {
  return lanes_.soon.run([open = inspected_, run, request, threads = threads_] {
    return std::make_shared<const TokenSnapshot>(open->at(run, threads).inspectTokens(request));
  });
}

QFuture<PredictionsPointer> CheckpointService::predict(const std::filesystem::path& run,
                                                       Split split) {
  return lanes_.longTasks.run<PredictionsPointer>(
      [open = classified_, run, split, threads = threads_](QPromise<PredictionsPointer>& promise) {
        std::optional<Predictions> found =
            open->at(run, threads)
                .predict(split, [&promise](std::int64_t done, std::int64_t total) {
                  reportProgress(promise, done, total);
                  return !promise.isCanceled();
                });
        if (found) promise.addResult(std::make_shared<const Predictions>(std::move(*found)));
      });
}

}  // namespace lambda
