#include "app/inspect/probe_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "engine/values/inspection/contribution_maps.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

const ProbeLayer* find(const ProbeSnapshot& probe, const std::string& name) {
  const auto found = std::find_if(probe.layers.begin(),
                                  probe.layers.end(),
                                  [&](const ProbeLayer& layer) { return layer.name == name; });
  return found == probe.layers.end() ? nullptr : &*found;
}

double greatest(std::initializer_list<const Array*> arrays) {
  double most = 0;
  for (const Array* array : arrays) {
    for (const float value : array->values) {
      if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
    }
  }
  return most;
}

EmbeddingTiles embeddingsOf(const ProbeLayer& stored) {
  EmbeddingTiles result;
  const Array& tiles = stored.embeddings;
  if (tiles.shape.size() != 4 || tiles.empty()) return result;
  result.tiles = tiles;
  result.change = stored.embeddingChange;
  result.patterns = {stored.patterns, stored.patternShares.values};
  result.changePatterns = {stored.changePatterns, stored.changePatternShares.values};
  const auto cells = static_cast<std::size_t>(tiles.shape[2] * tiles.shape[3]);
  for (std::size_t first = 0; first < tiles.values.size(); first += cells) {
    result.norms.push_back(static_cast<float>(norm({tiles.values.data() + first, cells})));
  }
  result.order.resize(result.norms.size());
  std::iota(result.order.begin(), result.order.end(), 0);
  std::stable_sort(result.order.begin(), result.order.end(), [&result](int a, int b) {
    return result.norms[static_cast<std::size_t>(a)] > result.norms[static_cast<std::size_t>(b)];
  });
  return result;
}

}  // namespace

InspectionSnapshot snapshotOf(const ProbeSnapshot& probe, const InspectableLayer& layer) {
  InspectionSnapshot snapshot;
  snapshot.request.layer = layer.name;
  snapshot.step = probe.step;
  snapshot.epoch = probe.epoch;
  snapshot.weights = InspectedWeights::stored;
  snapshot.layer = layer;
  snapshot.queryRow = layer.height / 2;
  snapshot.queryColumn = layer.width / 2;
  snapshot.probabilities = probe.probabilities;
  if (!probe.probabilities.empty()) {
    const auto most = std::max_element(probe.probabilities.begin(), probe.probabilities.end());
    snapshot.predicted = static_cast<int>(most - probe.probabilities.begin());
  }
  const ProbeLayer* stored = find(probe, layer.name);
  if (stored == nullptr) return snapshot;
  snapshot.lambdas.content = stored->lambdaContent;
  snapshot.lambdas.position = stored->lambdaPosition;
  snapshot.lambdas.total = sumOf(stored->lambdaContent, stored->lambdaPosition);
  snapshot.singularValues = {
      stored->singularContent, stored->singularPosition, stored->singularTotal};
  snapshot.contributions.content = stored->contributionsContent;
  snapshot.contributions.position = stored->contributionsPosition;
  snapshot.contributions.total =
      inspectedAs(layer) == InspectedAs::lambdas
          ? sumOf(stored->contributionsContent, stored->contributionsPosition)
          : stored->contributionsTotal;
  snapshot.embeddings = embeddingsOf(*stored);
  return snapshot;
}

Array lambdaOf(const ProbeSnapshot& probe, const std::string& layer) {
  const ProbeLayer* stored = find(probe, layer);
  return stored ? sumOf(stored->lambdaContent, stored->lambdaPosition) : Array();
}

ProbeNorms normsOf(const ProbeSnapshot& probe, const std::string& layer) {
  ProbeNorms norms{.epoch = probe.epoch, .step = probe.step};
  const ProbeLayer* stored = find(probe, layer);
  if (stored == nullptr) return norms;
  norms.content = norm(stored->lambdaContent.values);
  norms.position = norm(stored->lambdaPosition.values);
  norms.embeddings = norm(stored->embeddings.values);
  norms.change = norm(stored->embeddingChange.values);
  const Array lambda = sumOf(stored->lambdaContent, stored->lambdaPosition);
  norms.greatestLambda = greatest({&stored->lambdaContent, &stored->lambdaPosition, &lambda});
  norms.greatestEmbedding = greatest({&stored->embeddings});
  norms.greatestChange = greatest({&stored->embeddingChange});
  InspectionSnapshot parts;
  parts.contributions = {stored->contributionsContent,
                         stored->contributionsPosition,
                         stored->contributionsTotal.empty()
                             ? sumOf(stored->contributionsContent, stored->contributionsPosition)
                             : stored->contributionsTotal};
  for (const ContributionKind quantity :
       {ContributionKind::content, ContributionKind::position, ContributionKind::total}) {
    const Array map = mapOf(headMapsOf(parts, quantity), quantity, -1);
    norms.greatestContribution = std::max(norms.greatestContribution, greatest({&map}));
  }
  return norms;
}

std::string csvOf(const std::vector<ProbeNorms>& norms) {
  std::string csv = "epoch,step,content,position,embeddings,change\n";
  for (const ProbeNorms& entry : norms) {
    csv += std::to_string(entry.epoch) + "," + std::to_string(entry.step) + "," +
           formatNumber(entry.content) + "," + formatNumber(entry.position) + "," +
           formatNumber(entry.embeddings) + "," + formatNumber(entry.change) + "\n";
  }
  return csv;
}

}  // namespace lambda
