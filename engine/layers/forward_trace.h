#pragma once

#include <string>

#include <ATen/ATen.h>

namespace lambda {

/// Is called for every layer of a forward pass, in the order in which they run. Inspection and the
/// search for the first non-finite layer are traces.
class ForwardTrace {
 public:
  virtual ~ForwardTrace() = default;

  /// Whether the pass must compute exactly what it would without the trace. A last layer of a
  /// branch that adds the shortcut itself is then visited with the sum as its output.
  virtual bool isPassive() const { return false; }

  /// `layer`: its name as in the cost table and in parameter names, "stage2.block1.mixer".
  virtual void visit(const std::string& layer,
                     const at::Tensor& input,
                     const at::Tensor& output) = 0;
};

}  // namespace lambda
