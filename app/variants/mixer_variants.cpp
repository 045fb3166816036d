#include "app/variants/mixer_variants.h"

#include <array>

#include "widgets/network/parts/architecture_edits.h"

using namespace Qt::StringLiterals;

namespace lambda {

std::vector<ReplaceableMixers> replaceableMixers(const Architecture& architecture) {
  std::array<Selection, kMixerKindCount> byKind;
  const Selection all = allBlocks(architecture);
  for (const PartId& part : all) byKind[blockOf(architecture, part).mixer.index()].insert(part);
  std::vector<ReplaceableMixers> choices;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    const Selection& blocks = byKind[kind];
    if (blocks.empty()) continue;
    const MixerTraits& traits = kMixerTraits[kind];
    const QString text =
        blocks.size() == 1
            ? u"The %1"_s.arg(QString::fromUtf8(traits.name))
            : u"All %1 %2"_s.arg(blocks.size()).arg(QString::fromUtf8(traits.plural));
    const bool isFirst = kind == mixerKindOf<LambdaMixer>();
    choices.insert(isFirst ? choices.begin() : choices.end(), {text, blocks});
  }
  if (choices.size() > 1) choices.push_back({u"All %1 mixers"_s.arg(all.size()), all});
  return choices;
}

RunConfig withMixers(const RunConfig& config,
                     const std::string& name,
                     const Selection& blocks,
                     std::size_t kind) {
  RunConfig variant = config;
  variant.architecture = withMixer(config.architecture, blocks, kind);
  variant.name = name + " with " + std::string(kMixerTraits[kind].plural);
  variant.architecture.name = variant.name;
  return variant;
}

}  // namespace lambda
