#include "widgets/network/mixers/linear_attention_look.h"

#include <algorithm>

#include "widgets/network/mixers/attention_text.h"
#include "widgets/network/mixers/chip_colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<LinearAttentionMixer>::letter() {
  return u"E"_s;
}

MixerColors MixerLook<LinearAttentionMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0x64161b, 0xb24652);
}

QStringList MixerLook<LinearAttentionMixer>::options(const LinearAttentionMixer& mixer) {
  QStringList options{u"h%1"_s.arg(mixer.heads),
                      mixer.featureMap == FeatureMap::elu ? u"elu"_s : u"softmax"_s};
  if (mixer.causal) options << u"causal"_s;
  return options;
}

QString MixerLook<LinearAttentionMixer>::text(const LinearAttentionMixer& mixer) {
  return u"Linear attention, h %1, %2 features"_s.arg(mixer.heads)
             .arg(mixer.featureMap == FeatureMap::elu ? u"elu + 1"_s : u"softmax"_s) +
         (mixer.causal ? u", causal"_s : QString());
}

QString MixerLook<LinearAttentionMixer>::brief() {
  return u"Sums all positions into one matrix for each head: a lambda without positions."_s;
}

QueryView MixerLook<LinearAttentionMixer>::view(const LinearAttentionMixer& mixer) {
  return {.weights = QueryView::Weights::lambda, .causal = mixer.causal};
}

MixerExplanation MixerLook<LinearAttentionMixer>::explanation(const LinearAttentionMixer& mixer,
                                                              const PlacedMixer& place) {
  const int depth = place.output.channels / std::max(1, mixer.heads);
  MixerExplanation text;
  text.formula =
      u"y<sub>n</sub> = (Σ<sub>m</sub> φ(k<sub>m</sub>) v<sub>m</sub><sup>T</sup>)"
      "<sup>T</sup> φ(q<sub>n</sub>)"_s;
  text.body =
      u"All positions are summed into one matrix for each head, which is applied to every query: "
      "a content lambda without positions. It needs no weights of pairs."_s;
  text.body += causalSentence(mixer.causal);
  text.numbers = {{u"Heads"_s, QString::number(mixer.heads)},
                  {u"A head's matrix"_s, u"%1 × %1"_s.arg(depth)}};
  return text;
}

LinearAttentionMixer MixerLook<LinearAttentionMixer>::fitted(const LinearAttentionMixer& mixer,
                                                             int width,
                                                             const MapShape& /*map*/) {
  return withFittedHeads(mixer, width);
}

}  // namespace lambda
