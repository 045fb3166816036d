#pragma once

#include "widgets/network/drawing/network_layout.h"
#include "widgets/network/parts/part_costs.h"

namespace lambda {

/// The blocks of a network that show their operations.
class OpenedBlocks {
 public:
  bool contains(const PartId& block) const { return blocks_.contains(block); }

  bool containsAll(const Selection& blocks) const;

  void setOpen(const Selection& blocks, bool isOpen);

  /// Opened blocks follow their stage and their place in it. Where some were added or removed,
  /// those that may have other numbers are closed.
  void follow(const Architecture& before, const Architecture& after);

  /// How many operations each of them has.
  OperationCounts counts(const NetworkCosts& costs) const;

 private:
  Selection blocks_;
};

}  // namespace lambda
