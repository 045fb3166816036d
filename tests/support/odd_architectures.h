#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "engine/values/config/enum_names.h"

namespace lambda::test {

inline Block convolutionBlock(int kernelSize = 3, bool squeezeExcitation = false) {
  Block block;
  block.mixer = ConvolutionMixer{kernelSize};
  block.squeezeExcitation = squeezeExcitation;
  return block;
}

inline Block lambdaBlock(int queryDepth, int heads, bool squeezeExcitation = false) {
  LambdaMixer mixer;
  mixer.queryDepth = queryDepth;
  mixer.heads = heads;
  Block block;
  block.mixer = mixer;
  block.squeezeExcitation = squeezeExcitation;
  return block;
}

inline Block depthwiseBlock(int kernelSize = 3, bool squeezeExcitation = false) {
  Block block;
  block.mixer = DepthwiseConvolutionMixer{kernelSize};
  block.squeezeExcitation = squeezeExcitation;
  return block;
}

inline Block residualBlock(int kernelSize = 3) {
  Block block = convolutionBlock(kernelSize);
  block.residual = true;
  return block;
}

/// The block of an inverted bottleneck with that expansion.
inline Block expanded(Block block, int expansion) {
  block.expansion = expansion;
  return block;
}

/// A block of a bottleneck with squeeze-and-excitation of its output.
inline Block squeezedOutput(Block block, int ratio) {
  block.squeezeExcitation = true;
  block.squeezePlace = SqueezePlace::afterExpansion;
  block.squeezeRatio = ratio;
  return block;
}

/// The block with its lambda mixer changed by `change`.
template <class Change>
Block changed(Block block, Change change) {
  change(std::get<LambdaMixer>(block.mixer));
  return block;
}

/// Small networks that together cover every branch of graph, cost model and builder: all families
/// and stems, odd map sizes, strides in convolution and lambda blocks, every lambda option.
inline std::vector<std::pair<std::string, Architecture>> oddArchitectures() {
  std::vector<std::pair<std::string, Architecture>> all;

  Architecture plain;
  plain.input = {3, 19, 13};
  plain.outputs = 3;
  plain.family = Family::plain;
  plain.activation = Activation::celu;
  plain.stem = {CifarStem{}, 5};
  plain.stages = {{6, 2, {convolutionBlock(5), lambdaBlock(3, 2)}},
                  {8, 2, {lambdaBlock(3, 4, true), convolutionBlock(), residualBlock()}},
                  {10, 2, {residualBlock(5)}}};
  plain.head = {.pooling = Pooling::max, .dropout = 0.2, .bias = false, .scale = 0.125};
  all.emplace_back("plain", plain);

  Architecture basic;
  basic.input = {1, 33, 21};
  basic.outputs = 2;
  basic.family = Family::basic;
  basic.activation = Activation::gelu;
  basic.stem = {ResNetDStem{}, 7, /*whitened=*/true};
  basic.stages = {{6, 1, {convolutionBlock(3, true), lambdaBlock(2, 3)}},
                  {8,
                   2,
                   {changed(lambdaBlock(4, 2, true), [](LambdaMixer& m) { m.scope = 3; }),
                    convolutionBlock(1)}}};
  all.emplace_back("basic", basic);

  Architecture bottleneck;
  bottleneck.input = {4, 41, 36};
  bottleneck.family = Family::bottleneck;
  bottleneck.activation = Activation::silu;
  bottleneck.stem = {ImageNetStem{}, 6, /*whitened=*/true};
  const auto group = [](LambdaMixer& m) { m.sharedEmbeddings = "early"; };
  bottleneck.stages = {
      {4,
       1,
       {changed(lambdaBlock(3, 2), group), convolutionBlock(), changed(lambdaBlock(3, 2), group)}},
      {8,
       2,
       {changed(lambdaBlock(3, 4, true),
                [](LambdaMixer& m) { m.embedding = PositionEmbedding::absolute; }),
        changed(lambdaBlock(2, 2),
                [](LambdaMixer& m) {
                  m.intraDepth = 3;
                  m.content = false;
                  m.normalizeQueries = false;
                }),
        changed(lambdaBlock(3, 8), [](LambdaMixer& m) {
          m.embedding = PositionEmbedding::none;
          m.normalizeValues = false;
          m.intraDepth = 2;
        })}}};
  all.emplace_back("bottleneck", bottleneck);

  Architecture patches = bottleneck;
  patches.stem = {PatchStem{5}, 6};
  all.emplace_back("patches", patches);

  Architecture deepStem = bottleneck;
  deepStem.stem = {ResNetDStem{}, 6};
  all.emplace_back("deep stem", deepStem);

  Architecture scaled;
  scaled.input = {3, 37, 30};
  scaled.stem = {ResNetRsStem{}, 6};
  scaled.normStatistics = NormStatistics::batch;
  scaled.stages = {{4, 1, {squeezedOutput(convolutionBlock(), 3), lambdaBlock(3, 2)}},
                   {6, 2, {squeezedOutput(lambdaBlock(2, 3), 5), Block{ConvolutionMixer{3, 2}}}}};
  all.emplace_back("ResNet-RS stem", scaled);

  Architecture inverted;
  inverted.input = {3, 35, 26};
  inverted.outputs = 4;
  inverted.family = Family::invertedBottleneck;
  inverted.activation = Activation::relu6;
  inverted.stem = {StridedStem{}, 6};
  inverted.stages = {{6, 1, {expanded(depthwiseBlock(), 0), expanded(lambdaBlock(2, 3), 1)}},
                     {8,
                      2,
                      {expanded(depthwiseBlock(5), 3),
                       expanded(depthwiseBlock(3, true), 2),
                       expanded(Block{ConvolutionMixer{3, 4}}, 2)}},
                     {10, 2, {expanded(lambdaBlock(2, 4), 2)}}};
  inverted.head.width = 14;
  all.emplace_back("inverted bottleneck", inverted);

  for (const Family family : {Family::plain, Family::basic, Family::bottleneck}) {
    Architecture depthwise;
    depthwise.input = {3, 19, 14};
    depthwise.family = family;
    depthwise.stem = {CifarStem{}, 5};
    depthwise.stages = {{5, 1, {depthwiseBlock(5), depthwiseBlock(1, true)}},
                        {9, 2, {depthwiseBlock(), lambdaBlock(2, 3), depthwiseBlock(7)}}};
    all.emplace_back("depthwise " + std::string(nameOf(family)), depthwise);

    Architecture relatives;
    relatives.input = {3, 19, 14};
    relatives.family = family;
    relatives.stem = {CifarStem{}, 4};
    relatives.stages = {{8,
                         1,
                         {Block{SelfAttentionMixer{2}},
                          Block{ConvolutionMixer{3, 4}},
                          Block{LocalAttentionMixer{2, 5}},
                          Block{SqueezeExcitationMixer{2}}}},
                        {12,
                         2,
                         {Block{AxialAttentionMixer{3}},
                          Block{LinearAttentionMixer{4}},
                          Block{LinearAttentionMixer{2, FeatureMap::elu}},
                          Block{NonLocalMixer{}},
                          Block{SpatialAttentionMixer{5}}}},
                        {16,
                         2,
                         {Block{NonLocalMixer{PairwiseFunction::dotProduct}},
                          Block{SelfAttentionMixer{4, false}},
                          Block{AxialAttentionMixer{2, false}}}},
                        {8, 2, {Block{SpatialAttentionMixer{}}, Block{LocalAttentionMixer{2, 3}}}},
                        {12, 1, {Block{SqueezeExcitationMixer{}}}}};
    all.emplace_back("relatives " + std::string(nameOf(family)), relatives);
  }

  Architecture variants;
  variants.input = {3, 11, 7};
  variants.outputs = 3;
  variants.family = Family::basic;
  variants.stem = {CifarStem{}, 6};
  const auto ownTables = [](LambdaMixer& m) {
    m.multiHead = true;
    m.intraDepth = 2;
    m.embeddingDeviation = 0.1;
    m.sharedEmbeddings = "heads";
  };
  variants.stages = {
      {6, 1, {changed(lambdaBlock(3, 2), ownTables), changed(lambdaBlock(3, 2), ownTables)}},
      {8,
       2,
       {changed(lambdaBlock(2, 4), [](LambdaMixer& m) { m.mask = ContextMask::causal; }),
        changed(lambdaBlock(3, 2),
                [](LambdaMixer& m) {
                  m.keyNormalization = KeyNormalization::l2;
                  m.softmaxQueries = true;
                  m.normAxes = NormAxes::positions;
                }),
        changed(lambdaBlock(2, 2), [](LambdaMixer& m) {
          m.mask = ContextMask::causal;
          m.scope = 3;
          m.keyNormalization = KeyNormalization::none;
        })}}};
  all.emplace_back("lambda variants", variants);
  return all;
}

/// Networks of tokens with every kind of mixer that can be causal, of an odd width and length.
inline std::vector<std::pair<std::string, Architecture>> sequenceArchitectures() {
  const Block lambda = changed(lambdaBlock(4, 3), [](LambdaMixer& m) {
    m.mask = ContextMask::causal;
    m.embedding = PositionEmbedding::none;
    m.normalizeQueries = m.normalizeValues = false;
  });
  const Block local = changed(lambda, [](LambdaMixer& m) {
    m.embedding = PositionEmbedding::relative;
    m.scope = 5;
  });
  std::vector<std::pair<std::string, Architecture>> all;
  for (const ChannelMixing mixing : {ChannelMixing::mlp, ChannelMixing::rwkv}) {
    Architecture sequence;
    sequence.input = {1, 1, 13};
    sequence.task = Task::tokens;
    sequence.outputs = 11;
    sequence.family = Family::sequence;
    sequence.activation = mixing == ChannelMixing::mlp ? Activation::gelu : Activation::silu;
    sequence.stem = {EmbeddingStem{}, 15};
    sequence.stages = {{15,
                        1,
                        {lambda,
                         Block{SelfAttentionMixer{.heads = 3, .causal = true}},
                         Block{LinearAttentionMixer{.heads = 5, .causal = true}}}},
                       {15,
                        1,
                        {local,
                         Block{SelfAttentionMixer{.heads = 5, .relative = false, .causal = true}},
                         Block{LinearAttentionMixer{3, FeatureMap::elu, true}},
                         Block{DepthwiseConvolutionMixer{.kernelSize = 4, .causal = true}}}}};
    for (Stage& stage : sequence.stages) {
      for (Block& block : stage.blocks) {
        block.channelMixing = mixing;
        block.expansion = 3;
      }
    }
    if (mixing == ChannelMixing::rwkv) sequence.head = {.bias = false, .scale = 0.5};
    all.emplace_back("sequence, " + std::string(nameOf(mixing)), sequence);
  }
  return all;
}

}  // namespace lambda::test
