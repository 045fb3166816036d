#pragma once

#include <map>
#include <string>

#include "engine/formats/tensors/safetensors.h"
#include "engine/values/architecture/architecture.h"
#include "engine/values/run/network_input.h"

namespace lambda {

struct OnnxDetails {
  NetworkInput input;          ///< With the normalisation of each channel of images.
  std::string programVersion;  ///< Of Lambda Studio.
  std::map<std::string, std::string> metadata;  ///< Become the model's metadata_props.
  std::string place = "weights";                ///< Names the weights in errors.
};

/// The network as the bytes of an ONNX file (IR 8, operators 17), as it is in evaluation.
/// Input "images" [N, channels, height, width], pixels in 0..1 and not normalised; output "logits"
/// [N, classes], for any N. A network of tokens has the input "tokens" [N, 1, 1, n] int64 and the
/// output "logits" [N, n, vocabulary]. The output of each layer has the name that the layer has in
/// cost tables, and its shape. Weights have the names of the engine's modules. Throws Error for
/// weights that do not fit the architecture, without a normalisation of images, and above 2 GB.
std::string encodeOnnx(const Architecture& architecture,
                       const SafeTensors& weights,
                       const OnnxDetails& details);

/// One step of a network of tokens, with what it keeps of the tokens before as inputs and outputs.
/// Input "token" [N] int64, output "logits" [N, vocabulary]. Each state is an input NAME, which
/// begins with zeros, and an output NAME.next of the same shape, which is the input of the next
/// step; "state" in the metadata lists them. NAME is that of a layer with what it keeps:
///   LAYER.previous            the last token of a layer of RWKV-4
///   LAYER.num, .den, .maximum the sums of the wkv, num e^maximum and den e^maximum
///   LAYER.sums                of keys times values, of softmax keys relative to LAYER.maximum
///   LAYER.weights, .squares   sums by which they are divided: of weights of keys, or of squares
///   LAYER.keys, .values       a window of positions, the last one at its end
///   LAYER.inputs              the same of a depthwise convolution
///   position                  how many tokens came before, int64 [N], where a layer depends on it
/// Steps give what GrowingSequence gives, beyond the network's length too. Throws Error as
/// encodeOnnx(), and for a network of images or with a mixer that sees later tokens.
std::string encodeOnnxStep(const Architecture& architecture,
                           const SafeTensors& weights,
                           const OnnxDetails& details);

}  // namespace lambda
