// Networks of every kind of mixer with batches of images.

#include <algorithm>

#include "engine/networks/network.h"
#include "engine/values/config/kinds.h"
#include "engine/verification/statements.h"

namespace lambda {

namespace {

/// A small network with a block of that kind before and after a stride.
Architecture networkOf(std::size_t kind) {
  Architecture architecture;
  architecture.input = {3, 8, 6};
  architecture.outputs = 4;
  architecture.zeroInitResidual = false;
  architecture.stem.width = 16;
  const Block block{.mixer = valueOfKind<Mixer>(kind)};
  architecture.stages = {{16, 1, {block}}, {32, 2, {block}}};
  return architecture;
}

}  // namespace

void compareBatchOrders(Trial& trial) {
  const at::Tensor order = at::tensor({2, 0, 3, 1}, at::kLong);
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    Network network(networkOf(kind));
    trial.prepare(*network);
    const at::Tensor x = trial.normal({4, 3, 8, 6});
    const at::Tensor logits = network(x);
    trial.disturb(*network);
    trial.compare(network(x.index_select(0, order)), logits.index_select(0, order));
  }
}

}  // namespace lambda
