#include <vector>

#include "engine/values/theory/theory_experiment.h"

namespace lambda::theory {

namespace {

/// The parameter that all experiments with random draws share.
TheoryParameter seedParameter() {
  return {
      "seed", "Seed", 0, 0, 1e9, true, "Other seeds draw other data, initial weights and noise."};
}

TheoryDescription smallInitialisation() {
  return {"small-initialisation",
          "Implicit bias by small initialisation",
          "Why does a linear classifier generalise better when its weights are a product of "
          "several matrices?",
          "Implicit bias by small initialization: A simple classification task where deeper is "
          "better",
          {{"repetitions",
            "Repetitions",
            50,
            1,
            1000,
            true,
            "Each has its own data and initial weights. The source has one data set."},
           seedParameter(),
           {"dimensions", "Input dimensions", 10, 2, 50, true, "Only the first two matter."},
           {"classes", "Classes", 10, 2, 50, true, "Slices of the angle of the first two inputs."},
           {"samples",
            "Samples",
            100,
            10,
            2000,
            true,
            "Points for training, and as many for the test."},
           {"stoppingLoss",
            "Stopping loss",
            0.01,
            0.001,
            1,
            false,
            "Training ends at this mean cross-entropy, in nats."},
           {"mostSteps",
            "Most steps",
            1e6,
            1,
            1e8,
            true,
            "Training ends here even above the stopping loss."}}};
}

std::vector<TheoryParameter> largeRateTaskParameters() {
  return {{"repetitions",
           "Repetitions",
           5,
           1,
           1000,
           true,
           "Data sets of plain gradient descent and small initialisation. The source has one."},
          seedParameter(),
          {"dimensions",
           "Input dimensions",
           30,
           1,
           100,
           true,
           "The target is the square of the first of them."},
          {"hidden", "Hidden units", 100, 1, 1000, true, "Width of the hidden layer."},
          {"samples", "Samples", 200, 10, 2000, true, "For training, and as many for the test."},
          {"learningRate",
           "Learning rate",
           0.01,
           1e-5,
           1,
           false,
           "Of plain gradient descent and of the small initialisation."},
          {"stoppingError",
           "Stopping error",
           1e-4,
           1e-8,
           1,
           false,
           "Training without noise ends at this mean squared error on the training data."},
          {"mostSteps",
           "Most steps",
           1e6,
           1,
           1e8,
           true,
           "Training without noise ends here even above the stopping error."},
          {"division",
           "Division of the outputs",
           100,
           1,
           1e6,
           false,
           "Small initialisation: the outputs are divided by this."}};
}

std::vector<TheoryParameter> largeRateNoiseParameters() {
  return {{"leastRate", "Least learning rate", 0.001, 1e-5, 1, false, "The figure begins here."},
          {"greatestRate",
           "Greatest learning rate",
           0.15,
           1e-5,
           1,
           false,
           "The figure ends here, or at the first learning rate that diverges."},
          {"rateStep", "Step of the rate", 0.005, 1e-4, 1, false, "Between two of its points."},
          {"noise", "Label noise", 1, 0, 100, false, "Standard deviation of the noise."},
          {"noiseRate", "Rate with noise", 0.03, 1e-5, 1, false, "Learning rate with noise."},
          {"noiseSteps",
           "Steps with noise",
           100000,
           1,
           1e8,
           true,
           "The bias of the noise needs far more steps than fitting the data."}};
}

TheoryDescription largeLearningRate() {
  std::vector<TheoryParameter> parameters = largeRateTaskParameters();
  for (const TheoryParameter& parameter : largeRateNoiseParameters())
    parameters.push_back(parameter);
  return {"large-learning-rate",
          "Implicit bias by large learning rates",
          "Why does a network that fits the training data exactly generalise better after "
          "training with a large learning rate or with noise in the labels?",
          "Implicit bias by large learning rate: Noise can be helpful for gradient descent",
          parameters};
}

std::vector<TheoryParameter> twoLayerParameters() {
  return {seedParameter(),
          {"dimensions", "Dimensions", 256, 4, 1024, true, "Two layers: the matrix is d x d."},
          {"rank", "Rank", 2, 1, 100, true, "Two layers: rank of the matrix."},
          {"scale", "Scale", 100, 1e-3, 1e6, false, "Two layers: scale of the matrix."},
          {"learningRate", "Learning rate", 2e-8, 1e-12, 1, false, "Two layers."},
          {"samplesPerWeight",
           "Samples per weight",
           0.5,
           1e-3,
           10,
           false,
           "Two layers: samples, as a multiple of d^2."}};
}

std::vector<TheoryParameter> normalizedNetworkParameters() {
  return {{"networkDimensions",
           "Dimensions of the networks",
           384,
           4,
           1024,
           true,
           "The source has 1024, which takes about an hour on one thread."},
          {"networkRank", "Rank for the networks", 2, 1, 100, true, "The source has 5."},
          {"networkScale", "Scale for the networks", 0.1, 1e-6, 1e6, false, "The source has 0.04."},
          {"layers", "Layers", 10, 2, 50, true, "Matrices of the networks."},
          {"batch", "Batch", 64, 2, 4096, true, "Samples a step. The source has 256."},
          {"networkSamplesPerWeight",
           "Samples per weight of the networks",
           0.5,
           1e-3,
           10,
           false,
           "Samples seen, as a multiple of d^2, as in the source."},
          {"batchNormRate",
           "Rate with batch normalisation",
           3e-7,
           1e-12,
           1,
           false,
           "Of gradient descent with momentum. The source has 2.5e-8."},
          {"layerNormRate",
           "Rate with layer normalisation",
           8e-4,
           1e-12,
           1,
           false,
           "Of Adam. The source has 6e-4."}};
}

TheoryDescription singleEpoch() {
  std::vector<TheoryParameter> parameters = twoLayerParameters();
  for (const TheoryParameter& parameter : normalizedNetworkParameters()) {
    parameters.push_back(parameter);
  }
  return {"single-epoch",
          "Implicit bias in a single epoch",
          "Does gradient descent that sees every sample only once find a matrix of low rank from "
          "half as many samples as the matrix has entries?",
          "Implicit bias in single epoch SGD",
          parameters};
}

TheoryDescription deepLinearLabelNoise() {
  return {"deep-linear-label-noise",
          "Label noise in deep linear networks",
          "Does gradient descent with label noise minimise the nuclear norm of a product of "
          "matrices?",
          "Technical: Deep Linear Networks with label noise minimize the nuclear norm",
          {seedParameter(),
           {"dimensions", "Dimensions", 20, 2, 100, true, "All matrices are d x d."},
           {"depth", "Layers", 3, 2, 8, true, "Of the network that is trained."},
           {"rank", "Rank", 2, 1, 100, true, "Of the matrix that the targets come from."},
           {"samples", "Samples", 200, 1, 10000, true, "Forms x^T W y that are known of it."},
           {"learningRate", "Learning rate", 0.05, 1e-6, 10, false, "Of gradient descent."},
           {"noise", "Label noise", 1, 1e-6, 100, false, "Standard deviation of the noise."},
           {"initialScale",
            "Initial scale",
            1,
            1e-4,
            10,
            false,
            "Of the initial weights: small ones prefer low rank even without noise."},
           {"steps", "Steps", 20000, 1, 1e8, true, "Of both trainings."},
           {"matrices", "Random networks", 500, 5, 100000, true, "That the bound is tried on."}}};
}

TheoryDescription kernelRegression() {
  return {"kernel-regression",
          "Kernel methods and overparameterised regression",
          "Is a kernel method the same as a linear regression on more features than data points?",
          "Kernel methods are basically overparameterized linear regression",
          {{"points", "Data points", 5, 2, 8, true, "Evenly spaced in 0 .. 1. The source has 5."},
           {"predictions", "Predictions", 100, 2, 10000, true, "Evenly spaced in 0 .. 1."},
           {"features",
            "Polynomial features",
            10,
            8,
            40,
            true,
            "Powers of x, from 0. The source has 10."},
           {"scale", "Scale of x", 10, 0.1, 100, false, "The features are powers of x / scale."},
           {"width", "Width of the kernel", 1, 0.05, 10, false, "exp(-(x - z)^2 / width^2)."}}};
}

}  // namespace

std::vector<TheoryDescription> describeExperiments() {
  return {smallInitialisation(),
          largeLearningRate(),
          singleEpoch(),
          deepLinearLabelNoise(),
          kernelRegression()};
}

}  // namespace lambda::theory
