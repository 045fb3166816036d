#pragma once

#include <vector>

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// Parts of a network that are copied from one place to another, also between programs.
struct NetworkFragment {
  std::vector<Stage> stages;
  std::vector<Block> blocks;  ///< Blocks without their stage.

  bool operator==(const NetworkFragment&) const = default;

  bool isEmpty() const { return stages.empty() && blocks.empty(); }
};

}  // namespace lambda
