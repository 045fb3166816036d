#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "engine/theory/draws.h"
#include "engine/theory/experiment.h"
#include "engine/theory/experiments/mean_number.h"
#include "engine/theory/experiments/trace.h"
#include "engine/theory/models/linear_classifier.h"
#include "engine/theory/models/linear_layers.h"

namespace lambda::theory {

namespace {

/// A factorisation of the weights of a linear classifier: scale * W_1 .. W_depth.
struct Factorisation {
  std::string title;
  int depth = 1;
  double learningRate = 1;
  double scale = 1;
  bool isRankTwo = false;
  bool hasFigure = false;  ///< Of its singular values.
  std::optional<double> published = {};
  std::string publishedText = {};
};

/// The models of the source in its order, with its learning rates.
std::vector<Factorisation> factorisations() {
  std::vector<Factorisation> all = {{.title = "1 layer",
                                     .depth = 1,
                                     .learningRate = 10,
                                     .published = 53,
                                     .publishedText = "53%, on one data set"},
                                    {.title = "2 layers",
                                     .depth = 2,
                                     .learningRate = 1,
                                     .published = 60.3,
                                     .publishedText = "60.3%, with standard error 0.6%"}};
  for (const int depth : {3, 4, 5, 6}) {
    all.push_back({.title = std::to_string(depth) + " layers",
                   .depth = depth,
                   .learningRate = 0.03,
                   .hasFigure = depth == 3,
                   .publishedText = "a point of a figure"});
  }
  all.push_back({.title = "2 layers of rank 2",
                 .depth = 2,
                 .learningRate = 1,
                 .isRankTwo = true,
                 .published = 85,
                 .publishedText = "85%"});
  all.push_back({.title = "3 layers scaled by 1e-4",
                 .depth = 3,
                 .learningRate = 100,
                 .scale = 1e-4,
                 .hasFigure = true,
                 .published = 84,
                 .publishedText = "about 84%"});
  all.push_back({.title = "3 layers scaled by 1e3",
                 .depth = 3,
                 .learningRate = 0.001,
                 .scale = 1e3,
                 .hasFigure = true,
                 .published = 57.5,
                 .publishedText = "57.5%, with standard error 1%"});
  return all;
}

/// n points, normal in d dimensions, whose class is a slice of the angle of the first two.
ClassifiedPoints pizzaSlices(int n, int d, int classes, Draws& draws) {
  ClassifiedPoints points{draws.normalMatrix(n, d), {}};
  for (int i = 0; i < n; ++i) {
    const double angle = std::atan2(points.inputs(i, 0), points.inputs(i, 1)) / std::numbers::pi;
    points.classes.push_back(std::min(classes - 1, static_cast<int>((angle + 1) / 2 * classes)));
  }
  return points;
}

/// One layer has a convex loss and starts at 0, as in the source; more start from Glorot's weights.
Layers initialLayers(const Factorisation& model, int d, int classes, Draws& draws) {
  if (model.depth == 1) return {Eigen::MatrixXd::Zero(d, classes)};
  const int width = model.isRankTwo ? 2 : classes;
  Layers layers;
  for (int i = 0; i < model.depth; ++i) {
    layers.push_back(
        draws.glorotMatrix(i == 0 ? d : width, i + 1 == model.depth ? classes : width));
  }
  return layers;
}

class SliceExperiment {
 public:
  SliceExperiment(const Settings& settings, Progress& progress)
      : settings_(settings), progress_(progress), models_(factorisations()) {
    accuracies_.resize(models_.size());
    std::vector<std::string> names;
    const int count = std::min(settings.whole("dimensions"), settings.whole("classes"));
    for (int i = 1; i <= count; ++i) names.push_back("singular value " + std::to_string(i));
    traces_.assign(models_.size(), Trace(names));
  }

