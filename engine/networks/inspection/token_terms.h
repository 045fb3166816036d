#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/layers/mixers/mixer_unit.h"
#include "engine/values/inspection/token_inspection.h"

namespace lambda {

/// What the tokens m <= n of a sequence add to the output of a layer at token n, in float64 on the
/// CPU. See TokenMaps for the weights.
struct TokenTerms {
  at::Tensor weights;              ///< [h, m]
  at::Tensor content = {};         ///< [h, m]; undefined without content lambda.
  at::Tensor position = {};        ///< [h, m]; undefined without position lambda.
  at::Tensor channelWeights = {};  ///< [d, m]; undefined where heads have the weights.
  /// [h, m, c]: the vectors, whose sum over m is the output [h c] at n.
  at::Tensor vectors;
};

/// The terms of one causal layer for one sequence. The layer must be in evaluation mode, and
/// gradients must not be recorded, from the construction on.
class TokenArithmetic {
 public:
  /// `x`: the layer's input [1, d, 1, n], float32 on the CPU. Throws c10::Error for a mixer that is
  /// not causal.
  static std::unique_ptr<TokenArithmetic> of(const MixerUnit& unit, const at::Tensor& x);

  virtual ~TokenArithmetic() = default;

  virtual TokenTerms at(std::int64_t token) = 0;

  /// What the layer keeps of the tokens up to and including this one.
  virtual std::vector<KeptPart> keptAfter(std::int64_t token) = 0;

  /// The channels of RWKV by falling half-life; none for other layers.
  virtual std::vector<ChannelDecay> decays() { return {}; }
};

}  // namespace lambda
