#include "engine/layers/sequences/token_embedding.h"

#include <cmath>

#include <ATen/ATen.h>

#include "engine/layers/sequences/tokens.h"

namespace lambda {

TokenEmbeddingImpl::TokenEmbeddingImpl(std::int64_t vocabulary, std::int64_t depth)
    : weight(registerParameter("weight", ParameterRole::input, at::empty({vocabulary, depth}))) {
  drawNormal(weight, 1 / std::sqrt(static_cast<double>(depth)));
}

at::Tensor TokenEmbeddingImpl::forward(const at::Tensor& tokens) {
  const at::Tensor embedded = at::embedding(weight, tokens.flatten(1));
  return mapOf(embedded, tokens.size(2), tokens.size(3));
}

}  // namespace lambda
