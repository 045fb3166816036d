#include "engine/training/evaluation.h"

#include <algorithm>

#include "engine/training/step/autocast.h"

namespace lambda {

namespace {

/// Puts a module into evaluation mode for a scope.
class EvaluationMode {
 public:
  explicit EvaluationMode(torch::nn::Module& module)
      : module_(module), wasTraining_(module.is_training()) {
    module_.eval();
  }

  ~EvaluationMode() { module_.train(wasTraining_); }

  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  torch::nn::Module& module_;
  bool wasTraining_;
};

/// The logits [b, classes] of images [b, c, h, w], in float32.
at::Tensor logitsOf(NetworkImpl& network, const at::Tensor& images, Precision precision) {
  const Autocast autocast(precision, images.device().type());
  return network.forward(images).to(at::kFloat);
}

void add(at::Tensor& sum, const at::Tensor& value) {
  sum = sum.defined() ? sum + value : value;
}

}  // namespace

bool classify(
    NetworkImpl& network,
    const LabeledImages& images,
    const BatchMaker& maker,
    const std::function<bool(std::int64_t done)>& proceed,
    const std::function<void(const at::Tensor& logits, const at::Tensor& labels)>& visit) {
  const at::NoGradGuard noGrad;
  const EvaluationMode evaluationMode(network);
  const std::size_t count = images.count();
  for (std::size_t first = 0; first < count; first += kEvaluationBatch) {
    if (!proceed(static_cast<std::int64_t>(first))) return false;
    const TensorBatch batch = maker.plain(images, first, std::min(kEvaluationBatch, count - first));
    at::Tensor logits = logitsOf(network, batch.images, maker.precision());
    if (maker.averagesFlips()) {
      logits = (logits + logitsOf(network, batch.images.flip(3), maker.precision())) / 2;
    }
    visit(logits, batch.labels);
  }
  return true;
}

std::optional<Scores> evaluate(NetworkImpl& network,
                               const LabeledImages& images,
                               const BatchMaker& maker,
                               const std::function<bool(std::int64_t done)>& proceed) {
  // The sums stay on the device, so that nothing waits for it before the last batch.
  at::Tensor loss, right;
  const auto count = [&](const at::Tensor& logits, const at::Tensor& labels) {
    add(loss, at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum).to(at::kDouble));
    add(right, logits.argmax(1).eq(labels).sum());
  };
  if (!classify(network, images, maker, proceed, count)) return std::nullopt;
  if (images.count() == 0) return Scores{};
  const auto total = static_cast<double>(images.count());
  return Scores{loss.item<double>() / total,
                static_cast<double>(right.item<std::int64_t>()) / total};
}

}  // namespace lambda
