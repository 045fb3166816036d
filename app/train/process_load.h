#pragma once

#include <chrono>
#include <cstdint>

namespace lambda {

/// The load of this process on the machine between two measurements. Zero where the system does not
/// report it.
class ProcessLoad {
 public:
  struct Values {
    std::int64_t residentBytes = 0;
    double cores = 0;  ///< Processor time of all threads per elapsed time since the last call.
  };

  ProcessLoad();

  Values look();

 private:
  double processorSeconds_ = 0;
  std::chrono::steady_clock::time_point lookedAt_;
};

}  // namespace lambda
