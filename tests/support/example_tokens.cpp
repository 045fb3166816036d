#include "tests/support/example_tokens.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "engine/data/sequences/token_text.h"
#include "engine/runtime/error.h"

namespace lambda::test {

namespace {

constexpr std::string_view kText = "In the beginning God created\nthe heaven and the earth.";
constexpr int kChannels = 8;

/// A map [h, n, n] of values that fall with the distance, with both signs where `sign` is -1.
Array fallingMap(int heads, int count, double rate, int sign) {
  Array map{{heads, count, count}, {}};
  for (int head = 0; head < heads; ++head) {
    for (int n = 0; n < count; ++n) {
      for (int m = 0; m < count; ++m) {
        const double size = std::exp(-rate * (head + 1) * (n - m));
        map.values.push_back(m > n ? 0 : static_cast<float>((n - m) % 3 == 1 ? sign * size : size));
      }
    }
  }
  return map;
}

Array ramp(std::vector<std::int64_t> shape) {
  Array array{std::move(shape), {}};
  std::int64_t count = 1;
  for (const std::int64_t size : array.shape) count *= size;
  for (std::int64_t i = 0; i < count; ++i) {
    array.values.push_back(static_cast<float>(std::sin(static_cast<double>(i))));
  }
  return array;
}

}  // namespace

TokenSnapshot exampleTokens(const RunConfig& config,
                            const TokenInspectionRequest& request,
                            std::int64_t step,
                            int epoch) {
  TokenSnapshot s;
  s.request = request;
  s.step = step;
  s.epoch = epoch;
  const std::vector<InspectableLayer> layers = tokenLayers(config.architecture);
  s.layer = layers.front();
  for (const InspectableLayer& layer : layers) {
    if (layer.name == request.layer) s.layer = layer;
  }
  if (request.tokens) {
    s.tokens = *request.tokens;
  } else {
    s.tokens.assign(kText.begin(), kText.end());
    s.sequences = 20;
  }
  if (s.tokens.size() < 2) throw Error("text", "it has too few tokens", "give at least two tokens");
  s.targets.assign(s.tokens.begin() + 1, s.tokens.end());
  s.targets.push_back(request.tokens ? -1 : 'A');
  s.areBytes = TokenText(config.data.source, config.architecture.outputs).isOfBytes();
  const int count = static_cast<int>(s.tokens.size());
  s.position = request.position < 0 ? count - 1 : request.position;

  TokenMaps maps;
  const bool isLambda = inspectedAs(s.layer) == InspectedAs::lambdas;
  maps.weights.total = fallingMap(s.layer.heads, count, 0.2, isLambda ? -1 : 1);
  maps.effect = fallingMap(s.layer.heads, count, 0.1, 1);
  if (isLambda) {
    maps.weights.content = fallingMap(s.layer.heads, count, 0.4, -1);
    maps.weights.position = fallingMap(s.layer.heads, count, 0.8, 1);
    s.kept = {{"lambda-total", "lambda of the tokens so far", ramp({4, 6})}};
  }
  s.maps = std::make_shared<const TokenMaps>(std::move(maps));
  if (s.layer.kind == mixerKindOf<RwkvMixer>()) {
    s.channelWeights = ramp({kChannels, s.position + 1});
    for (int channel = 0; channel < kChannels; ++channel) {
      const double rate = std::exp(channel - 5);
      s.decays.push_back({.channel = kChannels - 1 - channel,
                          .rate = rate,
                          .bonus = channel % 3 - 1.0,
                          .halfLife = std::numbers::ln2 / rate});
    }
    s.kept = {{"mean", "decayed mean of the values so far", ramp({2, 4})},
              {"last", "the layer's input at this token", ramp({2, 4})}};
  }
  s.residual = {1e-7, 2e-7};
  s.probabilities.assign(static_cast<std::size_t>(config.architecture.outputs), 0);
  s.probabilities[static_cast<std::size_t>(s.tokens.back()) % s.probabilities.size()] = 0.25F;
  s.probabilities[1] = 0.6F;
  if (s.areBytes) std::swap(s.probabilities[1], s.probabilities[' ']);
  return s;
}

RunConfig textRun(const Mixer& mixer) {
  RunConfig config;
  Architecture& network = config.architecture;
  network.input = {1, 1, 64};
  network.task = Task::tokens;
  network.outputs = TextSource::vocabulary;
  network.family = Family::sequence;
  network.stem = {EmbeddingStem{}, 12};
  network.stages = {{12, 1, {Block{mixer}, Block{mixer}}}};
  config.data.source = TextSource{.path = "book.txt", .length = 64};
  config.data.augmentation.cropPadding = 0;
  config.data.augmentation.horizontalFlip = false;
  return config;
}

}  // namespace lambda::test
