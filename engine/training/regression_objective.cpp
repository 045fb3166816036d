#include <ATen/ATen.h>

#include "engine/training/objective.h"

namespace lambda {

namespace {

/// R² from sums over n images, each [outputs] float64: 1 - sum (y - f)^2 / sum (y - mean y)^2, the
/// mean over the outputs (Draper and Smith, 1998, section 1.3). An output whose labels are all the
/// same has no variance to explain and is left out.
class RegressionSums : public ScoreSums {
 public:
  explicit RegressionSums(std::int64_t outputs) : sums_(at::zeros({4, outputs}, at::kDouble)) {}

  void add(const at::Tensor& outputs, const at::Tensor& labels) override {
    const at::Tensor y = labels.to(at::kDouble);
    sums_ = sums_.to(y.device()) + at::stack({(y - outputs.to(at::kDouble)).square().sum(0),
                                              y.sum(0),
                                              y.square().sum(0),
                                              at::full_like(y[0], labels.size(0))});
  }

  at::Tensor sums() const override { return sums_.cpu(); }

  Scores scoresOf(const at::Tensor& sums) const override {
    const double count = sums[3][0].item<double>();
    if (count == 0) return {.scoredBy = ScoreKind::r2};
    const at::Tensor residual = sums[0];
    const at::Tensor variation = sums[2] - sums[1].square() / count;
    const at::Tensor varies = variation > 1e-12 * sums[2];
    const at::Tensor explained = (1 - residual / variation).masked_select(varies);
    return {.loss = residual.mean().item<double>() / count,
            .score = explained.numel() > 0 ? explained.mean().item<double>() : 0,
            .scoredBy = ScoreKind::r2};
  }

 private:
  at::Tensor sums_;  // [4, outputs] float64: of (y - f)^2, y, y^2 and 1.
};

class Regression : public Objective {
 public:
  at::Tensor lossesOf(const at::Tensor& outputs, const at::Tensor& labels) const override {
    return (outputs - labels).square().mean(1);
  }

  /// The labels of the training images have the variance 1, which a batch is too small to measure.
  at::Tensor scoreOf(const at::Tensor& outputs, const at::Tensor& labels) const override {
    return 1 - (outputs - labels).square().mean().to(at::kDouble);
  }

  std::unique_ptr<ScoreSums> sums(std::int64_t outputs) const override {
    return std::make_unique<RegressionSums>(outputs);
  }

 private:
  at::Tensor meanLossOf(const at::Tensor& outputs,
                        const at::Tensor& labels,
                        double /*labelSmoothing*/) const override {
    return at::mse_loss(outputs, labels);
  }
};

}  // namespace

const Objective& regressionObjective() {
  static const Regression objective;
  return objective;
}

}  // namespace lambda
