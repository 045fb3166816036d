#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "engine/theory/draws.h"
#include "engine/theory/experiment.h"
#include "engine/theory/models/matrix_sensing.h"
#include "engine/theory/models/normalized_network.h"
#include "engine/theory/models/optimizers.h"

namespace lambda::theory {

namespace {

/// A matrix of low rank as the product of two normal matrices, so that products with it are cheap.
struct LowRankMatrix {
  Eigen::MatrixXf left;   // [d, r]
  Eigen::MatrixXf right;  // [r, d]

  Eigen::MatrixXf whole() const { return left * right; }

  float form(const Eigen::VectorXf& a, const Eigen::VectorXf& b) const {
    return (left.transpose() * a).dot(right * b);
  }
};

LowRankMatrix lowRankMatrix(int d, int rank, double scale, Draws& draws) {
  return {draws.normalMatrix(d, rank, scale).cast<float>(),
          draws.normalMatrix(rank, d).cast<float>()};
}

/// The trainings. Each has random numbers of its own, with its number in their key.
enum class SensingPart : std::uint64_t { twoLayers, batchNorm, layerNorm };

class SensingExperiment {
 public:
  SensingExperiment(const Settings& settings, Progress& progress)
      : settings_(settings), progress_(progress) {}

  TheoryResult run() {
    senseWithTwoLayers();
    start_ = kTwoLayerShare;
    train(SensingPart::batchNorm, Normalization::batch, "batchNormRate", batchNorm_);
    start_ = (1 + kTwoLayerShare) / 2;
    train(SensingPart::layerNorm, Normalization::layer, "layerNormRate", layerNorm_);
    fraction_ = 1;
    return result();
  }

 private:
  // Share of the whole time, about as measured at the defaults.
  static constexpr double kTwoLayerShare = 0.06;

  static constexpr int kErrorInterval = 256;  // Samples between two points of the curve.

  Draws drawsOf(SensingPart part) const {
    return Draws({settings_.seed(), static_cast<std::uint64_t>(part)});
  }

  /// Both models see the same samples, one at a time.
  void senseWithTwoLayers() {
    const int d = settings_.whole("dimensions");
    Draws draws = drawsOf(SensingPart::twoLayers);
    const LowRankMatrix truth =
        lowRankMatrix(d, settings_.whole("rank"), settings_.real("scale"), draws);
    const Eigen::MatrixXf whole = truth.whole();
    SensingModel model{draws.glorotMatrix(d, d).cast<float>(),
                       draws.glorotMatrix(d, d).cast<float>()};
    Eigen::MatrixXf single = Eigen::MatrixXf::Zero(d, d);
    const auto rate = static_cast<float>(settings_.real("learningRate"));
    const long samples = std::lround(settings_.real("samplesPerWeight") * d * d);
    for (long i = 0; i < samples; ++i) {
      if (i % kErrorInterval == 0) addErrors(i, whole, model, single);
      const Eigen::VectorXf a = draws.normalVector(d).cast<float>();
      const Eigen::VectorXf b = draws.normalVector(d).cast<float>();
      const float target = truth.form(a, b);
      model.step(a, b, target, rate);
      const float miss = target - a.dot(single * b);
      single.noalias() += (miss / (a.squaredNorm() * b.squaredNorm()) * a) * b.transpose();
      fraction_ = kTwoLayerShare * static_cast<double>(i) / static_cast<double>(samples);
      if (i % 8 == 0) report();
    }
    addErrors(samples, whole, model, single);
  }

  void addErrors(long sample,
                 const Eigen::MatrixXf& truth,
                 const SensingModel& model,
                 const Eigen::MatrixXf& single) {
    const float norm = truth.norm();
    const auto add = [&](TheorySeries& series, float error) {
      series.x.push_back(static_cast<double>(sample));
      series.y.push_back(error);
    };
    add(twoLayers_, (model.first * model.second - truth).norm() / norm);
    add(single_, (single - truth).norm() / norm);
  }

