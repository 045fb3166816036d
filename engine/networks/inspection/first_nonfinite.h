#pragma once

#include <optional>
#include <string>

#include "engine/networks/network.h"
#include "engine/values/run/non_finite.h"

namespace lambda {

/// Finds where NaN or infinity began. Checks, in this order: `batch` [b, channels, height, width],
/// the output of each layer in a forward pass (in the network's present mode and its parameters'
/// type), the parameters, and the gradients that the last backward pass left. Returns the first
/// that is not finite, or nothing. Running statistics and the state of random numbers are restored.
std::optional<NonFinite> firstNonFinite(Network& network, const at::Tensor& batch);

/// The first parameter or running statistic of a network that is not finite; nothing if all are.
std::optional<NonFinite> firstNonFiniteState(const Network& network);

/// "12 of 4096 <what> are not finite"; empty if all are finite or the tensor holds integers.
std::string nonFiniteText(const at::Tensor& tensor, const std::string& what);

}  // namespace lambda
