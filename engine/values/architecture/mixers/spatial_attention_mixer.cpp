#include "engine/values/architecture/mixers/spatial_attention_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

int addOperations(OperationList& list,
                  const SpatialAttentionMixer& mixer,
                  const PlacedMixer& place,
                  int input) {
  const MapShape& map = place.input;
  const auto n = static_cast<double>(map.positions());
  const int pooled = list.add({.name = "pooled channels",
                               .equation = "z_n = (mean_c x_{nc}, max_c x_{nc})",
                               .meaning = "Two numbers for each position.",
                               .axes = "H×W×2",
                               .output = {map.height, map.width, 2},
                               .inputs = {input},
                               .activationBytes = countOf(2 * kFloatBytes * n)});
  const double weights = 2.0 * mixer.kernelSize * mixer.kernelSize;
  const int gates = list.add({.name = "position weights",
                              .equation = "g_n = sigmoid(Σ_δ w_δ^T z_{n+δ} + b)",
                              .meaning = "A factor between 0 and 1 for every position.",
                              .axes = "H×W",
                              .output = {map.height, map.width},
                              .inputs = {pooled},
                              .parameters = countOf(weights + 1),
                              .flops = countOf(2 * weights * n),
                              .activationBytes = countOf(kFloatBytes * n)});
  const int scaled =
      list.add({.name = "scale positions",
                .equation = "y_{nc} = g_n x_{nc}",
                .meaning = "Strengthens the positions that matter for this image.",
                .axes = "H×W×C",
                .output = sizesOf(map),
                .inputs = {input, gates},
                .activationBytes = countOf(kFloatBytes * static_cast<double>(map.elements()))});
  if (map.channels == place.output.channels) return scaled;
  return list.addConvolution(scaled, map.channels, 1, place.output);
}

void checkOptions(MixerCheck& check, const SpatialAttentionMixer& mixer, const PlacedMixer& place) {
  check.requireCentre(mixer.kernelSize, place);
}

}  // namespace lambda
