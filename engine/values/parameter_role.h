#pragma once

namespace lambda {

/// What a parameter is for. Its module says so where it registers it; see
/// engine/layers/roled_module.h.
enum class ParameterRole {
  input,   ///< Filters of the convolution that sees the images.
  filter,  ///< Filters of a convolution that a norm follows.
  /// Weights of convolutions inside a layer, each of one pixel or of one channel: queries, keys and
  /// values, channel attention, depthwise filters and what follows them.
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

/// The weight decay of each role as a factor of the recipe's. By default none for norms, biases and
/// position embeddings, whose size says nothing about the size of the function.
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
