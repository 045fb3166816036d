#include "engine/values/validate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <type_traits>

#include "engine/values/cost.h"
#include "engine/values/fields.h"
#include "engine/values/plan.h"

namespace lambda {

namespace {

constexpr int kGeneratedImageSide = 32;
constexpr int kGeneratedClasses = 10;
constexpr long long kLargePositionTable = 1LL << 26;

std::string formatNumber(double value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << value;
  return text.str();
}

template <class T>
struct IsVector : std::false_type {};

template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Reports every number outside its field's range, at any depth.
class RangeCheck {
 public:
  explicit RangeCheck(std::vector<Problem>& problems) : problems_(problems) {}

  template <class T>
  void check(const std::string& path, T& value) {
    visitFields(value, [&](const Field& field, auto& member) {
      checkMember(path + "." + field.name, field, member);
    });
  }

 private:
  template <class M>
  void checkMember(const std::string& path, const Field& field, M& member) {
    if constexpr (std::is_same_v<M, bool> || std::is_same_v<M, std::string> ||
                  std::is_same_v<M, std::uint64_t> || std::is_enum_v<M>) {
      return;
    } else if constexpr (std::is_arithmetic_v<M>) {
      checkNumber(path, field, static_cast<double>(member));
    } else if constexpr (std::is_same_v<M, Mixer>) {
      std::visit([&](auto& mixer) { check(path, mixer); }, member);
    } else if constexpr (IsVector<M>::value) {
      for (std::size_t i = 0; i < member.size(); ++i) {
        check(path + "[" + std::to_string(i) + "]", member[i]);
      }
    } else {
      check(path, member);
    }
  }

  void checkNumber(const std::string& path, const Field& field, double value) {
    if (value >= field.min && value <= field.max) return;
    const double nearest = std::isnan(value) ? field.min : std::clamp(value, field.min, field.max);
    const std::string text = formatNumber(nearest);
    problems_.push_back({path, Severity::error,
                         formatNumber(value) + " is outside " + formatNumber(field.min) + " .. " +
                             formatNumber(field.max) + " (" + field.meaning + ")",
                         Fix{"Set to " + text, path, text}});
  }

  std::vector<Problem>& problems_;
};

std::string pathOf(const BlockPlan& block) {
  return "architecture.stages[" + std::to_string(block.stage) + "].blocks[" +
         std::to_string(block.block) + "].mixer";
}

std::string toText(const MapShape& map) {
  return std::to_string(map.height) + "x" + std::to_string(map.width);
}

/// The findings about the blocks of one network.
class BlockCheck {
 public:
  explicit BlockCheck(std::vector<Problem>& problems) : problems_(problems) {}

  void check(const BlockPlan& block) {
    std::visit([&](const auto& mixer) { checkMixer(mixer, block); }, block.options.mixer);
  }

 private:
  void add(Severity severity, const std::string& path, std::string text,
           std::optional<Fix> fix = {}) {
    problems_.push_back({path, severity, std::move(text), std::move(fix)});
  }

  static Fix setTo(const std::string& what, const std::string& path, const std::string& value) {
    return {"Set " + what + " to " + value, path, value};
  }

  void checkMixer(const ConvolutionMixer& mixer, const BlockPlan& block) {
    if (mixer.kernelSize % 2 == 0) {
      const std::string path = pathOf(block) + ".kernelSize";
      add(Severity::error, path, "the window must have a centre: its side is odd",
          setTo("the kernel size", path, std::to_string(mixer.kernelSize + 1)));
    }
  }

  void checkMixer(const LambdaMixer& mixer, const BlockPlan& block) {
    checkHeads(mixer, block);
    checkScope(mixer, block);
    checkInteractions(mixer, block);
    checkSharing(mixer, block);
  }

  void checkHeads(const LambdaMixer& mixer, const BlockPlan& block) {
    const int d = block.mixerOutput.channels;
    if (mixer.heads <= 0 || d % mixer.heads == 0) return;
    int nearest = std::min(mixer.heads, d);
    while (d % nearest != 0) --nearest;
    const std::string path = pathOf(block) + ".h";
    add(Severity::error, path,
        "h = " + std::to_string(mixer.heads) + " does not divide the width " + std::to_string(d) +
            "; each head gives width / h channels",
        setTo("h", path, std::to_string(nearest)));
  }

