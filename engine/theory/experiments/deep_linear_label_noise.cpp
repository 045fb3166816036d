#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Cholesky>

#include "engine/theory/draws.h"
#include "engine/theory/experiment.h"
#include "engine/theory/experiments/trace.h"
#include "engine/theory/models/deep_linear_regularizer.h"

namespace lambda::theory {

namespace {

/// The parts of the experiment. Each has random numbers of its own, with its number in their key.
enum class NoisePart : std::uint64_t { bound, task, weights, noise };

/// A matrix of low rank and some of its forms x^T W y, as in matrix sensing.
struct FormTask {
  Eigen::MatrixXd truth;  // [d, d], nuclear norm 1.
  Eigen::MatrixXd x;      // [n, d]
  Eigen::MatrixXd y;      // [n, d]
  Eigen::VectorXd targets;

  Eigen::VectorXd forms(const Eigen::MatrixXd& matrix) const {
    return (x * matrix).cwiseProduct(y).rowwise().sum();
  }

  double relativeError(const Eigen::MatrixXd& matrix) const {
    return (matrix - truth).norm() / truth.norm();
  }
};

FormTask formTask(int d, int rank, int n, Draws& draws) {
  const Eigen::MatrixXd left = draws.normalMatrix(d, rank);
  const Eigen::MatrixXd right = draws.normalMatrix(rank, d);
  FormTask task{left * right, draws.normalMatrix(n, d), draws.normalMatrix(n, d), {}};
  task.truth /= nuclearNorm(task.truth);
  task.targets = task.forms(task.truth);
  return task;
}

/// X with X^T X = sum x_i x_i^T over 4 d random vectors.
Eigen::MatrixXd momentRoot(Eigen::Index d, Draws& draws) {
  const Eigen::MatrixXd vectors = draws.normalMatrix(4 * d, d);
  return Eigen::LLT<Eigen::MatrixXd>(vectors.transpose() * vectors).matrixU();
}

class LabelNoiseExperiment {
 public:
  LabelNoiseExperiment(const Settings& settings, Progress& progress)
      : settings_(settings), progress_(progress) {}

  TheoryResult run() {
    compareWithBound();
    Draws draws({settings_.seed(), std::uint64_t(NoisePart::task)});
    const FormTask task = formTask(
        settings_.whole("dimensions"), settings_.whole("rank"), settings_.whole("samples"), draws);
    truthNorm_ = nuclearNorm(task.truth);
    train(task, 0, plain_);
    train(task, settings_.real("noise"), noisy_);
    return result();
  }

 private:
  struct Training {
    Trace norm;
    Trace error;
    double finalNorm = std::numeric_limits<double>::quiet_NaN();
    double finalError = std::numeric_limits<double>::quiet_NaN();

    explicit Training(const char* name)
        : norm(std::vector<std::string>{name}), error(std::vector<std::string>{name}) {}
  };

  static constexpr double kBoundShare = 0.02;  // Share of the whole time.

  /// Random layers and the construction, each relative to the bound of its product.
  void compareWithBound() {
    const int count = settings_.whole("matrices");
    const int d = settings_.whole("dimensions");
    Draws draws({settings_.seed(), std::uint64_t(NoisePart::bound)});
    for (int i = 0; i < count; ++i) {
      const int depth = 2 + i % 5;
      const DeepLinearData data{momentRoot(d, draws), momentRoot(d, draws).transpose()};
      Layers layers;
      for (int l = 0; l < depth; ++l) layers.push_back(draws.glorotMatrix(d, d));
      const Eigen::MatrixXd product = productOf(layers);
      const double bound = regularizerBound(product, depth, data);
      const double ratio = deepLinearRegularizer(layers, data) / bound;
      depths_.push_back(depth);
      ratios_.push_back(ratio);
      leastRatio_ = std::min(leastRatio_, ratio);
      const Layers least = leastFactorization(product, depth, d, data);
      const double excess = deepLinearRegularizer(least, data) / bound - 1;
      largestExcess_ = std::max(largestExcess_, std::abs(excess));
      largestMiss_ = std::max(largestMiss_, (productOf(least) - product).norm() / product.norm());
      report(kBoundShare * i / count);
    }
  }

