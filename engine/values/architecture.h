#pragma once

#include <string>
#include <vector>

#include "engine/values/mixer.h"

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

struct Block {
  Mixer mixer;
  bool residual = false;           ///< Plain family: a shortcut where the mixer needs none too.
  bool squeezeExcitation = false;  ///< Channel attention after the mixer, squeeze ratio 4.
  double stochasticDepth = 0;      ///< Probability of skipping the residual branch in training.

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
  plain,       ///< Convolution blocks with a shortcut where asked for, lambda blocks with one.
};

enum class StemKind {
  cifar,     ///< 3x3 convolution, stride 1.
  imagenet,  ///< 7x7 convolution, stride 2, then 3x3 max pooling, stride 2.
  resnetD,   ///< Three 3x3 convolutions, the first with stride 2, then one more with stride 2.
  patch,     ///< Convolution over non-overlapping patches.
};

struct Stem {
  StemKind kind = StemKind::cifar;
  int width = 64;     ///< Output channels.
  int patchSize = 4;  ///< Side of a patch in pixels; used by the patch stem alone.
  /// The filters of its first convolution are not learnt: they whiten the patches of the training
  /// images, see engine/layers/convolution/patch_whitening.h.
  bool whitened = false;

  bool operator==(const Stem&) const = default;
};

enum class Pooling { average, max };

struct Head {
  Pooling pooling = Pooling::average;
  double dropout = 0;  ///< Probability of zeroing a pooled feature in training.
  bool bias = true;
  double scale = 1;  ///< The logits are multiplied by this.

  bool operator==(const Head&) const = default;
};

enum class Activation { relu, celu, gelu, silu };

/// Describes a network completely. The editor edits it, presets are files of it, checkpoints
/// contain it, the network builder and the cost model read it, and nothing else describes one.
struct Architecture {
  std::string name;
  std::string description;
  MapShape input;
  int classes = 10;
  Family family = Family::bottleneck;
  Activation activation = Activation::relu;
  bool zeroInitResidual = true;  ///< Last norm of a residual branch starts at 0 (appendix A).
  Stem stem;
  std::vector<Stage> stages;
  Head head;

  bool operator==(const Architecture&) const = default;
};

/// The pattern of a network as the field writes it, one letter a stage joined by hyphens: C where
/// all mixers are convolutions, L where all are lambda layers, in general the letter of the mixers'
/// traits; a mixed stage spells its blocks, for example "C-C-CLCLCL-L".
std::string patternOf(const Architecture& architecture);

/// What the letters of a pattern mean: "C for convolutions, L for lambda layers".
std::string patternLegend();

}  // namespace lambda