  /// One pass of mini-batches on the sum of squared errors. The curve is each batch's loss before
  /// its step, relative to the sum of the squared targets.
  void train(SensingPart part, Normalization kind, const char* rateName, TheorySeries& curve) {
    const int d = settings_.whole("networkDimensions");
    const int batch = settings_.whole("batch");
    Draws draws = drawsOf(part);
    const LowRankMatrix truth =
        lowRankMatrix(d, settings_.whole("networkRank"), settings_.real("networkScale"), draws);
    NormalizedNetwork<float> network(kind, d, settings_.whole("layers"), draws);
    std::unique_ptr<Optimizer> optimizer;
    if (kind == Normalization::batch)
      optimizer = std::make_unique<Momentum>(settings_.real(rateName));
    if (kind == Normalization::layer) optimizer = std::make_unique<Adam>(settings_.real(rateName));
    const long samples = std::lround(settings_.real("networkSamplesPerWeight") * d * d);
    for (long seen = 0; seen < samples; seen += batch) {
      const Eigen::MatrixXf a = draws.normalMatrix(d, batch).cast<float>();
      const Eigen::MatrixXf b = draws.normalMatrix(d, batch).cast<float>();
      const Eigen::RowVectorXf targets =
          (truth.left.transpose() * a).cwiseProduct(truth.right * b).colwise().sum();
      const Eigen::RowVectorXf misses =
          network.outputs(a).cwiseProduct(b).colwise().sum() - targets;
      curve.x.push_back(static_cast<double>(seen));
      curve.y.push_back(misses.squaredNorm() / targets.squaredNorm());
      optimizer->step(network.parameters(), network.gradients(b * (2 * misses).asDiagonal()));
      fraction_ = start_ + (1 - kTwoLayerShare) / 2 * static_cast<double>(seen) /
                               static_cast<double>(samples);
      report();
    }
  }

  void report() {
    progress_.report(fraction_, [this] { return result(); });
  }

  /// The mean of the last twentieth of a curve.
  static double atEnd(const TheorySeries& curve) {
    const std::size_t count = std::max<std::size_t>(1, curve.y.size() / 20);
    return std::accumulate(curve.y.end() - static_cast<long>(count), curve.y.end(), 0.0) /
           static_cast<double>(count);
  }

  TheoryResult result() const {
    TheoryResult result{{{"Recovery of a matrix of low rank",
                          "samples",
                          "relative error",
                          false,
                          true,
                          {twoLayers_, single_}},
                         {"Networks of ReLU and normalisation",
                          "samples",
                          "relative squared error",
                          false,
                          true,
                          {batchNorm_, layerNorm_}}},
                        {}};
    if (!twoLayers_.y.empty()) {
      result.numbers.push_back({.title = "Relative error after one pass, two layers",
                                .value = twoLayers_.y.back(),
                                .published = 0,
                                .publishedText = "converged"});
      result.numbers.push_back({.title = "Relative error after one pass, a single matrix",
                                .value = single_.y.back(),
                                .published = 0.5,
                                .publishedText = "about 0.5 expected without the rank"});
    }
    for (const TheorySeries* curve : {&batchNorm_, &layerNorm_}) {
      if (curve->y.empty()) continue;
      result.numbers.push_back({.title = "Relative squared error at the end, " + curve->name,
                                .value = atEnd(*curve),
                                .publishedText = "learns within one pass, a figure"});
    }
    return result;
  }

  const Settings& settings_;
  Progress& progress_;
  double start_ = 0;
  double fraction_ = 0;
  TheorySeries twoLayers_{"two layers", {}, {}};
  TheorySeries single_{"a single matrix", {}, {}};
  TheorySeries batchNorm_{"batch normalisation, momentum", {}, {}};
  TheorySeries layerNorm_{"layer normalisation, Adam", {}, {}};
};

}  // namespace

/// A matrix of low rank from fewer samples than it has entries, each seen once.
TheoryResult runSingleEpoch(const Settings& settings, Progress& progress) {
  return SensingExperiment(settings, progress).run();
}

}  // namespace lambda::theory
