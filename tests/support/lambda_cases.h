#pragma once

#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "tests/support/lambda_option_cases.h"
#include "tests/support/naive_lambda.h"
#include "tests/support/tensor_close.h"

namespace lambda::test {

/// One case for every option of the lambda layer and for the combinations that use other branches
/// of the code, on maps that are not square and with d != dOut.
inline std::vector<LambdaCase> lambdaCases() {
  using enum PositionEmbedding;
  std::vector<LambdaCase> cases{
      {"global relative", {lambdaMixer(3, 2, 1, 0, relative), 5, 8, 3, 4}},
      {"one head", {lambdaMixer(4, 1, 1, 0, relative), 6, 3, 4, 3}},
      {"as many heads as channels", {lambdaMixer(2, 6, 1, 0, relative), 4, 6, 3, 3}},
      {"intra-depth", {lambdaMixer(3, 2, 3, 0, relative), 5, 4, 3, 4}},
      {"local, dense", {lambdaMixer(3, 2, 1, 3, relative), 5, 8, 2, 3}},
      {"local, convolution", {lambdaMixer(2, 4, 1, 3, relative), 5, 8, 5, 4}},
      {"local intra-depth, dense", {lambdaMixer(3, 2, 2, 3, relative), 5, 8, 2, 3}},
      {"local intra-depth, convolution", {lambdaMixer(2, 4, 2, 3, relative), 3, 8, 5, 4}},
      {"window of one pixel", {lambdaMixer(3, 2, 1, 1, relative), 4, 4, 3, 4}},
      {"window beyond the map", {lambdaMixer(2, 2, 1, 7, relative), 4, 4, 3, 4}},
      {"absolute", {lambdaMixer(3, 2, 1, 0, absolute), 5, 4, 3, 4}},
      {"absolute intra-depth", {lambdaMixer(2, 2, 2, 0, absolute), 4, 6, 2, 3}},
      {"content only", {lambdaMixer(3, 2, 1, 0, none), 5, 8, 3, 4}},
      {"content only, intra-depth", {lambdaMixer(3, 2, 2, 0, none), 5, 8, 3, 4}},
      {"one pixel", {lambdaMixer(3, 2, 1, 0, relative), 5, 4, 1, 1}},
      {"one row", {lambdaMixer(3, 2, 1, 0, relative), 5, 4, 1, 6}},
  };
  for (const std::string position : {"global relative", "local, convolution", "absolute"}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].name != position) continue;
      LambdaCase alone = cases[i];
      alone.name += ", position only";
      alone.options.mixer.content = false;
      cases.push_back(alone);
      break;
    }
  }
  for (LambdaCase& one : lambdaOptionCases()) cases.push_back(std::move(one));
  for (int norms = 0; norms < 3; ++norms) {
    LambdaCase plain = cases.front();
    plain.options.mixer.normalizeQueries = (norms & 1) != 0;
    plain.options.mixer.normalizeValues = (norms & 2) != 0;
    plain.name = "norms " + std::to_string(norms);
    cases.push_back(plain);
  }
  return cases;
}

/// Gives batch norms random scales, shifts and running statistics, unlike those of a new layer.
inline void randomizeNorms(torch::nn::Module& module) {
  const at::NoGradGuard guard;
  for (const auto& child : module.modules()) {
    auto* norm = dynamic_cast<torch::nn::BatchNorm2dImpl*>(child.get());
    if (norm == nullptr) continue;
    norm->weight.uniform_(0.5, 1.5);
    norm->bias.uniform_(-0.5, 0.5);
    norm->running_mean.uniform_(-0.5, 0.5);
    norm->running_var.uniform_(0.5, 1.5);
  }
}

/// Sets the running statistics of a network's norms to those of the batch `x`, and puts the network
/// into eval mode. With statistics that do not fit, the output of a lambda layer, which is cubic in
/// its input, would become huge.
template <class Network>
void useStatisticsOf(Network& network, const at::Tensor& x) {
  const at::NoGradGuard guard;
  const auto setMomentum = [&](double momentum) {
    for (const auto& child : network->modules()) {
      auto* norm = dynamic_cast<torch::nn::BatchNorm2dImpl*>(child.get());
      if (norm != nullptr) norm->options.momentum(momentum);
    }
  };
  randomizeNorms(*network);
  setMomentum(1.0);
  network->train();
  network->forward(x);
  setMomentum(0.1);
  network->eval();
}

inline NaiveNorm naiveNormOf(const torch::nn::BatchNorm2d& norm) {
  if (norm.is_empty()) return {};
  return {numbersOf(norm->weight),
          numbersOf(norm->bias),
          numbersOf(norm->running_mean),
          numbersOf(norm->running_var),
          norm->options.eps()};
}

/// The same layer in naive loops, with a copy of its weights and its mode.
inline NaiveLambda naiveOf(const LambdaLayer& layer) {
  NaiveLambda naive;
  naive.mixer = layer->options.mixer;
  naive.inputDepth = static_cast<int>(layer->options.inputDepth);
  naive.outputDepth = static_cast<int>(layer->options.outputDepth);
  naive.height = layer->options.mapHeight;
  naive.width = layer->options.mapWidth;
  naive.queryWeight = numbersOf(layer->queries->weight);
  if (!layer->keys.is_empty()) naive.keyWeight = numbersOf(layer->keys->weight);
  naive.valueWeight = numbersOf(layer->values->weight);
  naive.queryNorm = naiveNormOf(layer->queryNorm);
  naive.valueNorm = naiveNormOf(layer->valueNorm);
  naive.training = layer->is_training();
  if (!layer->embedding.is_empty()) naive.table = numbersOf(layer->embedding->table);
  return naive;
}

}  // namespace lambda::test
