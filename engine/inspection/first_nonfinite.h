#pragma once

#include <optional>
#include <string>

#include "engine/networks/network.h"
#include "engine/values/non_finite.h"

namespace lambda {

/// Finds where NaN or infinity began: a forward pass over `batch` [b, channels, height, width] in
/// the network's present mode and in its parameters' type, layer by layer; if all its outputs are
/// finite, the first parameter and then the first gradient (as the last backward pass left them)
/// that is not. Nothing if all are finite. Running statistics and random numbers stay as they are.
std::optional<NonFinite> firstNonFinite(Network& network, const at::Tensor& batch);

/// The first parameter or running statistic of a network that is not finite; nothing if all are.
std::optional<NonFinite> firstNonFiniteState(const Network& network);

/// "12 of 4096 <what> are not finite"; empty if all are, or the tensor holds whole numbers.
std::string nonFiniteText(const at::Tensor& tensor, const std::string& what);

}  // namespace lambda
