#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

// What MixerLook has of each kind, for a mixer of any kind.

/// "C", "λ"
QString chipLetter(const Mixer& mixer);

MixerColors colorsOfMixer(const Mixer& mixer, const Colors& colors);

/// What matters about a mixer, short enough for its chip: "3×3", "k16 h4 r23".
QString chipOptions(const Mixer& mixer);

/// "Lambda layer, k 16, h 4, global", "Convolution 3×3"
QString mixerText(const Mixer& mixer);

/// `plan`: of the block that the mixer is in.
MixerExplanation explanationOfMixer(const Mixer& mixer, const BlockPlan& plan);

/// The mixer with options that suit that width and map.
Mixer fittedMixer(const Mixer& mixer, int width, const MapShape& map);

// The kinds in words; `kind` is an index of kMixerTraits.

/// "a lambda layer", "lambda layers"
QString kindWithArticle(std::size_t kind);
QString kindPlural(std::size_t kind);

}  // namespace lambda
