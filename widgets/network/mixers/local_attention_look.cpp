#include "widgets/network/mixers/local_attention_look.h"

#include <algorithm>

#include "widgets/network/mixers/attention_text.h"
#include "widgets/network/mixers/chip_colors.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<LocalAttentionMixer>::letter() {
  return u"W"_s;
}

MixerColors MixerLook<LocalAttentionMixer>::colors(const Colors& colors) {
  return chipColors(colors, 0x947bc3, 0xbfb4db);
}

QStringList MixerLook<LocalAttentionMixer>::options(const LocalAttentionMixer& mixer) {
  return {u"h%1"_s.arg(mixer.heads), u"r%1"_s.arg(mixer.scope)};
}

QString MixerLook<LocalAttentionMixer>::text(const LocalAttentionMixer& mixer) {
  return u"Windowed self-attention, h %1, scope %2×%2"_s.arg(mixer.heads).arg(mixer.scope);
}

QString MixerLook<LocalAttentionMixer>::brief() {
  return u"Weighs the positions of a window by how well their keys match the query."_s;
}

QueryView MixerLook<LocalAttentionMixer>::view(const LocalAttentionMixer& mixer) {
  return {
      .reach = QueryView::Reach::window, .side = mixer.scope, .weights = QueryView::Weights::pairs};
}

MixerExplanation MixerLook<LocalAttentionMixer>::explanation(const LocalAttentionMixer& mixer,
                                                             const PlacedMixer& place) {
  MixerExplanation text;
  text.formula =
      u"y<sub>n</sub> = Σ<sub>m</sub> softmax<sub>m</sub>(q<sub>n</sub>·(k<sub>m</sub> + "
      "r<sub>m−n</sub>)) v<sub>m</sub>, &nbsp; m within %1×%1"_s.arg(mixer.scope);
  text.body =
      u"Every position n weighs the positions of the window around it by how well its query "
      "matches their keys and offsets, and takes the mean of their values."_s;
  // The window may reach beyond the map.
  const long long window = static_cast<long long>(mixer.scope) * mixer.scope;
  text.numbers = attentionNumbers(place, mixer.heads, std::min(window, place.input.positions()));
  return text;
}

LocalAttentionMixer MixerLook<LocalAttentionMixer>::fitted(const LocalAttentionMixer& mixer,
                                                           int width,
                                                           const MapShape& map) {
  LocalAttentionMixer fitted = withFittedHeads(mixer, width);
  while (fitted.heads > 1 && (width % fitted.heads != 0 || width / fitted.heads % 2 != 0)) {
    --fitted.heads;
  }
  const int side = std::max({map.height, map.width, 1});
  fitted.scope = std::min(fitted.scope, 2 * side - 1);
  return fitted;
}

}  // namespace lambda
