#pragma once

#include "engine/layers/roled_module.h"
#include "engine/layers/sequences/recurrent_layer.h"
#include "engine/values/architecture/graph.h"

namespace lambda {

/// The channel mixing of a sequence block: W_2 φ(W_1 x + b_1) + b_2 at each position. Input and
/// output [b, d, H, W].
class MlpImpl : public RoledModule {
 public:
  MlpImpl(std::int64_t depth, std::int64_t hidden, Activation activation);

  at::Tensor forward(const at::Tensor& x);

  torch::nn::Linear expand{nullptr};   ///< [hidden, d]
  torch::nn::Linear project{nullptr};  ///< [d, hidden]

 private:
  Activation activation_;
};

TORCH_MODULE(Mlp);

/// The channel mixing of RWKV-4, sigmoid(W_r x^r) (W_v max(W_k x^k, 0)^2) with
/// x^c_n = time_mix_c x_n + (1 - time_mix_c) x_{n-1}, where x_0 = 0. Parameters have the names and,
/// but for their dimensions of 1, the shapes of the published checkpoints. Input and output [b, d,
/// H, W]; positions follow each other row by row.
class RwkvChannelMixingImpl : public RoledModule, public RecurrentLayer {
 public:
  RwkvChannelMixingImpl(std::int64_t depth, std::int64_t hidden);

  at::Tensor forward(const at::Tensor& x);

  /// The state has the last token [b, d].
  at::Tensor step(const at::Tensor& x, LayerState& state) override;

  at::Tensor timeMixK;                    ///< [d]
  at::Tensor timeMixR;                    ///< [d]
  torch::nn::Linear key{nullptr};         ///< [hidden, d]
  torch::nn::Linear receptance{nullptr};  ///< [d, d]
  torch::nn::Linear value{nullptr};       ///< [d, hidden]

 private:
  at::Tensor stepOfToken(const at::Tensor& x, LayerState& state) const;
  at::Tensor mixed(const at::Tensor& tokens, const at::Tensor& before);
};

TORCH_MODULE(RwkvChannelMixing);

}  // namespace lambda
