#pragma once

#include <string>
#include <vector>

#include "engine/values/architecture/mixer.h"
#include "engine/values/architecture/stem.h"
#include "engine/values/architecture/task.h"

namespace lambda {

/// A feature map of one image: channels x height x width.
struct MapShape {
  int channels = 3;
  int height = 32;
  int width = 32;

  bool operator==(const MapShape&) const = default;

  long long positions() const { return static_cast<long long>(height) * width; }

  long long elements() const { return positions() * channels; }
};

/// Where squeeze-and-excitation stands in a bottleneck block.
enum class SqueezePlace {
  afterMixer,      ///< On the d channels of the mixer.
  afterExpansion,  ///< On the 4 d channels of the block's output (Hu et al., 2018; ResNet-RS).
};

/// What a block of a sequence network computes at each position, after its mixer.
enum class ChannelMixing {
  mlp,  ///< W_2 φ(W_1 x + b_1) + b_2
  /// sigmoid(W_r x_r) (W_v max(W_k x_k, 0)^2), where x_k and x_r mix the position with the one
  /// before it (RWKV-4; Peng et al., 2023, arXiv:2305.13048).
  rwkv,
};

struct Block {
  Mixer mixer;
  bool residual = false;           ///< Plain family: adds a shortcut even if the mixer needs none.
  bool squeezeExcitation = false;  ///< Channel attention (Hu et al., 2018).
  int squeezeRatio = 4;  ///< Squeeze-and-excitation squeezes to 1 / ratio of the channels.
  SqueezePlace squeezePlace = SqueezePlace::afterMixer;
  /// Inverted bottleneck: the mixer has this many times the block's input channels; 0 = as many,
  /// without the 1x1 convolution before it. Sequence: the hidden layer of the channel mixing.
  int expansion = 6;
  ChannelMixing channelMixing = ChannelMixing::mlp;  ///< Of the sequence family.
  double stochasticDepth = 0;  ///< Probability of skipping the residual branch in training.

  bool operator==(const Block&) const = default;
};

struct Stage {
  int width =
      64;  ///< Depth d of the mixers; a bottleneck's output has four times as many channels.
  int stride = 1;  ///< Spatial stride of the first block: 1 or 2.
  std::vector<Block> blocks;

  bool operator==(const Stage&) const = default;
};

enum class Family {
  bottleneck,  ///< ResNet-50 style: 1x1, mixer, 1x1 to 4 x width, residual (He et al., 2016).
  basic,       ///< ResNet-18 style: 3x3, mixer, residual.
  /// MobileNet-v2 style: 1x1 to `expansion` x the input channels, mixer, 1x1 to the width without
  /// activation; residual where the shapes agree (Sandler et al., 2018).
  invertedBottleneck,
  plain,  ///< One mixer per block; a shortcut if `residual` or if the mixer needs one.
  /// Layer norm, mixer, sum, layer norm, channel mixing, sum: a transformer's block, for sequences
  /// and other maps of height 1.
  sequence,
};

enum class Pooling { average, max };

struct Head {
  int width = 0;  ///< Channels of a 1x1 convolution before the pooling; 0 = none.
  Pooling pooling = Pooling::average;
  double dropout = 0;  ///< Probability of zeroing a pooled feature in training.
  bool bias = true;
  double scale = 1;  ///< The logits are multiplied by this.

  bool operator==(const Head&) const = default;
};

enum class Activation { relu, celu, gelu, silu, relu6 };

/// The statistics that batch norms use outside training.
enum class NormStatistics {
  running,  ///< Averages that training collected.
  /// Those of the batch that is evaluated, as in training: the result of an image depends on the
  /// images beside it. As the TU Delft reproduction was published, which never leaves training
  /// mode.
  batch,
};

/// The complete and only description of a network. The editor changes it, presets and checkpoints
/// store it, and the network builder and the cost model read it.
struct Architecture {
  std::string name;
  std::string description;
  MapShape input;
  Task task = Task::classification;
  int outputs = 10;  ///< Its classes, or what else the task has an output for.
  Family family = Family::bottleneck;
  Activation activation = Activation::relu;
  NormStatistics normStatistics = NormStatistics::running;
  bool zeroInitResidual = true;  ///< Last norm of a residual branch starts at 0 (appendix A).
  Stem stem;
  std::vector<Stage> stages;
  Head head;

  bool operator==(const Architecture&) const = default;
};

/// The usual notation of a network's mixers: one letter per stage, joined by hyphens. The letter is
/// that of the mixers' traits, C for convolutions and L for lambda layers; a stage with different
/// mixers has a letter per block, for example "C-C-CLCLCL-L".
std::string patternOf(const Architecture& architecture);

/// What the letters of a pattern mean: "C for convolutions, L for lambda layers".
std::string patternLegend();

}  // namespace lambda
