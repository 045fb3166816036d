#include "widgets/network/mixers/axial_attention_look.h"

#include "widgets/network/mixers/attention_text.h"
#include "widgets/network/mixers/chip_colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<AxialAttentionMixer>::letter() {
  return u"X"_s;
}

MixerColors MixerLook<AxialAttentionMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0x7dc864, 0xa0d58e);
}

QStringList MixerLook<AxialAttentionMixer>::options(const AxialAttentionMixer& mixer) {
  return {u"h%1"_s.arg(mixer.heads), mixer.relative ? u"axial"_s : u"content"_s};
}

QString MixerLook<AxialAttentionMixer>::text(const AxialAttentionMixer& mixer) {
  return u"Axial self-attention, h %1, %2"_s.arg(mixer.heads)
      .arg(mixer.relative ? u"relative positions"_s : u"content alone"_s);
}

QString MixerLook<AxialAttentionMixer>::brief() {
  return u"Attends to the row of a query, then to its column."_s;
}

QueryView MixerLook<AxialAttentionMixer>::view(const AxialAttentionMixer& /*mixer*/) {
  return {.reach = QueryView::Reach::rowAndColumn, .weights = QueryView::Weights::pairs};
}

MixerExplanation MixerLook<AxialAttentionMixer>::explanation(const AxialAttentionMixer& mixer,
                                                             const PlacedMixer& place) {
  MixerExplanation text;
  text.formula =
      u"y<sub>n</sub> = Σ<sub>m in row, then column</sub> a<sub>nm</sub> v<sub>m</sub>"_s;
  text.body =
      u"Every position n first attends to its row and then to its column. Two layers reach the "
      "whole map with far fewer pairs than global attention."_s;
  text.numbers = attentionNumbers(place, mixer.heads, place.input.height + place.input.width);
  return text;
}

AxialAttentionMixer MixerLook<AxialAttentionMixer>::fitted(const AxialAttentionMixer& mixer,
                                                           int width,
                                                           const MapShape& /*map*/) {
  return withFittedHeads(mixer, width);
}

AttentionWeightsText MixerLook<AxialAttentionMixer>::weights() {
  return {.formula = u"a_{nm} = a^{\\text{column}}_{nj} a^{\\text{row}}_{jm}"_s,
          .meaning =
              u"The colour of position m is how much of it reaches the framed position n: the "
              "weight of its row at their crossing j, times the weight of j in the column."_s};
}

}  // namespace lambda
