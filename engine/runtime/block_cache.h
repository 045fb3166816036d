#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace lambda {

/// A cache of large memory blocks, which are reused instead of being returned to the system,
/// because the system has to clear every page of a new block. Blocks use huge pages if the system
/// allows it. Used and unused blocks together are limited to twice the peak of the bytes in use.
/// Thread-safe.
class BlockCache {
 public:
  BlockCache() = default;
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// Returns unused blocks to the system; blocks in use are leaked.
  ~BlockCache();

  /// A block of at least `bytes`, aligned to a page; null if the system has no more memory.
  void* take(std::size_t bytes);

  /// Takes back a block from take(). False if `block` did not come from it.
  bool give(void* block);

  /// Returns unused blocks to the system, and resets the peak to the bytes in use.
  void release();

  std::size_t bytesInUse() const;
  std::size_t bytesKept() const;

 private:
  struct Kept {
    void* block = nullptr;
    std::uint64_t since = 0;
  };

  void* reuse(std::size_t bytes);
  void evictFor(std::size_t bytes);
  void returnLongestKept();

  mutable std::mutex mutex_;
  std::unordered_map<void*, std::size_t> used_;
  std::multimap<std::size_t, Kept> kept_;
  std::size_t bytesInUse_ = 0;
  std::size_t bytesKept_ = 0;
  std::size_t mostInUse_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace lambda
