#pragma once

#include <vector>

#include "engine/values/architecture/operations.h"

namespace lambda {

/// The line from one operation's result to an operation that takes it.
struct LaneLine {
  int fromRow = kImageInput;  ///< kImageInput = above the first row.
  int fromLane = 0;
  int toRow = 0;
  int toLane = 0;

  bool operator==(const LaneLine&) const = default;
};

/// A graph of operations beside a list with one operation per row. A line goes down in the lane of
/// its start and bends into that of its end in the last row, so that no line passes through another
/// operation.
struct OperationLanes {
  std::vector<int> lanes;  ///< The lane of each operation, from 0 at the left.
  std::vector<LaneLine> lines;
  int count = 1;  ///< How many lanes there are.
};

OperationLanes lanesOf(const std::vector<Operation>& operations);

}  // namespace lambda
