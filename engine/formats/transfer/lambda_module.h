#pragma once

#include <optional>
#include <string>

#include "engine/formats/tensors/safetensors.h"
#include "engine/values/architecture/mixers/lambda_mixer.h"

namespace lambda {

/// A lambda layer that another library saved as a module of its own.
struct LambdaModule {
  std::string library;  ///< "timm" or "lucidrains".
  LambdaMixer
      mixer;  ///< The settings that its tensors show; all others as those libraries compute.
  int inputDepth = 0;   ///< d of the input.
  int outputDepth = 0;  ///< d of the output.
  /// Sides of the only map that its embeddings fit; 0 with a local scope, which fits every map.
  int height = 0;
  int width = 0;
  SafeTensors file;      ///< Under this program's names: "queries.weight", "embedding.table".
  bool hasBias = false;  ///< Its lambda convolution added a bias, which `file` lacks.
};

/// The lambda layer in a file, if its tensors have the names of timm's LambdaLayer (qkv, norm_q,
/// norm_v, conv_lambda or pos_emb) or of lucidrains' (to_q, to_k, to_v, norm_q, norm_v, pos_conv or
/// rel_pos_emb), alone or after one of sharedPrefixes(); nothing for any other file. Throws Error,
/// naming `place` and the tensor, for shapes that contradict each other, projections with a bias,
/// and types other than float32.
std::optional<LambdaModule> lambdaModuleIn(const SafeTensors& file, const std::string& place);

}  // namespace lambda
