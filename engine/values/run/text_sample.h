#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lambda {

/// What a network of bytes wrote after an epoch of its training; epoch 0 = before the first step.
struct TextSample {
  int epoch = 0;
  std::int64_t step = 0;
  std::optional<double> loss = {};  ///< On the validation text, in nats; none before an epoch.
  std::vector<std::int64_t> prompt = {};   ///< Bytes of the validation text.
  std::vector<std::int64_t> tokens = {};   ///< The bytes that follow it, drawn by the network.
  std::vector<double> probabilities = {};  ///< Those of the network for each token, 0..1.

  bool operator==(const TextSample&) const = default;
};

}  // namespace lambda
