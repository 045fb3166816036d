#include "widgets/network/drawing/operation_lanes.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lambda {

namespace {

/// The last operation that takes each result; results that nothing takes are missing.
std::map<int, int> lastUses(const std::vector<Operation>& operations) {
  std::map<int, int> uses;
  for (int row = 0; row < std::ssize(operations); ++row) {
    for (const int input : operations[static_cast<std::size_t>(row)].inputs) uses[input] = row;
  }
  return uses;
}

}  // namespace

OperationLanes lanesOf(const std::vector<Operation>& operations) {
  const std::map<int, int> uses = lastUses(operations);
  OperationLanes result;
  std::map<int, int> laneOf{{kImageInput, 0}};
  std::vector<bool> isTaken{uses.contains(kImageInput)};
  for (int row = 0; row < std::ssize(operations); ++row) {
    std::optional<int> lane;
    for (const int input : operations[static_cast<std::size_t>(row)].inputs) {
      const int from = laneOf.at(input);
      if (uses.at(input) != row) continue;
      isTaken[static_cast<std::size_t>(from)] = false;
      lane = std::min(lane.value_or(from), from);
    }
    if (!lane) lane = static_cast<int>(std::ranges::find(isTaken, false) - isTaken.begin());
    if (*lane == std::ssize(isTaken)) isTaken.push_back(true);
    isTaken[static_cast<std::size_t>(*lane)] = true;
    laneOf[row] = *lane;
    result.lanes.push_back(*lane);
    for (const int input : operations[static_cast<std::size_t>(row)].inputs) {
      result.lines.push_back({input, laneOf.at(input), row, *lane});
    }
  }
  result.count = static_cast<int>(isTaken.size());
  return result;
}

}  // namespace lambda
