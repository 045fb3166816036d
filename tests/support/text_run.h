#pragma once

#include <string>

#include "tests/support/tiny_run.h"

namespace lambda {

inline constexpr int kTextLength = 32;

/// A tiny network of tokens and its data.
inline RunConfig tokensRun(const DataSource& source, int vocabulary, int validationCount) {
  RunConfig config = tinyRun();
  config.name = "tokens";
  Architecture& network = config.architecture;
  network.input = {1, 1, kTextLength};
  network.task = Task::tokens;
  network.outputs = vocabulary;
  network.family = Family::sequence;
  network.stem = {};
  network.stem.kind = EmbeddingStem();
  network.stem.width = 16;
  Block block{.mixer = RwkvMixer{}, .expansion = 2};
  block.channelMixing = ChannelMixing::rwkv;
  network.stages = {{.width = 16, .stride = 1, .blocks = {block}}};
  config.data.source = source;
  config.data.validationCount = validationCount;
  config.data.augmentation.cropPadding = 0;
  config.recipe.epochs = 1;
  config.recipe.batchSize = 20;
  return config;
}

/// 6000 bytes, of which many are no ASCII.
inline std::string book() {
  std::string text;
  for (int i = 0; text.size() < 6000; ++i) {
    text += "Käse " + std::to_string(i) + " über € 😀\tund\n";
  }
  text.resize(6000, ' ');
  return text;
}

}  // namespace lambda
