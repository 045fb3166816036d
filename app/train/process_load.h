#pragma once

#include <chrono>
#include <cstdint>

namespace lambda {

/// What this process takes of the machine, between two looks at it. Zero where the system does not
/// tell.
class ProcessLoad {
 public:
  struct Values {
    std::int64_t residentBytes = 0;
    double cores =
        0;  ///< Processor time of all threads since the last look, by the time that went by.
  };

  ProcessLoad();

  Values look();

 private:
  double processorSeconds_ = 0;
  std::chrono::steady_clock::time_point lookedAt_;
};

}  // namespace lambda
