#include "widgets/network/mixers/convolution_look.h"

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
  return {u"%1×%1"_s.arg(mixer.kernelSize)};
}

QString MixerLook<ConvolutionMixer>::text(const ConvolutionMixer& mixer) {
  return u"Convolution %1×%1"_s.arg(mixer.kernelSize);
}

MixerExplanation MixerLook<ConvolutionMixer>::explanation(const ConvolutionMixer& mixer,
                                                          const BlockPlan& plan) {
  return {u"y<sub>n</sub> = Σ<sub>δ</sub> W<sub>δ</sub> x<sub>n+δ</sub>"_s,
          u"Every position sums its %1×%1 neighbours with weights that are the same everywhere "
          "and for every image. Blocks that follow reach farther."_s.arg(mixer.kernelSize),
          {{u"Weights"_s,
            u"%1×%1 × %2 × %3"_s.arg(mixer.kernelSize)
                .arg(plan.mixerInput.channels)
                .arg(plan.mixerOutput.channels)}}};
}

ConvolutionMixer MixerLook<ConvolutionMixer>::fitted(const ConvolutionMixer& mixer,
                                                     int /*width*/,
                                                     const MapShape& /*map*/) {
  return mixer;
}

}  // namespace lambda
