#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<SqueezeExcitationMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const SqueezeExcitationMixer& mixer);
  static QString text(const SqueezeExcitationMixer& mixer);
  static QString brief();
  static QueryView view(const SqueezeExcitationMixer& mixer);
  static MixerExplanation explanation(const SqueezeExcitationMixer& mixer,
                                      const PlacedMixer& place);
  static SqueezeExcitationMixer fitted(const SqueezeExcitationMixer& mixer,
                                       int width,
                                       const MapShape& map);
};

}  // namespace lambda
