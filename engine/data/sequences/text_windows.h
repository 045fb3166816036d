#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/sequences/text_split.h"
#include "engine/data/sequences/token_sequence.h"
#include "engine/formats/text/byte_text.h"

namespace lambda {

/// Where the windows of a batch of training begin, [batchSize]: drawn with equal chance from all
/// places at which `length` bytes and the one behind them lie in the part. Window i depends only on
/// (seed, step, i), the part and the length. Windows may overlap. Throws Error if the part has
/// fewer than length + 1 bytes, or unless length >= 1 and batchSize >= 0.
std::vector<std::uint64_t> trainingWindows(
    const ByteRange& part, int length, std::uint64_t seed, std::uint64_t step, int batchSize);

/// The windows of a part that is scored, in order: each begins where the one before ends. All have
/// the same length, because a network with tables of positions has one; so the last bytes, fewer
/// than a window, are left out. The first byte of the part is never a target; every other byte is
/// the target of exactly one position or left out.
class ConsecutiveWindows {
 public:
  /// Throws Error as trainingWindows() does.
  ConsecutiveWindows(const ByteRange& part, int length);

  std::uint64_t count() const { return (part_.size() - 1) / length_; }

  /// Where window `index` begins in the text; index < count().
  std::uint64_t offset(std::uint64_t index) const { return part_.begin + index * length_; }

  /// The bytes at the end that are no target.
  std::uint64_t leftOut() const { return (part_.size() - 1) % length_; }

 private:
  ByteRange part_;
  std::uint64_t length_;
};

/// The `length` bytes from `offset` on; the target at each is the next byte. length >= 1.
/// Throws Error as ByteText::copy() does.
TokenSequence windowAt(const ByteText& text, std::uint64_t offset, int length);

}  // namespace lambda
