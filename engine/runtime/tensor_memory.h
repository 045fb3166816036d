#pragma once

namespace lambda {

/// While an object of this class lives, the memory of large CPU tensors is reused by later tensors;
/// see BlockCache. The destructor of the last object returns unused memory to the system. Every
/// training step allocates what the previous step has freed; without reuse, the system would clear
/// all those pages in every step. From the first object on, malloc also keeps up to 64 MiB of freed
/// memory at the end of its heap, in the whole process.
class TensorMemoryReuse {
 public:
  TensorMemoryReuse();
  ~TensorMemoryReuse();
  TensorMemoryReuse(const TensorMemoryReuse&) = delete;
  TensorMemoryReuse& operator=(const TensorMemoryReuse&) = delete;
};

}  // namespace lambda
