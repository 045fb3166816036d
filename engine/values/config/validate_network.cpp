#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/values/architecture/plan.h"
#include "engine/values/architecture/shared_tables.h"
#include "engine/values/config/range_check.h"
#include "engine/values/config/validate.h"

namespace lambda {

namespace {

constexpr long long kLargePositionTable = 1LL << 26;
constexpr int kPaperScope = 23;

std::string pathOf(const BlockPlan& block) {
  return "architecture.stages[" + std::to_string(block.stage) + "].blocks[" +
         std::to_string(block.block) + "].mixer";
}

std::string toText(const MapShape& map) {
  return std::to_string(map.height) + "x" + std::to_string(map.width);
}

bool isUnsafeInName(char c) {
  const bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '_';
  return !safe;
}

/// Collects the problems of the blocks of one network.
class BlockCheck {
 public:
  explicit BlockCheck(std::vector<Problem>& problems) : problems_(problems) {}

  void check(const BlockPlan& block) {
    std::visit([&](const auto& mixer) { checkMixer(mixer, block); }, block.options.mixer);
  }

 private:
  void add(Severity severity,
           const std::string& path,
           std::string text,
           std::optional<Fix> fix = {}) {
    problems_.push_back({path, severity, std::move(text), std::move(fix)});
  }

  static Fix setTo(const std::string& what, const std::string& path, const std::string& value) {
    return {"Set " + what + " to " + value, path, value};
  }

  void checkMixer(const ConvolutionMixer& mixer, const BlockPlan& block) {
    requireCentre(mixer.kernelSize, block);
  }

  void requireCentre(int kernelSize, const BlockPlan& block) {
    if (kernelSize % 2 != 0) return;
    const std::string path = pathOf(block) + ".kernelSize";
    add(Severity::error,
        path,
        "the side of the window must be odd, so that it has a centre",
        setTo("the kernel size", path, std::to_string(kernelSize + 1)));
  }

  void checkMixer(const DepthwiseConvolutionMixer& mixer, const BlockPlan& block) {
    requireCentre(mixer.kernelSize, block);
  }

  void checkMixer(const LambdaMixer& mixer, const BlockPlan& block) {
    checkHeads(mixer, block);
    checkScope(mixer, block);
    checkInteractions(mixer, block);
    checkSharing(mixer, block);
  }

  void checkHeads(const LambdaMixer& mixer, const BlockPlan& block) {
    const int d = block.mixerOutput.channels;
    if (mixer.heads < 1 || d < 1 || d % mixer.heads == 0) return;
    int nearest = std::min(mixer.heads, d);
    while (d % nearest != 0) --nearest;
    const std::string path = pathOf(block) + ".h";
    add(Severity::error,
        path,
        "h = " + std::to_string(mixer.heads) + " does not divide the width " + std::to_string(d) +
            "; each head gives width / h channels",
        setTo("h", path, std::to_string(nearest)));
  }

  void checkScope(const LambdaMixer& mixer, const BlockPlan& block) {
    if (mixer.scope == 0 || mixer.embedding == PositionEmbedding::none) return;
    const std::string path = pathOf(block) + ".scope";
    const int side = std::max(block.mixerInput.height, block.mixerInput.width);
    if (mixer.embedding == PositionEmbedding::absolute) {
      add(Severity::error,
          path,
          "absolute embeddings have no local scope: a window is relative to its query",
          setTo("the scope", path, "0"));
    } else if (mixer.scope % 2 == 0) {
      add(Severity::error,
          path,
          "the side of a local window must be odd, so that the query is its centre",
          setTo("the scope", path, std::to_string(mixer.scope + 1)));
    } else if (mixer.scope > 2 * side - 1) {
      add(Severity::warning,
          path,
          "a window of " + std::to_string(mixer.scope) + " reaches beyond a map of " +
              toText(block.mixerInput) + ": the outer embeddings are never used",
          setTo("the scope", path, std::to_string(2 * side - 1)));
    }
  }

