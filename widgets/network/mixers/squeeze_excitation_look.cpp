#include "widgets/network/mixers/squeeze_excitation_look.h"

#include "widgets/network/mixers/chip_colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<SqueezeExcitationMixer>::letter() {
  return u"S"_s;
}

MixerColors MixerLook<SqueezeExcitationMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0xb5b028, 0xe6e368);
}

QStringList MixerLook<SqueezeExcitationMixer>::options(const SqueezeExcitationMixer& mixer) {
  return {u"1/%1"_s.arg(mixer.ratio)};
}

QString MixerLook<SqueezeExcitationMixer>::text(const SqueezeExcitationMixer& mixer) {
  return u"Channel attention, squeezed to 1/%1"_s.arg(mixer.ratio);
}

QString MixerLook<SqueezeExcitationMixer>::brief() {
  return u"Scales each channel by a weight made from the means of all channels."_s;
}

QueryView MixerLook<SqueezeExcitationMixer>::view(const SqueezeExcitationMixer& /*mixer*/) {
  return {.weights = QueryView::Weights::channelGates, .ownChannel = true};
}

MixerExplanation MixerLook<SqueezeExcitationMixer>::explanation(const SqueezeExcitationMixer& mixer,
                                                                const PlacedMixer& place) {
  MixerExplanation text;
  text.formula =
      u"y<sub>nc</sub> = g<sub>c</sub> x<sub>nc</sub>, &nbsp; g = sigmoid(W<sub>2</sub> "
      "ReLU(W<sub>1</sub> mean<sub>n</sub> x<sub>n</sub>))"_s;
  text.body =
      u"Every channel gets one weight for the whole map, made from the means of all channels: a "
      "diagonal lambda that all positions share."_s;
  const int channels = place.input.channels;
  text.numbers = {
      {u"Channels"_s, QString::number(channels)},
      {u"Squeezed channels"_s, QString::number(squeezedChannels(channels, mixer.ratio))}};
  return text;
}

SqueezeExcitationMixer MixerLook<SqueezeExcitationMixer>::fitted(
    const SqueezeExcitationMixer& mixer, int /*width*/, const MapShape& /*map*/) {
  return mixer;
}

}  // namespace lambda
