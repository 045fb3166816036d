#pragma once

#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>

#include "engine/training/input/tensor_batch.h"
#include "engine/values/architecture/task.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// Sums the scores of batches. The sums stay on the device, so that nothing waits for it before the
/// last batch.
class ScoreSums {
 public:
  virtual ~ScoreSums() = default;

  /// Outputs and labels as in Objective.
  virtual void add(const at::Tensor& outputs, const at::Tensor& labels) = 0;

  /// The sums over all examples that were added, on the CPU in float64. Those of several parts of a
  /// set, added up, are those of the set. Waits for the device.
  virtual at::Tensor sums() const = 0;

  /// The scores of such sums; zeros for those of no examples.
  virtual Scores scoresOf(const at::Tensor& sums) const = 0;

  /// Those over all examples that were added.
  Scores scores() const { return scoresOf(sums()); }
};

/// What the outputs of a network cost and how good they are; one source for each task. Outputs are
/// [b, outputs], of tokens [b, n, outputs], in float32, labels as the task has them.
class Objective {
 public:
  virtual ~Objective() = default;

  /// The mean loss of a batch [], for both labels of a mixed one as they are mixed (mixup,
  /// arXiv:1710.09412, section 2; CutMix, arXiv:1905.04899, section 3).
  at::Tensor lossOf(const at::Tensor& outputs,
                    const TensorBatch& batch,
                    double labelSmoothing) const;

  /// The loss of each example, [b].
  virtual at::Tensor lossesOf(const at::Tensor& outputs, const at::Tensor& labels) const = 0;

  /// The score of a batch, [] float64.
  virtual at::Tensor scoreOf(const at::Tensor& outputs, const at::Tensor& labels) const = 0;

  /// Those of no examples, for a network with so many outputs.
  virtual std::unique_ptr<ScoreSums> sums(std::int64_t outputs) const = 0;

 private:
  virtual at::Tensor meanLossOf(const at::Tensor& outputs,
                                const at::Tensor& labels,
                                double labelSmoothing) const = 0;
};

/// Labels are [b] int64; the loss is the cross-entropy in nats.
const Objective& classificationObjective();

/// Labels are [b, outputs] float32, in deviations from the mean of the training images' numbers;
/// the loss is the squared error, the mean over the outputs.
const Objective& regressionObjective();

/// Labels are [b, n] int64, kNotScored where nothing is; the loss is the cross-entropy in nats, the
/// mean over all positions that are scored.
const Objective& tokenObjective();

const Objective& objectiveOf(Task task);

}  // namespace lambda
