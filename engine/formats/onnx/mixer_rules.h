#pragma once

#include <string>

#include "engine/formats/onnx/layer_writer.h"
#include "engine/values/architecture/plan.h"

namespace lambda {

/// Where a mixer stands in the network.
struct MixerPlace {
  const BlockPlan& block;
  std::string module;  ///< Prefix of its parameters' names: "stage1.block1.mixer".
};

// writeMixer() has one overload for each kind of mixer. It writes the operations of the mixer on a
// map x [N, mixerInput], before any pooling and norm, and returns the value [N, mixerOutput].

std::string writeMixer(LayerWriter& writer,
                       const ConvolutionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const LambdaMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const DepthwiseConvolutionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const SelfAttentionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const LocalAttentionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const AxialAttentionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const LinearAttentionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const NonLocalMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const SqueezeExcitationMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const SpatialAttentionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x);

/// Squeeze-and-excitation of a map x [N, channels, H, W] by the module of that name.
std::string writeSqueezeExcitation(
    LayerWriter& writer, const std::string& module, int channels, int ratio, const std::string& x);

}  // namespace lambda
