#pragma once

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

namespace lambda {

/// Called by a backward pass that runs in kernels, which autograd can't differentiate again. Throws
/// c10::Error where a caller asks for that (create_graph), instead of gradients without their
/// second derivatives. `what`: the operation, for the message.
inline void requireOnceDifferentiable(const char* what) {
  TORCH_CHECK(!c10::GradMode::is_enabled(),
              what,
              ": its kernels have no gradients of gradients; compute in float64, where LibTorch's "
              "own operations are used");
}

}  // namespace lambda
