#pragma once

#include <string>

#include "engine/formats/onnx/layer_writer.h"
#include "engine/formats/onnx/step_state.h"
#include "engine/values/architecture/graph.h"

namespace lambda {

// writeMixer() has one overload for each kind of mixer. It writes the operations of the mixer on a
// map x [N, input], before any pooling and norm, and returns the value [N, output].

std::string writeMixer(LayerWriter& writer,
                       const ConvolutionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const LambdaMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const DepthwiseConvolutionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const SelfAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const LocalAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const AxialAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const LinearAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const NonLocalMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const SqueezeExcitationMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const SpatialAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);
std::string writeMixer(LayerWriter& writer,
                       const RwkvMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x);

// writeStep() has one overload for each kind that can be causal. It writes the operations of a
// causal mixer on one token x [N, input channels, 1, 1] after those of the state, and returns the
// value [N, output channels, 1, 1]. `place` has the whole length of sequences.

std::string writeStep(LayerWriter& writer,
                      const LambdaMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state);
std::string writeStep(LayerWriter& writer,
                      const DepthwiseConvolutionMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state);
std::string writeStep(LayerWriter& writer,
                      const SelfAttentionMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state);
std::string writeStep(LayerWriter& writer,
                      const LinearAttentionMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state);
std::string writeStep(LayerWriter& writer,
                      const RwkvMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state);

/// Squeeze-and-excitation of a map x [N, channels, H, W] by the module of that name.
std::string writeSqueezeExcitation(
    LayerWriter& writer, const std::string& module, int channels, int ratio, const std::string& x);

}  // namespace lambda
