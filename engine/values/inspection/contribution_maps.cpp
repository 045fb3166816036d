#include "engine/values/inspection/contribution_maps.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lambda {

namespace {

/// [h, u, H, W] -> [h, H, W]
Array summedOverDepth(const Array& contributions) {
  if (contributions.shape.size() != 4 || contributions.empty()) return {};
  const std::int64_t heads = contributions.shape[0], depth = contributions.shape[1];
  const std::int64_t height = contributions.shape[2], width = contributions.shape[3];
  const auto cells = static_cast<std::size_t>(height * width);
  Array maps{{heads, height, width}, std::vector<float>(static_cast<std::size_t>(heads) * cells)};
  for (std::size_t map = 0; map < static_cast<std::size_t>(heads * depth); ++map) {
    const std::size_t head = map / static_cast<std::size_t>(depth);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      maps.values[head * cells + cell] += contributions.values[map * cells + cell];
    }
  }
  return maps;
}

}  // namespace

Array headMapsOf(const InspectionSnapshot& snapshot, ContributionKind quantity) {
  switch (quantity) {
    case ContributionKind::content:
      return summedOverDepth(snapshot.contributions.content);
    case ContributionKind::position:
      return summedOverDepth(snapshot.contributions.position);
    case ContributionKind::total:
      return summedOverDepth(snapshot.contributions.total);
    case ContributionKind::effect:
      return snapshot.effect;
  }
  return {};
}

const Array& headMapsOf(const TokenMaps& maps, ContributionKind quantity) {
  switch (quantity) {
    case ContributionKind::content:
      return maps.weights.content;
    case ContributionKind::position:
      return maps.weights.position;
    case ContributionKind::total:
      break;
    case ContributionKind::effect:
      return maps.effect;
  }
  return maps.weights.total;
}

Array mapOf(const Array& headMaps, ContributionKind quantity, int head) {
  if (headMaps.shape.size() != 3 || headMaps.empty() || head >= headMaps.shape[0]) return {};
  const std::int64_t height = headMaps.shape[1], width = headMaps.shape[2];
  const auto cells = static_cast<std::size_t>(height * width);
  const auto heads = static_cast<std::size_t>(headMaps.shape[0]);
  Array map{{height, width}, std::vector<float>(cells)};
  for (std::size_t cell = 0; cell < cells; ++cell) {
    double sum = 0;
    for (std::size_t other = 0; other < heads; ++other) {
      if (head >= 0 && other != static_cast<std::size_t>(head)) continue;
      const double value = headMaps.values[other * cells + cell];
      sum += quantity == ContributionKind::effect ? value * value : value;
    }
    map.values[cell] =
        static_cast<float>(quantity == ContributionKind::effect ? std::sqrt(sum) : sum);
  }
  return map;
}

Array sharesOf(Array map) {
  double sum = 0;
  for (const float value : map.values) sum += std::abs(value);
  if (sum == 0) return map;
  for (float& value : map.values) value = static_cast<float>(value / sum);
  return map;
}

Array differenceOf(const Array& a, const Array& b) {
  if (a.shape != b.shape || a.values.size() != b.values.size()) return {};
  Array difference = a;
  for (std::size_t i = 0; i < difference.values.size(); ++i) difference.values[i] -= b.values[i];
  return difference;
}

double norm(std::span<const float> values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

}  // namespace lambda
