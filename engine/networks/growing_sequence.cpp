#include "engine/networks/growing_sequence.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// A layer makes numbers for each pair of tokens of a piece, whose memory this bounds.
constexpr std::size_t kMostTokensOfPiece = 64;

}  // namespace

GrowingSequence::GrowingSequence(Network network) : network_(std::move(network)) {
  if (!network_->graph.takesTokens()) {
    throw Error("architecture", "this network takes images, not tokens");
  }
  for (const PlacedMixer& place : network_->graph.mixers()) {
    if (isCausal(place.mixer)) continue;
    throw Error(place.name,
                "this " + std::string(traitsOf(place.mixer).name) +
                    " sees later tokens, which a sequence that grows does not have yet");
  }
  network_->eval();
  device_ = network_->parameters().front().device();
}

at::Tensor GrowingSequence::append(std::span<const std::int64_t> tokens) {
  if (tokens.empty()) throw Error("tokens", "expected at least one token");
  const std::int64_t vocabulary = network_->architecture.outputs;
  for (const std::int64_t token : tokens) {
    if (token >= 0 && token < vocabulary) continue;
    throw Error("tokens",
                "expected tokens in 0.." + std::to_string(vocabulary - 1) + ", got " +
                    std::to_string(token));
  }
  at::Tensor logits;
  while (!tokens.empty()) {
    const auto piece = tokens.first(std::min(tokens.size(), kMostTokensOfPiece));
    const at::Tensor x = at::tensor(at::ArrayRef<std::int64_t>(piece.data(), piece.size()));
    logits = network_->step(x.view({1, 1, 1, -1}).to(device_), state_);
    length_ += std::ssize(piece);
    tokens = tokens.subspan(piece.size());
  }
  return logits.select(1, logits.size(1) - 1).flatten().to(at::kFloat);
}

std::int64_t GrowingSequence::stateBytes() const {
  std::int64_t bytes = 0;
  for (const auto& [layer, state] : state_) {
    for (const at::Tensor& kept : state) {
      if (kept.defined()) bytes += static_cast<std::int64_t>(kept.storage().nbytes());
    }
  }
  return bytes;
}

}  // namespace lambda
