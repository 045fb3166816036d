#include <ATen/ATen.h>

#include "engine/training/objective.h"

namespace lambda {

namespace {

void addTo(at::Tensor& sum, const at::Tensor& value) {
  sum = sum.defined() ? sum + value : value;
}

class ClassificationSums : public ScoreSums {
 public:
  void add(const at::Tensor& logits, const at::Tensor& labels) override {
    addTo(loss_, at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum).to(at::kDouble));
    addTo(right_, logits.argmax(1).eq(labels).sum());
    count_ += labels.size(0);
  }

  Scores scores() const override {
    if (count_ == 0) return {};
    const auto total = static_cast<double>(count_);
    return {loss_.item<double>() / total, static_cast<double>(right_.item<std::int64_t>()) / total};
  }

 private:
  at::Tensor loss_;   // float64
  at::Tensor right_;  // int64
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

  std::unique_ptr<ScoreSums> sums() const override {
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
