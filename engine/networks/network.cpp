#include "engine/networks/network.h"

#include "engine/runtime/process_memory.h"
#include "engine/values/architecture/cost.h"

namespace lambda {

namespace {

/// A module that only gives its children a common prefix.
class Group : public torch::nn::Module {};

/// Whether 3x3 max pooling with stride 2 ends the stem.
bool poolsAfterStem(StemKind kind) {
  return kind == StemKind::imagenet || kind == StemKind::resnetD;
}

}  // namespace

NetworkImpl::NetworkImpl(const Architecture& architecture_)
    : architecture(architecture_), plan(planOf(architecture_)) {
  requireMemory("architecture",
                "the weights of this network",
                static_cast<std::uint64_t>(costOf(architecture).parameters) * sizeof(float),
                "choose narrower or fewer stages");
  buildStem();
  buildBlocks();
  if (architecture.head.width > 0) {
    headConv_ = register_module(
        "headConv",
        ConvolutionUnit(ConvolutionUnitOptions{.inputDepth = plan.lastMap.channels,
                                               .outputDepth = plan.features.channels,
                                               .kernelSize = 1,
                                               .activation = architecture.activation}));
  }
  if (architecture.normStatistics == NormStatistics::batch) {
    for (const auto& module : modules(/*include_self=*/false)) {
      auto* norm = module->as<torch::nn::BatchNorm2dImpl>();
      if (norm != nullptr) norm->options.track_running_stats(false);
    }
  }
  head_ = registerLinear("head",
                         ParameterRole::head,
                         torch::nn::LinearOptions(plan.features.channels, architecture.classes)
                             .bias(architecture.head.bias));
}

void NetworkImpl::buildStem() {
  const Stem& stem = architecture.stem;
  const Activation activation = architecture.activation;
  ConvolutionUnitOptions options{.inputDepth = architecture.input.channels,
                                 .outputDepth = stem.width,
                                 .activation = activation,
                                 .role = ParameterRole::input,
                                 .fixedFilters = stem.whitened};
  switch (stem.kind) {
    case StemKind::cifar:
      break;
    case StemKind::strided:
      options.stride = 2;
      break;
    case StemKind::imagenet:
      options.kernelSize = 7;
      options.stride = 2;
      break;
    case StemKind::patch:
      options.kernelSize = stem.patchSize;
      options.stride = stem.patchSize;
      options.padding = 0;
      break;
    case StemKind::resnetD:
    case StemKind::resnetRS: {
      const std::int64_t narrow = std::max(1, stem.width / 2);
      const std::int64_t depths[] = {
          architecture.input.channels, narrow, narrow, stem.width, stem.width};
      const int strides[] = {2, 1, 1, 2};
      const auto group = register_module("stem", std::make_shared<Group>());
      const int convolutions = stem.kind == StemKind::resnetRS ? 4 : 3;
      for (int i = 0; i < convolutions; ++i) {
        const std::string name = "conv" + std::to_string(i + 1);
        stem_.emplace_back("stem." + name,
                           group->register_module(
                               name,
                               ConvolutionUnit(ConvolutionUnitOptions{
                                   .inputDepth = depths[i],
                                   .outputDepth = depths[i + 1],
                                   .stride = strides[i],
                                   .activation = activation,
                                   .role = i == 0 ? ParameterRole::input : ParameterRole::filter,
                                   .fixedFilters = stem.whitened && i == 0})));
      }
      return;
    }
  }
  stem_.emplace_back("stem", register_module("stem", ConvolutionUnit(options)));
}

void NetworkImpl::freezeStages(int count) {
  const auto children = named_children();
  if (count > 0) frozen_.push_back(children["stem"]);
  for (const BlockPlan& block : plan.blocks) {
    if (block.stage + 2 > count) continue;
    if (block.block == 0) frozen_.push_back(children["stage" + std::to_string(block.stage + 1)]);
    if (const auto shared = sharedEmbeddings(block)) frozen_.push_back(shared.ptr());
  }
  for (const auto& part : frozen_) {
    for (at::Tensor& parameter : part->parameters()) parameter.requires_grad_(false);
  }
}

void NetworkImpl::train(bool on) {
  RoledModule::train(on);
  for (const auto& part : frozen_) part->train(false);
}

void NetworkImpl::whitenStem(const PatchWhitening& patches) {
  TORCH_CHECK(architecture.stem.whitened, "network: its stem is not whitened");
  const at::NoGradGuard noGradient;
  at::Tensor& weight = stem_.front().second->conv->weight;
  weight.copy_(patches.filters(weight.size(0)));
}

void NetworkImpl::buildBlocks() {
  const BlockContext context{
      architecture.family,
      architecture.activation,
      architecture.zeroInitResidual,
      architecture.stem.kind == StemKind::resnetD || architecture.stem.kind == StemKind::resnetRS};
  std::shared_ptr<Group> stage;
  for (const BlockPlan& block : plan.blocks) {
    if (block.block == 0) {
      stage = register_module("stage" + std::to_string(block.stage + 1), std::make_shared<Group>());
    }
    blocks_.push_back(
        stage->register_module("block" + std::to_string(block.block + 1),
                               ResidualBlock(block, context, sharedEmbeddings(block))));
  }
}

PositionEmbeddingTable NetworkImpl::sharedEmbeddings(const BlockPlan& block) {
  return std::visit(
      [&](const auto& mixer) -> PositionEmbeddingTable {
        // Only mixers with this option have embeddings that can be shared.
        if constexpr (requires { mixer.sharedEmbeddings; }) {
          return sharedEmbeddings(mixer, block.mixerInput);
        } else {
          return nullptr;
        }
      },
      block.options.mixer);
}

PositionEmbeddingTable NetworkImpl::sharedEmbeddings(const LambdaMixer& mixer,
                                                     const MapShape& map) {
  if (mixer.sharedEmbeddings.empty() || mixer.embedding == PositionEmbedding::none) return nullptr;
  auto found = shared_.find(mixer.sharedEmbeddings);
  if (found == shared_.end()) {
    const PositionEmbeddingTable table(positionEmbeddingOptionsOf(mixer, map.height, map.width));
    register_module("embeddings-" + mixer.sharedEmbeddings, table);
    found = shared_.emplace(mixer.sharedEmbeddings, table).first;
  }
  return found->second;
}

at::Tensor NetworkImpl::runStem(const at::Tensor& x, ForwardTrace* trace) {
  at::Tensor y = x;
  for (auto& [name, unit] : stem_) {
    const at::Tensor input = y;
    y = unit(input);
    if (poolsAfterStem(architecture.stem.kind) && &unit == &stem_.back().second) {
      y = at::max_pool2d(y, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
    }
    if (trace != nullptr) trace->visit(name, input, y);
  }
  return y;
}

at::Tensor NetworkImpl::dropFeatures(const at::Tensor& features) const {
  const double kept = 1 - architecture.head.dropout;
  if (kept == 1 || !is_training()) return features;
  // at::dropout() takes no generator.
  return features * at::empty_like(features).bernoulli_(kept, random_).div_(kept);
}

void NetworkImpl::drawFrom(const at::Generator& generator) {
  random_ = generator;
  for (ResidualBlock& block : blocks_) block->random = generator;
}

at::Tensor NetworkImpl::forward(const at::Tensor& x, ForwardTrace* trace) {
  const MapShape& input = architecture.input;
  TORCH_CHECK(x.dim() == 4 && x.size(1) == input.channels && x.size(2) == input.height &&
                  x.size(3) == input.width,
              "network: expected images [b, ",
              input.channels,
              ", ",
              input.height,
              ", ",
              input.width,
              "], got ",
              x.sizes());
  at::Tensor y = runStem(x, trace);
  for (ResidualBlock& block : blocks_) y = block(y, trace);
  if (headConv_) {
    const at::Tensor blocks = y;
    y = headConv_(blocks);
    if (trace != nullptr) trace->visit("headConv", blocks, y);
  }
  // mean and amax instead of adaptive pooling: their backward passes are deterministic on every
  // device.
  y = architecture.head.pooling == Pooling::max ? y.amax({2, 3}) : y.mean({2, 3});
  y = dropFeatures(y);
  const at::Tensor logits = head_(y) * architecture.head.scale;
  if (trace != nullptr) trace->visit("head", y, logits);
  return logits;
}

std::vector<std::pair<std::string, MixerUnit>> NetworkImpl::mixers() const {
  std::vector<std::pair<std::string, MixerUnit>> mixers;
  for (const ResidualBlock& block : blocks_) {
    mixers.emplace_back(block->plan.name + ".mixer", block->mixer);
  }
  return mixers;
}

std::vector<NamedLambda> NetworkImpl::lambdaLayers() const {
  std::vector<NamedLambda> layers;
  for (const auto& [name, unit] : mixers()) {
    const auto layer = unit->layerAs<LambdaLayerImpl>();
    if (layer) layers.push_back({name, unit, LambdaLayer(layer)});
  }
  return layers;
}

}  // namespace lambda
