#pragma once

#include <optional>

#include <ATen/core/Generator.h>

#include "engine/layers/blocks/squeeze_excitation.h"
#include "engine/layers/convolution/convolution_unit.h"
#include "engine/layers/forward_trace.h"
#include "engine/layers/mixers/mixer_unit.h"
#include "engine/values/architecture/plan.h"

namespace lambda {

/// The options of a network that its blocks need.
struct BlockContext {
  Family family = Family::bottleneck;
  Activation activation = Activation::relu;
  bool zeroInitResidual = true;
  bool averagePooledShortcut = false;  ///< ResNet-D: pool, then project, instead of a strided 1x1.
};

/// A block of any family, from its plan:
///   bottleneck  reduce 1x1, mixer, expand 1x1, plus shortcut (He et al., 2016)
///   basic       conv 3x3, mixer, plus shortcut
///   invertedBottleneck  expand 1x1, mixer, project 1x1, plus shortcut where the shapes agree
///   plain       mixer, plus shortcut if the plan has one
/// Input and output have the shapes of the plan, [b, channels, H, W].
class ResidualBlockImpl : public torch::nn::Module {
 public:
  /// `shared`: the mixer's embeddings if another module owns them, otherwise null.
  ResidualBlockImpl(BlockPlan plan,
                    const BlockContext& context,
                    const PositionEmbeddingTable& shared);

  at::Tensor forward(const at::Tensor& x, ForwardTrace* trace = nullptr);

  BlockPlan plan;
  BlockContext context;
  ConvolutionUnit entry{nullptr};  ///< "reduce", "conv" or "expand"; null where a mixer is first.
  MixerUnit mixer{nullptr};
  SqueezeExcitation squeeze{nullptr};
  std::optional<at::Generator> random;  ///< For stochastic depth; none = LibTorch's default.
  ConvolutionUnit exit{nullptr};        ///< "expand" or "project"; null in basic and plain blocks.
  ConvolutionUnit shortcut{nullptr};

 private:
  void buildEntry();
  void buildMixer(const PositionEmbeddingTable& shared);
  void buildShortcut();
  at::Tensor shortcutOf(const at::Tensor& x, ForwardTrace* trace);
  at::Tensor dropBranch(const at::Tensor& branch) const;

  bool dropsBranches() const { return plan.options.stochasticDepth > 0 && is_training(); }

  /// Whether the last norm can add the shortcut: nothing lies between them, and no trace needs the
  /// branch's own output.
  bool addsInLastNorm(const ForwardTrace* trace) const;

  /// The activation that follows the addition of the shortcut, if one does.
  std::optional<Activation> activationAfterSum() const;

  /// Channel attention where the block has it at that place, otherwise x.
  at::Tensor runSqueeze(const at::Tensor& x, bool isOutput, ForwardTrace* trace);

  std::string entryName_;
  std::string exitName_;
};

TORCH_MODULE(ResidualBlock);

}  // namespace lambda
