#include "app/design/part_explanation.h"

#include <algorithm>

#include <QCoreApplication>

#include "engine/values/plan.h"
#include "widgets/network/parts/architecture_edits.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/network/parts/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("PartExplanation", text);
}

BlockPlan planFor(const Architecture& architecture, const PartId& part) {
  const NetworkPlan plan = planOf(architecture);
  const auto found = std::find_if(plan.blocks.begin(), plan.blocks.end(), [&](const BlockPlan& b) {
    return b.stage == part.stage && b.block == part.block;
  });
  return found == plan.blocks.end() ? BlockPlan{} : *found;
}

QString costText(const PartCost& cost) {
  return tr("%1 params, %2 FLOPs").arg(shortCount(cost.parameters), shortCount(cost.flops));
}

/// What the block would cost with a mixer of the other kind.
std::pair<QString, QString> alternative(const Architecture& architecture, const PartId& part) {
  const Architecture other = withMixersToggled(architecture, {part});
  const Block& block = blockOf(other, part);
  return {tr("As %1 %2").arg(chipLetter(block), chipOptions(block)),
          costText(costsOf(other).parts.at(part))};
}

QString embeddingText(const LambdaMixer& mixer, const MapShape& map) {
  if (mixer.embedding == PositionEmbedding::none) return tr("none");
  return tr("%1 × k %2").arg(embeddingRows(mixer, map)).arg(mixer.queryDepth) +
         (mixer.intraDepth > 1 ? tr(" × u %1").arg(mixer.intraDepth) : QString());
}

QString lambdaFormula(const LambdaMixer& mixer) {
  QString sum = u"k̄<sub>m</sub> + e<sub>nm</sub>"_s;
  if (mixer.embedding == PositionEmbedding::none) sum = u"k̄<sub>m</sub>"_s;
  if (!mixer.content) sum = u"e<sub>nm</sub>"_s;
  return u"λ<sub>n</sub> = Σ<sub>m</sub> ("_s + sum +
         u") v<sub>m</sub><sup>T</sup>, &nbsp; y<sub>n</sub> = λ<sub>n</sub><sup>T</sup> "
         u"q<sub>n</sub>"_s;
}

ExplanationText blockText(const Architecture& architecture,
                          const NetworkCosts& costs,
                          const PartId& part) {
  const Block& block = blockOf(architecture, part);
  const BlockPlan plan = planFor(architecture, part);
  ExplanationText text;
  const auto* mixer = std::get_if<LambdaMixer>(&block.mixer);
  if (mixer) {
    const int depth = plan.mixerOutput.channels / std::max(1, mixer->heads);
    text.title = tr("A lambda layer");
    text.formula = lambdaFormula(*mixer);
    text.body = tr(
        "Every position n sums up what is around it into a small matrix, its lambda: keys k̄ say "
        "what there is, embeddings e where it is, values v what to pass on. The lambda then "
        "turns the queries of all heads into the output. No softmax stands between, so that what "
        "the studio shows of it is its exact arithmetic.");
    text.numbers = {
        {tr("Positions n"),
         tr("%1 × %2 = %3")
             .arg(plan.mixerInput.height)
             .arg(plan.mixerInput.width)
             .arg(plan.mixerInput.positions())},
        {tr("A lambda, k × v"), tr("%1 × %2").arg(mixer->queryDepth).arg(depth)},
        {tr("Heads that share it"), QString::number(mixer->heads)},
        {tr("Position embeddings"), embeddingText(*mixer, plan.mixerInput)},
    };
  } else {
    const int side = std::get<ConvolutionMixer>(block.mixer).kernelSize;
    text.title = tr("A convolution");
    text.formula = u"y<sub>n</sub> = Σ<sub>δ</sub> W<sub>δ</sub> x<sub>n+δ</sub>"_s;
    text.body =
        tr("Every position sums up its %1×%1 neighbours with weights that are the same everywhere "
           "and for every image. What is farther away is reached by the blocks that follow.")
            .arg(side);
    text.numbers = {{tr("Weights"),
                     tr("%1×%1 × %2 × %3")
                         .arg(side)
                         .arg(plan.mixerInput.channels)
                         .arg(plan.mixerOutput.channels)}};
  }
  text.numbers.emplace_back(tr("This block"), costText(costs.parts.at(part)));
  text.numbers.push_back(alternative(architecture, part));
  return text;
}

ExplanationText stageText(const Architecture& architecture, const PartId& part) {
  const Stage& stage = architecture.stages.at(static_cast<std::size_t>(part.stage));
  return {
      tr("A stage"),
      {},
      tr("Blocks that work on maps of one size. The first block of a stage with stride 2 halves "
         "height and width; the width d then usually doubles, so that each stage costs about "
         "as much as the one before. Lambda layers see the whole map at once and pay most "
         "where maps are small."),
      {{tr("Width d"), QString::number(stage.width)},
       {tr("Channels of the output"),
        QString::number(stage.width * expansionOf(architecture.family))}}};
}

ExplanationText pictureText() {
  return {tr("The network as a picture"),
          {},
          tr("From left to right: the image, the stem, the stages with a chip per block, and the "
             "head. A box is the feature map that leaves its column: sides follow height and "
             "width, depth the channels, each by its logarithm. The bars below a chip compare it "
             "with the network's most expensive part. FLOPs count 2 a multiply-add, forward, for "
             "one image; memory is what the backward pass keeps of one image."),
          {}};
}

}  // namespace

ExplanationText explanationOf(const Architecture& architecture,
                              const NetworkCosts& costs,
                              const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  if (parts.empty()) return pictureText();
  const PartId& part = *parts.begin();
  const QString shape = shapeText(costs.parts.at(part).output);
  switch (part.kind) {
    case PartKind::block:
      return blockText(architecture, costs, part);
    case PartKind::stage:
      return stageText(architecture, part);
    case PartKind::input:
      return {tr("The input"),
              {},
              tr("One image as it comes from the data: height × width × channels."),
              {{tr("Shape"), shape}}};
    case PartKind::stem:
      return {
          tr("The stem"),
          {},
          tr("The first convolutions turn colours into features. The CIFAR stem keeps the size "
             "of small images; the ImageNet stem makes large ones four times smaller. Whitening "
             "filters come from the images themselves, before the first step: their channels "
             "don't vary together, and the layers after them learn faster."),
          {{tr("Gives"), shape}}};
    case PartKind::head:
      return {tr("The head"),
              u"z = W · mean<sub>n</sub> x<sub>n</sub> + b"_s,
              tr("Pools each channel over all positions to one number and turns these into a score "
                 "for every class."),
              {{tr("Classes"), QString::number(architecture.classes)}}};
  }
  return {};
}

}  // namespace lambda
