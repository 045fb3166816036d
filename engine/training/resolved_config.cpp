#include "engine/training/resolved_config.h"

#include <utility>

#include "engine/runtime/spin_limit.h"
#include "engine/runtime/torch_device.h"
#include "engine/training/step/precision.h"

namespace lambda {

ResolvedConfig::ResolvedConfig(RunConfig config)
    : ResolvedConfig(config, selectDevice(config.device)) {}

ResolvedConfig::ResolvedConfig(RunConfig config, const ComputeDevice& device)
    : config_(std::move(config)), device_(device) {
  useThreads(device_);
  if (device_.kind == DeviceKind::cpu) spins_ = std::make_shared<const SpinLimit>(device_.threads);
  useGpu(torchDevice(device_));
  rates_ = resolvePrecision(config_.recipe, device_);
}

}  // namespace lambda
