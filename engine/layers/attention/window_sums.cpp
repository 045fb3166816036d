#include "engine/layers/attention/window_sums.h"

#include <cmath>

#include <torch/autograd.h>

namespace lambda {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// For each position of a map [.., H, W], the position of the padded map at one offset.
at::Tensor atOffset(const at::Tensor& padded, std::int64_t offset, std::int64_t scope) {
  const std::int64_t height = padded.size(3) - scope + 1, width = padded.size(4) - scope + 1;
  return padded.narrow(3, offset / scope, height).narrow(4, offset % scope, width);
}

class WindowProducts : public torch::autograd::Function<WindowProducts> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& map,
                            const at::Tensor& padded) {
    context->save_for_backward({map, padded});
    const std::int64_t scope = padded.size(3) - map.size(3) + 1;
    at::Tensor products = at::empty(
        {map.size(0), map.size(1), scope * scope, map.size(3), map.size(4)}, map.options());
    for (std::int64_t offset = 0; offset < scope * scope; ++offset) {
      at::Tensor product = products.select(2, offset);
      at::sum_out(product, map * atOffset(padded, offset, scope), 2);
    }
    return products;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor gradient = gradients[0].contiguous();
    return {windowSums(gradient, saved[1]), windowSpread(gradient, saved[0])};
  }
};

class WindowSums : public torch::autograd::Function<WindowSums> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& weights,
                            const at::Tensor& padded) {
    context->save_for_backward({weights, padded});
    const std::int64_t scope = padded.size(3) - weights.size(3) + 1;
    at::Tensor sums = at::zeros(
        {padded.size(0), padded.size(1), padded.size(2), weights.size(3), weights.size(4)},
        padded.options());
    for (std::int64_t offset = 0; offset < scope * scope; ++offset) {
      sums.addcmul_(weights.narrow(2, offset, 1), atOffset(padded, offset, scope));
    }
    return sums;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor gradient = gradients[0].contiguous();
    return {windowProducts(gradient, saved[1]), windowSpread(saved[0], gradient)};
  }
};

class WindowSpread : public torch::autograd::Function<WindowSpread> {
 public:
  static at::Tensor forward(AutogradContext* context,
                            const at::Tensor& weights,
                            const at::Tensor& map) {
    context->save_for_backward({weights, map});
    const auto scope = std::llround(std::sqrt(static_cast<double>(weights.size(2))));
    at::Tensor spread = at::zeros(
        {map.size(0), map.size(1), map.size(2), map.size(3) + scope - 1, map.size(4) + scope - 1},
        map.options());
    for (std::int64_t offset = 0; offset < scope * scope; ++offset) {
      atOffset(spread, offset, scope).addcmul_(weights.narrow(2, offset, 1), map);
    }
    return spread;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor gradient = gradients[0].contiguous();
    return {windowProducts(saved[1], gradient), windowSums(saved[0], gradient)};
  }
};

}  // namespace

at::Tensor windowProducts(const at::Tensor& map, const at::Tensor& padded) {
  return WindowProducts::apply(map, padded);
}

at::Tensor windowSums(const at::Tensor& weights, const at::Tensor& padded) {
  return WindowSums::apply(weights, padded);
}

at::Tensor windowSpread(const at::Tensor& weights, const at::Tensor& map) {
  return WindowSpread::apply(weights, map);
}

}  // namespace lambda
