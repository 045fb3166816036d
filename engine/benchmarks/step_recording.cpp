#include <string>
#include <vector>

#include "engine/benchmarks/step_benchmark.h"
#include "engine/formats/json/config_json.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/training/loop/dry_run.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/update/master_weights.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

std::string listText(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "[" : ", ") + formatNumber(value);
  return text + "]";
}

}  // namespace

void recordSteps(const RunConfig& wanted, int steps, const std::filesystem::path& path) {
  requireTrainable(wanted);
  const ResolvedConfig resolved(wanted);
  const std::unique_ptr<TrainingData> data = dryRunData(resolved);
  DryRun dryRun(resolved, *data);
  std::vector<NamedTensor> tensors;
  {
    const MasterWeights recorded(dryRun.state().optimizer);
    tensors = stateOf(*dryRun.state().network);
    for (NamedTensor& each : tensors) each.tensor = each.tensor.detach().clone();
  }
  std::vector<double> losses, learningRates;
  for (int step = 0; step < steps; ++step) {
    const TensorBatch batch = dryRun.nextBatch();
    const std::string name = "batch." + std::to_string(step);
    tensors.push_back({name + ".images", batch.images});
    tensors.push_back({name + ".labels", batch.labels});
    if (batch.isMixed()) {
      tensors.push_back({name + ".partnerLabels", batch.partnerLabels});
      tensors.push_back({name + ".share", batch.share});
    }
    learningRates.push_back(dryRun.nextLearningRate());
    losses.push_back(dryRun.train(batch).loss);
  }
  saveTensors(path,
              tensors,
              {{"config", toJson(resolved.config())},
               {"losses", listText(losses)},
               {"learningRates", listText(learningRates)}});
}

}  // namespace lambda
