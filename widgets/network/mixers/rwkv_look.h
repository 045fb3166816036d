#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<RwkvMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const RwkvMixer& mixer);
  static QString text(const RwkvMixer& mixer);
  static QString brief();
  static QueryView view(const RwkvMixer& mixer);
  static MixerExplanation explanation(const RwkvMixer& mixer, const PlacedMixer& place);
  static RwkvMixer fitted(const RwkvMixer& mixer, int width, const MapShape& map);
};

}  // namespace lambda
