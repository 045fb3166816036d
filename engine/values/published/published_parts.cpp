#include "engine/values/published/published_parts.h"

namespace lambda {

BlockCounts bottleneckCounts(int depth) {
  switch (depth) {
    case 26:
      return {2, 2, 2, 2};
    case 101:
      return {3, 4, 23, 3};
    case 152:
      return {3, 8, 36, 3};
    case 200:
      return {3, 24, 36, 3};
    case 270:
      return {4, 29, 53, 4};
    case 350:
      return {4, 36, 72, 4};
    case 420:
      return {4, 44, 87, 4};
    default:
      return {3, 4, 6, 3};
  }
}

std::vector<Stage> residualStages(const BlockCounts& counts, const Mixer& mixer) {
  std::vector<Stage> stages;
  int width = 64;
  for (const int count : counts) {
    stages.push_back({width,
                      stages.empty() ? 1 : 2,
                      std::vector<Block>(static_cast<std::size_t>(count), Block{mixer})});
    width *= 2;
  }
  return stages;
}

LambdaMixer paperLambda() {
  LambdaMixer mixer;
  mixer.queryDepth = 16;
  mixer.heads = 4;
  mixer.scope = 23;
  mixer.embeddingDeviation = 1;
  return mixer;
}

RunConfig photographRun(int side) {
  RunConfig config;
  config.architecture.input = {3, side, side};
  config.architecture.outputs = 1000;
  config.data.source = ImageFolderSource{.path = "imagenet", .size = side};
  config.recipe = imagenetRecipe();
  return config;
}

RunConfig cifarRun() {
  RunConfig config;
  config.architecture.input = {3, 32, 32};
  config.architecture.outputs = 10;
  config.data.source = Cifar10Source{};
  config.recipe.epochs = 100;
  config.recipe.schedule.kind = CosineSchedule{.warmupEpochs = 5};
  config.recipe.labelSmoothing = 0.1;
  return config;
}

Recipe imagenetRecipe() {
  Recipe recipe;
  recipe.epochs = 90;
  recipe.batchSize = 256;
  recipe.optimizer.learningRate = 0.1;
  recipe.optimizer.weightDecay = 1e-4;
  recipe.schedule.kind = CosineSchedule{.warmupEpochs = 5};
  recipe.labelSmoothing = 0.1;
  recipe.emaDecay = 0.9999;
  return recipe;
}

Recipe longImagenetRecipe() {
  Recipe recipe = imagenetRecipe();
  recipe.epochs = 350;
  recipe.optimizer.weightDecay = 4e-5;
  return recipe;
}

}  // namespace lambda
