#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/formats/onnx/onnx_graph.h"
#include "engine/values/architecture/architecture.h"

namespace lambda {

struct OnnxConvolution {
  int inputs = 1;
  int outputs = 1;
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  int groups = 1;
  bool bias = false;
};

/// Writes the operations that layers are made of into a graph. Values are known by their names;
/// weights by those of the engine's modules, which are formed as `module` + "." + name.
class LayerWriter {
 public:
  LayerWriter(OnnxGraph& graph, NormStatistics statistics)
      : graph_(graph), statistics_(statistics) {}

  OnnxGraph& graph() { return graph_; }

  /// A convolution of a map x [N, inputs, H, W] by `module`.weight.
  std::string convolution(const std::string& x,
                          const std::string& module,
                          const std::string& part,
                          const OnnxConvolution& options);

  /// The same by a tensor of filters.
  std::string convolutionBy(const std::string& x,
                            const std::string& filters,
                            const std::string& part,
                            const OnnxConvolution& options);

  /// x [N, n, inputs] times `module`.weight [outputs, inputs], plus `module`.bias if `bias`.
  std::string linear(
      const std::string& x, const std::string& module, int inputs, int outputs, bool bias);

  /// The layer norm `module` of x [N, n, channels].
  std::string layerNorm(const std::string& x, const std::string& module, int channels);

  /// The batch norm `module` of x [N, channels, ..], of rank 4.
  std::string norm(const std::string& x, const std::string& module, int channels);

  std::string activation(const std::string& x, Activation activation);

  /// `shape` may have one -1.
  std::string reshape(const std::string& x,
                      const OnnxShape& shape,
                      const std::string& part = "reshape");
  std::string transpose(const std::string& x, const std::vector<std::int64_t>& order);
  std::string unsqueeze(const std::string& x, std::int64_t axis);
  std::string softmax(const std::string& x, std::int64_t axis);
  std::string matmul(const std::string& a,
                     const std::string& b,
                     const std::string& part = "matmul");
  std::string add(const std::string& a, const std::string& b);
  std::string multiply(const std::string& a, const std::string& b);
  std::string divide(const std::string& a, const std::string& b);

  /// Mean or maximum over axes, which stay with size 1 if `keeps`.
  std::string reduce(const std::string& operation,
                     const std::string& x,
                     const std::vector<std::int64_t>& axes,
                     bool keeps);
  std::string sum(const std::string& x, std::int64_t axis);

  /// Rows of a table along its first axis.
  std::string rows(const std::string& table,
                   const std::vector<std::int64_t>& index,
                   std::int64_t axis = 0,
                   const OnnxShape& indexShape = {});

  /// `count` equal parts along an axis of size `size`; x itself for one.
  std::vector<std::string> split(const std::string& x,
                                 std::int64_t axis,
                                 std::int64_t size,
                                 std::int64_t count);

  /// A map [N, c, H, W] as [N, H W, c].
  std::string pixels(const std::string& map, int channels, long long positions);

  /// [N, H W, c] as a map [N, c, H, W].
  std::string mapOf(const std::string& pixels, const MapShape& shape);

 private:
  OnnxGraph& graph_;
  NormStatistics statistics_;
};

}  // namespace lambda
