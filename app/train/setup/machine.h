#pragma once

#include <string>
#include <vector>

namespace lambda {

/// What the forms of the Train page tell of the machine.
struct Machine {
  int cores = 0;                       ///< 0 = unknown.
  std::vector<std::string> gpus = {};  ///< Names by number; empty where none was looked for.
};

}  // namespace lambda
