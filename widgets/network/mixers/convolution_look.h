#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<ConvolutionMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const ConvolutionMixer& mixer);
  static QString text(const ConvolutionMixer& mixer);
  static QString brief();
  static QueryView view(const ConvolutionMixer& mixer);
  static MixerExplanation explanation(const ConvolutionMixer& mixer, const PlacedMixer& place);
  static ConvolutionMixer fitted(const ConvolutionMixer& mixer, int width, const MapShape& map);
};

}  // namespace lambda
