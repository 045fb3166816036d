#include "widgets/network/mixers/spatial_attention_look.h"

#include "widgets/network/mixers/chip_colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<SpatialAttentionMixer>::letter() {
  return u"P"_s;
}

MixerColors MixerLook<SpatialAttentionMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0x1e1760, 0x4039bc);
}

QStringList MixerLook<SpatialAttentionMixer>::options(const SpatialAttentionMixer& mixer) {
  return {u"%1×%1"_s.arg(mixer.kernelSize)};
}

QString MixerLook<SpatialAttentionMixer>::text(const SpatialAttentionMixer& mixer) {
  return u"Spatial attention %1×%1"_s.arg(mixer.kernelSize);
}

QString MixerLook<SpatialAttentionMixer>::brief() {
  return u"Scales each position by a weight made from the window around it."_s;
}

QueryView MixerLook<SpatialAttentionMixer>::view(const SpatialAttentionMixer& mixer) {
  return {.reach = QueryView::Reach::window,
          .side = mixer.kernelSize,
          .weights = QueryView::Weights::positionGates,
          .ownChannel = true};
}

MixerExplanation MixerLook<SpatialAttentionMixer>::explanation(const SpatialAttentionMixer& mixer,
                                                               const PlacedMixer& place) {
  MixerExplanation text;
  text.formula = u"y<sub>nc</sub> = g<sub>n</sub> x<sub>nc</sub>"_s;
  text.body =
      u"Every position gets one weight for all channels, from the mean and the maximum of the "
      "channels in the %1×%1 window around it: a scalar lambda."_s.arg(mixer.kernelSize);
  text.numbers = {{u"Positions n"_s, QString::number(place.input.positions())},
                  {u"Weights"_s, u"%1×%1 × 2"_s.arg(mixer.kernelSize)}};
  return text;
}

SpatialAttentionMixer MixerLook<SpatialAttentionMixer>::fitted(const SpatialAttentionMixer& mixer,
                                                               int /*width*/,
                                                               const MapShape& /*map*/) {
  return mixer;
}

}  // namespace lambda
