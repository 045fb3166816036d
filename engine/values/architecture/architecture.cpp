#include "engine/values/architecture/architecture.h"

namespace lambda {

std::string patternOf(const Architecture& architecture) {
  std::string pattern;
  for (const Stage& stage : architecture.stages) {
    std::string letters;
    for (const Block& block : stage.blocks) letters += traitsOf(block.mixer).letter;
    const bool uniform = letters.find_first_not_of(letters.substr(0, 1)) == std::string::npos;
    if (!pattern.empty()) pattern += '-';
    pattern += uniform ? letters.substr(0, 1) : letters;
  }
  return pattern;
}

std::string patternLegend() {
  std::string legend;
  for (const MixerTraits& traits : kMixerTraits) {
    if (!legend.empty()) legend += ", ";
    legend += std::string(1, traits.letter) + " for " + std::string(traits.plural);
  }
  return legend;
}

}  // namespace lambda
