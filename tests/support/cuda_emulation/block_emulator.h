#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lambda::emulation {

// Runs kernels on the host as a GPU would: every thread of a block is a fibre, which runs until it
// meets others, the 32 of its warp for a shuffle, a vote or a matrix product, or its whole block
// for a barrier. Threads that meet for different things, or not at all, are errors: the launch
// throws std::logic_error. Shared memory is as large as was asked for and full of NaNs when a block
// begins. Blocks run one after the other.

struct Index {
  unsigned x = 0;
};

/// The thread that runs.
struct CurrentThread {
  Index threadIndex, blockIndex, blockSize;
};

const CurrentThread& currentThread();

/// In which order the threads of a block run between meetings. A result that depends on it lacks a
/// barrier.
enum class Order { forward, backward };

void setOrder(Order order);

/// Runs `thread` for each thread of the grid. Throws std::logic_error as above.
void runGrid(unsigned blocks,
             unsigned threads,
             std::size_t sharedBytes,
             const std::function<void()>& thread);

void* sharedMemory();

inline constexpr unsigned kLanes = 32;

/// What the lanes of a warp bring to a meeting, and what is done once all are there.
using Arguments = std::array<void*, kLanes>;
using Perform = void (*)(const Arguments& arguments);

/// Waits for the warp, all of whose lanes must come with the same function.
void meetWarp(Perform perform, void* argument);

/// Waits for the block.
void meetBlock();

}  // namespace lambda::emulation
