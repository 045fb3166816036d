#include "widgets/network/mixers/depthwise_convolution_look.h"

#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

QString MixerLook<DepthwiseConvolutionMixer>::letter() {
  return u"D"_s;
}

MixerColors MixerLook<DepthwiseConvolutionMixer>::colors(const Colors& colors) {
  const QColor teal = colors.dark ? QColor(0x2cc29a) : QColor(0x0b7a5e);
  return {teal, colors.dark ? QColor(0x07231b) : QColor(Qt::white), teal};
}

QStringList MixerLook<DepthwiseConvolutionMixer>::options(const DepthwiseConvolutionMixer& mixer) {
  return {u"%1×%1"_s.arg(mixer.kernelSize)};
}

QString MixerLook<DepthwiseConvolutionMixer>::text(const DepthwiseConvolutionMixer& mixer) {
  return tr("Depthwise convolution %1×%1").arg(mixer.kernelSize);
}

MixerExplanation MixerLook<DepthwiseConvolutionMixer>::explanation(
    const DepthwiseConvolutionMixer& mixer, const BlockPlan& plan) {
  const int in = plan.mixerInput.channels;
  const int out = plan.mixerOutput.channels;
  MixerExplanation text;
  text.formula = u"y<sub>nc</sub> = Σ<sub>δ</sub> w<sub>δc</sub> x<sub>n+δ,c</sub>"_s;
  text.body = tr("Every channel c is summed over its %1×%1 neighbours with its own weights, and no "
                 "channel sees another one: other layers mix the channels.")
                  .arg(mixer.kernelSize);
  if (in == out) text.body += tr(" A convolution has %1 times as many weights.").arg(out);
  text.numbers = {{tr("Weights"), tr("%1×%1 × %2").arg(mixer.kernelSize).arg(in)}};
  if (in != out)
    text.numbers.emplace_back(tr("1×1 weights after it"), tr("%1 × %2").arg(in).arg(out));
  return text;
}

DepthwiseConvolutionMixer MixerLook<DepthwiseConvolutionMixer>::fitted(
    const DepthwiseConvolutionMixer& mixer, int /*width*/, const MapShape& /*map*/) {
  return mixer;
}

}  // namespace lambda
