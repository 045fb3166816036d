#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/networks/inspection/token_terms.h"
#include "engine/networks/network.h"
#include "engine/values/inspection/token_inspection.h"

namespace lambda {

/// One layer of a network of tokens with one sequence. Computes once what is the same for every
/// position. It is valid as long as the network's weights do not change.
class TokenView {
 public:
  /// At most so many numbers in a map of all pairs [h, n, n].
  static constexpr std::int64_t mostPairs = std::int64_t{1} << 26;

  /// `layer`: as in TokenInspectionRequest. The network must be on the CPU; it runs in eval mode
  /// and float32, and its modes and gradients are left unchanged. Throws Error for a network that
  /// does not take tokens, an unknown layer, fewer than two tokens or more than the network takes,
  /// a token beyond the vocabulary, too many pairs, and values that are not finite.
  TokenView(Network& network, std::vector<std::int64_t> tokens, const std::string& layer);

  const InspectableLayer& layer() const { return layer_; }

  /// What the layer computes at a token, -1 = the last one: the layer, the tokens, the position and
  /// all that follows it in TokenSnapshot. It shares no memory with the network. Throws Error for a
  /// position that the sequence lacks.
  TokenSnapshot at(int position);

 private:
  void makeMaps();

  Network network_;
  std::vector<std::int64_t> tokens_;
  InspectableLayer layer_;
  std::unique_ptr<TokenArithmetic> arithmetic_;
  at::Tensor output_;  ///< What the layer gives, [n, d] in float64.
  at::Tensor logits_;  ///< [n, vocabulary]
  std::shared_ptr<const TokenMaps> maps_;
};

}  // namespace lambda
