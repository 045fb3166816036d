#include <algorithm>
#include <string>
#include <utility>

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/config/range_check.h"
#include "engine/values/config/validate.h"

namespace lambda {

namespace {

void checkShapes(const Architecture& architecture,
                 const NetworkGraph& graph,
                 std::vector<Problem>& problems) {
  if (architecture.stages.empty()) {
    problems.push_back(
        {"architecture.stages", Severity::error, "a network needs at least one stage", {}});
  }
  for (std::size_t i = 0; i < architecture.stages.size(); ++i) {
    if (!architecture.stages[i].blocks.empty()) continue;
    problems.push_back({"architecture.stages[" + std::to_string(i) + "].blocks",
                        Severity::error,
                        "a stage needs at least one block",
                        {}});
  }
  if (graph.stemOutput.height < 1 || graph.stemOutput.width < 1) {
    problems.push_back({"architecture.stem.patchSize",
                        Severity::error,
                        "a patch is larger than the image of " + sizeText(architecture.input),
                        Fix{"Use patches of one pixel", "architecture.stem.patchSize", "1"}});
  }
  if (traitsOf(architecture.stem).isForLargeImages &&
      std::min(architecture.input.height, architecture.input.width) <= 64) {
    problems.push_back({"architecture.stem.kind",
                        Severity::warning,
                        "this stem shrinks images of " + sizeText(architecture.input) + " to " +
                            sizeText(graph.stemOutput) + " before the first stage",
                        Fix{"Use the CIFAR stem", "architecture.stem.kind", "\"cifar\""}});
  }
}

/// Larger patches take too long to whiten: the time grows with the cube of the number of values.
constexpr int kMostWhitenedValues = 1024;

void checkWhitening(const Architecture& architecture,
                    const NetworkGraph& graph,
                    std::vector<Problem>& problems) {
  if (!architecture.stem.whitened) return;
  const MapShape& input = architecture.input;
  const FirstConvolution first = firstConvolutionOf(graph);
  const auto refuse = [&](const std::string& why) {
    problems.push_back({"architecture.stem.whitened",
                        Severity::error,
                        why,
                        Fix{"Learn the filters", "architecture.stem.whitened", "false"}});
  };
  const long long values = static_cast<long long>(input.channels) * first.side * first.side;
  const std::string patches = "patches of " + std::to_string(first.side) + " x " +
                              std::to_string(first.side) + " x " + std::to_string(input.channels) +
                              " values";
  if (std::min(input.height, input.width) < first.side) {
    refuse("images of " + sizeText(input) + " have no " + patches + " to whiten");
  } else if (values > kMostWhitenedValues) {
    refuse(patches + " are too large to whiten: at most " + std::to_string(kMostWhitenedValues) +
           " values");
  } else if (first.depth > 2 * values) {
    refuse(patches + " have " + std::to_string(2 * values) +
           " whitening filters, counting both signs, fewer than the " +
           std::to_string(first.depth) + " channels of the first convolution");
  }
}

}  // namespace

std::vector<Problem> validate(const Architecture& architecture) {
  std::vector<Problem> problems;
  RangeCheck(problems).check("architecture", architecture);
  Architecture inRange = architecture;
  clampToRanges(inRange);
  const NetworkGraph graph = graphOf(inRange);
  checkShapes(inRange, graph, problems);
  checkWhitening(inRange, graph, problems);
  MixerCheck mixers(problems);
  for (const PlacedMixer& mixer : graph.mixers()) mixers.check(mixer);
  return problems;
}

}  // namespace lambda
