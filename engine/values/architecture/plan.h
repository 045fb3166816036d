#pragma once

#include <string>
#include <vector>

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// Pooling that shrinks the map after a mixer that does not apply its block's stride itself.
enum class StridePooling {
  none,
  average,  ///< 3x3 (LambdaNetworks, appendix E.1).
  max,      ///< 2x2
};

/// A block with all properties that follow from its place in the network.
struct BlockPlan {
  std::string name;  ///< "stage2.block1", also the prefix of its parameters' names.
  int stage = 0;     ///< Index from 0.
  int block = 0;     ///< Index from 0 within the stage.
  Block options;
  MapShape input;
  MapShape output;
  MapShape mixerInput;
  MapShape mixerOutput;  ///< Before any pooling for the stride.
  int stride = 1;
  int mixerStride = 1;                          ///< The stride that the mixer itself applies.
  StridePooling pooling = StridePooling::none;  ///< Applies the stride after the mixer.
  bool shortcut = true;     ///< The block's input is added to its branch's output.
  bool projection = false;  ///< The shortcut needs a 1x1 convolution.
};

/// An Architecture with all shapes and names resolved: the only place that knows how stages follow
/// each other. The network builder makes modules from it, and the cost model computes costs.
struct NetworkPlan {
  MapShape stemOutput;
  std::vector<BlockPlan> blocks;
  MapShape lastMap;   ///< Output of the last block.
  MapShape features;  ///< What the head pools.
};

/// Resolves an architecture. Shapes of an impossible network (maps of size 0) are returned as
/// computed; validate() reports them.
NetworkPlan planOf(const Architecture& architecture);

/// The first convolution: the side of its square filters and its output channels.
struct FirstConvolution {
  int side = 3;
  int depth = 64;
};

FirstConvolution firstConvolutionOf(const Stem& stem);

/// Channels of a block's output as a multiple of its stage's width.
int expansionOf(Family family);

/// Whether the mixer is the last layer of a residual branch: its norm has no activation then, which
/// follows the addition.
bool mixerEndsBranch(const BlockPlan& block, Family family);

/// Whether squeeze-and-excitation of the block works on its output, after the expansion.
bool squeezesOutput(const BlockPlan& block, Family family);

/// Number of rows of the learned position embedding table, each k x u values: (2H-1)(2W-1) relative
/// global, r^2 relative local, n m absolute, 0 without position lambda.
long long embeddingRows(const LambdaMixer& mixer, const MapShape& map);

/// The squeezed channels of a squeeze-and-excitation unit over `channels`.
int squeezedChannels(int channels, int ratio);

}  // namespace lambda
