#pragma once

#include "engine/layers/roled_module.h"
#include "engine/layers/sequences/recurrent_layer.h"
#include "engine/layers/sequences/wkv.h"

namespace lambda {

/// What the output W_o (gate wkv) of a time mixing is made of.
struct TimeMixingOperands {
  WkvOperands wkv;
  at::Tensor gate;  ///< sigmoid(W_r x^r) [b, n, d]
};

/// The time mixing of RWKV-4, W_o (sigmoid(W_r x^r) wkv) with the wkv of the keys W_k x^k and
/// values W_v x^v, and x^c_n = time_mix_c x_n + (1 - time_mix_c) x_{n-1}, where x_0 = 0 ("How the
/// RWKV language model works"). Parameters have the names and, but for their dimensions of 1, the
/// shapes of the published checkpoints. Input [b, c, H, W], output [b, d, H, W]; positions follow
/// each other row by row.
///
/// Initial values are those of the authors' training code for the layer in the middle of a deep
/// network, wherever the layer stands: time_decay rises from -5 to 3 over the channels, time_first
/// alternates around log 0.3, shares of the present token rise from 0, and key, receptance and
/// output are 0, so that a block begins as the identity. The authors' value is orthogonal; ours is
/// drawn with the same variance, 1 / c.
class RwkvTimeMixingImpl : public RoledModule, public RecurrentLayer {
 public:
  RwkvTimeMixingImpl(std::int64_t inputDepth, std::int64_t depth);

  at::Tensor forward(const at::Tensor& x);

  /// The state has the last token [b, c], and num, den and maximum of the wkv, [b, 3, d].
  at::Tensor step(const at::Tensor& x, LayerState& state) override;

  /// The operands for whole sequences x [b, c, H, W].
  TimeMixingOperands operands(const at::Tensor& x);

  at::Tensor timeDecay;                   ///< [d], the logarithm of the rate per token.
  at::Tensor timeFirst;                   ///< [d], the bonus of the present token.
  at::Tensor timeMixK;                    ///< [c]
  at::Tensor timeMixV;                    ///< [c]
  at::Tensor timeMixR;                    ///< [c]
  torch::nn::Linear key{nullptr};         ///< [d, c]
  torch::nn::Linear value{nullptr};       ///< [d, c]
  torch::nn::Linear receptance{nullptr};  ///< [d, c]
  torch::nn::Linear output{nullptr};      ///< [d, d]

 private:
  /// The operands for tokens [b, n, c] that follow `before`.
  TimeMixingOperands operandsOf(const at::Tensor& tokens, const at::Tensor& before);

  at::Tensor stepOfToken(const at::Tensor& x, LayerState& state) const;
};

TORCH_MODULE(RwkvTimeMixing);

}  // namespace lambda
