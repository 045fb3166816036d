#pragma once

#include <cstdint>
#include <string>

#include "engine/values/architecture/architecture.h"
#include "engine/values/config/data_source.h"
#include "engine/values/config/optimizer.h"
#include "engine/values/config/schedule.h"

namespace lambda {

enum class CropPadding { reflect, zero };

struct AugmentationConfig {
  int cropPadding = 4;  ///< Pixels added on each side before a random crop; 0 = no crop.
  CropPadding padding = CropPadding::reflect;
  bool horizontalFlip = true;
  /// With `horizontalFlip`: every image is flipped in every other epoch, half of them in the first
  /// (Jordan, 2024, section 3.6), so that two epochs show both orientations of every image.
  bool alternatingFlip = false;
  int cutoutSize = 0;             ///< Side of the square set to the mean, in pixels; 0 = none.
  int randAugmentOperations = 0;  ///< RandAugment: operations for every image; 0 = none.
  /// RandAugment (Cubuk et al., 2020): strength of its operations. LambdaNetworks, table 20, has 10
  /// and 15.
  double randAugmentMagnitude = 10;
  double erasingProbability =
      0;  ///< Share of images with an erased rectangle (Zhong et al., 2020).
  /// Mixup (Zhang et al., 2018): the share of an image is drawn from Beta(alpha, alpha); 0 = none.
  double mixupAlpha = 0;
  /// CutMix (Yun et al., 2019): the same for its share of the area; 0 = none.
  double cutmixAlpha = 0;

  bool operator==(const AugmentationConfig&) const = default;
};

struct DataConfig {
  DataSource source;            ///< By default the built-in shapes10.
  int validationCount = 5000;   ///< Images of the training set kept for validation, stratified.
  std::uint64_t splitSeed = 0;  ///< Seed of the split, apart from the run's seed.
  /// Training images of each class whose labels are used, drawn by `splitSeed`; 0 = all.
  int labelledPerClass = 0;
  /// Predictions, by writePredictions(), that label the other training images; empty: they are not
  /// used.
  std::string pseudoLabels;
  /// SHA-256 of that file, in hexadecimal digits; empty: not known. A run's record has it, so that
  /// the run can't be continued or repeated with other labels.
  std::string pseudoLabelsSha256;
  double pseudoLabelThreshold = 0.95;  ///< Probability from which a prediction is a label.
  AugmentationConfig augmentation;

  bool operator==(const DataConfig&) const = default;
};

/// What happens to the training images that are left over when an epoch is cut into batches. A
/// single one never forms a batch, because a batch norm needs two.
enum class LastBatch {
  automatic,  ///< keep for a set of few batches (batchesOfEpoch()), else drop.
  drop,       ///< They are unused in that epoch; in every epoch they are others.
  keep,       ///< They form a smaller batch.
};

/// automatic: float32 or bfloat16, whichever is faster on the device (fasterPrecision()). That is
/// measured once for a machine and a version of LibTorch; the run's record keeps the choice.
enum class Precision { automatic, float32, bfloat16 };

/// How the learning rate follows the batch size B: it is that of the optimiser's settings times
/// B / B_0, or the root of that, for a base batch size B_0.
enum class RateScaling {
  none,        ///< It does not.
  linear,      ///< Goyal et al., 2017 (arXiv:1706.02677), for SGD.
  squareRoot,  ///< Krizhevsky, 2014 (arXiv:1404.5997); for Adam Malladi et al., 2022.
};

struct Recipe {
  int epochs = 30;
  int batchSize = 128;
  LastBatch lastBatch = LastBatch::automatic;
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  double learningRateFactor = 1;  ///< Of the whole schedule; can be changed while a run trains.
  RateScaling rateScaling = RateScaling::none;
  int rateBatchSize = 256;    ///< B_0 of the scaling.
  double labelSmoothing = 0;  ///< In the training objective only; reported losses have none.
  /// Decay of the moving average of the weights, per step; 0 = none. It warms up: step t decays by
  /// min(emaDecay, (1 + t) / (10 + t)), see WeightAverage.
  double emaDecay = 0;
  bool flipAveraging = false;  ///< Scores are those of the mean logits of an image and its mirror.
  bool shiftAveraging =
      false;  ///< Scores are those of the mean logits of an image and shifted ones.
  Precision precision = Precision::float32;
  bool channelsLast = true;
  /// Of many processes: batch norms use the mean and the variance of the joint batch. Otherwise
  /// each process uses those of its part.
  bool synchronizedNorm = false;

