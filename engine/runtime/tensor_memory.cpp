#include "engine/runtime/tensor_memory.h"

#include <atomic>
#include <mutex>

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <malloc.h>

#include "engine/runtime/block_cache.h"

namespace lambda {

namespace {

/// Smaller tensors are left to the system allocator, which keeps their pages.
constexpr std::size_t kLeastBytes = std::size_t{128} << 10;

/// The system allocator maps blocks from this size on one by one; the largest that glibc accepts.
constexpr int kMostFromHeap = 32 << 20;

/// The most unused bytes at the end of the system allocator's memory.
constexpr int kMostKept = 64 << 20;

std::atomic<int> reuses = 0;

/// Never destroyed: tensors may outlive everything else.
BlockCache& cache() {
  static auto* const blocks = new BlockCache;
  return *blocks;
}

void deallocate(void* block) {
  if (!cache().give(block)) {
    c10::free_cpu(block);
  } else if (reuses == 0) {
    cache().release();
  }
}

class ReusingAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* block = nullptr;
    if (bytes >= kLeastBytes && reuses > 0) block = cache().take(bytes);
    // c10::alloc_cpu() throws if there is no more memory.
    if (block == nullptr) block = c10::alloc_cpu(bytes);
    return {block, block, &deallocate, at::Device(at::kCPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &deallocate; }

  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

/// Keeps the memory that kernels and small tensors use. By default, glibc returns freed memory to
/// the system at once, and the next call waits for cleared pages.
void keepHeapMemory() {
  mallopt(M_MMAP_THRESHOLD, kMostFromHeap);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
}

}  // namespace

TensorMemoryReuse::TensorMemoryReuse() {
  static std::once_flag once;
  std::call_once(once, [] {
    static auto* const allocator = new ReusingAllocator;
    c10::SetCPUAllocator(allocator);
    keepHeapMemory();
  });
  ++reuses;
}

TensorMemoryReuse::~TensorMemoryReuse() {
  if (--reuses > 0) return;
  cache().release();
  malloc_trim(0);
}

}  // namespace lambda
