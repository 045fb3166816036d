#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lambda {

/// Sets of tensors in separate memory that are used in turn. Together they are larger than the
/// last-level cache, so that no form finds its inputs in the cache.
template <class Set>
class Rotation {
 public:
  /// Copies `first`, of `bytes`, as often as needed to exceed `cache`, but makes at most `uses`
  /// sets.
  template <class Copy>
  Rotation(
      const Set& first, std::size_t bytes, std::size_t cache, std::size_t uses, const Copy& copy)
      : sets_{first} {
    const std::size_t wanted = std::min(cache / bytes + 2, uses);
    while (sets_.size() < wanted) sets_.push_back(copy(first));
  }

  const Set& next() { return sets_[uses_++ % sets_.size()]; }

 private:
  std::vector<Set> sets_;
  std::size_t uses_ = 0;
};

}  // namespace lambda
