#include <algorithm>
#include <array>
#include <cctype>

#include "widgets/forms/field_rows.h"

namespace lambda {

namespace {

struct Look {
  std::string_view end;  ///< The end of the field's path, in whole names.
  std::string_view label;
  Stepping stepping = Stepping::one;
  std::string_view unit = {};
  std::string_view zeroText = {};
};

// Where one end contains another, the longer one comes first.
constexpr std::array kLooks{
    Look{"rateFactors.input", "Rate of first filters", Stepping::oneTwoFive},
    Look{"rateFactors.filter", "Rate of filters", Stepping::oneTwoFive},
    Look{"rateFactors.projection", "Rate of projections", Stepping::oneTwoFive},
    Look{"rateFactors.norm", "Rate of norms", Stepping::oneTwoFive},
    Look{"rateFactors.bias", "Rate of biases", Stepping::oneTwoFive},
    Look{"rateFactors.embedding", "Rate of embeddings", Stepping::oneTwoFive},
    Look{"rateFactors.head", "Rate of classifier", Stepping::oneTwoFive},
    Look{"decayFactors.input", "Decay of first filters", Stepping::oneTwoFive},
    Look{"decayFactors.filter", "Decay of filters", Stepping::oneTwoFive},
    Look{"decayFactors.projection", "Decay of projections", Stepping::oneTwoFive},
    Look{"decayFactors.norm", "Decay of norms", Stepping::oneTwoFive},
    Look{"decayFactors.bias", "Decay of biases", Stepping::oneTwoFive},
    Look{"decayFactors.embedding", "Decay of embeddings", Stepping::oneTwoFive},
    Look{"decayFactors.head", "Decay of classifier", Stepping::oneTwoFive},

    Look{"input.channels", "Channels"},
    Look{"input.height", "Height", Stepping::eights, "px"},
    Look{"input.width", "Width", Stepping::eights, "px"},
    Look{"classes", "Classes"},
    Look{"family", "Block family"},
    Look{"activation", "Activation"},
    Look{"normStatistics", "Norm statistics"},
    Look{"zeroInitResidual", "Zero-init residuals"},
    Look{"stem.kind", "Stem"},
    Look{"stem.width", "Width", Stepping::eights, "channels"},
    Look{"head.width", "Width before pooling", Stepping::eights, "channels", "none"},
    Look{"width", "Width d", Stepping::eights, "channels"},
    Look{"patchSize", "Patch size", Stepping::doubling, "px"},
    Look{"whitened", "Whitening filters"},
    Look{"pooling", "Pooling"},
    Look{"dropout", "Dropout", Stepping::hundredth},
    Look{"bias", "Bias"},
    Look{"scale", "Logit scale", Stepping::oneTwoFive},
    Look{"stride", "Stride"},

    Look{"mixer.kind", "Mixer"},
    Look{"kernelSize", "Kernel size", Stepping::odd, "px"},
    Look{"k", "Query depth k", Stepping::doubling},
    Look{"h", "Heads h", Stepping::doubling},
    Look{"u", "Intra-depth u", Stepping::doubling},
    Look{"scope", "Scope r", Stepping::odd, "px", "global"},
    Look{"embedding", "Positions"},
    Look{"content", "Content lambda"},
    Look{"multiHead", "Multi-head"},
    Look{"keyNormalization", "Key normalisation"},
    Look{"softmaxQueries", "Softmax on queries"},
    Look{"normalizeQueries", "Query BatchNorm"},
    Look{"normalizeValues", "Value BatchNorm"},
    Look{"embeddingDeviation", "Initial deviation", Stepping::oneTwoFive},
    Look{"mask", "Context mask"},
    Look{"maskRows", "Mask rows"},
    Look{"tokenOrder", "Token order"},
    Look{"normAxes", "Norms per"},
    Look{"relative", "Relative positions"},
    Look{"featureMap", "Feature map"},
    Look{"pairwise", "Pair weights"},
    Look{"ratio", "Squeeze ratio", Stepping::doubling},
    Look{"groups", "Groups", Stepping::doubling},
    Look{"sharedEmbeddings", "Position table"},
    Look{"residual", "Shortcut"},
    Look{"squeezeExcitation", "Squeeze-excite"},
    Look{"squeezeRatio", "Squeeze ratio", Stepping::doubling},
    Look{"squeezePlace", "Squeeze-excite on"},
    Look{"expansion", "Expansion", Stepping::one, "", "none"},
    Look{"stochasticDepth", "Stochastic depth", Stepping::hundredth},

    Look{"source", "Data set"},
    Look{"source.kind", "Data set"},
    Look{"path", "Place"},
    Look{"labels", "Labels"},
    Look{"size", "Image size", Stepping::eights, "px"},
    Look{"corrupt", "Corrupt images"},
    Look{"transparent", "Transparent images"},
    Look{"source.validation", "Validation from"},
    Look{"validationCount", "Validation images", Stepping::oneTwoFive, "images"},
    Look{"splitSeed", "Split seed"},
    Look{"labelledPerClass", "Labels per class", Stepping::oneTwoFive, "", "all"},
    Look{"pseudoLabels", "Pseudo-labels"},
    Look{"pseudoLabelsSha256", "Digest of the labels"},
    Look{"pseudoLabelThreshold", "Label threshold", Stepping::hundredth},
    Look{"trainCount", "Training images", Stepping::oneTwoFive},
    Look{"testCount", "Test images", Stepping::oneTwoFive},
    Look{"cropPadding", "Random crop", Stepping::one, "px", "off"},
    Look{"padding", "Crop padding mode"},
    Look{"horizontalFlip", "Horizontal flip"},
    Look{"alternatingFlip", "Alternating flip"},
    Look{"cutoutSize", "Cutout", Stepping::one, "px", "off"},
    Look{"randAugmentOperations", "RandAugment", Stepping::one, "", "off"},
    Look{"randAugmentMagnitude", "RandAugment magnitude", Stepping::one},
    Look{"erasingProbability", "Random erasing", Stepping::hundredth, "", "off"},
    Look{"mixupAlpha", "Mixup alpha", Stepping::oneTwoFive, "", "off"},
    Look{"cutmixAlpha", "CutMix alpha", Stepping::oneTwoFive, "", "off"},

    Look{"optimizer.kind", "Optimiser"},
    Look{"learningRate", "Learning rate", Stepping::oneTwoFive},
    Look{"learningRateFactor", "Learning rate factor", Stepping::oneTwoFive},
    Look{"muonLearningRate", "Muon learning rate", Stepping::oneTwoFive},
    Look{"momentum", "Momentum", Stepping::hundredth},
    Look{"nesterov", "Nesterov"},
    Look{"beta1", "Beta 1", Stepping::hundredth},
    Look{"beta2", "Beta 2", Stepping::hundredth},
    Look{"epsilon", "Epsilon", Stepping::oneTwoFive},
    Look{"weightDecay", "Weight decay", Stepping::oneTwoFive, "", "off"},
    Look{"decayAllParameters", "Decay all parameters"},
    Look{"gradientClip", "Gradient clipping", Stepping::oneTwoFive, "", "off"},

    Look{"schedule.kind", "Schedule"},
    Look{"warmupEpochs", "Warm-up", Stepping::one, "epochs", "none"},
    Look{"finalFactor", "Final factor", Stepping::hundredth},
    Look{"peakFraction", "Peak at", Stepping::hundredth, "of the run"},
    Look{"stepEpochs", "Drop every", Stepping::one, "epochs"},
    Look{"stepFactor", "Drop to", Stepping::hundredth},

    Look{"epochs", "Epochs"},
    Look{"batchSize", "Batch size", Stepping::doubling, "images"},
    Look{"lastBatch", "Last batch"},
    Look{"labelSmoothing", "Label smoothing", Stepping::hundredth},
    Look{"emaDecay", "EMA of weights", Stepping::hundredth, "", "off"},
    Look{"flipAveraging", "Flip averaging"},
    Look{"shiftAveraging", "Shift averaging"},
    Look{"precision", "Precision"},
    Look{"channelsLast", "Channels last"},

    Look{"start.weights", "Weights at the start"},
    Look{"start.sha256", "Digest of the weights"},
    Look{"frozenStages", "Frozen stages", Stepping::one, "", "none"},
    Look{"backboneRate", "Rate of the backbone", Stepping::oneTwoFive},
    Look{"pairedDraws", "Paired weights"},

    Look{"device.kind", "Device"},
    Look{"device.index", "GPU"},
    Look{"device.threads", "Threads for training", Stepping::one, "", "one per core"},
    Look{"yieldsToOthers", "Yield to other programs"},
    Look{"cudaGraphs", "CUDA graphs"},
    Look{"environment.threads", "Threads"},
    Look{"threadChanges", "Thread changes", Stepping::one, "", "none"},
    Look{"everyEpochs", "Keep one every", Stepping::one, "epochs", "never"},
    Look{"keepEpochs", "Keep at most", Stepping::one, "", "all"},
    Look{"keepBest", "Keep the best"},
    Look{"bestBy", "Best by"},
    Look{"keepInitial", "Keep the initial weights"},
    Look{"everyMinutes", "Also save every", Stepping::one, "minutes", "never"},
    Look{"histograms", "Record histograms"},

    Look{"name", "Name"},
    Look{"description", "Description"},
    Look{"seed", "Seed"},
    Look{"parentRun", "Repeats the run"},
    Look{"experiment", "Experiment"},
};

struct ChoiceLook {
  std::string_view end;
  std::string_view name;
  std::string_view label;
};

constexpr std::array kChoiceLooks{
    ChoiceLook{"stem.kind", "cifar", "CIFAR: 3×3"},
    ChoiceLook{"stem.kind", "imagenet", "ImageNet: 7×7/2, pool"},
    ChoiceLook{"stem.kind", "resnetD", "ResNet-D: three 3×3, pool"},
    ChoiceLook{"stem.kind", "resnetRS", "ResNet-RS: four 3×3"},
    ChoiceLook{"stem.kind", "strided", "Strided: 3×3/2"},
    ChoiceLook{"family", "invertedBottleneck", "Inverted bottleneck"},
    ChoiceLook{"normStatistics", "running", "From training"},
    ChoiceLook{"normStatistics", "batch", "Of the batch"},
    ChoiceLook{"squeezePlace", "afterMixer", "Mixer channels"},
    ChoiceLook{"squeezePlace", "afterExpansion", "Output channels"},
    ChoiceLook{"keyNormalization", "l2", "L2"},
    ChoiceLook{"tokenOrder", "channelRuns", "Channel runs"},
    ChoiceLook{"normAxes", "channels", "Channel"},
    ChoiceLook{"normAxes", "positions", "Position"},
    ChoiceLook{"featureMap", "elu", "elu + 1"},
    ChoiceLook{"pairwise", "embeddedGaussian", "Embedded Gaussian"},
    ChoiceLook{"pairwise", "dotProduct", "Dot product"},
    ChoiceLook{"stem.kind", "patch", "Patches"},
    ChoiceLook{"activation", "relu", "ReLU"},
    ChoiceLook{"activation", "relu6", "ReLU6"},
    ChoiceLook{"activation", "celu", "CELU"},
    ChoiceLook{"activation", "gelu", "GELU"},
    ChoiceLook{"activation", "silu", "SiLU"},
    ChoiceLook{"pooling", "max", "Maximum"},
    ChoiceLook{"optimizer.kind", "sgd", "SGD"},
    ChoiceLook{"optimizer.kind", "adamw", "AdamW"},
    ChoiceLook{"optimizer.kind", "muon", "Muon"},
    ChoiceLook{"source.kind", "shapes10", "shapes10"},
    ChoiceLook{"source.kind", "cifar10", "CIFAR-10"},
    ChoiceLook{"source.kind", "cifar100", "CIFAR-100"},
    ChoiceLook{"source.kind", "idx", "IDX files"},
    ChoiceLook{"source.kind", "imageFolder", "Image folder"},
    ChoiceLook{"labels", "fine", "Fine: 100 classes"},
    ChoiceLook{"labels", "coarse", "Coarse: 20 superclasses"},
    ChoiceLook{"corrupt", "refuse", "Refuse the data set"},
    ChoiceLook{"corrupt", "skip", "Leave them out"},
    ChoiceLook{"transparent", "white", "Put on white"},
    ChoiceLook{"transparent", "refuse", "Count as corrupt"},
    ChoiceLook{"source.validation", "drawn", "Training pictures, by chance"},
    ChoiceLook{"source.validation", "folder", "The folder val/"},
    ChoiceLook{"device.kind", "cpu", "CPU"},
    ChoiceLook{"device.kind", "cuda", "CUDA"},
    ChoiceLook{"lastBatch", "automatic", "Automatic: keep of few"},
    ChoiceLook{"lastBatch", "drop", "Drop"},
    ChoiceLook{"lastBatch", "keep", "Keep"},
    ChoiceLook{"bestBy", "accuracy", "Accuracy"},
    ChoiceLook{"bestBy", "loss", "Loss"},
    ChoiceLook{"precision", "automatic", "Automatic: the faster one"},
    ChoiceLook{"precision", "float32", "float32"},
    ChoiceLook{"precision", "bfloat16", "bfloat16"},
};

bool endsIn(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '.';
}

std::string capitalized(std::string_view name) {
  std::string text(name);
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

}  // namespace

void field_rows::addLook(FieldRow& row) {
  row.hint = hintFor(row.path);
  const auto found = std::find_if(
      kLooks.begin(), kLooks.end(), [&](const Look& look) { return endsIn(row.path, look.end); });
  if (found == kLooks.end()) {
    row.label = capitalized(std::string_view(row.path).substr(row.path.rfind('.') + 1));
    return;
  }
  row.label = found->label;
  row.unit = found->unit;
  row.zeroText = found->zeroText;
  row.stepping = found->stepping;
}

std::string choiceLabel(std::string_view path, std::string_view name) {
  for (const ChoiceLook& look : kChoiceLooks) {
    if (look.name == name && endsIn(path, look.end)) return std::string(look.label);
  }
  if (endsIn(path, "mixer.kind")) {
    for (const MixerTraits& traits : kMixerTraits) {
      if (traits.kind == name) return capitalized(traits.name);
    }
  }
  return capitalized(name);
}

}  // namespace lambda
