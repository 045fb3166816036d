#include "engine/training/objective.h"

#include <ATen/ATen.h>

namespace lambda {

at::Tensor Objective::lossOf(const at::Tensor& outputs,
                             const TensorBatch& batch,
                             double labelSmoothing) const {
  const at::Tensor loss = meanLossOf(outputs, batch.labels, labelSmoothing);
  if (!batch.isMixed()) return loss;
  return batch.share * loss +
         (1 - batch.share) * meanLossOf(outputs, batch.partnerLabels, labelSmoothing);
}

const Objective& objectiveOf(Task task) {
  switch (task) {
    case Task::regression:
      return regressionObjective();
    case Task::tokens:
      return tokenObjective();
    case Task::classification:
      break;
  }
  return classificationObjective();
}

}  // namespace lambda
