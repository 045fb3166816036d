#pragma once

#include "widgets/network/mixers/mixer_look.h"

namespace lambda {

template <>
struct MixerLook<DepthwiseConvolutionMixer> {
  static QString letter();
  static MixerColors colors(const Colors& colors);
  static QStringList options(const DepthwiseConvolutionMixer& mixer);
  static QString text(const DepthwiseConvolutionMixer& mixer);
  static QString brief();
  static QueryView view(const DepthwiseConvolutionMixer& mixer);
  static MixerExplanation explanation(const DepthwiseConvolutionMixer& mixer,
                                      const PlacedMixer& place);
  static DepthwiseConvolutionMixer fitted(const DepthwiseConvolutionMixer& mixer,
                                          int width,
                                          const MapShape& map);
};

}  // namespace lambda
