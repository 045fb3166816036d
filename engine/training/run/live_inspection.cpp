#include "engine/training/run/live_inspection.h"

#include <utility>

#include "engine/formats/inspection/epoch_files.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/training/input/requested_image.h"
#include "engine/training/update/master_weights.h"

namespace lambda {

namespace {

Array vectorOf(const std::vector<float>& values) {
  return {{static_cast<std::int64_t>(values.size())}, values};
}

}  // namespace

InspectionSnapshot inspectLive(TrainingState& state,
                               RunData& data,
                               const InspectionRequest& request) {
  const MasterWeights inspected(state.optimizer);
  RequestedImage asked = requestedImage(data, state.network->architecture.input, request);
  return inspectNetwork(state.network,
                        asked.tensor,
                        request,
                        {.image = std::move(asked.image),
                         .label = asked.label,
                         .classNames = std::move(asked.classNames),
                         .numbers = std::move(asked.scales),
                         .trueNumbers = std::move(asked.numbers),
                         .step = state.progress.step,
                         .epoch = state.progress.epoch,
                         .initialEmbeddings = &state.initialEmbeddings});
}

void saveProbe(TrainingState& state,
               RunData& data,
               const std::filesystem::path& folder,
               int epoch) {
  ProbeSnapshot probe{.epoch = epoch, .step = state.progress.step};
  for (const InspectableLayer& layer : inspectableLayers(state.network->architecture)) {
    InspectionSnapshot seen = inspectLive(state, data, {.layer = layer.name, .withPatterns = true});
    probe.probabilities = std::move(seen.probabilities);
    const bool hasParts = inspectedAs(layer) == InspectedAs::lambdas;
    probe.layers.push_back(
        {.name = layer.name,
         .lambdaContent = std::move(seen.lambdas.content),
         .lambdaPosition = std::move(seen.lambdas.position),
         .contributionsContent = std::move(seen.contributions.content),
         .contributionsPosition = std::move(seen.contributions.position),
         .contributionsTotal = hasParts ? Array() : std::move(seen.contributions.total),
         .embeddings = std::move(seen.embeddings.tiles),
         .embeddingChange = std::move(seen.embeddings.change),
         .singularContent = std::move(seen.singularValues.content),
         .singularPosition = std::move(seen.singularValues.position),
         .singularTotal = std::move(seen.singularValues.total),
         .patterns = std::move(seen.embeddings.patterns.patterns),
         .patternShares = vectorOf(seen.embeddings.patterns.share),
         .changePatterns = std::move(seen.embeddings.changePatterns.patterns),
         .changePatternShares = vectorOf(seen.embeddings.changePatterns.share)});
  }
  if (!probe.layers.empty()) writeProbeSnapshot(folder / epochFileName(epoch), probe);
}

}  // namespace lambda