  void checkScope(const LambdaMixer& mixer, const BlockPlan& block) {
    if (mixer.scope == 0 || mixer.embedding == PositionEmbedding::none) return;
    const std::string path = pathOf(block) + ".scope";
    const int side = std::max(block.mixerInput.height, block.mixerInput.width);
    if (mixer.embedding == PositionEmbedding::absolute) {
      add(Severity::error, path,
          "absolute embeddings have no local scope: a window is relative to its query",
          setTo("the scope", path, "0"));
    } else if (mixer.scope % 2 == 0) {
      add(Severity::error, path, "a local window has its query in the centre: its side is odd",
          setTo("the scope", path, std::to_string(mixer.scope + 1)));
    } else if (mixer.scope > 2 * side - 1) {
      add(Severity::warning, path,
          "a window of " + std::to_string(mixer.scope) + " reaches beyond a map of " +
              toText(block.mixerInput) + ": the outer embeddings are never used",
          setTo("the scope", path, std::to_string(2 * side - 1)));
    }
  }

  void checkInteractions(const LambdaMixer& mixer, const BlockPlan& block) {
    const std::string path = pathOf(block);
    if (!mixer.content && mixer.embedding == PositionEmbedding::none) {
      add(Severity::error, path + ".content",
          "without content and position lambda the layer's output is always 0",
          setTo("content", path + ".content", "true"));
    }
    const long long n = block.mixerInput.positions();
    if (n == 1) {
      add(Severity::warning, path,
          "a map of one position has no context: the key softmax is always 1 and the layer is a "
          "product of two projections");
    }
    if (mixer.embedding == PositionEmbedding::absolute && n > 0 &&
        n * n * mixer.queryDepth * mixer.intraDepth > kLargePositionTable) {
      add(Severity::error, path + ".embedding",
          "absolute embeddings of a " + toText(block.mixerInput) + " map are " +
              std::to_string(n * n * mixer.queryDepth * mixer.intraDepth * 4 >> 20) + " MiB",
          Fix{"Use relative embeddings", path + ".embedding", "\"relative\""});
    } else if (mixer.embedding == PositionEmbedding::relative && mixer.scope == 0 &&
               n * n * mixer.queryDepth * mixer.intraDepth > kLargePositionTable) {
      add(Severity::warning, path + ".scope",
          "global scope on a " + toText(block.mixerInput) + " map computes " +
              std::to_string(n * n) + " position pairs an image",
          setTo("the scope", path + ".scope", "23"));
    }
  }

  void checkSharing(const LambdaMixer& mixer, const BlockPlan& block) {
    if (mixer.sharedEmbeddings.empty() || mixer.embedding == PositionEmbedding::none) return;
    const std::string path = pathOf(block) + ".sharedEmbeddings";
    if (mixer.sharedEmbeddings.find('.') != std::string::npos) {
      add(Severity::error, path, "the name becomes part of a parameter's name: no dots");
      return;
    }
    const auto [first, isNew] = firstUse_.emplace(mixer.sharedEmbeddings, block);
    if (isNew) return;
    const auto& other = std::get<LambdaMixer>(first->second.options.mixer);
    const bool sameTable = other.embedding == mixer.embedding && other.scope == mixer.scope &&
                           other.queryDepth == mixer.queryDepth &&
                           other.intraDepth == mixer.intraDepth;
    const bool sameMap = block.mixerInput.height == first->second.mixerInput.height &&
                         block.mixerInput.width == first->second.mixerInput.width;
    if (sameTable && (sameMap || mixer.scope > 0)) return;
    add(Severity::error, path,
        "shares embeddings with " + first->second.name +
            ", whose k, u, scope, embedding or map size differ",
        Fix{"Use its own embeddings", path, "\"\""});
  }

