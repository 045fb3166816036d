#include "engine/training/start/import_weights.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "engine/data/measured_input.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/tensors/weights_file.h"
#include "engine/formats/tokenizer/tokenizer.h"
#include "engine/formats/transfer/lambda_module.h"
#include "engine/formats/transfer/rwkv_network.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/tensor_file.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/resolved_config.h"
#include "engine/training/start/start_weights.h"
#include "engine/values/architecture/graph.h"
#include "engine/values/config/usual_augmentation.h"
#include "engine/values/config/validate.h"

namespace lambda {

namespace {

/// A network of random filters, the layer and a random head, for the built-in images.
RunConfig networkAround(const LambdaModule& module, const std::string& place) {
  RunConfig config;
  config.name = module.library + " lambda layer";
  config.device.kind = DeviceKind::cpu;
  Architecture& architecture = config.architecture;
  architecture.name = config.name;
  architecture.family = Family::plain;
  architecture.stem.width = module.inputDepth;
  const int side = architecture.input.height;
  if (module.height > 0 && module.height != side) {
    if (module.height != module.width || side % module.height != 0) {
      throw Error(place,
                  "the layer is for maps of " + std::to_string(module.height) + " x " +
                      std::to_string(module.width) + ", which the built-in images of " +
                      std::to_string(side) + " x " + std::to_string(side) + " do not give",
                  "Name a network with such a layer by --into.");
    }
    architecture.stem.kind = PatchStem{side / module.height};
  }
  architecture.stages = {Stage{module.outputDepth, 1, {Block{module.mixer}}}};
  return config;
}

/// A network of tokens alone, for text where its tokens are bytes.
RunConfig networkOf(Architecture architecture) {
  RunConfig config;
  config.name = architecture.name;
  config.device.kind = DeviceKind::cpu;
  config.data.source = TextSource{.length = architecture.input.width};
  config.data.augmentation = usualAugmentation(config.data.source);
  config.architecture = std::move(architecture);
  return config;
}

/// The settings with which a layer computes as the module does; how its embeddings begin is its
/// own.
LambdaMixer computingLike(const LambdaModule& module, const LambdaMixer& layer) {
  LambdaMixer expected = module.mixer;
  expected.embeddingDeviation = layer.embeddingDeviation;
  return expected;
}

bool takes(const PlacedMixer& place, const LambdaModule& module) {
  const auto* layer = std::get_if<LambdaMixer>(&place.mixer);
  if (layer == nullptr || *layer != computingLike(module, *layer)) return false;
  const bool fitsMap = module.height == 0 ||
                       (place.input.height == module.height && place.input.width == module.width);
  return fitsMap && place.input.channels == module.inputDepth;
}

/// "k = 16, h = 4, u = 1, depth 64, scope 7"
std::string describe(const LambdaModule& module) {
  std::string text = "k = " + std::to_string(module.mixer.queryDepth) +
                     ", h = " + std::to_string(module.mixer.heads) +
                     ", u = " + std::to_string(module.mixer.intraDepth) + ", depth " +
                     std::to_string(module.inputDepth) + " to " +
                     std::to_string(module.outputDepth);
  text += module.height == 0 ? ", scope " + std::to_string(module.mixer.scope)
                             : ", on maps of " + std::to_string(module.height) + " x " +
                                   std::to_string(module.width);
  return text + ", softmax of keys, norms of queries and values";
}

std::string layerFor(const LambdaModule& module,
                     const Architecture& architecture,
                     const ImportJob& job) {
  std::vector<std::string> fitting;
  for (const PlacedMixer& place : graphOf(architecture).mixers()) {
    const bool isAsked = job.layer.empty() || job.layer == place.name;
    if (isAsked && takes(place, module)) fitting.push_back(place.name);
  }
  if (fitting.size() == 1) return fitting.front();
  const std::string reason =
      fitting.size() > 1 ? "fits several layers of the network: " + fitting[0] + ", " + fitting[1]
      : job.layer.empty()
          ? "fits no layer of the network"
          : "does not fit " + job.layer + ", or the network has no such lambda layer";
  throw Error(job.weights.string(),
              reason + ". It has " + describe(module),
              fitting.size() > 1 ? "Choose one by --layer."
                                 : "Change the network: lambda describe shows its layers.");
}

/// The module's tensors as weights for that layer.
ForeignWeights weightsFor(LambdaModule module, const std::string& layer, const std::string& place) {
  ForeignWeights weights{.file = std::move(module.file), .place = place};
  for (TensorView& tensor : weights.file.tensors) tensor.name.insert(0, layer + ".layer.");
  return weights;
}

/// What the images that torchvision's and timm's ResNets were trained on are normalised by
/// (torchvision.transforms._presets.ImageClassification, timm.data.IMAGENET_DEFAULT_MEAN and _STD).
const Normalization kImageNet{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};

/// Whether tensors were found by the names of torchvision and timm.
bool hasTorchNames(const WeightTransfer& transfer) {
  return std::ranges::any_of(transfer.taken, [&](const WeightTransfer::Taken& each) {
    return each.source != transfer.prefix + each.target;
  });
}

bool takesHead(const WeightTransfer& transfer) {
  return std::ranges::any_of(transfer.taken, [](const WeightTransfer::Taken& each) {
    return each.target.starts_with("head.");
  });
}

NetworkInput measuredFor(DataConfig data) {
  data.validationCount = 0;
  try {
    return measuredInput(data, std::nullopt);
  } catch (const Error& error) {
    throw Error(error.place(),
                "the normalisation of the images is not in the weights, and can't be measured: " +
                    error.reason(),
                "Give it by --mean and --deviation.");
  }
}

/// Completes what the job says of the network's input, and tells where the normalisation is from.
void setInput(ImportReport& report,
              const ImportJob& job,
              const ForeignWeights& weights,
              const NetworkInput& base,
              const RunConfig& config) {
  NetworkInput& input = report.input;
  const auto channels = static_cast<std::size_t>(config.architecture.input.channels);
  const bool isWhole = report.layer.empty();
  input.classNames = job.classNames;
  if (input.classNames.empty() && isWhole && takesHead(report.transfer)) {
    input.classNames = weights.input.classNames;
  }
  if (input.classNames.empty()) input.classNames = base.classNames;
  if (!job.normalization.mean.empty()) {
    input.normalization = job.normalization;
    report.normalizationSource = "as given";
  } else if (isWhole && weights.input.isKnown()) {
    input.normalization = weights.input.normalization;
    report.normalizationSource = "that of the weights";
  } else if (isWhole && channels == kImageNet.mean.size() && hasTorchNames(report.transfer)) {
    input.normalization = kImageNet;
    report.normalizationSource = "that of ImageNet, which weights of torchvision and timm expect";
  } else if (base.isKnown()) {
    input.normalization = base.normalization;
    report.normalizationSource = "that of the network's run";
  } else {
    NetworkInput measured = measuredFor(config.data);
    input.normalization = std::move(measured.normalization);
    const bool fits = std::ssize(measured.classNames) == config.architecture.outputs;
    if (input.classNames.empty() && fits) input.classNames = std::move(measured.classNames);
    report.normalizationSource = "measured on the network's data";
  }
  report.areClassesNamed = !input.classNames.empty();
  for (int i = 0; !report.areClassesNamed && i < config.architecture.outputs; ++i) {
    input.classNames.push_back(std::to_string(i));
  }
  if (input.normalization.mean.size() != channels ||
      input.normalization.deviation.size() != channels) {
    throw Error("--mean, --deviation",
                "the network has " + std::to_string(channels) + " channels, and there are " +
                    std::to_string(input.normalization.mean.size()) + " means and " +
                    std::to_string(input.normalization.deviation.size()) + " deviations",
                "Give one of each for each channel.");
  }
}

/// The network that takes the weights, without what is for a training alone.
RunConfig configOf(const ImportJob& job, RunConfig config) {
  config.start = {};
  config.recipe.precision = Precision::float32;
  config.recipe.emaDecay = 0;
  const bool describesImages = !job.normalization.mean.empty() || !job.classNames.empty();
  if (config.architecture.task == Task::tokens && describesImages) {
    throw Error("--mean, --deviation, --classes",
                "they are for images, and the network takes tokens",
                "Leave them out.");
  }
  if (!job.classNames.empty()) {
    config.architecture.outputs = static_cast<int>(job.classNames.size());
  }
  const std::vector<Problem> problems = validate(config.architecture);
  if (hasErrors(problems)) throw Error("network", "it can't be built:\n" + toText(problems));
  return config;
}

/// A whole network of RWKV-4 would compute something else in a network that takes only parts of it.
void requireWhole(const WeightTransfer& transfer, const std::string& place) {
  if (transfer.left.empty() && transfer.missing.empty()) return;
  throw Error(place,
              "does not fit the network as a whole: it " + transfer.summary(),
              "Without --into it becomes the network that it is.");
}

void requireTokenizer(const std::filesystem::path& tokenizer, const Architecture& network) {
  if (network.task != Task::tokens) {
    throw Error("--tokenizer", "it is for tokens, and the network takes images", "Leave it out.");
  }
  Tokenizer::readFor(network.outputs, tokenizer);
}

void write(const TrainingState& state,
           const RunConfig& config,
           const NetworkInput& input,
           const std::filesystem::path& out) {
  Weights weights;
  weights.file = inMemory(stateOf(*state.network));
  weights.header.config = config;
  weights.header.environment = currentEnvironment(selectDevice(config.device));
  weights.header.input = input;
  writeWeights(out, weights, {.header = weights.header, .license = {}});
}

}  // namespace

ImportReport importWeights(const ImportJob& job) {
  requireOtherFile(job.out, job.weights);
  if (job.base) requireOtherFile(job.out, *job.base);
  if (job.tokenizer) requireOtherFile(job.out, *job.tokenizer);
  ForeignWeights weights = readForeignWeights(job.weights);
  std::optional<LambdaModule> module = lambdaModuleIn(weights.file, weights.place);
  const std::optional<Architecture> rwkv =
      rwkvNetworkIn(weights.file, TextSource().length, weights.place);
  if (!module && !rwkv && !job.network) {
    throw Error(weights.place,
                "is neither a lambda layer of timm or lucidrains alone nor an RWKV-4 network",
                "Name the network that takes these weights by --into.");
  }
  if (!module && !job.layer.empty()) {
    throw Error(weights.place,
                "is not a single lambda layer, which --layer is for",
                "Leave --layer out to import all tensors.");
  }
  if (module && module->hasBias && !job.withoutBias) {
    throw Error(weights.place,
                "its lambda convolution adds a bias, which the layer of the paper does not have",
                "Import it with --without-bias, and know that its output then differs.");
  }
  const ResolvedConfig resolved(configOf(job,
                                         job.network ? *job.network
                                         : rwkv      ? networkOf(*rwkv)
                                                     : networkAround(*module, weights.place)));
  const RunConfig& config = resolved.config();
  if (job.tokenizer) requireTokenizer(*job.tokenizer, config.architecture);
  TrainingState state(resolved);
  NetworkInput base;
  if (job.base) {
    const ForeignWeights others = readForeignWeights(*job.base);
    base = others.input;
    startFrom(state, others, {});
  }

  ImportReport report;
  if (module) {
    report.library = module->library;
    report.layer = layerFor(*module, config.architecture, job);
    weights = weightsFor(std::move(*module), report.layer, weights.place);
    report.transfer = startFrom(state, weights, {});
    report.transfer.missing.clear();
  } else {
    report.transfer = startFrom(state, weights, job.classNames);
    if (rwkv) requireWhole(report.transfer, weights.place);
  }
  report.architecture = config.architecture;
  if (config.architecture.task != Task::tokens) setInput(report, job, weights, base, config);
  write(state, config, report.input, job.out);
  if (job.tokenizer) {
    writeFileDurably(tokenizerBeside(job.out), readFile(*job.tokenizer, Tokenizer::maxBytes));
  }
  return report;
}

}  // namespace lambda
