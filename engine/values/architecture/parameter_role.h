#pragma once

namespace lambda {

/// The role of a parameter in the network. A module gives it when it registers the parameter; see
/// engine/layers/roled_module.h.
enum class ParameterRole {
  input,   ///< Filters of the first convolution, whose input is the images.
  filter,  ///< Filters of a convolution that a norm follows.
  /// Weights of 1x1 or depthwise convolutions inside a layer: queries, keys and values, channel
  /// attention, and depthwise filters with the 1x1 convolution that follows them.
  projection,
  norm,       ///< Scales and shifts of norms.
  bias,       ///< Biases of convolutions and of the classifier.
  embedding,  ///< Position embeddings.
  head,       ///< Weights of the classifier.
};

/// The learning rate of each role as a factor of the recipe's.
struct RateFactors {
  double input = 1;
  double filter = 1;
  double projection = 1;
  double norm = 1;
  double bias = 1;
  double embedding = 1;
  double head = 1;

  bool operator==(const RateFactors&) const = default;
};

/// The weight decay of each role as a factor of the recipe's. It is 0 by default for norms, biases
/// and position embeddings, whose magnitude says nothing about the magnitude of the function.
struct DecayFactors {
  double input = 1;
  double filter = 1;
  double projection = 1;
  double norm = 0;
  double bias = 0;
  double embedding = 0;
  double head = 1;

  bool operator==(const DecayFactors&) const = default;
};

/// The factor of one role; `Factors` is RateFactors or DecayFactors.
template <class Factors>
constexpr double factorOf(const Factors& factors, ParameterRole role) {
  switch (role) {
    case ParameterRole::input:
      return factors.input;
    case ParameterRole::filter:
      return factors.filter;
    case ParameterRole::projection:
      return factors.projection;
    case ParameterRole::norm:
      return factors.norm;
    case ParameterRole::bias:
      return factors.bias;
    case ParameterRole::embedding:
      return factors.embedding;
    case ParameterRole::head:
      return factors.head;
  }
  return 1;
}

}  // namespace lambda
