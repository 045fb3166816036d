#include <ATen/ATen.h>

#include "engine/data/sequences/token_sequence.h"
#include "engine/training/objective.h"

namespace lambda {

namespace {

at::Tensor crossEntropy(const at::Tensor& logits,
                        const at::Tensor& targets,
                        at::Reduction::Reduction reduction,
                        double labelSmoothing = 0) {
  return at::cross_entropy_loss(
      logits.flatten(0, 1), targets.flatten(), {}, reduction, kNotScored, labelSmoothing);
}

void addTo(at::Tensor& sum, const at::Tensor& value) {
  sum = sum.defined() ? sum + value : value;
}

at::Tensor rightOf(const at::Tensor& logits, const at::Tensor& targets) {
  return logits.argmax(2).eq(targets);  // A target that is not scored is no token.
}

class TokenSums : public ScoreSums {
 public:
  void add(const at::Tensor& logits, const at::Tensor& targets) override {
    addTo(loss_, crossEntropy(logits, targets, at::Reduction::Sum).to(at::kDouble));
    addTo(right_, rightOf(logits, targets).sum());
    addTo(count_, targets.ne(kNotScored).sum());
  }

  Scores scores() const override {
    const std::int64_t count = count_.defined() ? count_.item<std::int64_t>() : 0;
    if (count == 0) return {};
    const auto total = static_cast<double>(count);
    return {loss_.item<double>() / total, static_cast<double>(right_.item<std::int64_t>()) / total};
  }

 private:
  at::Tensor loss_;   // float64
  at::Tensor right_;  // int64
  at::Tensor count_;  // int64: scored tokens
};

class Tokens : public Objective {
 public:
  at::Tensor lossesOf(const at::Tensor& logits, const at::Tensor& targets) const override {
    const at::Tensor losses =
        crossEntropy(logits, targets, at::Reduction::None).view_as(targets).sum(1);
    return losses / targets.ne(kNotScored).sum(1).clamp_min(1);
  }

  at::Tensor scoreOf(const at::Tensor& logits, const at::Tensor& targets) const override {
    return rightOf(logits, targets).sum().to(at::kDouble) / targets.ne(kNotScored).sum();
  }

  std::unique_ptr<ScoreSums> sums() const override { return std::make_unique<TokenSums>(); }

 private:
  at::Tensor meanLossOf(const at::Tensor& logits,
                        const at::Tensor& targets,
                        double labelSmoothing) const override {
    return crossEntropy(logits, targets, at::Reduction::Mean, labelSmoothing);
  }
};

}  // namespace

const Objective& tokenObjective() {
  static const Tokens objective;
  return objective;
}

}  // namespace lambda
