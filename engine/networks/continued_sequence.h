#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/data/sequences/token_sampler.h"
#include "engine/networks/growing_sequence.h"

namespace lambda {

/// How a network reads a sequence that it continues. Both give the same logits, but for rounding.
enum class SequenceReading {
  recurrent,  ///< What it keeps of the tokens before is used again: the same time for each token.
  parallel,   ///< It reads the whole sequence again for each token.
};

/// A sequence that a network continues by drawing its tokens. Lives on one thread, that of the
/// network.
class ContinuedSequence {
 public:
  /// Throws Error as GrowingSequence and TokenSampler.
  ContinuedSequence(Network network,
                    const SamplingOptions& sampling,
                    SequenceReading reading = SequenceReading::recurrent);

  /// Appends tokens, and draws the one that follows them, which is not appended. The position of
  /// the draw is the number of tokens. Throws Error as GrowingSequence::append() and
  /// TokenSampler::sample().
  SampledToken drawAfter(std::span<const std::int64_t> tokens);

  /// The logits [vocabulary] of the last draw.
  std::span<const float> logits() const;

 private:
  Network network_;
  TokenSampler sampler_;
  SequenceReading reading_;
  GrowingSequence sequence_;
  std::vector<std::int64_t> tokens_;  ///< All, where they are read again.
  at::Tensor logits_;
};

}  // namespace lambda
