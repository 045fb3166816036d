#include "app/design/options/part_explanation.h"

#include <algorithm>

#include "engine/values/architecture/graph.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/architecture_edits.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString costText(const PartCost& cost) {
  return u"%1 params, %2 FLOPs"_s.arg(shortCountText(cost.parameters), shortCountText(cost.flops));
}

/// A line for each other kind of mixer that suits the network: its title, and the cost of the block
/// with it.
std::vector<std::pair<QString, QString>> alternatives(const Architecture& architecture,
                                                      const PartId& part) {
  std::vector<std::pair<QString, QString>> numbers;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    if (kind == blockOf(architecture, part).mixer.index() || !suits(architecture, kind)) continue;
    const Architecture other = withMixer(architecture, {part}, kind);
    const Mixer& mixer = blockOf(other, part).mixer;
    numbers.emplace_back(u"As %1 %2"_s.arg(chipLetter(mixer), chipOptions(mixer)),
                         costText(costsOf(other).parts.at(part)));
  }
  return numbers;
}

ExplanationText blockText(const Architecture& architecture,
                          const NetworkCosts& costs,
                          const PartId& part) {
  const Mixer& mixer = blockOf(architecture, part).mixer;
  const NetworkGraph graph = graphOf(architecture);
  MixerExplanation explanation = explanationOfMixer(mixer, *graph.mixerAt(part.stage, part.block));
  ExplanationText text;
  text.title = kindWithArticle(mixer.index());
  text.title[0] = text.title[0].toUpper();
  text.formula = std::move(explanation.formula);
  text.body = std::move(explanation.body);
  text.numbers = std::move(explanation.numbers);
  text.numbers.emplace_back(u"This block"_s, costText(costs.parts.at(part)));
  for (auto& number : alternatives(architecture, part)) text.numbers.push_back(std::move(number));
  return text;
}

ExplanationText stageText(const Architecture& architecture, const PartId& part) {
  const Stage& stage = architecture.stages.at(static_cast<std::size_t>(part.stage));
  return {u"A stage"_s,
          {},
          u"Blocks that work on maps of one size. The first block of a stage with stride 2 halves "
          "height and width; the width d then usually doubles, so that each stage costs about "
          "as much as the one before. Lambda layers see the whole map at once and pay most "
          "where maps are small."_s,
          {{u"Width d"_s, QString::number(stage.width)},
           {u"Channels of the output"_s,
            QString::number(graphOf(architecture)
                                .stageOutputs.at(static_cast<std::size_t>(part.stage))
                                .channels)}}};
}

ExplanationText pictureText() {
  return {u"The network as a picture"_s,
          {},
          u"From left to right: the image, the stem, the stages with a chip per block, and the "
          "head. A box is the feature map that leaves its column: its sides follow height and "
          "width, its depth the channels, each by its logarithm. The bars below a chip compare it "
          "with the network's most expensive part. FLOPs count 2 per multiply-add, forward, for "
          "one image; memory is what the backward pass keeps of one image."_s,
          {}};
}

}  // namespace

ExplanationText explanationOf(const Architecture& architecture,
                              const NetworkCosts& costs,
                              const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  if (parts.empty()) return pictureText();
  const PartId& part = *parts.begin();
  const QString shape = mapShapeText(costs.parts.at(part).output);
  switch (part.kind) {
    case PartKind::block:
      return blockText(architecture, costs, part);
    case PartKind::stage:
      return stageText(architecture, part);
    case PartKind::input:
      return {u"The input"_s,
              {},
              u"One image as it comes from the data: height × width × channels."_s,
              {{u"Shape"_s, shape}}};
    case PartKind::stem:
      return {u"The stem"_s,
              {},
              u"The first convolutions turn colours into features. The CIFAR stem keeps the size "
              "of small images; the ImageNet stem makes large ones four times smaller. Whitening "
              "filters come from the images themselves, before the first step: their channels "
              "don't vary together, and the layers after them learn faster."_s,
              {{u"Output"_s, shape}}};
    case PartKind::head:
      return {u"The head"_s,
              u"z = W · mean<sub>n</sub> x<sub>n</sub> + b"_s,
              u"Pools each channel over all positions to one number and maps these numbers to a "
              "score for every class, or to the numbers that it predicts."_s,
              {{u"Outputs"_s, outputsText(architecture)}}};
  }
  return {};
}

}  // namespace lambda
