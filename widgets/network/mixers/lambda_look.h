#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<LambdaMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const LambdaMixer& mixer);
  static QString text(const LambdaMixer& mixer);
  static MixerExplanation explanation(const LambdaMixer& mixer, const BlockPlan& plan);
  /// Heads that divide the width, a window that does not reach beyond the map, no names shared.
  static LambdaMixer fitted(LambdaMixer mixer, int width, const MapShape& map);
};

}  // namespace lambda
