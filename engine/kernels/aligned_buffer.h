#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include <hwy/aligned_allocator.h>

namespace lambda {

/// Memory for `count` values that is aligned for vectors, without initial values.
/// Throws std::bad_alloc, where Highway returns null.
template <class T>
hwy::AlignedFreeUniquePtr<T[]> allocateAligned(std::int64_t count) {
  auto values = hwy::AllocateAligned<T>(static_cast<std::size_t>(std::max<std::int64_t>(count, 1)));
  if (!values) throw std::bad_alloc();
  return values;
}

/// Memory that is aligned for vectors. All values are 0 at first. Throws std::bad_alloc.
template <class T>
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::int64_t size) : values_(allocateAligned<T>(size)) {
    std::fill_n(values_.get(), size, T{});
  }

  T* get() const { return values_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<T[]> values_;
};

}  // namespace lambda
