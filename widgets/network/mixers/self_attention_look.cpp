#include "widgets/network/mixers/self_attention_look.h"

#include "widgets/network/mixers/attention_text.h"
#include "widgets/network/mixers/chip_colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<SelfAttentionMixer>::letter() {
  return u"A"_s;
}

MixerColors MixerLook<SelfAttentionMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0x7e681d, 0xa8823d);
}

QStringList MixerLook<SelfAttentionMixer>::options(const SelfAttentionMixer& mixer) {
  QStringList options{u"h%1"_s.arg(mixer.heads), mixer.relative ? u"global"_s : u"content"_s};
  if (mixer.causal) options << u"causal"_s;
  return options;
}

QString MixerLook<SelfAttentionMixer>::text(const SelfAttentionMixer& mixer) {
  return u"Self-attention, h %1, %2"_s.arg(mixer.heads)
             .arg(mixer.relative ? u"relative positions"_s : u"content alone"_s) +
         (mixer.causal ? u", causal"_s : QString());
}

QString MixerLook<SelfAttentionMixer>::brief() {
  return u"Weighs every position of the map by how well its key matches the query."_s;
}

QueryView MixerLook<SelfAttentionMixer>::view(const SelfAttentionMixer& mixer) {
  return {.weights = QueryView::Weights::pairs, .causal = mixer.causal};
}

MixerExplanation MixerLook<SelfAttentionMixer>::explanation(const SelfAttentionMixer& mixer,
                                                            const PlacedMixer& place) {
  MixerExplanation text;
  text.formula =
      mixer.relative
          ? u"y<sub>n</sub> = Σ<sub>m</sub> softmax<sub>m</sub>(q<sub>n</sub>·(k<sub>m</sub> + "
            "r<sub>m−n</sub>) / √(d/h)) v<sub>m</sub>"_s
          : u"y<sub>n</sub> = Σ<sub>m</sub> softmax<sub>m</sub>(q<sub>n</sub>·k<sub>m</sub> / "
            "√(d/h)) v<sub>m</sub>"_s;
  text.body =
      u"Every position n weighs all positions m by how well its query matches their keys and "
      "offsets, and takes the mean of their values. The weights of all pairs are kept for "
      "training, which a lambda layer does not need."_s;
  text.body += causalSentence(mixer.causal);
  text.numbers = attentionNumbers(place, mixer.heads, place.input.positions());
  return text;
}

SelfAttentionMixer MixerLook<SelfAttentionMixer>::fitted(const SelfAttentionMixer& mixer,
                                                         int width,
                                                         const MapShape& /*map*/) {
  return withFittedHeads(mixer, width);
}

}  // namespace lambda
