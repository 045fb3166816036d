#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lambda::emulation {

// Runs kernels on the host as a GPU would. Every thread of a block is a fibre. It runs until it has
// to wait for others: for the 32 threads of its warp at a shuffle, a vote or a matrix product, or
// for its whole block at a barrier. If the threads of a warp wait for different operations, or some
// for none, the launch throws std::logic_error. Shared memory has the requested size and is full of
// NaNs when a block begins. Blocks run one after the other.

struct Index {
  unsigned x = 0;
};

/// The indices of the thread that is running.
struct CurrentThread {
  Index threadIndex, blockIndex, blockSize;
};

const CurrentThread& currentThread();

/// The order in which the threads of a block run between synchronisations. If a result depends on
/// it, the kernel lacks a barrier.
enum class Order { forward, backward };

void setOrder(Order order);

/// Runs `thread` for each thread of the grid. Throws std::logic_error in the cases above, and if
/// `threads` is not a positive multiple of 32.
void runGrid(unsigned blocks,
             unsigned threads,
             std::size_t sharedBytes,
             const std::function<void()>& thread);

void* sharedMemory();

inline constexpr unsigned kLanes = 32;

/// The arguments of a warp's lanes, and the function that is called once all lanes wait.
using Arguments = std::array<void*, kLanes>;
using Perform = void (*)(const Arguments& arguments);

/// Waits for the warp; all its lanes must pass the same function.
void meetWarp(Perform perform, void* argument);

/// Waits for the block.
void meetBlock();

}  // namespace lambda::emulation
