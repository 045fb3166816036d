#include "engine/values/architecture/shared_tables.h"

#include <algorithm>

namespace lambda {

namespace {

/// A mixer with position embeddings that several blocks can share.
template <class M>
concept HasSharedTable = requires(M& mixer) {
  mixer.sharedEmbeddings;
  mixer.embedding;
};

bool haveSameTable(const LambdaMixer& a,
                   const MapShape& mapOfA,
                   const LambdaMixer& b,
                   const MapShape& mapOfB) {
  const bool sameMap = mapOfA.height == mapOfB.height && mapOfA.width == mapOfB.width;
  const bool sameHeads = a.multiHead == b.multiHead && (!a.multiHead || a.heads == b.heads);
  return a.embedding == b.embedding && a.scope == b.scope && a.queryDepth == b.queryDepth &&
         a.intraDepth == b.intraDepth && a.embeddingDeviation == b.embeddingDeviation &&
         sameHeads && (sameMap || a.scope > 0);
}

}  // namespace

const std::string* sharedTableOf(const Mixer& mixer) {
  return std::visit(
      []<class M>(const M& options) -> const std::string* {
        if constexpr (HasSharedTable<const M>) {
          return options.embedding == PositionEmbedding::none ? nullptr : &options.sharedEmbeddings;
        }
        return nullptr;
      },
      mixer);
}

void setSharedTable(Mixer& mixer, const std::string& name) {
  std::visit(
      [&]<class M>(M& options) {
        if constexpr (HasSharedTable<M>) options.sharedEmbeddings = name;
      },
      mixer);
}

std::vector<SharedTable> sharedTablesOf(const Architecture& architecture) {
  std::vector<SharedTable> tables;
  for (std::size_t stage = 0; stage < architecture.stages.size(); ++stage) {
    const std::vector<Block>& blocks = architecture.stages[stage].blocks;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      const std::string* name = sharedTableOf(blocks[block].mixer);
      if (!name || name->empty()) continue;
      auto found = std::ranges::find(tables, *name, &SharedTable::name);
      if (found == tables.end()) found = tables.insert(tables.end(), {*name, {}});
      found->blocks.emplace_back(static_cast<int>(stage), static_cast<int>(block));
    }
  }
  return tables;
}

bool canShareTable(const PlacedMixer& a, const PlacedMixer& b) {
  return std::visit(
      [&]<class M>(const M& first) {
        if constexpr (HasSharedTable<const M>) {
          const auto* second = std::get_if<M>(&b.mixer);
          return second && haveSameTable(first, a.input, *second, b.input);
        } else {
          return false;
        }
      },
      a.mixer);
}

}  // namespace lambda
