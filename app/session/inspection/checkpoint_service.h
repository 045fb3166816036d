#pragma once

#include <filesystem>
#include <memory>

#include "app/session/engine_lanes.h"
#include "app/session/inspection/generation_service.h"
#include "app/session/inspection/image_cache.h"
#include "app/session/inspection/inspection_queue.h"
#include "app/session/inspection/prediction_store.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/inspection/token_inspection.h"
#include "engine/values/run/predictions.h"

namespace lambda {

using TokensPointer = std::shared_ptr<const TokenSnapshot>;

/// Inspects checkpoints and classifies images with them. Each of the engine's lanes keeps the most
/// recently used checkpoints open. Every request returns at once; a classification whose future is
/// cancelled ends within a batch. Lives on the GUI thread.
class CheckpointService {
 public:
  /// `lanes` outlives it.
  explicit CheckpointService(EngineLanes& lanes);
  ~CheckpointService();

  /// Inspects a layer of a checkpoint; `run` is a run folder or a checkpoint file.
  QFuture<SnapshotPointer> inspect(const std::filesystem::path& run,
                                   const InspectionRequest& request);

  /// The same of a network of tokens.
  QFuture<TokensPointer> inspectTokens(const std::filesystem::path& run,
                                       const TokenInspectionRequest& request);

  /// Classifies every image of a split. Pages ask predictions().
  QFuture<PredictionsPointer> predict(const std::filesystem::path& run, Split split);

  /// Threads of each inspection, from the next checkpoint that is opened.
  void setThreads(int threads) { threads_ = threads; }

  /// The images of data sets, for all pages.
  ImageCache& images() { return images_; }

  /// Texts that networks of checkpoints write.
  GenerationService& generation() { return generation_; }

  /// The predictions of checkpoints, for all pages.
  PredictionStore& predictions() { return predictions_; }

 private:
  class OpenCheckpoints;

  EngineLanes& lanes_;
  int threads_ = 1;
  std::shared_ptr<OpenCheckpoints> inspected_;   ///< Only for lanes_.soon.
  std::shared_ptr<OpenCheckpoints> classified_;  ///< Only for lanes_.longTasks.
  ImageCache images_;
  GenerationService generation_{lanes_};
  PredictionStore predictions_{*this};
};

}  // namespace lambda
