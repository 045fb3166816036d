#include "engine/values/config/sequence_source.h"

#include <cmath>
#include <utility>

#include "engine/values/config/range_check.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

std::string pathTo(const std::string& path, const char* name) {
  return path.empty() ? name : path + "." + name;
}

Problem tooSmall(const std::string& path, std::string text, int needed) {
  const std::string value = std::to_string(needed);
  return {path, Severity::error, std::move(text), Fix{"Set to " + value, path, value}};
}

std::vector<Problem> errorsOf(const RecallSource& source, const std::string& path) {
  std::vector<Problem> problems;
  RangeCheck(problems).check(path, source);
  if (hasErrors(problems)) return problems;
  const std::string pairs = formatCounted(source.pairs, "pair");
  if (source.keys() < source.pairs) {
    problems.push_back(tooSmall(pathTo(path, "vocabulary"),
                                pairs + " need as many keys, but a vocabulary of " +
                                    formatCount(source.vocabulary) + " has " +
                                    formatCount(source.keys()),
                                2 * source.pairs + 1));
  }
  const int shortest = source.firstQuery() + source.pairs;
  if (source.length < shortest) {
    problems.push_back(
        tooSmall(pathTo(path, "length"),
                 pairs + " and as many queries, " + formatCounted(source.minimumDistance, "token") +
                     " behind them, need at least " + formatCounted(shortest, "token"),
                 shortest));
  }
  return problems;
}

std::vector<Problem> errorsOf(const CopySource& source, const std::string& path) {
  std::vector<Problem> problems;
  RangeCheck(problems).check(path, source);
  if (source.length % 2 != 0) {
    problems.push_back(tooSmall(pathTo(path, "length"),
                                "is odd, but a string and its copy are as long as each other",
                                source.length + 1));
  }
  return problems;
}

/// log2 of how many different choices of `count` things from `among` there are, in order.
double bitsOfArrangement(int count, int among) {
  double bits = 0;
  for (int i = 0; i < count; ++i) bits += std::log2(among - i);
  return bits;
}

double bitsOf(const RecallSource& source) {
  const int values = source.vocabulary - 1 - source.keys();
  return bitsOfArrangement(source.pairs, source.keys()) + source.pairs * std::log2(values) +
         bitsOfArrangement(source.pairs, source.length - source.firstQuery());
}

double bitsOf(const CopySource& source) {
  return source.length / 2 * std::log2(source.vocabulary - 1);
}

template <class Source>
std::vector<Problem> withWarning(std::vector<Problem> problems,
                                 const Source& source,
                                 const std::string& path) {
  if (hasErrors(problems)) return problems;
  // A hundred epochs of 10,000 sequences and 10,000 that are scored then share 0.01 on average.
  constexpr double kEnoughBits = 40;
  const double bits = bitsOf(source);
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

}  // namespace

std::vector<Problem> problemsOf(const RecallSource& source, const std::string& path) {
  return withWarning(errorsOf(source, path), source, path);
}

std::vector<Problem> problemsOf(const CopySource& source, const std::string& path) {
  return withWarning(errorsOf(source, path), source, path);
}

std::vector<Problem> problemsOf(const TextSource& source, const std::string& path) {
  std::vector<Problem> problems;
  RangeCheck(problems).check(path, source);
  return problems;
}

}  // namespace lambda
