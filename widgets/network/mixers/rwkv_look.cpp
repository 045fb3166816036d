#include "widgets/network/mixers/rwkv_look.h"

#include "widgets/network/mixers/chip_colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<RwkvMixer>::letter() {
  return u"R"_s;
}

MixerColors MixerLook<RwkvMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0xf86898, 0x7f000c);
}

QStringList MixerLook<RwkvMixer>::options(const RwkvMixer& /*mixer*/) {
  return {u"causal"_s};
}

QString MixerLook<RwkvMixer>::text(const RwkvMixer& /*mixer*/) {
  return u"RWKV-4 time mixing"_s;
}

QString MixerLook<RwkvMixer>::brief() {
  return u"Averages each channel over the past, with weights that fall off at a learnt rate."_s;
}

QueryView MixerLook<RwkvMixer>::view(const RwkvMixer& /*mixer*/) {
  return {.weights = QueryView::Weights::positionGates, .ownChannel = true};
}

MixerExplanation MixerLook<RwkvMixer>::explanation(const RwkvMixer& /*mixer*/,
                                                   const PlacedMixer& place) {
  const int depth = place.output.channels;
  MixerExplanation text;
  text.formula =
      u"y<sub>n</sub> = W<sub>o</sub> (σ(r<sub>n</sub>) ⊙ Σ<sub>m≤n</sub> a<sub>nm</sub> "
      "v<sub>m</sub>), a<sub>nm</sub> ∝ exp(k<sub>m</sub> − (n − 1 − m) w)"_s;
  text.body =
      u"Each channel has a mean of its own over the past, whose weights are positive and fall off "
      "with the distance at the learnt rate w; for the position itself, a bonus u takes the place "
      "of the distance. r, k and v each mix the position with the one before it. A sequence can "
      "be read token by token from a state of constant size."_s;
  text.numbers = {
      {u"Matrices of r, k and v"_s, u"%1 × %2"_s.arg(depth).arg(place.input.channels)},
      {u"State of a sequence"_s, u"3 × %1 + %2 numbers"_s.arg(depth).arg(place.input.channels)}};
  return text;
}

RwkvMixer MixerLook<RwkvMixer>::fitted(const RwkvMixer& mixer,
                                       int /*width*/,
                                       const MapShape& /*map*/) {
  return mixer;
}

}  // namespace lambda
