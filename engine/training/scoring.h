#pragma once

#include <functional>
#include <optional>

#include "engine/networks/network.h"
#include "engine/training/input/examples.h"

namespace lambda {

/// Computes a network's outputs of examples in evaluation mode, without augmentation or gradients,
/// in their precision; the network's mode is restored. `visit` gets each batch's outputs in float32
/// and its labels; the outputs are the mean of a pass for each of the examples' views. `proceed` is
/// called before every batch with the number of examples done; if it returns false, so does the
/// function.
bool classify(NetworkImpl& network,
              const Examples& examples,
              const std::function<bool(std::int64_t done)>& proceed,
              const std::function<void(const at::Tensor& logits, const at::Tensor& labels)>& visit);

/// Scores examples by classify(): those for training, validation and test alike. Returns nothing if
/// `proceed` returns false.
std::optional<Scores> evaluate(NetworkImpl& network,
                               const Examples& examples,
                               const std::function<bool(std::int64_t done)>& proceed);

}  // namespace lambda
