#include "engine/values/architecture/mixers/rwkv_mixer.h"

#include "engine/values/architecture/mixers/mixer_check.h"
#include "engine/values/architecture/operation_list.h"

namespace lambda {

namespace {

/// Multiply-adds of the wkv for each number of its output: a token is added to num and den for the
/// mean, and again for the state after it; the division counts as one too.
constexpr int kMeanSteps = 5;

}  // namespace

int addOperations(OperationList& list,
                  const RwkvMixer& /*mixer*/,
                  const PlacedMixer& place,
                  int input) {
  const int channels = place.input.channels, depth = place.output.channels;
  const MapShape map{depth, place.input.height, place.input.width};
  const auto n = static_cast<double>(map.positions());
  const auto bytesOf = [n](double each) { return countOf(kFloatBytes * n * each); };
  const int shifted =
      list.add({.name = "token shift",
                .equation = "x^c_n = μ_c x_n + (1 − μ_c) x_{n−1}",
                .meaning = "Mixes every position with the one before it: a mixture for the keys, "
                           "one for the values and one for the gate.",
                .axes = "3×H×W×C",
                .output = {3, place.input.height, place.input.width, channels},
                .inputs = {input},
                .parameters = 3LL * channels,
                .flops = countOf(2 * 3 * n * channels),
                .activationBytes = bytesOf(3.0 * channels)});
  const auto addProjection =
      [&](const char* name, std::string_view equation, std::string_view meaning, int of, int from) {
        const double weights = static_cast<double>(from) * depth;
        return list.add({.name = name,
                         .equation = equation,
                         .meaning = meaning,
                         .axes = "H×W×d",
                         .output = sizesOf(map),
                         .inputs = {of},
                         .parameters = countOf(weights),
                         .flops = countOf(2 * n * weights),
                         .activationBytes = bytesOf(depth)});
      };
  const int receptances = addProjection(
      "receptance", "r_n = W_r x^r_n", "How far each channel is opened.", shifted, channels);
  const int keys = addProjection("keys",
                                 "k_n = W_k x^k_n",
                                 "The logarithm of each position's weight, for each channel.",
                                 shifted,
                                 channels);
  const int values = addProjection("values",
                                   "v_n = W_v x^v_n",
                                   "What each position passes on, for each channel.",
                                   shifted,
                                   channels);
  const int means = list.add(
      {.name = "wkv",
       .equation = "wkv_n = Σ_{m≤n} a_{nm} v_m,  a_{nm} ∝ exp(k_m − (n − 1 − m) w),  "
                   "a_{nn} ∝ exp(k_n + u)",
       .meaning = "A mean over the past of each channel, whose weights fall off with the distance; "
                  "the position itself has a bonus. Two running sums are all that it keeps.",
       .axes = "H×W×d",
       .output = sizesOf(map),
       .inputs = {keys, values},
       .parameters = 2LL * depth,
       .flops = countOf(2 * kMeanSteps * n * depth),
       .activationBytes = bytesOf(depth)});
  const int gated = list.add({.name = "gate",
                              .equation = "g_n = σ(r_n) ⊙ wkv_n",
                              .meaning = "Lets through the channels that the position asks for.",
                              .axes = "H×W×d",
                              .output = sizesOf(map),
                              .inputs = {receptances, means},
                              .flops = countOf(2 * n * depth),
                              .activationBytes = bytesOf(2.0 * depth)});
  return addProjection("output",
                       "y_n = W_o g_n",
                       "Mixes the channels of each position with one matrix.",
                       gated,
                       depth);
}

void checkOptions(MixerCheck& check, const RwkvMixer& /*mixer*/, const PlacedMixer& place) {
  if (place.input.height == 1) return;
  const std::string path = MixerCheck::pathOf(place);
  check.add(Severity::error,
            path,
            "RWKV-4 takes positions in the order of time, and the rows of a map of " +
                sizeText(place.input) +
                " do not follow each other: the first position of each would mix with the far end "
                "of the row above. It is for maps of height 1",
            Fix{"Use a convolution", path, "\"convolution\""});
}

}  // namespace lambda
