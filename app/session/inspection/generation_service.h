#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QFuture>

#include "app/session/engine_lanes.h"

namespace lambda {

/// What has come of a text that a network writes.
struct GenerationNews {
  std::optional<GenerationFacts> facts = {};  ///< First, once.
  std::vector<GeneratedToken> tokens = {};    ///< Since the news before.
};

/// Has texts written by networks. Every request returns at once; a text whose future is cancelled
/// ends within a token. Lives on the GUI thread.
class GenerationService {
 public:
  /// `lanes` outlives it.
  explicit GenerationService(EngineLanes& lanes) : lanes_(lanes) {}

  /// The tokens as they are drawn, in news that are at least kNewsInterval apart.
  QFuture<GenerationNews> generate(const GenerationRequest& request);

  /// Bytes per second of copying in the memory; measured once, after what is under way.
  QFuture<double> copyBandwidth(int threads);

 private:
  EngineLanes& lanes_;
  /// Only for lanes_.longTasks.
  std::shared_ptr<std::optional<double>> bandwidth_ = std::make_shared<std::optional<double>>();
};

}  // namespace lambda
