#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/theory/draws.h"
#include "engine/theory/experiment.h"
#include "engine/theory/experiments/mean_number.h"
#include "engine/theory/experiments/trace.h"
#include "engine/theory/models/square_task.h"

namespace lambda::theory {

namespace {

/// Differs from every repetition's key.
constexpr std::uint64_t kNoiseKey = 1'000'000;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

/// A mean squared error that no training that converges in the end passes through.
constexpr double kDiverged = 1e8;

/// The trainings of the source. Those that are quick are repeated with other data; the figures show
/// the first data.
class SquareExperiment {
 public:
  SquareExperiment(const Settings& settings, Progress& progress)
      : settings_(settings), progress_(progress), data_(dataOf(0)) {}

  TheoryResult run() {
    const int repetitions = settings_.whole("repetitions");
    const double rate = settings_.real("learningRate");
    for (int i = 0; i < repetitions; ++i) {
      const SquareData data = dataOf(i);
      constants_.push_back((data.test.targets.array() - 1).square().mean());
      if (const auto error = trained(data, rate, 1)) plain_.push_back(*error);
      if (const auto error = trained(data, rate, 1 / settings_.real("division"))) {
        scaled_.push_back(*error);
      }
      done_ = kRepetitionsShare * (i + 1) / repetitions;
    }
    sweep();
    trainWithNoise();
    return result();
  }

 private:
  // Shares of the whole time, about as measured at the defaults.
  static constexpr double kRepetitionsShare = 0.6;
  static constexpr double kSweepShare = 0.15;

  SquareData dataOf(int repetition) const {
    Draws draws({settings_.seed(), std::uint64_t(repetition)});
    return squareData(settings_.whole("samples"),
                      settings_.whole("dimensions"),
                      settings_.whole("hidden"),
                      draws);
  }

  /// The test error after training down to the stopping error; nothing if training diverged.
  std::optional<double> trained(const SquareData& data, double learningRate, double scale) {
    QuadraticNetwork network = data.network;
    network.scale = scale;
    const auto mostSteps = static_cast<long>(settings_.real("mostSteps"));
    for (long i = 0; i < mostSteps; ++i) {
      const double error =
          descend(network, data.training.points, data.training.targets, learningRate);
      if (!(error < kDiverged)) return std::nullopt;
      if (error <= settings_.real("stoppingError")) break;
      if (i % 8 == 0) report();
    }
    return data.test.error(network.form());
  }

  void sweep() {
    const double least = settings_.real("leastRate");
    const double step = settings_.real("rateStep");
    const double start = done_;
    const double greatest = settings_.real("greatestRate");
    for (int i = 0; least + i * step < greatest; ++i) {
      const double rate = least + i * step;
      const std::optional<double> error = trained(data_, rate, 1);
      rates_.push_back(rate);
      errors_.push_back(error.value_or(kGap));
      if (!error) {
        diverging_ = rate;
        return;
      }
      done_ = start + kSweepShare * std::min(1.0, rate / greatest);
    }
  }

  void trainWithNoise() {
    const auto steps = static_cast<long>(settings_.real("noiseSteps"));
    const double start = done_;
    const double deviation = settings_.real("noise");
    const double rate = settings_.real("noiseRate");
    Draws noise({settings_.seed(), kNoiseKey});
    QuadraticNetwork network = data_.network;
    for (long i = 0; i < steps; ++i) {
      if (noiseTrace_.isDue(i)) addToTrace(i, network);
      const Eigen::VectorXd targets =
          data_.training.targets + deviation * noise.normalVector(data_.training.targets.size());
      const double error = descend(network, data_.training.points, targets, rate);
      if (!(error < kDiverged)) return;
      done_ = start + (1 - start) * static_cast<double>(i) / static_cast<double>(steps);
      if (i % 8 == 0) report();
    }
    addToTrace(steps, network);
    noisy_ = data_.test.error(network.form());
  }

  void addToTrace(long step, const QuadraticNetwork& network) {
    const Eigen::MatrixXd form = network.form();
    noiseTrace_.add(step, std::vector{data_.test.error(form), data_.training.error(form)});
  }

  void report() {
    progress_.report(done_, [this] { return result(); });
  }

  TheoryResult result() const {
    TheoryResult result;
    result.figures = {{"Test error over the learning rate",
                       "learning rate",
                       "mean squared error",
                       false,
                       true,
                       {{"test error", rates_, errors_}}},
                      {"Training with label noise",
                       "step",
                       "mean squared error",
                       false,
                       true,
                       noiseTrace_.series()}};
    addNumbers(result);
    return result;
  }

  void addNumbers(TheoryResult& result) const {
    const auto addMean =
        [&](const char* title, const auto& values, double published, const char* text) {
          if (values.empty()) return;
          result.numbers.push_back(meanNumber(title, values, "", published, text));
        };
    const auto add =
        [&](const char* title, std::optional<double> value, double published, const char* text) {
          if (!value) return;
          result.numbers.push_back(
              {.title = title, .value = *value, .published = published, .publishedText = text});
        };
    addMean("Test error of the constant 1", constants_, 1.97, "1.97, on one data set");
    addMean("Test error, plain gradient descent", plain_, 0.40, "0.40, on one data set");
    addMean("Test error, small initialisation", scaled_, 0.00, "0.00");
    add("Lowest learning rate that diverges", diverging_, 0.096, "diverges above 0.096");
    add("Lowest test error of all learning rates",
        lowestError(),
        0.00,
        "solved at the edge of diverging, a figure");
    add("Test error, label noise", noisy_, 0.01, "0.01 after 100000 steps");
  }

  std::optional<double> lowestError() const {
    std::optional<double> lowest;
    for (const double error : errors_) {
      if (std::isfinite(error)) lowest = std::min(error, lowest.value_or(error));
    }
    return lowest;
  }

  const Settings& settings_;
  Progress& progress_;
  SquareData data_;  // Of the first repetition.
  double done_ = 0;
  std::vector<double> constants_;
  std::vector<double> plain_;
  std::vector<double> scaled_;
  std::optional<double> diverging_;
  std::optional<double> noisy_;
  std::vector<double> rates_;
  std::vector<double> errors_;
  Trace noiseTrace_{{"test error", "training error without the noise"}};
};

}  // namespace

/// A regression on more weights than samples, solved only by the training that prefers flat minima.
TheoryResult runLargeLearningRate(const Settings& settings, Progress& progress) {
  return SquareExperiment(settings, progress).run();
}

}  // namespace lambda::theory
