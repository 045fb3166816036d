#include "engine/training/run/text_sampling.h"

#include <algorithm>
#include <chrono>
#include <span>

#include <ATen/ATen.h>

#include "engine/networks/continued_sequence.h"
#include "engine/networks/inspection/inspection_mode.h"
#include "engine/runtime/seconds_since.h"
#include "engine/training/update/master_weights.h"

namespace lambda {

namespace {

constexpr std::int64_t kLongestPrompt = 64;
constexpr std::size_t kTokens = 200;
constexpr double kMostSeconds = 2;

}  // namespace

TextSample sampleText(TrainingState& state, const Examples& sequences) {
  TextSample sample{.epoch = state.progress.epoch, .step = state.progress.step};
  const at::Tensor first = sequences.batch(0, 1).images.flatten().cpu();
  const std::int64_t length = std::min(kLongestPrompt, first.numel());
  const auto* bytes = first.const_data_ptr<std::int64_t>();
  sample.prompt.assign(bytes, bytes + length);

  const AveragedWeights averaged(state.average.get());
  const MasterWeights inFloat(state.optimizer);
  const InspectionMode mode(*state.network, state.device().type());
  ContinuedSequence sequence(state.network, SamplingOptions());
  const auto start = std::chrono::steady_clock::now();
  std::span<const std::int64_t> read(sample.prompt);
  sample.tokens.reserve(kTokens);  // `read` refers to the last one.
  while (sample.tokens.size() < kTokens && secondsSince(start) < kMostSeconds) {
    const SampledToken drawn = sequence.drawAfter(read);
    sample.tokens.push_back(drawn.token);
    sample.probabilities.push_back(drawn.probability);
    read = std::span(&sample.tokens.back(), 1);
  }
  return sample;
}

}  // namespace lambda
