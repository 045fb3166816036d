#include "widgets/network/mixers/depthwise_convolution_look.h"

#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString sizeText(const DepthwiseConvolutionMixer& mixer) {
  return u"%1×%2"_s.arg(mixer.causal ? 1 : mixer.kernelSize).arg(mixer.kernelSize);
}

QString windowText(const DepthwiseConvolutionMixer& mixer) {
  return sizeText(mixer) + (mixer.causal ? u", causal"_s : QString());
}

}  // namespace

QString MixerLook<DepthwiseConvolutionMixer>::letter() {
  return u"D"_s;
}

MixerColors MixerLook<DepthwiseConvolutionMixer>::colors(const Colors& colors) {
  const QColor teal = colors.dark ? QColor(0x2cc29a) : QColor(0x0b7a5e);
  return {teal, colors.dark ? QColor(0x07231b) : QColor(Qt::white), teal};
}

QStringList MixerLook<DepthwiseConvolutionMixer>::options(const DepthwiseConvolutionMixer& mixer) {
  return {windowText(mixer)};
}

QString MixerLook<DepthwiseConvolutionMixer>::text(const DepthwiseConvolutionMixer& mixer) {
  return u"Depthwise convolution "_s + windowText(mixer);
}

QString MixerLook<DepthwiseConvolutionMixer>::brief() {
  return u"Sums a window of neighbours in each channel on its own."_s;
}

QueryView MixerLook<DepthwiseConvolutionMixer>::view(const DepthwiseConvolutionMixer& mixer) {
  return {.reach = mixer.causal ? QueryView::Reach::rowBefore : QueryView::Reach::window,
          .side = mixer.kernelSize,
          .ownChannel = true};
}

MixerExplanation MixerLook<DepthwiseConvolutionMixer>::explanation(
    const DepthwiseConvolutionMixer& mixer, const PlacedMixer& place) {
  const int in = place.input.channels;
  const int out = place.output.channels;
  MixerExplanation text;
  text.formula = u"y<sub>nc</sub> = Σ<sub>δ</sub> w<sub>δc</sub> x<sub>n+δ,c</sub>"_s;
  text.body =
      mixer.causal
          ? u"Every channel c is summed over a position and the %1 before it with its own weights, "
            "and no channel sees another one: other layers mix the channels."_s.arg(
                mixer.kernelSize - 1)
          : u"Every channel c is summed over its %1×%1 neighbours with its own weights, and no "
            "channel sees another one: other layers mix the channels."_s.arg(mixer.kernelSize);
  if (in == out) text.body += u" A convolution has %1 times as many weights."_s.arg(out);
  text.numbers = {{u"Weights"_s, u"%1 × %2"_s.arg(sizeText(mixer)).arg(in)}};
  if (in != out)
    text.numbers.emplace_back(u"1×1 weights after it"_s, u"%1 × %2"_s.arg(in).arg(out));
  return text;
}

DepthwiseConvolutionMixer MixerLook<DepthwiseConvolutionMixer>::fitted(
    const DepthwiseConvolutionMixer& mixer, int /*width*/, const MapShape& map) {
  if (!mixer.causal || map.height == 1) return mixer;
  return {.kernelSize = mixer.kernelSize / 2 * 2 + 1};  // A square window is odd.
}

}  // namespace lambda
