#pragma once

#include <cstdint>
#include <vector>

namespace lambda {

/// The target at a position whose prediction is not scored; LibTorch's cross_entropy ignores it.
inline constexpr std::int32_t kNotScored = -100;

/// An example of a task on sequences: at each position, what a network sees and what it shall say
/// there after everything up to and including that position.
struct TokenSequence {
  std::vector<std::int32_t> tokens;   ///< [length], from 0 to the vocabulary - 1.
  std::vector<std::int32_t> targets;  ///< [length], tokens or kNotScored.

  bool operator==(const TokenSequence&) const = default;
};

/// Several sequences of one length, one behind the other, as LibTorch takes them.
struct TokenBatch {
  std::vector<std::int64_t> tokens;   ///< [sequences, length]
  std::vector<std::int64_t> targets;  ///< [sequences, length], tokens or kNotScored.

  void add(const TokenSequence& sequence) {
    tokens.insert(tokens.end(), sequence.tokens.begin(), sequence.tokens.end());
    targets.insert(targets.end(), sequence.targets.begin(), sequence.targets.end());
  }
};

}  // namespace lambda
