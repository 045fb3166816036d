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

at::Tensor rightOf(const at::Tensor& logits, const at::Tensor& targets) {
  return logits.argmax(2).eq(targets);  // A target that is not scored is no token.
}

class TokenSums : public ScoreSums {
 public:
  void add(const at::Tensor& logits, const at::Tensor& targets) override {
    const at::Tensor loss = crossEntropy(logits, targets, at::Reduction::Sum);
    const at::Tensor all = at::stack({loss.to(at::kDouble),
                                      rightOf(logits, targets).sum().to(at::kDouble),
                                      targets.ne(kNotScored).sum().to(at::kDouble)});
    sums_ = sums_.defined() ? sums_ + all : all;
  }

  at::Tensor sums() const override {
    return sums_.defined() ? sums_.cpu() : at::zeros({3}, at::kDouble);
  }

  Scores scoresOf(const at::Tensor& sums) const override {
    const auto* value = sums.const_data_ptr<double>();
    if (value[2] == 0) return {};
    return {value[0] / value[2], value[1] / value[2]};
  }

 private:
  at::Tensor sums_;  // [3] float64: of the losses, the right answers and the scored tokens.
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

  std::unique_ptr<ScoreSums> sums(std::int64_t /*outputs*/) const override {
    return std::make_unique<TokenSums>();
  }

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
