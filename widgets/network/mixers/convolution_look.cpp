#include "widgets/network/mixers/convolution_look.h"

#include <algorithm>
#include <numeric>

#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<ConvolutionMixer>::letter() {
  return u"C"_s;
}

MixerColors MixerLook<ConvolutionMixer>::colors(const Colors& colors) {
  return {colors.convolutionChip, colors.convolutionChipText, colors.textSecondary};
}

QStringList MixerLook<ConvolutionMixer>::options(const ConvolutionMixer& mixer) {
  QStringList options{u"%1×%1"_s.arg(mixer.kernelSize)};
  if (mixer.groups > 1) options << u"g%1"_s.arg(mixer.groups);
  return options;
}

QString MixerLook<ConvolutionMixer>::text(const ConvolutionMixer& mixer) {
  const QString text = u"Convolution %1×%1"_s.arg(mixer.kernelSize);
  return mixer.groups > 1 ? text + u", %1 groups"_s.arg(mixer.groups) : text;
}

QString MixerLook<ConvolutionMixer>::brief() {
  return u"Sums a window of neighbours with learned weights, the same for every image."_s;
}

QueryView MixerLook<ConvolutionMixer>::view(const ConvolutionMixer& mixer) {
  return {.reach = QueryView::Reach::window, .side = mixer.kernelSize};
}

MixerExplanation MixerLook<ConvolutionMixer>::explanation(const ConvolutionMixer& mixer,
                                                          const PlacedMixer& place) {
  return {u"y<sub>n</sub> = Σ<sub>δ</sub> W<sub>δ</sub> x<sub>n+δ</sub>"_s,
          u"Every position sums its %1×%1 neighbours with weights that are the same everywhere "
          "and for every image. Blocks that follow reach farther."_s.arg(mixer.kernelSize),
          {{u"Weights"_s,
            u"%1×%1 × %2 × %3"_s.arg(mixer.kernelSize)
                .arg(place.input.channels / std::max(1, mixer.groups))
                .arg(place.output.channels)}}};
}

ConvolutionMixer MixerLook<ConvolutionMixer>::fitted(const ConvolutionMixer& mixer,
                                                     int width,
                                                     const MapShape& /*map*/) {
  ConvolutionMixer fitted = mixer;
  fitted.groups = width < 1 ? 1 : std::gcd(mixer.groups, width);
  return fitted;
}

}  // namespace lambda
