#pragma once

#include <memory>
#include <optional>

#include <torch/nn/modules/batchnorm.h>

#include "engine/layers/mixers/mixers.h"
#include "engine/layers/norm_and_pool/fused_norm.h"

namespace lambda {

struct MixerUnitOptions {
  std::optional<Activation> activation = std::nullopt;  ///< None: the unit ends with its norm.
  bool zeroInit = false;                                ///< The norm's scale starts at 0.
};

/// The mixer of a block, of any kind: its layer, pooling where the plan has some for the stride,
/// batch norm, activation. Input and output as the plan says, [b, channels, H, W].
class MixerUnitImpl : public RoledModule {
 public:
  /// `shared`: the embeddings of the mixer where another module owns them, else null.
  MixerUnitImpl(const BlockPlan& plan,
                const MixerUnitOptions& options,
                const PositionEmbeddingTable& shared = nullptr);

  at::Tensor forward(const at::Tensor& x);

  /// The unit as the end of a residual branch: what `after` says in the place of its activation.
  at::Tensor forwardThen(const at::Tensor& x, const AfterNorm& after);

  /// The mixer's own layer, if it is one of that class; else null.
  template <class Layer>
  std::shared_ptr<Layer> layerAs() const {
    return std::dynamic_pointer_cast<Layer>(children().front());
  }

  MixerUnitOptions options;
  torch::nn::BatchNorm2d norm{nullptr};

 private:
  StridePooling pooling_;
  MapFunction mix_;
};

TORCH_MODULE(MixerUnit);

}  // namespace lambda
