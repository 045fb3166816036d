#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hwy/base.h>

namespace lambda {

/// Memory that will be read after a computation, fetched into the caches line by line while the
/// computation runs. The CPU fetches ahead by itself only what continues a pattern of accesses, and
/// not across the end of a loop.
class FetchAhead {
 public:
  static constexpr std::size_t kMostSpans = 8;

  /// Adds memory to fetch after what was added before. There may be kMostSpans calls.
  template <class T>
  void add(const T* from, std::int64_t count) {
    if (count > 0)
      spans_[count_++] = {reinterpret_cast<const char*>(from),
                          reinterpret_cast<const char*>(from + count)};
  }

  /// Fetches the next line, if any is left.
  HWY_INLINE void next() {
    if (present_.from >= present_.end) {
      if (taken_ == count_) return;
      present_ = spans_[taken_++];
    }
    __builtin_prefetch(present_.from);
    present_.from += kLineBytes;
  }

 private:
  static constexpr std::ptrdiff_t kLineBytes = 64;

  struct Span {
    const char* from = nullptr;
    const char* end = nullptr;
  };

  std::array<Span, kMostSpans> spans_;
  std::size_t count_ = 0, taken_ = 0;
  Span present_;
};

}  // namespace lambda
