#include "engine/training/update/master_weights.h"

#include <ATen/ATen.h>

namespace lambda {

MasterWeights::MasterWeights(const std::vector<UpdatedParameter>& parameters) {
  for (const UpdatedParameter& each : parameters) {
    if (!each.isRounded() || each.parameter.scalar_type() != at::kBFloat16) continue;
    exchanged_.push_back({each.parameter, each.parameter.detach()});
    exchanged_.back().parameter.set_data(each.master);
  }
}

MasterWeights::~MasterWeights() {
  const at::NoGradGuard noGradient;
  for (Exchanged& each : exchanged_) {
    each.rounded.copy_(each.parameter);
    each.parameter.set_data(each.rounded);
  }
}

}  // namespace lambda
