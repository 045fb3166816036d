#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/runtime/error.h"

namespace {

using lambda::Array;

const std::vector<lambda::InspectableLayer> kLayers{
    {.name = "stage1.block1.mixer",
     .queryDepth = 2,
     .heads = 2,
     .intraDepth = 1,
     .valueDepth = 3,
     .height = 3,
     .width = 2},
    {.name = "stage1.block2.mixer", .heads = 2, .intraDepth = 1, .height = 3, .width = 2}};

void require(bool isTrue) {
  if (!isTrue) std::abort();
}

bool isWhole(const Array& array) {
  std::size_t count = array.shape.empty() ? 0 : 1;
  for (const std::int64_t size : array.shape) count *= static_cast<std::size_t>(size);
  return count == array.values.size();
}

void check(const lambda::ProbeLayer& layer) {
  require(layer.name == kLayers[0].name || layer.name == kLayers[1].name);
  for (const Array* array : {&layer.lambdaContent,
                             &layer.lambdaPosition,
                             &layer.contributionsContent,
                             &layer.contributionsPosition,
                             &layer.contributionsTotal,
                             &layer.embeddings,
                             &layer.embeddingChange,
                             &layer.singularContent,
                             &layer.singularPosition,
                             &layer.singularTotal,
                             &layer.patterns,
                             &layer.patternShares,
                             &layer.changePatterns,
                             &layer.changePatternShares}) {
    require(isWhole(*array));
  }
  lambda::sumOf(layer.lambdaContent, layer.lambdaPosition);
  lambda::sumOf(layer.contributionsContent, layer.contributionsPosition);
  require(layer.embeddingChange.empty() || layer.embeddingChange.shape == layer.embeddings.shape);
  require(layer.patterns.empty() == layer.patternShares.empty());
  require(layer.changePatterns.empty() == layer.changePatternShares.empty());
}

}  // namespace

// Any tensors either throw Error or become arrays that can be shown together.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const lambda::SafeTensors file =
        lambda::parseSafeTensors(std::as_bytes(std::span(data, size)), "fuzz");
    for (const lambda::ProbeLayer& layer : lambda::probeSnapshotOf(file, "fuzz", kLayers).layers) {
      check(layer);
    }
  } catch (const lambda::Error&) {
    // The file was refused, as it should be.
  }
  return 0;
}
