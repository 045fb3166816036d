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

}  // namespace lambda
