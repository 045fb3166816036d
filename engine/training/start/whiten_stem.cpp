#include "engine/training/start/whiten_stem.h"

#include <algorithm>

#include "engine/layers/convolution/patch_whitening.h"
#include "engine/training/update/master_weights.h"

namespace lambda {

namespace {

constexpr std::int64_t kEnoughPatches = 2 << 20;

/// Patch values at once. Patches overlap, so they take many times the memory of their images.
constexpr std::int64_t kFloatsTogether = 4 << 20;

}  // namespace

void whitenStem(TrainingState& state, const RunData& data) {
  const Architecture& architecture = state.network->architecture;
  if (!architecture.stem.whitened) return;
  const LabeledImages& images = data.train();
  const FirstConvolution first = firstConvolutionOf(state.network->graph);
  const std::int64_t values = static_cast<std::int64_t>(images.channels) * first.side * first.side;
  const std::int64_t positions = static_cast<std::int64_t>(images.height) * images.width;
  const auto together =
      static_cast<std::size_t>(std::max<std::int64_t>(1, kFloatsTogether / (values * positions)));
  PatchWhitening patches(images.channels, first.side);
  for (std::size_t at = 0; at < images.count() && patches.patches() < kEnoughPatches;
       at += together) {
    const std::size_t count = std::min(together, images.count() - at);
    patches.add(data.maker().plain(images, at, count).images);
  }
  const MasterWeights whitened(state.optimizer);
  state.network->whitenStem(patches);
  if (state.average) state.average->restart();
}

}  // namespace lambda