  void checkInteractions(const LambdaMixer& mixer, const BlockPlan& block) {
    const std::string path = pathOf(block);
    if (!mixer.content && mixer.embedding == PositionEmbedding::none) {
      add(Severity::error,
          path + ".content",
          "without a content or a position lambda the layer's output is always 0",
          setTo("content", path + ".content", "true"));
    }
    const long long n = block.mixerInput.positions();
    if (n == 1) {
      add(Severity::warning,
          path,
          "a map of one position has no context: the key softmax is always 1 and the layer is a "
          "product of two projections",
          Fix{"Use a convolution", path, "\"convolution\""});
    }
    if (mixer.embedding == PositionEmbedding::absolute && n > 0 &&
        n * n * mixer.queryDepth * mixer.intraDepth > kLargePositionTable) {
      add(Severity::error,
          path + ".embedding",
          "absolute embeddings of a " + toText(block.mixerInput) + " map are " +
              std::to_string(n * n * mixer.queryDepth * mixer.intraDepth * 4 >> 20) + " MiB",
          Fix{"Use relative embeddings", path + ".embedding", "\"relative\""});
    } else if (mixer.embedding == PositionEmbedding::relative && mixer.scope == 0 &&
               n * n * mixer.queryDepth * mixer.intraDepth > kLargePositionTable) {
      const int side = std::max(block.mixerInput.height, block.mixerInput.width);
      add(Severity::warning,
          path + ".scope",
          "global scope on a " + toText(block.mixerInput) + " map computes " +
              std::to_string(n * n) + " position pairs per image",
          setTo("the scope", path + ".scope", std::to_string(std::min(kPaperScope, 2 * side - 1))));
    }
  }

  void checkSharing(const LambdaMixer& mixer, const BlockPlan& block) {
    if (mixer.sharedEmbeddings.empty() || mixer.embedding == PositionEmbedding::none) return;
    const std::string path = pathOf(block) + ".sharedEmbeddings";
    std::string safe = mixer.sharedEmbeddings;
    std::replace_if(safe.begin(), safe.end(), isUnsafeInName, '_');
    if (safe != mixer.sharedEmbeddings) {
      add(Severity::error,
          path,
          "the name becomes part of a parameter's name: it may only have letters, digits, - and _",
          setTo("the name", path, "\"" + safe + "\""));
      return;
    }
    const auto [first, isNew] = firstUse_.emplace(mixer.sharedEmbeddings, block);
    if (isNew || canShareTable(first->second, block)) return;
    add(Severity::error,
        path,
        "the layer shares embeddings with " + first->second.name +
            ", but their k, u, scope, embedding or map size differ",
        Fix{"Use its own embeddings", path, "\"\""});
  }

  std::vector<Problem>& problems_;
  std::map<std::string, BlockPlan> firstUse_;  ///< The first block with a table of that name.
};

void checkShapes(const Architecture& architecture,
                 const NetworkPlan& plan,
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
  if (plan.stemOutput.height < 1 || plan.stemOutput.width < 1) {
    problems.push_back({"architecture.stem.patchSize",
                        Severity::error,
                        "a patch is larger than the image of " + toText(architecture.input),
                        Fix{"Use patches of one pixel", "architecture.stem.patchSize", "1"}});
  }
  const bool downsamplesEarly =
      architecture.stem.kind == StemKind::imagenet || architecture.stem.kind == StemKind::resnetD;
  if (downsamplesEarly && std::min(architecture.input.height, architecture.input.width) <= 64) {
    problems.push_back({"architecture.stem.kind",
                        Severity::warning,
                        "this stem shrinks images of " + toText(architecture.input) + " to " +
                            toText(plan.stemOutput) + " before the first stage",
                        Fix{"Use the CIFAR stem", "architecture.stem.kind", "\"cifar\""}});
  }
}

/// Larger patches take too long to whiten: the time grows with the cube of the number of values.
constexpr int kMostWhitenedValues = 1024;

void checkWhitening(const Architecture& architecture, std::vector<Problem>& problems) {
  if (!architecture.stem.whitened) return;
  const MapShape& input = architecture.input;
  const FirstConvolution first = firstConvolutionOf(architecture.stem);
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
    refuse("images of " + toText(input) + " have no " + patches + " to whiten");
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
  const NetworkPlan plan = planOf(inRange);
  checkShapes(inRange, plan, problems);
  checkWhitening(inRange, problems);
  BlockCheck blocks(problems);
  for (const BlockPlan& block : plan.blocks) blocks.check(block);
  return problems;
}

}  // namespace lambda
