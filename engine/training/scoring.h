#pragma once

#include <functional>
#include <optional>

#include "engine/networks/network.h"
#include "engine/runtime/processes/processes.h"
#include "engine/training/input/examples.h"

namespace lambda {

/// The batches that one of many processes takes: every `of`-th, beginning with the `first`, which
/// is counted from 0.
struct Turn {
  std::int64_t first = 0;
  std::int64_t of = 1;
};

/// Computes a network's outputs of examples in evaluation mode, without augmentation or gradients,
/// in their precision; the network's mode is restored. `visit` gets each batch's outputs in float32
/// and its labels; the outputs are the mean of a pass for each of the examples' views. `proceed` is
/// called before every batch with the number of examples done; if it returns false, so does the
/// function. `turn`: only every so many-th batch, from that one on.
bool classify(NetworkImpl& network,
              const Examples& examples,
              const std::function<bool(std::int64_t done)>& proceed,
              const std::function<void(const at::Tensor& logits, const at::Tensor& labels)>& visit,
              const Turn& turn = {});

/// Scores examples by classify(): those for training, validation and test alike. Returns nothing if
/// `proceed` returns false. Many processes score batches in turn; they stop if it returns false on
/// one of them.
std::optional<Scores> evaluate(NetworkImpl& network,
                               const Examples& examples,
                               const std::function<bool(std::int64_t done)>& proceed,
                               Processes* processes = nullptr);

}  // namespace lambda
