#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/aligned_allocator.h>

namespace lambda {

/// Memory that is aligned for vectors. All values are 0 at first.
template <class T>
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::int64_t size)
      : values_(
            hwy::AllocateAligned<T>(static_cast<std::size_t>(std::max<std::int64_t>(size, 1)))) {
    std::fill_n(values_.get(), size, T{});
  }

  T* get() const { return values_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<T[]> values_;
};

}  // namespace lambda
