#include "engine/training/scoring.h"

#include <algorithm>

#include "engine/training/objective.h"
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

/// The logits of images [b, c, h, w], or of tokens, in float32.
at::Tensor logitsOf(NetworkImpl& network, const at::Tensor& images, Precision precision) {
  const Autocast autocast(precision, images.device().type());
  return network.forward(images).to(at::kFloat);
}

/// Images [b, c, h, w] moved by `pixels` down and right; the edge is repeated where nothing comes
/// in.
at::Tensor moved(const at::Tensor& images, std::int64_t pixels) {
  const at::Tensor padded = at::replication_pad2d(images, {1, 1, 1, 1});
  return padded.narrow(2, 1 - pixels, images.size(2))
      .narrow(3, 1 - pixels, images.size(3))
      .contiguous(images.suggest_memory_format());
}

/// The mean logits of the views.
at::Tensor meanLogits(NetworkImpl& network,
                      const at::Tensor& images,
                      const TestViews& views,
                      Precision precision) {
  const auto mirrorMean = [&](const at::Tensor& each) {
    const at::Tensor logits = logitsOf(network, each, precision);
    if (!views.mirrored) return logits;
    return (logits + logitsOf(network, each.flip(3), precision)) / 2;
  };
  const at::Tensor logits = mirrorMean(images);
  if (!views.shifted) return logits;
  return logits / 2 + (mirrorMean(moved(images, -1)) + mirrorMean(moved(images, 1))) / 4;
}

}  // namespace

bool classify(NetworkImpl& network,
              const Examples& examples,
              const std::function<bool(std::int64_t done)>& proceed,
              const std::function<void(const at::Tensor& logits, const at::Tensor& labels)>& visit,
              const Turn& turn) {
  const at::NoGradGuard noGrad;
  const EvaluationMode evaluationMode(network);
  const CastWeights castWeights;
  const std::int64_t count = examples.count(), together = examples.together();
  const std::int64_t step = together * turn.of;
  for (std::int64_t first = together * turn.first; first < count; first += step) {
    if (!proceed(first)) return false;
    const TensorBatch batch = examples.batch(first, std::min(together, count - first));
    visit(meanLogits(network, batch.images, examples.views(), examples.precision()), batch.labels);
  }
  return true;
}

std::optional<Scores> evaluate(NetworkImpl& network,
                               const Examples& examples,
                               const std::function<bool(std::int64_t done)>& proceed,
                               Processes* processes) {
  const std::unique_ptr<ScoreSums> sums =
      objectiveOf(network.architecture.task).sums(network.architecture.outputs);
  const auto add = [&](const at::Tensor& logits, const at::Tensor& labels) {
    sums->add(logits, labels);
  };
  if (processes == nullptr) {
    if (!classify(network, examples, proceed, add)) return std::nullopt;
    return sums->scores();
  }
  const bool isDone =
      classify(network, examples, proceed, add, {processes->rank(), processes->size()});
  at::Tensor stopped = at::full({1}, isDone ? 0 : 1, at::kLong);
  processes->sum(stopped);
  if (stopped.item<std::int64_t>() > 0) return std::nullopt;
  at::Tensor all = sums->sums();
  processes->sum(all);
  return sums->scoresOf(all);
}

}  // namespace lambda
