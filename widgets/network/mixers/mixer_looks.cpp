#include "widgets/network/mixers/mixer_looks.h"

#include "widgets/network/mixers/axial_attention_look.h"
#include "widgets/network/mixers/convolution_look.h"
#include "widgets/network/mixers/depthwise_convolution_look.h"
#include "widgets/network/mixers/lambda_look.h"
#include "widgets/network/mixers/linear_attention_look.h"
#include "widgets/network/mixers/local_attention_look.h"
#include "widgets/network/mixers/non_local_look.h"
#include "widgets/network/mixers/rwkv_look.h"
#include "widgets/network/mixers/self_attention_look.h"
#include "widgets/network/mixers/spatial_attention_look.h"
#include "widgets/network/mixers/squeeze_excitation_look.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Calls ask(look, mixer) with the look for the mixer's kind.
template <class Ask>
auto askLook(const Mixer& mixer, const Ask& ask) {
  return std::visit([&]<class M>(const M& options) { return ask(MixerLook<M>(), options); }, mixer);
}

}  // namespace

QString chipLetter(const Mixer& mixer) {
  return askLook(mixer, [](auto look, const auto&) { return look.letter(); });
}

MixerColors colorsOfMixer(const Mixer& mixer, const Colors& colors) {
  return askLook(mixer, [&](auto look, const auto&) { return look.colors(colors); });
}

QString chipOptions(const Mixer& mixer) {
  return askLook(mixer,
                 [](auto look, const auto& options) { return look.options(options).join(u' '); });
}

QString mixerText(const Mixer& mixer) {
  return askLook(mixer, [](auto look, const auto& options) { return look.text(options); });
}

QString mixerBrief(const Mixer& mixer) {
  return askLook(mixer, [](auto look, const auto&) { return look.brief(); });
}

QueryView queryViewOf(const Mixer& mixer) {
  return askLook(mixer, [](auto look, const auto& options) { return look.view(options); });
}

MixerExplanation explanationOfMixer(const Mixer& mixer, const PlacedMixer& place) {
  return askLook(mixer,
                 [&](auto look, const auto& options) { return look.explanation(options, place); });
}

AttentionWeightsText attentionWeightsText(const Mixer& mixer) {
  return askLook(mixer, [](auto look, const auto& /*options*/) -> AttentionWeightsText {
    if constexpr (requires { look.weights(); }) {
      return look.weights();
    } else {
      return {.formula = u"y_n = \\sum_m a_{nm} v_m"_s,
              .meaning =
                  u"The colour of position m is the weight a with which its value v enters the "
                  "output at the framed position n. The weights of a head add up to 1."_s};
    }
  });
}

Mixer fittedMixer(const Mixer& mixer, int width, const MapShape& map) {
  return askLook(mixer, [&](auto look, const auto& options) -> Mixer {
    return look.fitted(options, width, map);
  });
}

QString kindWithArticle(std::size_t kind) {
  const QString name = QString::fromUtf8(kMixerTraits[kind].name);
  // The R of an abbreviation is read as a vowel.
  return (u"aeiouR"_s.contains(name.front()) ? u"an %1"_s : u"a %1"_s).arg(name);
}

QString kindPlural(std::size_t kind) {
  return QString::fromUtf8(kMixerTraits[kind].plural);
}

}  // namespace lambda
