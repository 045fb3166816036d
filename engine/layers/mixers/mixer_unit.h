#pragma once

#include <memory>
#include <optional>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "engine/layers/mixers/mixers.h"
#include "engine/layers/norm/fused_norm.h"

namespace lambda {

struct MixerUnitOptions {
  bool hasNorm = true;                                  ///< A batch norm follows the mixer.
  std::optional<Activation> activation = std::nullopt;  ///< None: the unit ends with its norm.
  bool zeroInit = false;                                ///< The norm's scale starts at 0.
  std::optional<PoolNode> pool = std::nullopt;          ///< Follows the mixer.
};

/// The mixer of a block, of any kind: its layer, and pooling, batch norm and activation where the
/// block has them. Input and
/// output [b, channels, H, W].
class MixerUnitImpl : public RoledModule {
 public:
  /// `shared`: the mixer's embeddings if another module owns them, otherwise null.
  MixerUnitImpl(const PlacedMixer& place,
                const MixerUnitOptions& options,
                const PositionEmbeddingTable& shared = nullptr);

  at::Tensor forward(const at::Tensor& x);

  /// The unit with its norm as the end of a residual branch, with `after` in place of its
  /// activation.
  at::Tensor forwardThen(const at::Tensor& x, const AfterNorm& after);

  /// The mixer's layer if it is of class Layer, otherwise null.
  template <class Layer>
  std::shared_ptr<Layer> layerAs() const {
    return std::dynamic_pointer_cast<Layer>(children().front());
  }

  MixerUnitOptions options;
  torch::nn::BatchNorm2d norm{nullptr};  ///< Null without a norm.

 private:
  std::optional<PoolNode> pool_;  // What follows mix_, which may pool itself.
  MapFunction mix_;
  torch::nn::Conv2d conv_{nullptr};  // The layer, if it is a convolution.
};

TORCH_MODULE(MixerUnit);

}  // namespace lambda
