#include "engine/training/start/start_weights.h"

#include <algorithm>
#include <map>
#include <utility>

#include <ATen/ATen.h>

#include "engine/layers/convolution/patch_whitening.h"
#include "engine/runtime/borrowed_generator.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/update/master_weights.h"

namespace lambda {

namespace {

constexpr std::int64_t kEnoughPatches = 2 << 20;

/// Patch values at once. Patches overlap, so they take many times the memory of their images.
constexpr std::int64_t kFloatsTogether = 4 << 20;

std::vector<TensorShape> shapesOf(const std::vector<NamedTensor>& tensors) {
  std::vector<TensorShape> shapes;
  for (const NamedTensor& each : tensors) shapes.push_back({each.name, each.tensor.sizes().vec()});
  return shapes;
}

void copyInto(const NamedTensor& target, const TensorView& source, const std::string& place) {
  const at::Tensor values = toTensor(source, place).to(target.tensor.scalar_type());
  if (!values.isfinite().all().item<bool>()) {
    throw Error(place,
                "tensor " + source.name + " has values that are not finite",
                "Choose other weights: training can't start from these.");
  }
  const at::NoGradGuard noGradient;
  target.tensor.detach().copy_(values.reshape(target.tensor.sizes()));
}

}  // namespace

std::optional<ForeignWeights> readStartWeights(const StartConfig& config) {
  if (config.weights.empty()) return std::nullopt;
  ForeignWeights weights = readForeignWeights(config.weights);
  if (!config.sha256.empty() && config.sha256 != weights.sha256) {
    throw Error(config.weights,
                "is not the file that start.sha256 names: its digest is " + weights.sha256,
                "Put the former file there, or clear start.sha256 to start from this one.");
  }
  return weights;
}

WeightTransfer previewStart(const RunConfig& config, const std::vector<std::string>& classNames) {
  const ForeignWeights weights = readForeignWeights(config.start.weights);
  const BorrowedGenerator generator;
  const Network network(config.architecture);
  return planTransfer(weights, shapesOf(stateOf(*network)), classNames);
}

WeightTransfer startFrom(TrainingState& state,
                         const ForeignWeights& weights,
                         const std::vector<std::string>& classNames) {
  WeightTransfer transfer;
  {
    const MasterWeights masters(state.optimizer);
    const std::vector<NamedTensor> targets = stateOf(*state.network);
    transfer = planTransfer(weights, shapesOf(targets), classNames);
    std::map<std::string, const NamedTensor*> byName;
    for (const NamedTensor& each : targets) byName.emplace(each.name, &each);
    for (const WeightTransfer::Taken& taken : transfer.taken) {
      copyInto(*byName.at(taken.target), *weights.file.find(taken.source), weights.place);
    }
    if (state.average) state.average->restart();
  }
  state.initialEmbeddings = embeddingTablesOf(state.network);
  return transfer;
}

void whitenStem(TrainingState& state, TrainingData& data) {
  const Architecture& architecture = state.network->architecture;
  if (!architecture.stem.whitened) return;
  const RunData& all = imagesOf(data);
  const LabeledImages& images = all.train();
  const FirstConvolution first = firstConvolutionOf(state.network->graph);
  const std::int64_t values = static_cast<std::int64_t>(images.channels) * first.side * first.side;
  const std::int64_t positions = static_cast<std::int64_t>(images.height) * images.width;
  const auto together =
      static_cast<std::size_t>(std::max<std::int64_t>(1, kFloatsTogether / (values * positions)));
  PatchWhitening patches(images.channels, first.side);
  for (std::size_t at = 0; at < images.count() && patches.patches() < kEnoughPatches;
       at += together) {
    const std::size_t count = std::min(together, images.count() - at);
    patches.add(all.maker().plain(images, at, count).images);
  }
  const MasterWeights whitened(state.optimizer);
  state.network->whitenStem(patches);
  if (state.average) state.average->restart();
}

}  // namespace lambda
