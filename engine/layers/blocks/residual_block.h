#pragma once

#include <optional>

#include <ATen/core/Generator.h>

#include "engine/layers/blocks/squeeze_excitation.h"
#include "engine/layers/convolution/convolution_unit.h"
#include "engine/layers/forward_trace.h"
#include "engine/layers/mixers/mixer_unit.h"
#include "engine/values/plan.h"

namespace lambda {

/// What a block needs to know of its network.
struct BlockContext {
  Family family = Family::bottleneck;
  Activation activation = Activation::relu;
  bool zeroInitResidual = true;
  bool averagePooledShortcut = false;  ///< ResNet-D: pool, then project, instead of a strided 1x1.
};

/// A block of any family, from its plan:
///   bottleneck  reduce 1x1, mixer, expand 1x1, plus shortcut (He et al., 2016)
///   basic       conv 3x3, mixer, plus shortcut
///   plain       mixer, plus shortcut where the mixer needs one or it is asked for
/// Input and output as in the plan, [b, channels, H, W].
class ResidualBlockImpl : public torch::nn::Module {
 public:
  /// `shared`: the embeddings of the mixer where another module owns them, else null.
  ResidualBlockImpl(BlockPlan plan,
                    const BlockContext& context,
                    const PositionEmbeddingTable& shared);

  at::Tensor forward(const at::Tensor& x, ForwardTrace* trace = nullptr);

  BlockPlan plan;
  BlockContext context;
  ConvolutionUnit entry{nullptr};  ///< "reduce" or "conv"; null in the plain family.
  MixerUnit mixer{nullptr};
  SqueezeExcitation squeeze{nullptr};
  std::optional<at::Generator> random;  ///< Of stochastic depth; none = LibTorch's default one.
  ConvolutionUnit expand{nullptr};
  ConvolutionUnit shortcut{nullptr};

 private:
  void buildEntry();
  void buildMixer(const PositionEmbeddingTable& shared);
  void buildShortcut();
  /// The mixer's unit ends the residual branch: no activation, and its norm may start at 0.
  bool mixerEndsBranch() const;
  at::Tensor shortcutOf(const at::Tensor& x, ForwardTrace* trace);
  at::Tensor dropBranch(const at::Tensor& branch) const;

  bool dropsBranches() const { return plan.options.stochasticDepth > 0 && is_training(); }

  /// Nothing stands between the last norm and the addition, and nobody wants to see what does.
  bool addsInLastNorm(const ForwardTrace* trace) const;

  std::string entryName_;
};

TORCH_MODULE(ResidualBlock);

}  // namespace lambda
