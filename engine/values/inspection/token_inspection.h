#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The mixers of a network of tokens, in network order, from its description alone: all of them can
/// be inspected. The map of a layer has one row, of as many positions as the network takes tokens.
std::vector<InspectableLayer> tokenLayers(const Architecture& architecture);

/// Which layer to inspect, on which sequence, at which token.
struct TokenInspectionRequest {
  std::string layer = {};  ///< "stage1.block2.mixer" or "stage1.block2"; empty = the first one.
  Split split = Split::validation;
  std::uint64_t sequence = 0;  ///< Index within the split.
  /// The user's own tokens instead of `split` and `sequence`: at least 2, and at most as many as
  /// the network takes.
  std::optional<std::vector<std::int64_t>> tokens = std::nullopt;
  int position = -1;  ///< Index of the token; -1 = the last one.

  bool operator==(const TokenInspectionRequest&) const = default;
};

/// What every token m adds to the output of a layer at every token n of a sequence, [h, n, m] with
/// 0 where m comes after n. The weights are those of an image's contributions: A_nm = q_n . (kbar_m
/// + e_nm), summed over u, and its parts; the weights a_nm of attention; the mean over the channels
/// where each channel has weights of its own (RWKV, depthwise convolutions; h is 1 there).
struct TokenMaps {
  LambdaParts weights;  ///< Only a lambda layer has the parts.
  Array effect;         ///< The norm of the vector that token m adds to the output at n.

  bool operator==(const TokenMaps&) const = default;
};

/// A part of what a layer keeps of the tokens that it has read.
struct KeptPart {
  std::string name;     ///< "lambda-content", "keys", "mean"; a part of file names.
  std::string meaning;  ///< What it is, and what its rows and columns are.
  Array values;         ///< [rows, columns], or [h, rows, columns].

  bool operator==(const KeptPart&) const = default;
};

/// How long a channel of RWKV's time mixing remembers, and how much it prefers the present token.
struct ChannelDecay {
  int channel = 0;
  double rate = 0;      ///< w, per token: a weight falls by e^-w with every token.
  double bonus = 0;     ///< u, added to the key of the present token.
  double halfLife = 0;  ///< ln 2 / w in tokens.

  bool operator==(const ChannelDecay&) const = default;
};

/// What a causal layer computed for one sequence at one token n: its own arithmetic, without
/// interpretation. The vectors that the tokens m <= n add sum to the layer's output at n. Eval
/// mode, float32.
struct TokenSnapshot {
  TokenInspectionRequest request;
  InspectedWeights weights = InspectedWeights::live;
  std::int64_t step = 0;  ///< Optimiser steps that the weights have been trained.
  int epoch = 0;
  InspectableLayer layer;

  std::vector<std::int64_t> tokens;   ///< [n]
  std::vector<std::int64_t> targets;  ///< [n], the token to be predicted; -1 = none, not known.
  bool areBytes = false;              ///< False: tokens are shown as numbers.
  std::uint64_t sequences = 0;        ///< In the request's split; 0 with tokens of the user.

  int position = 0;                       ///< n
  std::shared_ptr<const TokenMaps> maps;  ///< Shared by snapshots of other positions.
  /// [channels, n + 1], the weights of the tokens m <= n at n, where each channel has its own.
  Array channelWeights;
  std::vector<ChannelDecay> decays;  ///< Only RWKV has them; by falling half-life.
  std::vector<KeptPart> kept;        ///< After the token n.
  ContributionResidual residual;     ///< Of the sum of all vectors at n.
  std::vector<float> probabilities;  ///< [vocabulary], of the token after n.
};

}  // namespace lambda
