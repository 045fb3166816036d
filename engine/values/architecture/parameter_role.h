#pragma once

#include "engine/values/fields/field.h"

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

template <Either<RateFactors> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"input", "learning rate of filters of the first convolution, as a factor", 0, 1000},
              {"Rate of first filters", Stepping::oneTwoFive},
              "Steps of the first filters relative to the others. Lower keeps what they have "
              "learnt, 0 freezes them."},
        value.input);
  visit(Field{{"filter",
               "learning rate of filters of convolutions before a norm, as a factor",
               0,
               1000},
              {"Rate of filters", Stepping::oneTwoFive},
              "Steps of the convolutions' filters relative to the others; 0 freezes them."},
        value.filter);
  visit(Field{{"projection",
               "learning rate of queries, keys, values and channel attention, as a factor",
               0,
               1000},
              {"Rate of projections", Stepping::oneTwoFive},
              "Steps of queries, keys, values and channel attention relative to the others; lower "
              "where lambda layers make the loss jump."},
        value.projection);
  visit(Field{{"norm", "learning rate of scales and shifts of norms, as a factor", 0, 1000},
              {"Rate of norms", Stepping::oneTwoFive},
              "Steps of the norms' scales and shifts relative to the others; higher lets branches "
              "that start at 0 grow sooner."},
        value.norm);
  visit(Field{{"bias", "learning rate of biases, as a factor", 0, 1000},
              {"Rate of biases", Stepping::oneTwoFive},
              "Steps of the biases relative to the others; short recipes raise it to learn the "
              "classes' frequencies first."},
        value.bias);
  visit(Field{{"embedding", "learning rate of position embeddings, as a factor", 0, 1000},
              {"Rate of embeddings", Stepping::oneTwoFive},
              "Steps of the position embeddings relative to the others; higher learns where things "
              "are sooner, at the risk of noise."},
        value.embedding);
  visit(Field{{"head", "learning rate of weights of the classifier, as a factor", 0, 1000},
              {"Rate of classifier", Stepping::oneTwoFive},
              "Steps of the classifier relative to the others; lower where it overfits before the "
              "features are learnt."},
        value.head);
}

template <Either<DecayFactors> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{{"input", "weight decay of filters of the first convolution, as a factor", 0, 1000},
              {"Decay of first filters", Stepping::oneTwoFive},
              "Decay of the first filters relative to the others; less overfitting."},
        value.input);
  visit(
      Field{
          {"filter", "weight decay of filters of convolutions before a norm, as a factor", 0, 1000},
          {"Decay of filters", Stepping::oneTwoFive},
          "Decay of the convolutions' filters relative to the others; a norm follows them, so that "
          "it sets their effective learning rate rather than their size."},
      value.filter);
  visit(Field{{"projection",
               "weight decay of queries, keys, values and channel attention, as a factor",
               0,
               1000},
              {"Decay of projections", Stepping::oneTwoFive},
              "Decay of queries, keys and values relative to the others; more makes lambdas "
              "smaller and the softmax of keys flatter."},
        value.projection);
  visit(Field{{"norm", "weight decay of scales and shifts of norms, as a factor", 0, 1000},
              {"Decay of norms", Stepping::oneTwoFive},
              "Decay of scales and shifts relative to the others; usually 0, because it shrinks "
              "whole branches."},
        value.norm);
  visit(Field{{"bias", "weight decay of biases, as a factor", 0, 1000},
              {"Decay of biases", Stepping::oneTwoFive},
              "Decay of biases relative to the others; usually 0, because they do not overfit."},
        value.bias);
  visit(Field{{"embedding", "weight decay of position embeddings, as a factor", 0, 1000},
              {"Decay of embeddings", Stepping::oneTwoFive},
              "Pulls position embeddings towards 0, which makes layers depend more on content."},
        value.embedding);
  visit(
      Field{
          {"head", "weight decay of weights of the classifier, as a factor", 0, 1000},
          {"Decay of classifier", Stepping::oneTwoFive},
          "Decay of the classifier relative to the others; more gives less confident predictions."},
      value.head);
}

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
