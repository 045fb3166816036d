#include "engine/values/architecture/mixers/lambda_mask.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "engine/values/architecture/mixers/attention_operations.h"

namespace lambda {

namespace {

bool hasWindow(const LambdaMixer& mixer) {
  return mixer.embedding == PositionEmbedding::relative && mixer.scope > 0;
}

/// The pairs of a custom mask that are also inside a window of side `scope`.
double pairsInWindow(const std::vector<std::string_view>& rows, const MapShape& map, int scope) {
  const int reach = scope / 2;
  const auto along = [reach](int place, int size) {
    return std::min(size - 1, place + reach) - std::max(0, place - reach) + 1;
  };
  double pairs = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    for (std::size_t m = 0; m < rows[n].size(); ++m) {
      if (rows[n][m] != '1') continue;
      const int row = static_cast<int>(m) / map.width, column = static_cast<int>(m) % map.width;
      if (rows.size() == 1) {
        pairs += static_cast<double>(along(row, map.height)) * along(column, map.width);
      } else {
        const int down = row - static_cast<int>(n) / map.width;
        const int right = column - static_cast<int>(n) % map.width;
        pairs += std::abs(down) <= reach && std::abs(right) <= reach ? 1 : 0;
      }
    }
  }
  return pairs;
}

double pairsOf(const std::vector<std::string_view>& rows, double positions) {
  double pairs = 0;
  for (const std::string_view row : rows) {
    pairs += static_cast<double>(std::ranges::count(row, '1'));
  }
  return rows.size() == 1 ? pairs * positions : pairs;
}

}  // namespace

std::vector<std::string_view> maskRowsOf(const LambdaMixer& mixer) {
  const std::string_view text = mixer.maskRows;
  const auto isSpace = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  std::vector<std::string_view> rows;
  for (auto at = text.begin(); at != text.end();) {
    at = std::find_if_not(at, text.end(), isSpace);
    const auto end = std::find_if(at, text.end(), isSpace);
    if (at != end) rows.emplace_back(at, end);
    at = end;
  }
  return rows;
}

std::string maskFault(const LambdaMixer& mixer, const MapShape& map) {
  const std::vector<std::string_view> rows = maskRowsOf(mixer);
  const auto n = static_cast<std::size_t>(map.positions());
  const std::string needed = std::to_string(n);
  if (rows.empty()) return "a custom mask needs its rows";
  if (rows.size() != 1 && rows.size() != n) {
    return "the mask has " + std::to_string(rows.size()) +
           " rows; it needs 1 for all queries, or " + needed + ", one for each of them";
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string row = "row " + std::to_string(i + 1) + " of the mask ";
    if (rows[i].find_first_not_of("01") != std::string_view::npos) {
      return row + "has other characters than 1 (seen) and 0";
    }
    if (rows[i].size() != n) {
      return row + "has " + std::to_string(rows[i].size()) + " characters; it needs " + needed +
             ", one for each position";
    }
  }
  return {};
}

double linePairs(int size, int reach) {
  const double places = size, most = std::min(reach, size - 1);
  return places * (2 * most + 1) - most * (most + 1);
}

double seenPairs(const LambdaMixer& mixer, const MapShape& map) {
  const auto n = static_cast<double>(map.positions());
  switch (mixer.mask) {
    case ContextMask::none:
      return n * n;
    case ContextMask::causal:
      return n * (n + 1) / 2;
    case ContextMask::custom:
      return pairsOf(maskRowsOf(mixer), n);
  }
  return 0;
}

double embeddedPairs(const LambdaMixer& mixer, const MapShape& map) {
  if (!hasWindow(mixer)) return seenPairs(mixer, map);
  switch (mixer.mask) {
    case ContextMask::none:
      return windowPairs(map, mixer.scope);
    case ContextMask::causal:
      // Of two different positions, one comes before the other.
      return (linePairs(map.height, mixer.scope / 2) * linePairs(map.width, mixer.scope / 2) +
              static_cast<double>(map.positions())) /
             2;
    case ContextMask::custom:
      return map.width > 0 ? pairsInWindow(maskRowsOf(mixer), map, mixer.scope) : 0;
  }
  return 0;
}

bool hasTooManyPairs(const MapShape& map) {
  constexpr long long kMostPairs = 1LL << 26;
  return map.positions() * map.positions() > kMostPairs;
}

bool canConvolvePositions(const LambdaMixer& mixer) {
  return hasWindow(mixer) && !mixer.multiHead && mixer.mask == ContextMask::none;
}

bool keepsPositionLambdas(const LambdaMixer& mixer, const MapShape& map) {
  return canConvolvePositions(mixer) && hasTooManyPairs(map) &&
         mixer.scope / 2 + 1 >= std::max(map.height, map.width);
}

}  // namespace lambda
