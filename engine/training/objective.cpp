#include "engine/training/objective.h"

#include <ATen/ATen.h>

namespace lambda {

namespace {

void addTo(at::Tensor& sum, const at::Tensor& value) {
  sum = sum.defined() ? sum + value : value;
}

}  // namespace

at::Tensor lossOf(const at::Tensor& logits, const TensorBatch& batch, double labelSmoothing) {
  const auto of = [&](const at::Tensor& labels) {
    return at::cross_entropy_loss(
        logits, labels, {}, at::Reduction::Mean, /*ignore_index=*/-100, labelSmoothing);
  };
  if (!batch.isMixed()) return of(batch.labels);
  return batch.share * of(batch.labels) + (1 - batch.share) * of(batch.partnerLabels);
}

at::Tensor lossesOf(const at::Tensor& logits, const at::Tensor& labels) {
  return at::cross_entropy_loss(logits, labels, {}, at::Reduction::None);
}

at::Tensor accuracyOf(const at::Tensor& logits, const at::Tensor& labels) {
  return logits.argmax(1).eq(labels).to(at::kDouble).mean();
}

void ScoreSums::add(const at::Tensor& logits, const at::Tensor& labels) {
  addTo(loss_, at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum).to(at::kDouble));
  addTo(right_, logits.argmax(1).eq(labels).sum());
  count_ += labels.size(0);
}

Scores ScoreSums::scores() const {
  if (count_ == 0) return {};
  const auto total = static_cast<double>(count_);
  return {loss_.item<double>() / total, static_cast<double>(right_.item<std::int64_t>()) / total};
}

}  // namespace lambda
