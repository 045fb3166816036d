#include "engine/layers/blocks/residual_block.h"

#include "engine/layers/norm/activation.h"

namespace lambda {

namespace {

/// Reports a layer to the trace, if there is one. Returns the layer's output.
at::Tensor visited(const at::Tensor& x,
                   const at::Tensor& y,
                   const std::string& name,
                   ForwardTrace* trace) {
  if (trace != nullptr) trace->visit(name, x, y);
  return y;
}

/// Runs one layer and reports it.
template <class Layer>
at::Tensor run(Layer& layer, const at::Tensor& x, const std::string& name, ForwardTrace* trace) {
  return visited(x, layer(x), name, trace);
}

}  // namespace

ResidualBlockImpl::ResidualBlockImpl(BlockPlan plan_,
                                     const BlockContext& context_,
                                     const PositionEmbeddingTable& shared)
    : plan(std::move(plan_)), context(context_) {
  buildEntry();
  buildMixer(shared);
  if (plan.options.squeezeExcitation) {
    const MapShape& map = squeezesOutput(plan, context.family) ? plan.output : plan.mixerOutput;
    squeeze =
        register_module("squeeze", SqueezeExcitation(map.channels, plan.options.squeezeRatio));
  }
  if (context.family == Family::bottleneck || context.family == Family::invertedBottleneck) {
    exitName_ = context.family == Family::bottleneck ? "expand" : "project";
    exit = register_module(exitName_,
                           ConvolutionUnit(ConvolutionUnitOptions{
                               .inputDepth = plan.mixerOutput.channels,
                               .outputDepth = plan.output.channels,
                               .kernelSize = 1,
                               .zeroInit = context.zeroInitResidual && plan.shortcut}));
  }
  buildShortcut();
}

void ResidualBlockImpl::buildEntry() {
  switch (context.family) {
    case Family::bottleneck:
    case Family::invertedBottleneck:
      if (context.family == Family::invertedBottleneck && plan.options.expansion == 0) return;
      entryName_ = context.family == Family::bottleneck ? "reduce" : "expand";
      entry = register_module(
          entryName_,
          ConvolutionUnit(ConvolutionUnitOptions{.inputDepth = plan.input.channels,
                                                 .outputDepth = plan.mixerInput.channels,
                                                 .kernelSize = 1,
                                                 .activation = context.activation}));
      return;
    case Family::basic:
      entryName_ = "conv";
      entry = register_module(
          entryName_,
          ConvolutionUnit(ConvolutionUnitOptions{.inputDepth = plan.input.channels,
                                                 .outputDepth = plan.mixerInput.channels,
                                                 .stride = plan.stride,
                                                 .activation = context.activation}));
      return;
    case Family::plain:
      return;
  }
}

void ResidualBlockImpl::buildMixer(const PositionEmbeddingTable& shared) {
  MixerUnitOptions options;
  if (mixerEndsBranch(plan, context.family)) {
    options.zeroInit = context.zeroInitResidual;
  } else {
    options.activation = context.activation;
  }
  mixer = register_module("mixer", MixerUnit(plan, options, shared));
}

void ResidualBlockImpl::buildShortcut() {
  if (!plan.projection) return;
  shortcut = register_module("shortcut",
                             ConvolutionUnit(ConvolutionUnitOptions{
                                 .inputDepth = plan.input.channels,
                                 .outputDepth = plan.output.channels,
                                 .kernelSize = 1,
                                 .stride = context.averagePooledShortcut ? 1 : plan.stride}));
}

at::Tensor ResidualBlockImpl::shortcutOf(const at::Tensor& x, ForwardTrace* trace) {
  if (!shortcut) return x;
  at::Tensor pooled = x;
  if (context.averagePooledShortcut && plan.stride == 2) {
    pooled = at::avg_pool2d(x, 2, 2, 0, /*ceil_mode=*/true, /*count_include_pad=*/false);
  }
  return run(shortcut, pooled, plan.name + ".shortcut", trace);
}

at::Tensor ResidualBlockImpl::dropBranch(const at::Tensor& branch) const {
  if (!dropsBranches()) return branch;
  const double rate = plan.options.stochasticDepth;
  // Each image has its own draw, as in Huang et al. (2016); scaled so that the expectation is the
  // same.
  const at::Tensor kept =
      at::empty({branch.size(0), 1, 1, 1}, branch.options()).bernoulli_(1.0 - rate, random);
  return branch * (kept / (1.0 - rate));
}

bool ResidualBlockImpl::addsInLastNorm(const ForwardTrace* trace) const {
  return plan.shortcut && (trace == nullptr || trace->isPassive()) && !dropsBranches() &&
         (!squeeze || (exit && !squeezesOutput(plan, context.family)));
}

std::optional<Activation> ResidualBlockImpl::activationAfterSum() const {
  if (context.family == Family::invertedBottleneck) return std::nullopt;
  return context.activation;
}

at::Tensor ResidualBlockImpl::runSqueeze(const at::Tensor& x, bool isOutput, ForwardTrace* trace) {
  if (!squeeze || squeezesOutput(plan, context.family) != isOutput) return x;
  return run(squeeze, x, plan.name + ".squeeze", trace);
}

at::Tensor ResidualBlockImpl::forward(const at::Tensor& x, ForwardTrace* trace) {
  at::Tensor y = x;
  if (entry) y = run(entry, y, plan.name + "." + entryName_, trace);
  if (addsInLastNorm(trace)) {
    const AfterNorm after{shortcutOf(x, trace), activationAfterSum()};
    if (!exit) return visited(y, mixer->forwardThen(y, after), plan.name + ".mixer", trace);
    y = runSqueeze(run(mixer, y, plan.name + ".mixer", trace), /*isOutput=*/false, trace);
    return visited(y, exit->forwardThen(y, after), plan.name + "." + exitName_, trace);
  }
  y = runSqueeze(run(mixer, y, plan.name + ".mixer", trace), /*isOutput=*/false, trace);
  if (exit) y = run(exit, y, plan.name + "." + exitName_, trace);
  y = runSqueeze(y, /*isOutput=*/true, trace);
  if (!plan.shortcut) return y;
  const at::Tensor sum = dropBranch(y) + shortcutOf(x, trace);
  const std::optional<Activation> activation = activationAfterSum();
  return activation ? activate(sum, *activation) : sum;
}

}  // namespace lambda
