#include "engine/data/sequences/drawn_sequences.h"

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "engine/values/config/range_check.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

// They separate these random streams from every other use of the seed.
constexpr std::uint64_t kRecallStream = 0x726563616C6C;
constexpr std::uint64_t kCopyStream = 0x636F7079;

/// The filler of recall and the separator of copying.
constexpr std::int32_t kMark = 0;

int keysOf(const RecallOptions& options) {
  return (options.vocabulary - 1) / 2;
}

/// The first place at which a query may be.
int firstQuery(const RecallOptions& options) {
  return 2 * options.pairs - 1 + options.minimumDistance;
}

std::string pathTo(const std::string& path, const char* name) {
  return path.empty() ? name : path + "." + name;
}

Problem tooSmall(const std::string& path, std::string text, int needed) {
  const std::string value = std::to_string(needed);
  return {path, Severity::error, std::move(text), Fix{"Set to " + value, path, value}};
}

std::vector<Problem> errorsOf(const RecallOptions& options, const std::string& path) {
  std::vector<Problem> problems;
  RangeCheck(problems).check(path, options);
  if (hasErrors(problems)) return problems;
  const std::string pairs = formatCounted(options.pairs, "pair");
  if (keysOf(options) < options.pairs) {
    problems.push_back(tooSmall(pathTo(path, "vocabulary"),
                                pairs + " need as many keys, but a vocabulary of " +
                                    formatCount(options.vocabulary) + " has " +
                                    formatCount(keysOf(options)),
                                2 * options.pairs + 1));
  }
  const int shortest = firstQuery(options) + options.pairs;
  if (options.length < shortest) {
    problems.push_back(tooSmall(
        pathTo(path, "length"),
        pairs + " and as many queries, " + formatCounted(options.minimumDistance, "token") +
            " behind them, need at least " + formatCounted(shortest, "token"),
        shortest));
  }
  return problems;
}

std::vector<Problem> errorsOf(const CopyOptions& options, const std::string& path) {
  std::vector<Problem> problems;
  RangeCheck(problems).check(path, options);
  if (options.length % 2 != 0) {
    problems.push_back(tooSmall(pathTo(path, "length"),
                                "is odd, but a string and its copy are as long as each other",
                                options.length + 1));
  }
  return problems;
}

/// log2 of how many different choices of `count` things from `among` there are, in order.
double bitsOfArrangement(int count, int among) {
  double bits = 0;
  for (int i = 0; i < count; ++i) bits += std::log2(among - i);
  return bits;
}

double bitsOf(const RecallOptions& options) {
  const int values = options.vocabulary - 1 - keysOf(options);
  return bitsOfArrangement(options.pairs, keysOf(options)) + options.pairs * std::log2(values) +
         bitsOfArrangement(options.pairs, options.length - firstQuery(options));
}

double bitsOf(const CopyOptions& options) {
  return options.length / 2 * std::log2(options.vocabulary - 1);
}

template <class Options>
std::vector<Problem> withWarning(std::vector<Problem> problems,
                                 const Options& options,
                                 const std::string& path) {
  if (hasErrors(problems)) return problems;
  constexpr double kEnoughBits = 64;
  const double bits = bitsOf(options);
  if (bits < kEnoughBits) {
    problems.push_back({path,
                        Severity::warning,
                        "there are only 2^" + formatFixed(bits, 0) +
                            " different sequences, of which training, validation and test may "
                            "share some: take a larger vocabulary or longer sequences",
                        {}});
  }
  return problems;
}

template <class Options>
void requireNoErrors(const Options& options) {
  const std::vector<Problem> problems = errorsOf(options, "");
  if (!problems.empty()) throw Error("sequences", "they can't be drawn:\n" + toText(problems));
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

std::vector<Problem> problemsOf(const RecallOptions& options, const std::string& path) {
  return withWarning(errorsOf(options, path), options, path);
}

std::vector<Problem> problemsOf(const CopyOptions& options, const std::string& path) {
  return withWarning(errorsOf(options, path), options, path);
}

TokenSequence drawSequence(const RecallOptions& options,
                           std::uint64_t seed,
                           SequencePart part,
                           std::uint64_t index) {
  requireNoErrors(options);
  KeyedRandom random({kRecallStream, seed, static_cast<std::uint64_t>(part), index});
  TokenSequence sequence = emptySequence(options.length);
  const int places = options.length - firstQuery(options);
  const std::vector<int> keys = drawDifferent(options.pairs, keysOf(options), random);
  const std::vector<int> queries = drawDifferent(options.pairs, places, random);
  for (int pair = 0; pair < options.pairs; ++pair) {
    const std::int32_t key = 1 + keys[pair];
    const std::int32_t value = random.between(1 + keysOf(options), options.vocabulary - 1);
    sequence.tokens[2 * pair] = key;
    sequence.tokens[2 * pair + 1] = value;
    sequence.tokens[firstQuery(options) + queries[pair]] = key;
    sequence.targets[firstQuery(options) + queries[pair]] = value;
  }
  return sequence;
}

TokenSequence drawSequence(const CopyOptions& options,
                           std::uint64_t seed,
                           SequencePart part,
                           std::uint64_t index) {
  requireNoErrors(options);
  KeyedRandom random({kCopyStream, seed, static_cast<std::uint64_t>(part), index});
  TokenSequence sequence = emptySequence(options.length);
  const int half = options.length / 2;
  for (int i = 0; i < half; ++i) {
    const std::int32_t symbol = random.between(1, options.vocabulary - 1);
    sequence.tokens[i] = symbol;
    if (i + 1 < half) sequence.tokens[half + i + 1] = symbol;
    sequence.targets[half + i] = symbol;
  }
  return sequence;
}

}  // namespace lambda