  bool operator==(const Recipe&) const = default;
};

/// Where a run's weights come from, and which of them it trains: fine-tuning.
struct StartConfig {
  /// A file of weights (readForeignWeights()); empty: drawn from the seed.
  std::string weights;
  /// SHA-256 of that file, in hexadecimal digits; empty: not known. A run's record has it, so that
  /// the run can't be repeated with other weights.
  std::string sha256;
  /// Stages at the start of the network that stay as they are, the stem counted as the first; their
  /// norms use their running statistics.
  int frozenStages = 0;
  double backboneRate = 1;  ///< Learning rate of everything but the head, as a factor.
  /// Each parameter is drawn from the seed and its own name, so that networks of one seed share the
  /// initial values of the parameters that they share. Otherwise all are drawn one after another.
  bool pairedDraws = false;

  bool operator==(const StartConfig&) const = default;
};

enum class DeviceKind { automatic, cpu, cuda };

struct DeviceConfig {
  DeviceKind kind = DeviceKind::automatic;
  int index = 0;    ///< CUDA: the number of the GPU, counted from 0.
  int threads = 0;  ///< Threads for tensor work on the CPU; 0 = one per core.
  /// Use fewer threads while other programs slow training down; see ThreadGovernor. Results on the
  /// CPU depend on the number of threads, so such a run can't be repeated bit for bit. It has no
  /// effect on a chosen number of threads.
  bool yieldsToOthers = false;
  /// CUDA: a training step is recorded and replayed as a whole, with bit-identical results.
  bool cudaGraphs = true;
  /// Of many processes: gradients are sent while the backward pass still computes others.
  bool overlapsGradients = true;

  bool operator==(const DeviceConfig&) const = default;
};

/// The validation score by which the best epoch is chosen. Of equal scores the other one decides:
/// the higher accuracy, or the lower loss.
enum class BestBy { accuracy, loss };

/// Which checkpoints a run keeps. The last one is always kept, the best one if `keepBest`.
struct CheckpointConfig {
  int everyEpochs = 1;   ///< Keep a checkpoint at the end of every n-th epoch; 0 = none.
  int keepEpochs = 3;    ///< Number of these checkpoints kept on disk; 0 = all.
  bool keepBest = true;  ///< Keep the weights of the best validation.
  BestBy bestBy = BestBy::accuracy;
  bool keepInitial = false;  ///< Keep the state before the first step.
  double everyMinutes = 5;   ///< Save the last checkpoint also in mid-epoch; 0 = never.

  bool operator==(const CheckpointConfig&) const = default;
};

/// What a run records beside its metrics. It has no effect on the results.
struct MonitoringConfig {
  /// Histograms of weights, gradients, activations and lambda norms over time, in so few steps that
  /// they take less than 1 % of the training time.
  bool histograms = true;

  bool operator==(const MonitoringConfig&) const = default;
};

/// Everything that determines a run's results. Training with the same RunConfig, program, device
/// and number of threads is bit-identical, unless the run yields to other programs. The RunConfig
/// in a run's record names the precision that an automatic one stood for.
struct RunConfig {
  std::string name;
  Architecture architecture;
  DataConfig data;
  Recipe recipe;
  StartConfig start;
  DeviceConfig device;
  CheckpointConfig checkpoints;
  MonitoringConfig monitoring;
  std::uint64_t seed = 0;
  /// The folder's name of the run that this one repeats with other mixers; empty = none. It becomes
  /// the lineage of the new run.
  std::string parentRun;
  /// Name of the experiment that the run belongs to; empty = none. Then `name` is its variant.
  std::string experiment;

  bool operator==(const RunConfig&) const = default;
};

}  // namespace lambda
