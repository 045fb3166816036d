#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/values/architecture/graph.h"
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
  if (graph.takesTokens()) {
    problems.push_back({"architecture.stem.whitened",
                        Severity::error,
                        "tokens have no patches to whiten",
                        Fix{"Learn the embedding", "architecture.stem.whitened", "false"}});
    return;
  }
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

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

/// A network of the sequence family has one width and one size of its maps.
void checkSequence(const Architecture& architecture, std::vector<Problem>& problems) {
  if (!isOfSequences(architecture.family)) return;
  const int width = architecture.stem.width;
  for (std::size_t i = 0; i < architecture.stages.size(); ++i) {
    const std::string stage = "architecture.stages[" + std::to_string(i) + "]";
    if (architecture.stages[i].width != width) {
      problems.push_back(
          {stage + ".width",
           Severity::error,
           "all blocks of a sequence network have the width of its stem, " + std::to_string(width),
           Fix{"Set to " + std::to_string(width), stage + ".width", std::to_string(width)}});
    }
    if (architecture.stages[i].stride != 1) {
      problems.push_back({stage + ".stride",
                          Severity::error,
                          "a sequence network keeps all positions",
                          Fix{"Set to 1", stage + ".stride", "1"}});
    }
  }
}

/// The options of a lambda layer by which a position would learn of later ones.
void checkLookingAhead(const LambdaMixer& mixer,
                       const std::string& path,
                       std::vector<Problem>& problems) {
  const auto refuse = [&](bool isSet, const char* option) {
    if (!isSet) return;
    problems.push_back({path + "." + option,
                        Severity::error,
                        "a batch norm has the mean of all positions, so that each would see later "
                        "ones in training",
                        Fix{"Turn it off", path + "." + option, "false"}});
  };
  refuse(mixer.normalizeQueries, "normalizeQueries");
  refuse(mixer.normalizeValues, "normalizeValues");
  if (mixer.tokenOrder == TokenOrder::pixels) return;
  problems.push_back(
      {path + ".tokenOrder",
       Severity::error,
       "a run of one channel has values of several positions, so that each would see "
       "later ones",
       Fix{"Use positions", path + ".tokenOrder", quoted("pixels")}});
}

template <class M>
void checkLookingAhead(const M&, const std::string&, std::vector<Problem>&) {}

/// What predicts tokens sees none of those that it predicts.
void checkTokens(const Architecture& architecture, std::vector<Problem>& problems) {
  const auto add = [&](const std::string& path, const std::string& text, std::optional<Fix> fix) {
    problems.push_back({path, Severity::error, text, std::move(fix)});
  };
  const bool takesTokens = traitsOf(architecture.stem).takesTokens;
  if (architecture.task != Task::tokens) {
    if (!takesTokens) return;
    add("architecture.stem.kind",
        "an embedding is for networks that predict tokens",
        Fix{"Predict tokens", "architecture.task", quoted("tokens")});
    return;
  }
  if (!takesTokens) {
    add("architecture.stem.kind",
        "a network that predicts tokens begins with their embedding",
        Fix{"Use an embedding", "architecture.stem.kind", quoted("embedding")});
  }
  if (!isOfSequences(architecture.family)) {
    add("architecture.family",
        "the batch norms of this family have means over all positions, so that each would see "
        "later tokens in training",
        Fix{"Use sequence blocks", "architecture.family", quoted("sequence")});
  }
  const auto requireOne = [&](int value, const char* side) {
    if (value == 1) return;
    const std::string path = std::string("architecture.input.") + side;
    add(path, "tokens are a map of one channel and one row", Fix{"Set to 1", path, "1"});
  };
  requireOne(architecture.input.channels, "channels");
  requireOne(architecture.input.height, "height");
  if (architecture.head.width != 0) {
    add("architecture.head.width",
        "a network that predicts tokens has no convolution before its last layer",
        Fix{"Set to 0", "architecture.head.width", "0"});
  }
  for (std::size_t i = 0; i < architecture.stages.size(); ++i) {
    for (std::size_t j = 0; j < architecture.stages[i].blocks.size(); ++j) {
      const Mixer& mixer = architecture.stages[i].blocks[j].mixer;
      const std::string path =
          "architecture.stages[" + std::to_string(i) + "].blocks[" + std::to_string(j) + "].mixer";
      const auto check = [&](const auto& each) {
        if (!isCausal(mixer)) {
          std::optional<Fix> fix;
          if constexpr (requires { each.causal; }) {
            fix = Fix{"Make it causal", path + ".causal", "true"};
          }
          if constexpr (requires { each.mask; }) {
            fix = Fix{"Make it causal", path + ".mask", quoted("causal")};
          }
          add(path, "a position must not see the tokens after it, which it predicts", fix);
        }
        checkLookingAhead(each, path, problems);
      };
      std::visit(check, mixer);
    }
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
  checkSequence(inRange, problems);
  checkTokens(inRange, problems);
  MixerCheck mixers(problems);
  for (const PlacedMixer& mixer : graph.mixers()) mixers.check(mixer);
  return problems;
}

}  // namespace lambda
