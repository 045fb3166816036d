#pragma once

#include <string>
#include <vector>

namespace lambda {

/// The facts about the machine that the forms of the Train page show.
struct Machine {
  int cores = 0;                       ///< 0 = unknown.
  std::vector<std::string> gpus = {};  ///< Names by number; empty where none was looked for.
};

}  // namespace lambda
