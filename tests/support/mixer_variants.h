#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "tests/support/tiny_run.h"

namespace lambda::test {

/// Every kind of mixer with each of its forms, small enough for tests of whole networks whose
/// widths are multiples of 8.
inline std::vector<std::pair<std::string, Mixer>> mixerVariants() {
  LambdaMixer lambda;
  lambda.queryDepth = 4;
  lambda.heads = 2;
  LambdaMixer local = lambda;
  local.scope = 3;
  return {{"convolution", ConvolutionMixer{5}},
          {"grouped convolution", ConvolutionMixer{3, 4}},
          {"lambda layer", lambda},
          {"lambda layer, local", local},
          {"depthwise convolution", DepthwiseConvolutionMixer{5}},
          {"self-attention", SelfAttentionMixer{2}},
          {"self-attention, content only", SelfAttentionMixer{4, false}},
          {"self-attention, causal", SelfAttentionMixer{.heads = 2, .causal = true}},
          {"local attention", LocalAttentionMixer{2, 3}},
          {"local attention beyond the map", LocalAttentionMixer{4, 9}},
          {"axial attention", AxialAttentionMixer{2}},
          {"axial attention, content only", AxialAttentionMixer{4, false}},
          {"linear attention, softmax", LinearAttentionMixer{2}},
          {"linear attention, elu", LinearAttentionMixer{4, FeatureMap::elu}},
          {"linear attention, causal", LinearAttentionMixer{.heads = 2, .causal = true}},
          {"linear attention, causal elu", LinearAttentionMixer{4, FeatureMap::elu, true}},
          {"non-local", NonLocalMixer{}},
          {"non-local, dot product", NonLocalMixer{PairwiseFunction::dotProduct}},
          {"channel attention", SqueezeExcitationMixer{2}},
          {"spatial attention", SpatialAttentionMixer{3}}};
}

/// Every kind of mixer that can be causal with each of its forms, for networks of tokens whose
/// widths are multiples of 6.
inline std::vector<std::pair<std::string, Mixer>> causalMixerVariants() {
  LambdaMixer content;
  content.queryDepth = 4;
  content.heads = 3;
  content.mask = ContextMask::causal;
  content.embedding = PositionEmbedding::none;
  content.normalizeQueries = content.normalizeValues = false;
  const auto changed = [&](auto change) {
    LambdaMixer mixer = content;
    change(mixer);
    return mixer;
  };
  const auto lambdas = [&](const char* name, auto change) {
    return std::pair<std::string, Mixer>("lambda layer, " + std::string(name), changed(change));
  };
  return {
      lambdas("content only", [](LambdaMixer&) {}),
      lambdas("L2", [](LambdaMixer& m) { m.keyNormalization = KeyNormalization::l2; }),
      lambdas("plain keys", [](LambdaMixer& m) { m.keyNormalization = KeyNormalization::none; }),
      lambdas("softmax queries", [](LambdaMixer& m) { m.softmaxQueries = true; }),
      lambdas("relative", [](LambdaMixer& m) { m.embedding = PositionEmbedding::relative; }),
      lambdas("absolute", [](LambdaMixer& m) { m.embedding = PositionEmbedding::absolute; }),
      lambdas("relative positions only",
              [](LambdaMixer& m) {
                m.embedding = PositionEmbedding::relative;
                m.content = false;
              }),
      lambdas("absolute positions only",
              [](LambdaMixer& m) {
                m.embedding = PositionEmbedding::absolute;
                m.content = false;
              }),
      lambdas("local",
              [](LambdaMixer& m) {
                m.embedding = PositionEmbedding::relative;
                m.scope = 5;
                m.sharedEmbeddings = "all";
              }),
      lambdas("multi-head",
              [](LambdaMixer& m) {
                m.embedding = PositionEmbedding::relative;
                m.multiHead = true;
                m.intraDepth = 2;
              }),
      {"self-attention", SelfAttentionMixer{.heads = 2, .causal = true}},
      {"self-attention, content only",
       SelfAttentionMixer{.heads = 3, .relative = false, .causal = true}},
      {"linear attention, softmax", LinearAttentionMixer{.heads = 2, .causal = true}},
      {"linear attention, elu", LinearAttentionMixer{3, FeatureMap::elu, true}},
      {"depthwise convolution", DepthwiseConvolutionMixer{.kernelSize = 4, .causal = true}},
      {"depthwise convolution, one token",
       DepthwiseConvolutionMixer{.kernelSize = 1, .causal = true}},
      {"RWKV", RwkvMixer{}}};
}

struct SequenceSize {
  int length = 13;
  int vocabulary = 11;
  std::size_t blocks = 2;
};

/// A network of tokens with that causal mixer in all of its blocks.
inline Architecture sequenceOf(const Mixer& mixer,
                               ChannelMixing mixing,
                               const SequenceSize& size = {}) {
  constexpr int kWidth = 12;
  Block block{mixer};
  block.channelMixing = mixing;
  block.expansion = 2;
  Architecture architecture;
  architecture.input = {1, 1, size.length};
  architecture.task = Task::tokens;
  architecture.outputs = size.vocabulary;
  architecture.family = Family::sequence;
  architecture.stem = {EmbeddingStem{}, kWidth};
  architecture.stages = {{kWidth, 1, std::vector<Block>(size.blocks, block)}};
  return architecture;
}

/// The tiny run with that mixer in both of its stages; the second one halves the map and, in the
/// plain family, changes the channels.
inline RunConfig tinyRunOf(const Mixer& mixer, Family family = Family::plain) {
  RunConfig config = tinyRun();
  config.architecture.family = family;
  config.architecture.stages = {Stage{8, 2, {Block{ConvolutionMixer{}}, Block{mixer}}},
                                Stage{16, 2, {Block{mixer}, Block{mixer}}}};
  return config;
}

}  // namespace lambda::test