  std::vector<Problem>& problems_;
  std::map<std::string, BlockPlan> firstUse_;
};

void checkShapes(const Architecture& architecture, const NetworkPlan& plan,
                 std::vector<Problem>& problems) {
  if (architecture.stages.empty()) {
    problems.push_back(
        {"architecture.stages", Severity::error, "a network needs at least one stage", {}});
  }
  for (std::size_t i = 0; i < architecture.stages.size(); ++i) {
    if (!architecture.stages[i].blocks.empty()) continue;
    problems.push_back({"architecture.stages[" + std::to_string(i) + "].blocks", Severity::error,
                        "a stage needs at least one block",
                        {}});
  }
  if (plan.stemOutput.height < 1 || plan.stemOutput.width < 1) {
    problems.push_back({"architecture.stem.patchSize", Severity::error,
                        "a patch is larger than the image of " + toText(architecture.input),
                        {}});
  }
  const bool downsamplesEarly = architecture.stem.kind == StemKind::imagenet ||
                                architecture.stem.kind == StemKind::resnetD;
  if (downsamplesEarly && std::min(architecture.input.height, architecture.input.width) <= 64) {
    problems.push_back({"architecture.stem.kind", Severity::warning,
                        "this stem shrinks images of " + toText(architecture.input) + " to " +
                            toText(plan.stemOutput) + " before the first stage",
                        Fix{"Use the CIFAR stem", "architecture.stem.kind", "\"cifar\""}});
  }
}

void checkData(const RunConfig& config, std::vector<Problem>& problems) {
  const auto add = [&](const char* path, std::string text, std::optional<Fix> fix = {}) {
    problems.push_back({path, Severity::error, std::move(text), std::move(fix)});
  };
  if (config.data.source.empty()) {
    add("data.source", "no data set is named",
        Fix{"Use the built-in shapes10", "data.source", "\"shapes10\""});
  }
  if (config.data.source == "shapes10" &&
      config.data.validationCount >= config.data.generatedTrainCount) {
    add("data.validationCount",
        "nothing is left to train on: " + std::to_string(config.data.generatedTrainCount) +
            " images are drawn for training and validation together",
        Fix{"Hold out a fifth", "data.validationCount",
            std::to_string(config.data.generatedTrainCount / 5)});
  }
  const MapShape& input = config.architecture.input;
  if (input != MapShape{3, kGeneratedImageSide, kGeneratedImageSide}) {
    add("architecture.input", "the data's images are 3x32x32, the network takes " +
                                  std::to_string(input.channels) + "x" + toText(input));
  }
  if (config.architecture.classes != kGeneratedClasses) {
    add("architecture.classes",
        "the data has 10 classes, the network " + std::to_string(config.architecture.classes),
        Fix{"Set to 10", "architecture.classes", "10"});
  }
}

void checkRecipe(const RunConfig& config, std::vector<Problem>& problems) {
  const Recipe& recipe = config.recipe;
  const ScheduleConfig& schedule = recipe.schedule;
  if (schedule.kind != ScheduleKind::triangular && schedule.warmupEpochs >= recipe.epochs) {
    problems.push_back({"recipe.schedule.warmupEpochs", Severity::warning,
                        "the warm-up is as long as the run: the peak learning rate is never used",
                        Fix{"Warm up for a tenth of the run", "recipe.schedule.warmupEpochs",
                            formatNumber(recipe.epochs / 10.0)}});
  }
  if (recipe.optimizer.kind == OptimizerKind::sgd && recipe.optimizer.nesterov &&
      recipe.optimizer.momentum == 0) {
    problems.push_back({"recipe.optimizer.nesterov", Severity::error,
                        "Nesterov's look-ahead needs momentum",
                        Fix{"Set momentum to 0.9", "recipe.optimizer.momentum", "0.9"}});
  }
  if (config.data.source == "shapes10" &&
      recipe.batchSize > config.data.generatedTrainCount - config.data.validationCount) {
    problems.push_back({"recipe.batchSize", Severity::error,
                        "a batch is larger than the training set",
                        Fix{"Set to 64", "recipe.batchSize", "64"}});
  }
  if (config.checkpoints.keepBest && config.data.validationCount == 0) {
    problems.push_back({"checkpoints.keepBest", Severity::warning,
                        "without validation images there is no best checkpoint",
                        Fix{"Keep none", "checkpoints.keepBest", "false"}});
  }
}

}  // namespace

std::vector<Problem> validate(const Architecture& architecture) {
  std::vector<Problem> problems;
  Architecture copy = architecture;
  RangeCheck(problems).check("architecture", copy);
  const NetworkPlan plan = planOf(architecture);
  checkShapes(architecture, plan, problems);
  BlockCheck blocks(problems);
  for (const BlockPlan& block : plan.blocks) blocks.check(block);
  return problems;
}

std::vector<Problem> validate(const RunConfig& config) {
  std::vector<Problem> problems = validate(config.architecture);
  RunConfig copy = config;
  copy.architecture = {};
  RangeCheck ranges(problems);
  ranges.check("data", copy.data);
  ranges.check("recipe", copy.recipe);
  ranges.check("device", copy.device);
  ranges.check("checkpoints", copy.checkpoints);
  checkData(config, problems);
  checkRecipe(config, problems);
  return problems;
}

bool hasErrors(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& p) { return p.severity == Severity::error; });
}

std::string toText(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    text += problem.severity == Severity::error ? "error at " : "warning at ";
    text += problem.path + ": " + problem.text + "\n";
  }
  return text;
}

}  // namespace lambda
