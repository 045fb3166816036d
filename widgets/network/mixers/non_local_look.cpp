#include "widgets/network/mixers/non_local_look.h"

#include "widgets/network/mixers/chip_colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<NonLocalMixer>::letter() {
  return u"N"_s;
}

MixerColors MixerLook<NonLocalMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0x822e72, 0x9d4d85);
}

QStringList MixerLook<NonLocalMixer>::options(const NonLocalMixer& mixer) {
  return {mixer.pairwise == PairwiseFunction::dotProduct ? u"dot"_s : u"softmax"_s};
}

QString MixerLook<NonLocalMixer>::text(const NonLocalMixer& mixer) {
  return u"Non-local place, %1"_s.arg(
      mixer.pairwise == PairwiseFunction::dotProduct ? u"dot product"_s : u"embedded Gaussian"_s);
}

QString MixerLook<NonLocalMixer>::brief() {
  return u"Adds the mean of all positions, weighted by their similarity, to the input."_s;
}

QueryView MixerLook<NonLocalMixer>::view(const NonLocalMixer& /*mixer*/) {
  return {.weights = QueryView::Weights::pairs};
}

MixerExplanation MixerLook<NonLocalMixer>::explanation(const NonLocalMixer& /*mixer*/,
                                                       const PlacedMixer& place) {
  const long long n = place.input.positions();
  MixerExplanation text;
  text.formula =
      u"y<sub>n</sub> = x<sub>n</sub> + W<sub>z</sub> Σ<sub>m</sub> a<sub>nm</sub> "
      "g<sub>m</sub>"_s;
  text.body =
      u"Attention of one head over half the channels, added to the input. It knows no positions: "
      "it complements convolutions and does not replace them."_s;
  text.numbers = {{u"Inner channels"_s, QString::number(nonLocalDepth(place.output.channels))},
                  {u"Pairs of positions"_s, QString::number(n * n)}};
  return text;
}

NonLocalMixer MixerLook<NonLocalMixer>::fitted(const NonLocalMixer& mixer,
                                               int /*width*/,
                                               const MapShape& /*map*/) {
  return mixer;
}

AttentionWeightsText MixerLook<NonLocalMixer>::weights() {
  return {.formula = u"y_n = \\sum_m a_{nm} v_m"_s,
          .meaning =
              u"The colour of position m is the weight a with which its value enters the sum that "
              "is added to the input at the framed position n."_s};
}

}  // namespace lambda
