#include "engine/layers/attention/attention_heads.h"

#include <cmath>
#include <utility>

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"

namespace lambda {

AttentionModule::AttentionModule(std::string layer, const AttentionOptions& options_)
    : options(options_), layer_(std::move(layer)) {
  TORCH_CHECK(options.heads > 0 && options.outputDepth % options.heads == 0,
              layer_,
              ": ",
              options.heads,
              " heads do not divide the depth ",
              options.outputDepth);
  const auto addProjection = [&](const char* name) {
    torch::nn::Conv2d projection = registerConvolution(
        name,
        ParameterRole::projection,
        torch::nn::Conv2dOptions(options.inputDepth, options.outputDepth, /*kernel_size=*/1)
            .bias(false));
    drawNormal(projection->weight, 1.0 / std::sqrt(static_cast<double>(options.inputDepth)));
    return projection;
  };
  queries = addProjection("queries");
  keys = addProjection("keys");
  values = addProjection("values");
}

HeadedInputs AttentionModule::project(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 4 && x.size(1) == options.inputDepth && x.size(2) == options.mapHeight &&
                  x.size(3) == options.mapWidth,
              layer_,
              ": expected an input [b, ",
              options.inputDepth,
              ", ",
              options.mapHeight,
              ", ",
              options.mapWidth,
              "], got ",
              x.sizes());
  return projectPiece(x);
}

HeadedInputs AttentionModule::projectPiece(const at::Tensor& x) {
  return {toHeads(convolve(queries, x), options.heads),
          toHeads(convolve(keys, x), options.heads),
          toHeads(convolve(values, x), options.heads)};
}

void requireDepth(const std::string& layer, const at::Tensor& x, std::int64_t depth) {
  TORCH_CHECK(x.dim() == 4 && x.size(1) == depth,
              layer,
              ": expected an input [b, ",
              depth,
              ", H, W], got ",
              x.sizes());
}

at::Tensor toHeads(const at::Tensor& map, std::int64_t heads) {
  return map.permute({0, 2, 3, 1})
      .reshape({map.size(0), map.size(2) * map.size(3), heads, map.size(1) / heads})
      .transpose(1, 2);
}

at::Tensor fromHeads(const at::Tensor& headed, std::int64_t height, std::int64_t width) {
  const std::int64_t depth = headed.size(1) * headed.size(3);
  // A reshape of one head, or of heads of one channel, may be a view with another order.
  return headed.transpose(1, 2)
      .reshape({headed.size(0), height, width, depth})
      .contiguous()
      .permute({0, 3, 1, 2});
}

at::Tensor laterPositions(std::int64_t positions, const at::Device& device) {
  return at::ones({positions, positions}, at::TensorOptions(at::kBool).device(device)).triu(1);
}

at::Tensor offsetEmbeddings(const at::Tensor& table, std::int64_t size) {
  // The rows of a query at place x are those from size - 1 - x on. Windows of rows have a gradient
  // that is the same to the bit on every device; that of rows selected by an index is not.
  return table.unfold(0, size, 1).flip(0).movedim(-1, 1);
}

}  // namespace lambda
