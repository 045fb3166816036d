#include "engine/runtime/block_cache.h"

#include <algorithm>
#include <bit>
#include <sys/mman.h>

namespace lambda {

namespace {

constexpr std::size_t kSmallestStep = std::size_t{64} << 10;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Rounds a size up to a multiple of an eighth of its magnitude, so that blocks of similar sizes
/// can replace each other.
std::size_t roundedUp(std::size_t bytes) {
  const std::size_t step =
      std::clamp(std::bit_floor(std::max<std::size_t>(bytes, 1)) / 8, kSmallestStep, kHugePage);
  return (bytes + step - 1) / step * step;
}

void* map(std::size_t bytes) {
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

/// Maps a block of at least one huge page, aligned to a huge page.
void* mapAligned(std::size_t bytes) {
  void* const wide = map(bytes + kHugePage);
  if (wide == nullptr) return nullptr;
  const auto start = reinterpret_cast<std::uintptr_t>(wide);
  const std::size_t before = (kHugePage - start % kHugePage) % kHugePage;
  char* const block = static_cast<char*>(wide) + before;
  if (before > 0) munmap(wide, before);
  munmap(block + bytes, kHugePage - before);
  madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

}  // namespace

BlockCache::~BlockCache() {
  release();
}

void* BlockCache::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t size = roundedUp(bytes);
  if (size < bytes) return nullptr;
  void* block = reuse(size);
  if (block == nullptr) {
    evictFor(size);
    block = size >= kHugePage ? mapAligned(size) : map(size);
    if (block == nullptr) return nullptr;
    used_.emplace(block, size);
    bytesInUse_ += size;
  }
  mostInUse_ = std::max(mostInUse_, bytesInUse_);
  return block;
}

/// Reuses the smallest unused block that is large enough, and at most a quarter larger.
void* BlockCache::reuse(std::size_t bytes) {
  const auto found = kept_.lower_bound(bytes);
  if (found == kept_.end() || found->first > bytes + bytes / 4) return nullptr;
  void* const block = found->second.block;
  used_.emplace(block, found->first);
  bytesInUse_ += found->first;
  bytesKept_ -= found->first;
  kept_.erase(found);
  return block;
}

void BlockCache::evictFor(std::size_t bytes) {
  const std::size_t most = std::max(mostInUse_, bytesInUse_ + bytes);
  while (bytesKept_ > 0 && bytesInUse_ + bytes + bytesKept_ > 2 * most) returnLongestKept();
}

void BlockCache::returnLongestKept() {
  const auto longest =
      std::ranges::min_element(kept_, {}, [](const auto& entry) { return entry.second.since; });
  munmap(longest->second.block, longest->first);
  bytesKept_ -= longest->first;
  kept_.erase(longest);
}

bool BlockCache::give(void* block) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(block);
  if (found == used_.end()) return false;
  kept_.emplace(found->second, Kept{block, ++clock_});
  bytesInUse_ -= found->second;
  bytesKept_ += found->second;
  used_.erase(found);
  return true;
}

void BlockCache::release() {
  const std::lock_guard lock(mutex_);
  for (const auto& [size, kept] : kept_) munmap(kept.block, size);
  kept_.clear();
  bytesKept_ = 0;
  mostInUse_ = bytesInUse_;
}

std::size_t BlockCache::bytesInUse() const {
  const std::lock_guard lock(mutex_);
  return bytesInUse_;
}

std::size_t BlockCache::bytesKept() const {
  const std::lock_guard lock(mutex_);
  return bytesKept_;
}

}  // namespace lambda
