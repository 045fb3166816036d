#include "engine/formats/onnx/layer_writer.h"

#include <cmath>

namespace lambda {

namespace {

/// Those of the norms in PyTorch and in the engine's modules.
constexpr float kEpsilon = 1e-5F;

/// CELU's alpha in the engine.
constexpr float kCeluAlpha = 0.075F;

using Integers = std::vector<std::int64_t>;

}  // namespace

std::string LayerWriter::convolution(const std::string& x,
                                     const std::string& module,
                                     const std::string& part,
                                     const OnnxConvolution& options) {
  const std::string filters = graph_.weight(
      module + ".weight",
      {options.outputs, options.inputs / options.groups, options.kernel, options.kernel});
  if (!options.bias) return convolutionBy(x, filters, part, options);
  const std::string y = convolutionBy(x, filters, part, options);
  const std::string bias = graph_.weight(module + ".bias", {options.outputs});
  return add(y, reshape(bias, {options.outputs, 1, 1}, "bias"));
}

std::string LayerWriter::convolutionBy(const std::string& x,
                                       const std::string& filters,
                                       const std::string& part,
                                       const OnnxConvolution& options) {
  const std::int64_t kernel = options.kernel, stride = options.stride, padding = options.padding;
  return graph_.add("Conv",
                    part,
                    {x, filters},
                    {{"kernel_shape", Integers{kernel, kernel}},
                     {"strides", Integers{stride, stride}},
                     {"pads", Integers{padding, padding, padding, padding}},
                     {"group", std::int64_t{options.groups}}});
}

std::string LayerWriter::linear(
    const std::string& x, const std::string& module, int inputs, int outputs, bool bias) {
  const std::string matrix =
      transpose(graph_.weight(module + ".weight", {outputs, inputs}), {1, 0});
  const std::string y = matmul(x, matrix, "linear");
  return bias ? add(y, graph_.weight(module + ".bias", {outputs})) : y;
}

std::string LayerWriter::layerNorm(const std::string& x, const std::string& module, int channels) {
  return graph_.add("LayerNormalization",
                    "norm",
                    {x,
                     graph_.weight(module + ".weight", {channels}),
                     graph_.weight(module + ".bias", {channels})},
                    {{"axis", std::int64_t{-1}}, {"epsilon", kEpsilon}});
}

std::string LayerWriter::norm(const std::string& x, const std::string& module, int channels) {
  const OnnxShape shape{channels};
  const std::string scale = graph_.weight(module + ".weight", shape);
  const std::string shift = graph_.weight(module + ".bias", shape);
  if (statistics_ == NormStatistics::running) {
    return graph_.add("BatchNormalization",
                      "norm",
                      {x,
                       scale,
                       shift,
                       graph_.weight(module + ".running_mean", shape),
                       graph_.weight(module + ".running_var", shape)},
                      {{"epsilon", kEpsilon}});
  }
  // In training mode, BatchNormalization has outputs that few run times compute.
  const Integers axes{0, 2, 3};
  const std::string centred =
      graph_.add("Sub", "centred", {x, reduce("ReduceMean", x, axes, /*keeps=*/true)});
  const std::string variance =
      reduce("ReduceMean", multiply(centred, centred), axes, /*keeps=*/true);
  const std::string deviation =
      graph_.add("Sqrt", "deviation", {add(variance, graph_.scalar(kEpsilon))});
  const OnnxShape broadcast{channels, 1, 1};
  const std::string scaled =
      multiply(divide(centred, deviation), reshape(scale, broadcast, "scale"));
  return add(scaled, reshape(shift, broadcast, "shift"));
}

std::string LayerWriter::activation(const std::string& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return graph_.add("Relu", "relu", {x});
    case Activation::celu:
      return graph_.add("Celu", "celu", {x}, {{"alpha", kCeluAlpha}});
    case Activation::gelu: {
      const auto root = static_cast<float>(std::sqrt(0.5));
      const std::string erf = graph_.add("Erf", "erf", {multiply(x, graph_.scalar(root))});
      return multiply(multiply(x, graph_.scalar(0.5F)), add(erf, graph_.scalar(1)));
    }
    case Activation::silu:
      return multiply(x, graph_.add("Sigmoid", "sigmoid", {x}));
    case Activation::relu6:
      return graph_.add("Clip", "relu6", {x, graph_.scalar(0), graph_.scalar(6)});
  }
  return x;
}

std::string LayerWriter::reshape(const std::string& x,
                                 const OnnxShape& shape,
                                 const std::string& part) {
  const std::string target = graph_.constant(shape, {std::ssize(shape)});
  return graph_.add("Reshape", part, {x, target});
}

std::string LayerWriter::transpose(const std::string& x, const Integers& order) {
  return graph_.add("Transpose", "transpose", {x}, {{"perm", order}});
}

std::string LayerWriter::unsqueeze(const std::string& x, std::int64_t axis) {
  return graph_.add("Unsqueeze", "unsqueeze", {x, graph_.constant(Integers{axis}, {1})});
}

std::string LayerWriter::softmax(const std::string& x, std::int64_t axis) {
  return graph_.add("Softmax", "softmax", {x}, {{"axis", axis}});
}

std::string LayerWriter::matmul(const std::string& a,
                                const std::string& b,
                                const std::string& part) {
  return graph_.add("MatMul", part, {a, b});
}

std::string LayerWriter::add(const std::string& a, const std::string& b) {
  return graph_.add("Add", "add", {a, b});
}

std::string LayerWriter::multiply(const std::string& a, const std::string& b) {
  return graph_.add("Mul", "multiply", {a, b});
}

std::string LayerWriter::divide(const std::string& a, const std::string& b) {
  return graph_.add("Div", "divide", {a, b});
}

std::string LayerWriter::reduce(const std::string& operation,
                                const std::string& x,
                                const Integers& axes,
                                bool keeps) {
  return graph_.add(operation,
                    operation == "ReduceMean" ? "mean" : "maximum",
                    {x},
                    {{"axes", axes}, {"keepdims", std::int64_t{keeps ? 1 : 0}}});
}

std::string LayerWriter::sum(const std::string& x, std::int64_t axis) {
  return graph_.add("ReduceSum",
                    "sum",
                    {x, graph_.constant(Integers{axis}, {1})},
                    {{"keepdims", std::int64_t{1}}});
}

std::string LayerWriter::rows(const std::string& table,
                              const Integers& index,
                              std::int64_t axis,
                              const OnnxShape& indexShape) {
  const OnnxShape shape = indexShape.empty() ? OnnxShape{std::ssize(index)} : indexShape;
  return graph_.add("Gather", "rows", {table, graph_.constant(index, shape)}, {{"axis", axis}});
}

std::vector<std::string> LayerWriter::split(const std::string& x,
                                            std::int64_t axis,
                                            std::int64_t size,
                                            std::int64_t count) {
  if (count == 1) return {x};
  const Integers sizes(static_cast<std::size_t>(count), size / count);
  return graph_.addWithOutputs(static_cast<std::size_t>(count),
                               "Split",
                               "heads",
                               {x, graph_.constant(sizes, {count})},
                               {{"axis", axis}});
}

std::string LayerWriter::pixels(const std::string& map, int channels, long long positions) {
  return transpose(reshape(map, {kBatch, channels, positions}), {0, 2, 1});
}

std::string LayerWriter::mapOf(const std::string& pixels, const MapShape& shape) {
  return reshape(transpose(pixels, {0, 2, 1}), {kBatch, shape.channels, shape.height, shape.width});
}

}  // namespace lambda
