#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <ATen/autocast_mode.h>
#include <torch/nn/module.h>

namespace lambda {

/// Puts a network into eval mode, without gradients and without autocast, for a scope on this
/// thread. At the end of the scope, also by an exception, every module gets its former mode back.
class InspectionMode {
 public:
  InspectionMode(torch::nn::Module& network, c10::DeviceType device)
      : device_(device), hadAutocast_(at::autocast::is_autocast_enabled(device)) {
    for (const auto& module : network.modules()) modes_.emplace_back(module, module->is_training());
    network.eval();
    at::autocast::set_autocast_enabled(device_, false);
  }

  ~InspectionMode() {
    at::autocast::set_autocast_enabled(device_, hadAutocast_);
    // Parents come first, because train() also sets all modules below, which then get their own
    // mode.
    for (const auto& [module, training] : modes_) module->train(training);
  }

  InspectionMode(const InspectionMode&) = delete;
  InspectionMode& operator=(const InspectionMode&) = delete;

 private:
  std::vector<std::pair<std::shared_ptr<torch::nn::Module>, bool>> modes_;
  at::NoGradGuard noGradient_;
  c10::DeviceType device_;
  bool hadAutocast_;
};

}  // namespace lambda
