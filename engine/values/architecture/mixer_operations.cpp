#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addMixerOperations(OperationList& list, const BlockPlan& block, int input) {
  return std::visit([&](const auto& mixer) { return addOperations(list, mixer, block, input); },
                    block.options.mixer);
}

}  // namespace lambda
