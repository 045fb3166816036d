#include "engine/data/sequences/text_windows.h"

#include <cstddef>
#include <string>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

namespace {

constexpr std::uint64_t kWindowStream = 0x77696E646F77;  // Separates it from other uses of a seed.

void requireWindow(const ByteRange& part, int length) {
  if (length >= 1 && part.size() > static_cast<std::uint64_t>(length)) return;
  throw Error("text",
              "a part of " + std::to_string(part.size()) + " bytes has no window of " +
                  std::to_string(length) + " bytes and the one behind them",
              "Take a longer text or shorter sequences.");
}

}  // namespace

std::vector<std::uint64_t> trainingWindows(
    const ByteRange& part, int length, std::uint64_t seed, std::uint64_t step, int batchSize) {
  requireWindow(part, length);
  if (batchSize < 0) throw Error("batchSize", "is " + std::to_string(batchSize));
  const std::uint64_t places = part.size() - static_cast<std::uint64_t>(length);
  std::vector<std::uint64_t> offsets(static_cast<std::size_t>(batchSize));
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = part.begin + KeyedRandom({kWindowStream, seed, step, i}).belowWide(places);
  }
  return offsets;
}

ConsecutiveWindows::ConsecutiveWindows(const ByteRange& part, int length)
    : part_(part), length_(static_cast<std::uint64_t>(length)) {
  requireWindow(part, length);
}

TokenSequence windowAt(const ByteText& text, std::uint64_t offset, int length) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(length) + 1);
  text.copy(offset, bytes);
  return {{bytes.begin(), bytes.end() - 1}, {bytes.begin() + 1, bytes.end()}};
}

}  // namespace lambda
