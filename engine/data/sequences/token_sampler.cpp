#include "engine/data/sequences/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

// It separates this random stream from every other use of the seed.
constexpr std::uint64_t kSamplingStream = 0x73616D706C65;

/// exp((logit - greatest) / temperature): of the most probable token 1, so that none overflows.
double weightOf(float logit, float greatest, double temperature) {
  return std::exp((static_cast<double>(logit) - greatest) / temperature);
}

/// The sum of the weights at the temperature 1.
double sumOfWeights(std::span<const float> logits, float greatest) {
  double sum = 0;
  for (const float logit : logits) sum += weightOf(logit, greatest, 1);
  return sum;
}

}  // namespace

std::vector<SampledToken> likeliestTokens(std::span<const float> logits, std::size_t count) {
  if (logits.empty()) return {};
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::ranges::partial_sort(order, end, [&](std::size_t a, std::size_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  const float greatest = *std::ranges::max_element(logits);
  const double sum = sumOfWeights(logits, greatest);
  std::vector<SampledToken> likeliest;
  for (auto token = order.begin(); token != end; ++token) {
    likeliest.push_back(
        {static_cast<std::int64_t>(*token), weightOf(logits[*token], greatest, 1) / sum});
  }
  return likeliest;
}

TokenSampler::TokenSampler(const SamplingOptions& options) : options_(options) {
  const double temperature = options.temperature;
  if (!(temperature >= 0 && temperature <= SamplingOptions::highestTemperature)) {
    throw Error("temperature",
                "a temperature is from 0 to " + formatNumber(SamplingOptions::highestTemperature) +
                    ", not " + formatNumber(temperature));
  }
  if (!(options.topP > 0 && options.topP <= 1)) {
    throw Error("topP", "it is above 0 and at most 1, not " + formatNumber(options.topP));
  }
}

SampledToken TokenSampler::sample(std::span<const float> logits, std::uint64_t position) {
  if (logits.empty()) throw Error("", "there are no logits to draw a token from");
  if (!std::ranges::all_of(logits, [](float logit) { return std::isfinite(logit); })) {
    throw Error("",
                "an output of the network is not finite: the network overflows",
                "Use an earlier checkpoint.");
  }
  const auto greatest = std::ranges::max_element(logits);
  const double sum = sumOfWeights(logits, *greatest);
  SampledToken sampled{greatest - logits.begin()};
  if (options_.temperature > 0) {
    weights_.clear();
    for (const float logit : logits) {
      weights_.push_back(weightOf(logit, *greatest, options_.temperature));
    }
    sampled.token = draw(position);
  }
  sampled.probability =
      weightOf(logits[static_cast<std::size_t>(sampled.token)], *greatest, 1) / sum;
  return sampled;
}

std::int64_t TokenSampler::draw(std::uint64_t position) {
  kept_.resize(weights_.size());
  std::iota(kept_.begin(), kept_.end(), std::size_t{0});
  if (options_.topP < 1) keepNucleus();
  double sum = 0;
  for (const std::size_t token : kept_) sum += weights_[token];
  const double end = KeyedRandom({kSamplingStream, options_.seed, position}).unit() * sum;
  double before = 0;
  std::size_t drawn = 0;
  for (const std::size_t token : kept_) {
    if (weights_[token] == 0) continue;
    drawn = token;
    before += weights_[token];
    if (end < before) break;
  }
  return static_cast<std::int64_t>(drawn);
}

void TokenSampler::keepNucleus() {
  const auto isBehind = [&](std::size_t a, std::size_t b) {
    return weights_[a] != weights_[b] ? weights_[a] < weights_[b] : a > b;
  };
  // Few tokens are taken of a large vocabulary, so that sorting all would be most of the work.
  std::ranges::make_heap(kept_, isBehind);
  const double wanted = options_.topP * std::accumulate(weights_.begin(), weights_.end(), 0.0);
  double sum = 0;
  auto rest = kept_.end();
  while (rest != kept_.begin() && sum < wanted) {
    std::ranges::pop_heap(kept_.begin(), rest, isBehind);
    sum += weights_[*--rest];
  }
  kept_.erase(kept_.begin(), rest);
  // The heap leaves the most probable token at the end.
  std::ranges::reverse(kept_);
}

}  // namespace lambda
