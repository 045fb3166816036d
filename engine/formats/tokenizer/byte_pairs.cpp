#include "engine/formats/tokenizer/byte_pairs.h"

#include <tuple>

#include <queue>

namespace lambda {

namespace {

constexpr std::int32_t kJoined = -1;  ///< In place of a token that became part of the one before.

std::uint64_t keyOf(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32U | static_cast<std::uint32_t>(right);
}

/// A pair that may be joined: its rule, its place, and its tokens when it was found.
struct Candidate {
  std::size_t rank;
  std::size_t at;
  std::int32_t left, right, joined;

  bool operator>(const Candidate& other) const {
    return std::tie(rank, at) > std::tie(other.rank, other.at);
  }
};

}  // namespace

bool BytePairs::add(std::int32_t left, std::int32_t right, std::int32_t joined) {
  return rules_.try_emplace(keyOf(left, right), Rule{rules_.size(), joined}).second;
}

const BytePairs::Rule* BytePairs::find(std::int32_t left, std::int32_t right) const {
  const auto found = rules_.find(keyOf(left, right));
  return found == rules_.end() ? nullptr : &found->second;
}

std::vector<std::int32_t> BytePairs::join(std::vector<std::int32_t> tokens) const {
  const std::size_t count = tokens.size();
  // The places of the tokens before and after each; `count` stands for none.
  std::vector<std::size_t> before(count), after(count);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](std::size_t at) {
    if (at == count || after[at] == count) return;
    const std::int32_t left = tokens[at], right = tokens[after[at]];
    if (const Rule* rule = find(left, right)) {
      candidates.push({rule->rank, at, left, right, rule->joined});
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    before[i] = i == 0 ? count : i - 1;
    after[i] = i + 1;
  }
  for (std::size_t i = 0; i < count; ++i) consider(i);
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    const std::size_t next = after[best.at];
    if (tokens[best.at] != best.left || next == count || tokens[next] != best.right) continue;
    tokens[best.at] = best.joined;
    tokens[next] = kJoined;
    after[best.at] = after[next];
    if (after[next] != count) before[after[next]] = best.at;
    consider(best.at);
    consider(before[best.at]);
  }
  std::erase(tokens, kJoined);
  return tokens;
}

}  // namespace lambda
