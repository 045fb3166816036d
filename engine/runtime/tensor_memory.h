#pragma once

namespace lambda {

/// While one of these lives, the memory of large tensors on the CPU is used again by those that
/// come after them; see BlockCache. When the last one ends, what is not in use goes back to the
/// system. In training every step allocates what the step before it has freed; without this, the
/// system clears all those pages again in each of them.
class TensorMemoryReuse {
 public:
  TensorMemoryReuse();
  ~TensorMemoryReuse();
  TensorMemoryReuse(const TensorMemoryReuse&) = delete;
  TensorMemoryReuse& operator=(const TensorMemoryReuse&) = delete;
};

}  // namespace lambda
