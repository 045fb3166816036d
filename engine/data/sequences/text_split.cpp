#include "engine/data/sequences/text_split.h"

#include <algorithm>
#include <cmath>

#include "engine/runtime/error.h"
#include "engine/values/config/range_check.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

/// A share in 0..0.4 of the bytes, rounded down.
std::uint64_t shareOf(std::uint64_t bytes, double share) {
  return static_cast<std::uint64_t>(std::floor(static_cast<double>(bytes) * share));
}

TextSplit splitWithin(std::uint64_t bytes, const TextShares& shares) {
  const std::uint64_t testBegin = bytes - shareOf(bytes, shares.test);
  const std::uint64_t validationBegin = testBegin - shareOf(bytes, shares.validation);
  return {{0, validationBegin}, {validationBegin, testBegin}, {testBegin, bytes}};
}

std::uint64_t shortestPart(const TextSplit& split) {
  return std::min({split.training.size(), split.validation.size(), split.test.size()});
}

/// The fewest bytes of which each part has that many, up to rounding.
std::uint64_t fewestBytes(std::uint64_t ofPart, const TextShares& shares) {
  const double least =
      std::min({shares.validation, shares.test, 1 - shares.validation - shares.test});
  auto bytes = static_cast<std::uint64_t>(static_cast<double>(ofPart) / least);
  while (shortestPart(splitWithin(bytes, shares)) < ofPart) ++bytes;
  return bytes;
}

std::string countOfBytes(std::uint64_t bytes) {
  return formatCounted(static_cast<std::int64_t>(bytes), "byte");
}

}  // namespace

TextSplit splitByPosition(std::uint64_t bytes, const TextShares& shares) {
  std::vector<Problem> problems;
  RangeCheck(problems).check("", shares);
  if (hasErrors(problems)) throw Error(problems[0].path, problems[0].text);
  return splitWithin(bytes, shares);
}

std::vector<Problem> splitProblems(std::uint64_t bytes,
                                   const TextShares& shares,
                                   int length,
                                   const std::string& path) {
  std::vector<Problem> problems;
  RangeCheck(problems).check(path, shares);
  if (hasErrors(problems)) return problems;
  const TextSplit split = splitWithin(bytes, shares);
  const std::uint64_t needed = static_cast<std::uint64_t>(length) + 1;
  const auto check = [&](const ByteRange& part, const std::string& name) {
    if (part.size() >= needed) return;
    std::string text = "the part for " + name + " has " + countOfBytes(part.size()) +
                       ", but sequences of " + countOfBytes(needed - 1) + " need " +
                       formatCount(static_cast<std::int64_t>(needed)) +
                       ", for their last target too: take a text of at least " +
                       countOfBytes(fewestBytes(needed, shares));
    const std::uint64_t shortest = shortestPart(split);
    if (shortest >= 2) text += ", or sequences of at most " + countOfBytes(shortest - 1);
    problems.push_back({path, Severity::error, std::move(text), {}});
  };
  check(split.training, "training");
  check(split.validation, "validation");
  check(split.test, "the test");
  return problems;
}

}  // namespace lambda
