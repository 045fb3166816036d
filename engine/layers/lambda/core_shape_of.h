#pragma once

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "engine/kernels/lambda_core/core_shape.h"

namespace lambda {

/// Sizes of a core from its operands; keys and table may be undefined. See LambdaOperands and
/// PositionEmbeddingTable for their shapes.
inline CoreShape coreShapeOf(const at::Tensor& queries,
                             const at::Tensor& keys,
                             const at::Tensor& values,
                             const at::Tensor& table,
                             const std::optional<LocalWindow>& window = {}) {
  CoreShape shape;
  shape.window = window;
  shape.images = queries.size(0);
  shape.queries = queries.size(1);
  shape.heads = queries.size(2);
  shape.queryDepth = queries.size(3);
  shape.valueDepth = values.size(2);
  shape.hasContent = keys.defined();
  shape.positions = values.size(1);
  if (table.defined()) {
    shape.tableRows = table.size(0);
    shape.intraDepth = table.size(1);
    shape.positions /= shape.intraDepth;
  }
  return shape;
}

/// The tensor, or nothing if it is undefined: autograd can't record undefined tensors.
inline std::optional<at::Tensor> ifDefined(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

/// The key of the window in what autograd keeps.
inline constexpr const char* kWindow = "window";

/// A window as autograd keeps it for the backward pass: height, width and scope, or an empty list.
inline c10::IValue saved(const std::optional<LocalWindow>& window) {
  if (!window) return std::vector<std::int64_t>{};
  return std::vector<std::int64_t>{window->mapHeight, window->mapWidth, window->scope};
}

inline std::optional<LocalWindow> savedWindow(const c10::IValue& value) {
  const std::vector<std::int64_t> numbers = value.toIntVector();
  if (numbers.empty()) return std::nullopt;
  return LocalWindow{numbers[0], numbers[1], numbers[2]};
}

}  // namespace lambda
