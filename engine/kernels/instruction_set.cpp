#include "engine/kernels/instruction_set.h"

#include <hwy/targets.h>

namespace lambda {

std::int64_t instructionSetsHere() {
  return hwy::SupportedTargets();
}

std::string lackingInstructionSet(std::int64_t supported) {
  return (supported & HWY_STATIC_TARGET) != 0 ? "" : hwy::TargetName(HWY_STATIC_TARGET);
}

std::string instructionSetName() {
  const std::string name = hwy::TargetName(hwy::SupportedAndGeneratedTargets().front());
  return name.starts_with("AVX3") ? "AVX-512" : name;
}

}  // namespace lambda
