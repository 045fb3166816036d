#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lambda {

/// Joins pairs of tokens by learnt rules, the earliest rule first (byte-pair encoding; Sennrich et
/// al., 2015, arXiv:1508.07909).
class BytePairs {
 public:
  /// Adds the next rule: `left` and `right` become `joined`. False, and nothing is added, if there
  /// is a rule for the pair.
  bool add(std::int32_t left, std::int32_t right, std::int32_t joined);

  /// Joins the tokens until no rule fits: in each round the pair of the earliest rule, of several
  /// the first one. Takes n log n time.
  std::vector<std::int32_t> join(std::vector<std::int32_t> tokens) const;

 private:
  struct Rule {
    std::size_t rank;
    std::int32_t joined;
  };

  const Rule* find(std::int32_t left, std::int32_t right) const;

  std::unordered_map<std::uint64_t, Rule> rules_;  // By both tokens of a pair.
};

}  // namespace lambda
