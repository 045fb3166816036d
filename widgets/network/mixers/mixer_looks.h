#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

// The functions of MixerLook for a mixer of any kind.

/// "C", "λ"
QString chipLetter(const Mixer& mixer);

MixerColors colorsOfMixer(const Mixer& mixer, const Colors& colors);

/// The important options of a mixer, short enough for its chip: "3×3", "k16 h4 r23".
QString chipOptions(const Mixer& mixer);

/// "Lambda layer, k 16, h 4, global", "Convolution 3×3"
QString mixerText(const Mixer& mixer);

/// One sentence on what the mixer's kind does.
QString mixerBrief(const Mixer& mixer);

/// What a query of the mixer sees.
QueryView queryViewOf(const Mixer& mixer);

/// The explanation of a mixer in its block; `plan` belongs to that block.
MixerExplanation explanationOfMixer(const Mixer& mixer, const PlacedMixer& place);

/// The formula and the meaning of the weights that Inspect shows of this mixer, which must be one
/// with attention.
AttentionWeightsText attentionWeightsText(const Mixer& mixer);

/// The mixer with options that suit this width and map.
Mixer fittedMixer(const Mixer& mixer, int width, const MapShape& map);

// The names of the kinds; `kind` is an index of kMixerTraits.

/// "a lambda layer", "lambda layers"
QString kindWithArticle(std::size_t kind);
QString kindPlural(std::size_t kind);

}  // namespace lambda
