#pragma once

#include <cstdint>
#include <span>

#include "engine/networks/network.h"

namespace lambda {

/// A sequence that grows, and what a network of tokens keeps of it: a token takes the same time and
/// memory however many came before. Up to the length n of the network's input, the logits are those
/// of the whole sequence, but for rounding. It may grow beyond: then self-attention and the
/// position lambdas of a global scope see the last n tokens only, as if the sequence were a window
/// of n that slides, and a layer of local scope or a convolution what it always sees. Content
/// lambdas, linear attention and RWKV sum all tokens from the first. Lives on one thread, that of
/// the network.
class GrowingSequence {
 public:
  /// The network of an empty sequence, which is put into evaluation mode. Throws Error if it does
  /// not take tokens, or if a position of it sees later ones.
  explicit GrowingSequence(Network network);

  /// Appends tokens, at least one, each below the vocabulary, and returns the logits [vocabulary]
  /// float32 after the last. Without gradients. Throws Error, and appends nothing, if there is no
  /// token or one that is not below the vocabulary.
  at::Tensor append(std::span<const std::int64_t> tokens);

  /// The number of tokens.
  std::int64_t length() const { return length_; }

  /// The memory of what is kept. It grows no more once n tokens were appended.
  std::int64_t stateBytes() const;

 private:
  Network network_;
  at::Device device_ = at::kCPU;  ///< Of the network, whose parameters take long to list.
  SequenceState state_;
  std::int64_t length_ = 0;
};

}  // namespace lambda
