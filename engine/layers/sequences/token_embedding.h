#pragma once

#include "engine/layers/roled_module.h"

namespace lambda {

/// A learnt vector for each token, drawn from N(0, 1 / d). Input: tokens [b, 1, H, W] int64 below
/// the vocabulary; output [b, d, H, W], channels last.
class TokenEmbeddingImpl : public RoledModule {
 public:
  TokenEmbeddingImpl(std::int64_t vocabulary, std::int64_t depth);

  at::Tensor forward(const at::Tensor& tokens);

  at::Tensor weight;  ///< [vocabulary, d]
};

TORCH_MODULE(TokenEmbedding);

}  // namespace lambda
