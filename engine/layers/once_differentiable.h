#pragma once

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

namespace lambda {

/// Called by a backward pass that runs in kernels, which autograd can't differentiate again. Throws
/// c10::Error if a caller requests second derivatives (create_graph), because the gradients would
/// lack them. `what`: the operation, for the message.
inline void requireOnceDifferentiable(const char* what) {
  TORCH_CHECK(!c10::GradMode::is_enabled(),
              what,
              ": its kernels do not support second derivatives; compute in float64, which uses "
              "LibTorch's own operations");
}

}  // namespace lambda