  TheoryResult run() {
    for (int repetition = 0; repetition < settings_.whole("repetitions"); ++repetition) {
      Draws draws({settings_.seed(), std::uint64_t(repetition)});
      const int d = settings_.whole("dimensions");
      const int classes = settings_.whole("classes");
      const ClassifiedPoints training = pizzaSlices(settings_.whole("samples"), d, classes, draws);
      const ClassifiedPoints test = pizzaSlices(settings_.whole("samples"), d, classes, draws);
      for (std::size_t i = 0; i < models_.size(); ++i) {
        trained_ = repetition * models_.size() + i;
        Layers layers = initialLayers(models_[i], d, classes, draws);
        Trace* trace = repetition == 0 && models_[i].hasFigure ? &traces_[i] : nullptr;
        train(models_[i], training, layers, trace);
        const Eigen::MatrixXd weights = models_[i].scale * productOf(layers);
        if (!weights.allFinite()) continue;  // A diverged training has no accuracy.
        accuracies_[i].push_back(100 * classifierAccuracy(test, weights));
      }
    }
    return result();
  }

 private:
  /// Gradient descent until the mean cross-entropy is at most the stopping loss.
  void train(const Factorisation& model,
             const ClassifiedPoints& points,
             Layers& layers,
             Trace* trace) {
    const double stoppingLoss = settings_.real("stoppingLoss");
    const auto mostSteps = static_cast<long>(settings_.real("mostSteps"));
    for (long step = 0; step < mostSteps; ++step) {
      const Eigen::MatrixXd weights = model.scale * productOf(layers);
      if (trace && trace->isDue(step)) {
        const Eigen::VectorXd values = singularValues(weights);
        trace->add(step, {values.data(), values.data() + values.size()});
      }
      const ClassifierLoss loss = classifierLoss(points, weights);
      if (step % 16 == 0) progress_.report(fraction(loss.value), [&] { return result(); });
      if (!(loss.value > stoppingLoss)) break;
      const Layers gradients = layerGradients(layers, loss.gradient);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        layers[i] -= model.learningRate * model.scale * gradients[i];
      }
    }
  }

  double fraction(double loss) const {
    const double first = std::log(settings_.real("classes"));
    const double last = std::log(settings_.real("stoppingLoss"));
    const double within = std::clamp((first - std::log(loss)) / (first - last), 0.0, 1.0);
    return (static_cast<double>(trained_) + within) /
           (settings_.real("repetitions") * static_cast<double>(models_.size()));
  }

  TheoryResult result() const {
    TheoryResult result;
    TheorySeries ours{"mean over repetitions", {}, {}};
    TheorySeries source{"source", {}, {}, true};
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (accuracies_[i].empty()) continue;
      result.numbers.push_back(meanNumber("Test accuracy, " + models_[i].title,
                                          accuracies_[i],
                                          "%",
                                          models_[i].published,
                                          models_[i].publishedText));
      if (models_[i].scale != 1 || models_[i].isRankTwo) continue;
      ours.x.push_back(models_[i].depth);
      ours.y.push_back(result.numbers.back().value);
      if (!models_[i].published) continue;
      source.x.push_back(models_[i].depth);
      source.y.push_back(*models_[i].published);
    }
    result.figures.push_back(
        {"Test accuracy over depth", "layers", "test accuracy (%)", false, false, {ours, source}});
    for (std::size_t i = 0; i < models_.size(); ++i) {
      if (!models_[i].hasFigure) continue;
      result.figures.push_back({"Singular values of the weights, " + models_[i].title,
                                "step",
                                "singular value",
                                false,
                                true,
                                traces_[i].series()});
    }
    return result;
  }

  const Settings& settings_;
  Progress& progress_;
  std::vector<Factorisation> models_;
  std::vector<std::vector<double>> accuracies_;  // Of every model, %.
  std::vector<Trace> traces_;
  std::size_t trained_ = 0;
};

}  // namespace

/// Classifiers that are all linear in their input, but whose gradient descent prefers low rank the
/// more, the deeper they are and the smaller they start.
TheoryResult runSmallInitialisation(const Settings& settings, Progress& progress) {
  return SliceExperiment(settings, progress).run();
}

}  // namespace lambda::theory
