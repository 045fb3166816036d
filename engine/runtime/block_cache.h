#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

namespace lambda {

/// Large blocks of memory that are used again instead of being returned to the system, which would
/// have to clear every page of the next one. Where the system allows it they lie in huge pages.
/// Blocks that are kept without being in use are limited: together with those in use they are at
/// most twice the most that was in use at once. May be used from any thread.
class BlockCache {
 public:
  BlockCache() = default;
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// Returns what is not in use; what is in use is lost.
  ~BlockCache();

  /// At least `bytes`, at the start of a page; null if the system has no more.
  void* take(std::size_t bytes);

  /// Takes a block of take() back. False if `block` is none.
  bool give(void* block);

  /// Returns what is not in use to the system, and forgets how much once was.
  void release();

  std::size_t bytesInUse() const;
  std::size_t bytesKept() const;

 private:
  struct Kept {
    void* block = nullptr;
    std::uint64_t since = 0;
  };

  void* reuse(std::size_t bytes);
  void makeRoomFor(std::size_t bytes);
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