  /// Gradient descent on the mean squared error of targets with new noise in every step.
  void train(const FormTask& task, double deviation, Training& training) {
    const auto steps = static_cast<long>(settings_.real("steps"));
    const int d = settings_.whole("dimensions");
    const auto n = static_cast<double>(task.targets.size());
    const double rate = settings_.real("learningRate");
    Draws draws({settings_.seed(), std::uint64_t(NoisePart::weights)});
    Draws noise({settings_.seed(), std::uint64_t(NoisePart::noise)});
    Layers layers;
    for (int l = 0; l < settings_.whole("depth"); ++l) {
      layers.push_back(settings_.real("initialScale") * draws.glorotMatrix(d, d));
    }
    const double start = deviation == 0 ? kBoundShare : (1 + kBoundShare) / 2;
    for (long step = 0; step <= steps; ++step) {
      const Eigen::MatrixXd product = productOf(layers);
      if (!product.allFinite()) return;
      if (training.norm.isDue(step) || step == steps) add(step, task, product, training);
      Eigen::VectorXd misses = task.forms(product) - task.targets;
      if (deviation > 0) misses -= deviation * noise.normalVector(task.targets.size());
      const Layers gradients =
          layerGradients(layers, task.x.transpose() * (2 / n * misses).asDiagonal() * task.y);
      for (std::size_t l = 0; l < layers.size(); ++l) layers[l] -= rate * gradients[l];
      if (step % 8 == 0) {
        report(start +
               (1 - kBoundShare) / 2 * static_cast<double>(step) / static_cast<double>(steps));
      }
    }
  }

  static void add(long step,
                  const FormTask& task,
                  const Eigen::MatrixXd& product,
                  Training& training) {
    training.finalNorm = nuclearNorm(product);
    training.finalError = task.relativeError(product);
    training.norm.add(step, std::vector{training.finalNorm});
    training.error.add(step, std::vector{training.finalError});
  }

  void report(double fraction) {
    progress_.report(fraction, [this] { return result(); });
  }

  TheoryResult result() const {
    TheoryResult result;
    TheorySeries truth{"truth", {}, {}};
    if (truthNorm_ > 0) truth = {"truth", {0, settings_.real("steps")}, {truthNorm_, truthNorm_}};
    result.figures = {{"Nuclear norm in training",
                       "step",
                       "nuclear norm of the product",
                       false,
                       false,
                       {plain_.norm.series().front(), noisy_.norm.series().front(), truth}},
                      {"Recovery of the matrix",
                       "step",
                       "relative error",
                       false,
                       true,
                       {plain_.error.series().front(), noisy_.error.series().front()}},
                      {"Random layers over the bound",
                       "layers",
                       "R / bound",
                       false,
                       true,
                       {{"random layers", depths_, ratios_, true}, {"bound", {2, 6}, {1, 1}}}}};
    if (!ratios_.empty()) addBoundNumbers(result);
    const auto addIfTrained = [&](const std::string& title, double value) {
      if (std::isfinite(value)) result.numbers.push_back({.title = title, .value = value});
    };
    addIfTrained("Nuclear norm, without noise", plain_.finalNorm);
    addIfTrained("Nuclear norm, with label noise", noisy_.finalNorm);
    addIfTrained("Relative error, without noise", plain_.finalError);
    addIfTrained("Relative error, with label noise", noisy_.finalError);
    return result;
  }

  void addBoundNumbers(TheoryResult& result) const {
    result.numbers.push_back({.title = "Least R / bound of random layers",
                              .value = leastRatio_,
                              .publishedText = "at least 1"});
    result.numbers.push_back({.title = "Largest |R / bound - 1| of the construction",
                              .value = largestExcess_,
                              .published = 0,
                              .publishedText = "reaches the bound"});
    result.numbers.push_back({.title = "Largest relative error of the construction's product",
                              .value = largestMiss_,
                              .published = 0,
                              .publishedText = "its product is the matrix"});
  }

  const Settings& settings_;
  Progress& progress_;
  std::vector<double> depths_;
  std::vector<double> ratios_;
  double leastRatio_ = std::numeric_limits<double>::infinity();
  double largestExcess_ = 0;
  double largestMiss_ = 0;
  double truthNorm_ = 0;
  Training plain_{"without noise"};
  Training noisy_{"with label noise"};
};

}  // namespace

/// Noise in the labels makes gradient descent minimise how much the predictions move with the
/// weights, which for a deep linear network is a power of the nuclear norm.
TheoryResult runDeepLinearLabelNoise(const Settings& settings, Progress& progress) {
  return LabelNoiseExperiment(settings, progress).run();
}

}  // namespace lambda::theory
