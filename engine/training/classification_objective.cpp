#include <ATen/ATen.h>

#include "engine/training/objective.h"

namespace lambda {

namespace {

class ClassificationSums : public ScoreSums {
 public:
  void add(const at::Tensor& logits, const at::Tensor& labels) override {
    const at::Tensor loss = at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum);
    const at::Tensor right = logits.argmax(1).eq(labels).sum();
    const at::Tensor all = at::stack({loss.to(at::kDouble), right.to(at::kDouble)});
    sums_ = sums_.defined() ? sums_ + all : all;
    count_ += labels.size(0);
  }

  at::Tensor sums() const override {
    at::Tensor all = at::zeros({3}, at::kDouble);
    if (sums_.defined()) all.narrow(0, 0, 2).copy_(sums_);
    all[2].fill_(count_);
    return all;
  }

  Scores scoresOf(const at::Tensor& sums) const override {
    const auto* value = sums.const_data_ptr<double>();
    if (value[2] == 0) return {};
    return {value[0] / value[2], value[1] / value[2]};
  }

 private:
  at::Tensor sums_;  // [2] float64: of the losses, and of the right answers.
  std::int64_t count_ = 0;
};

class Classification : public Objective {
 public:
  at::Tensor lossesOf(const at::Tensor& logits, const at::Tensor& labels) const override {
    return at::cross_entropy_loss(logits, labels, {}, at::Reduction::None);
  }

  at::Tensor scoreOf(const at::Tensor& logits, const at::Tensor& labels) const override {
    return logits.argmax(1).eq(labels).to(at::kDouble).mean();
  }

  std::unique_ptr<ScoreSums> sums(std::int64_t /*outputs*/) const override {
    return std::make_unique<ClassificationSums>();
  }

 private:
  at::Tensor meanLossOf(const at::Tensor& logits,
                        const at::Tensor& labels,
                        double labelSmoothing) const override {
    return at::cross_entropy_loss(
        logits, labels, {}, at::Reduction::Mean, /*ignore_index=*/-100, labelSmoothing);
  }
};

}  // namespace

const Objective& classificationObjective() {
  static const Classification objective;
  return objective;
}

}  // namespace lambda
