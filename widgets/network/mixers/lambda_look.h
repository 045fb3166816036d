#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<LambdaMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const LambdaMixer& mixer);
  static QString text(const LambdaMixer& mixer);
  static QString brief();
  static QueryView view(const LambdaMixer& mixer);
  static MixerExplanation explanation(const LambdaMixer& mixer, const PlacedMixer& place);
  /// Makes the number of heads divide the width, keeps the window within reach of the map, limits
  /// the scope where global scope is slow, and shares no embeddings.
  static LambdaMixer fitted(LambdaMixer mixer, int width, const MapShape& map);
};

}  // namespace lambda
