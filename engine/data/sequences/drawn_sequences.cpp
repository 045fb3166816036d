#include "engine/data/sequences/drawn_sequences.h"

#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

namespace {

// They separate these random streams from every other use of the seed.
constexpr std::uint64_t kRecallStream = 0x726563616C6C;
constexpr std::uint64_t kCopyStream = 0x636F7079;

/// The filler of recall and the separator of copying.
constexpr std::int32_t kMark = 0;

template <class Source>
void requireNoErrors(const Source& source) {
  const std::vector<Problem> problems = problemsOf(source, "");
  if (hasErrors(problems)) throw Error("sequences", "they can't be drawn:\n" + toText(problems));
}

/// `count` different numbers from 0 to among - 1, in any order.
std::vector<int> drawDifferent(int count, int among, KeyedRandom& random) {
  std::vector<int> numbers(static_cast<std::size_t>(among));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int i = 0; i < count; ++i) std::swap(numbers[i], numbers[random.between(i, among - 1)]);
  numbers.resize(static_cast<std::size_t>(count));
  return numbers;
}

TokenSequence emptySequence(int length) {
  const auto count = static_cast<std::size_t>(length);
  return {std::vector<std::int32_t>(count, kMark), std::vector<std::int32_t>(count, kNotScored)};
}

}  // namespace

TokenSequence drawSequence(const RecallSource& source,
                           std::uint64_t seed,
                           Split split,
                           std::uint64_t index) {
  requireNoErrors(source);
  KeyedRandom random({kRecallStream, seed, static_cast<std::uint64_t>(split), index});
  TokenSequence sequence = emptySequence(source.length);
  const int places = source.length - source.firstQuery();
  const std::vector<int> keys = drawDifferent(source.pairs, source.keys(), random);
  const std::vector<int> queries = drawDifferent(source.pairs, places, random);
  for (int pair = 0; pair < source.pairs; ++pair) {
    const std::int32_t key = 1 + keys[pair];
    const std::int32_t value = random.between(1 + source.keys(), source.vocabulary - 1);
    sequence.tokens[2 * pair] = key;
    sequence.tokens[2 * pair + 1] = value;
    sequence.tokens[source.firstQuery() + queries[pair]] = key;
    sequence.targets[source.firstQuery() + queries[pair]] = value;
  }
  return sequence;
}

TokenSequence drawSequence(const CopySource& source,
                           std::uint64_t seed,
                           Split split,
                           std::uint64_t index) {
  requireNoErrors(source);
  KeyedRandom random({kCopyStream, seed, static_cast<std::uint64_t>(split), index});
  TokenSequence sequence = emptySequence(source.length);
  const int half = source.length / 2;
  for (int i = 0; i < half; ++i) {
    const std::int32_t symbol = random.between(1, source.vocabulary - 1);
    sequence.tokens[i] = symbol;
    if (i + 1 < half) sequence.tokens[half + i + 1] = symbol;
    sequence.targets[half + i] = symbol;
  }
  return sequence;
}

}  // namespace lambda
