#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "engine/formats/json/presets.h"
#include "engine/formats/tensors/weights_metadata.h"
#include "engine/networks/network.h"
#include "tests/support/mixer_variants.h"
#include "tests/support/odd_architectures.h"

namespace lambda::test {

/// A network in evaluation mode as it might be after training: no scale is 0 or 1, and the running
/// statistics are those of the images, so that nothing explodes.
inline Network trainedNetwork(const Architecture& architecture, const at::Tensor& images) {
  Network network(architecture);
  const at::NoGradGuard noGradients;
  for (const auto& parameter : network->named_parameters()) {
    if (parameter.key().ends_with("orm.weight")) parameter.value().uniform_(0.5, 1.5);
    if (parameter.key().ends_with("bias")) parameter.value().uniform_(-0.2, 0.2);
    if (!parameter.value().any().item<bool>()) parameter.value().normal_(0, 0.3);
  }
  for (const auto& module : network->modules()) {
    if (auto* norm = module->as<torch::nn::BatchNorm2dImpl>()) norm->options.momentum(0.9);
  }
  network->train();
  network(images);
  network->eval();
  return network;
}

/// Images for a network, or tokens. Images that differ in colour have features that differ; those
/// of noise alone are nearly equal.
inline at::Tensor inputFor(const Architecture& architecture) {
  const MapShape& input = architecture.input;
  if (architecture.task == Task::tokens) {
    return at::randint(architecture.outputs, {32, 1, input.height, input.width}, at::kLong);
  }
  // Statistics of few values would magnify rounding, most of all where the result has them.
  const bool usesBatch = architecture.normStatistics == NormStatistics::batch;
  const std::int64_t count = input.positions() > 10000 ? 2 : usesBatch ? 256 : 32;
  return at::randn({count, input.channels, 1, 1}) +
         at::randn({count, input.channels, input.height, input.width});
}

inline WeightsDescription descriptionOf(const Architecture& architecture) {
  WeightsDescription description;
  description.header.config.architecture = architecture;
  if (architecture.task == Task::tokens) return description;
  const auto channels = static_cast<std::size_t>(architecture.input.channels);
  description.header.input.normalization = {std::vector<double>(channels, 0.5),
                                            std::vector<double>(channels, 0.25)};
  for (int i = 0; i < architecture.outputs; ++i) {
    description.header.input.classNames.push_back("class " + std::to_string(i));
  }
  return description;
}

/// The logits of a network, and how far rounding to float32 takes them from float64 at most, as a
/// share of the greatest logit, or at least of 1. Norms with the statistics of the batch on maps of
/// few pixels magnify rounding.
struct ExpectedLogits {
  at::Tensor logits;
  double rounding = 0;
};

/// Where rounding is magnified, another order of the same sums differs by a few times as much.
inline constexpr double kRoundings = 10;

inline ExpectedLogits expectedLogits(Network& network, const at::Tensor& images) {
  const at::NoGradGuard noGradients;
  ExpectedLogits expected{network(images)};
  if (network->architecture.normStatistics == NormStatistics::running) return expected;
  network->to(at::kDouble);
  const at::Tensor exact = network(images.to(at::kDouble));
  network->to(at::kFloat);
  const double scale = std::max(1.0, exact.abs().max().item<double>());
  expected.rounding = (expected.logits - exact).abs().max().item<double>() / scale;
  return expected;
}

/// Networks that together have every layer with every option, every preset, and some published
/// ones.
inline std::vector<std::pair<std::string, Architecture>> exportedNetworks() {
  std::vector<std::pair<std::string, Architecture>> cases = oddArchitectures();
  for (auto& sequence : sequenceArchitectures()) cases.push_back(std::move(sequence));
  for (const auto& [name, mixer] : mixerVariants()) {
    cases.emplace_back(name, tinyRunOf(mixer).architecture);
  }
  Architecture rows;
  rows.input = {3, 1, 19};
  rows.family = Family::plain;
  rows.stem.width = 6;
  rows.stages = {{6, 1, {Block{RwkvMixer{}}}}, {8, 2, {Block{RwkvMixer{}}, Block{RwkvMixer{}}}}};
  cases.emplace_back("RWKV-4 on rows", rows);
  std::vector<Problem> warnings;
  for (const std::string& name : presetFileNames()) {
    cases.emplace_back(name, loadPreset(name, warnings).architecture);
  }
  for (const char* name : {"lambda-resnet-50", "mobilenet-v2-lambda", "resnet50-imagenet-u4"}) {
    Architecture architecture = loadPreset(name, warnings).architecture;
    architecture.input.height = architecture.input.width = 96;
    cases.emplace_back(name, architecture);
  }
  // Without depth, the mistakes of the published reproduction do not magnify rounding.
  Architecture published = loadPreset("tudelft-lambda-published", warnings).architecture;
  for (Stage& stage : published.stages) stage.blocks.resize(1);
  cases.emplace_back("tudelft-lambda-published, one block a stage", published);
  return cases;
}

}  // namespace lambda::test
