#include "engine/layers/convolution/bfloat16_weights.h"

#include <torch/nn/modules/conv.h>

namespace lambda {

namespace {

thread_local const Bfloat16Weights* weightsInUse = nullptr;

}  // namespace

Bfloat16Weights::Bfloat16Weights(torch::nn::Module& network) {
  for (const auto& module : network.modules()) {
    const auto* conv = module->as<torch::nn::Conv2d>();
    if (conv == nullptr) continue;
    const at::Tensor& master = conv->weight;
    const at::Tensor copy =
        master.detach().to(at::kBFloat16).requires_grad_(master.requires_grad());
    pairs_.emplace(master.unsafeGetTensorImpl(), Pair{master, copy, master._version()});
  }
}

at::Tensor Bfloat16Weights::copyOf(const at::Tensor& master) const {
  const auto pair = pairs_.find(master.unsafeGetTensorImpl());
  return pair == pairs_.end() ? at::Tensor() : pair->second.copy;
}

void Bfloat16Weights::follow() {
  const at::NoGradGuard noGradient;
  for (auto& [key, pair] : pairs_) {
    const std::int64_t version = pair.master._version();
    if (version == pair.version) continue;
    pair.copy.copy_(pair.master);
    pair.version = version;
  }
}

Bfloat16Weights::InUse::InUse(const Bfloat16Weights* weights) : before_(weightsInUse) {
  weightsInUse = weights;
}

Bfloat16Weights::InUse::~InUse() {
  weightsInUse = before_;
}

at::Tensor Bfloat16Weights::inUseFor(const at::Tensor& master) {
  if (weightsInUse == nullptr) return master;
  const at::Tensor copy = weightsInUse->copyOf(master);
  return copy.defined() ? copy : master;
}

}  // namespace lambda
