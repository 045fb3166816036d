#include "widgets/network/parts/network_text.h"

#include <QStringList>

#include "engine/values/architecture/shared_tables.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSpokenParts = 4;

/// "stage 2, block 1; stage 3, block 1": the other blocks that use the block's table.
QString sharersText(const Architecture& architecture, const PartId& part) {
  const std::string* name = sharedTableOf(blockOf(architecture, part).mixer);
  QStringList others;
  for (const SharedTable& table : sharedTablesOf(architecture)) {
    if (!name || table.name != *name) continue;
    for (const auto& [stage, block] : table.blocks) {
      if (blockPart(stage, block) == part) continue;
      others << tr("stage %1, block %2").arg(stage + 1).arg(block + 1);
    }
  }
  return others.join(u"; "_s);
}

QStringList descriptionOf(const Architecture& architecture, const PartId& part) {
  QStringList lines;
  switch (part.kind) {
    case PartKind::input:
      lines << tr("Images of %1").arg(shapeText(architecture.input));
      break;
    case PartKind::stem:
      lines << tr("The first convolutions: %1").arg(stemText(architecture.stem));
      if (architecture.stem.whitened) lines << tr("whitening filters, which are not learnt");
      break;
    case PartKind::stage: {
      const Stage& stage = architecture.stages.at(static_cast<std::size_t>(part.stage));
      lines << tr("Width %1, stride %2, blocks: %3")
                   .arg(stage.width)
                   .arg(stage.stride)
                   .arg(stage.blocks.size());
      break;
    }
    case PartKind::block: {
      const Block& block = blockOf(architecture, part);
      lines << mixerText(block.mixer);
      if (const QString sharers = sharersText(architecture, part); !sharers.isEmpty()) {
        lines << tr("one table of position embeddings with %1").arg(sharers);
      }
      if (block.squeezeExcitation) lines << tr("with squeeze-and-excitation");
      if (block.stochasticDepth > 0) {
        lines << tr("skipped with probability %1 in training").arg(block.stochasticDepth);
      }
      break;
    }
    case PartKind::head:
      lines << (architecture.head.pooling == Pooling::max ? tr("Maximum over all positions")
                                                          : tr("Average over all positions"))
            << tr("and a linear map to %1 classes").arg(architecture.classes);
      break;
  }
  return lines;
}

}  // namespace

QString shapeText(const MapShape& map) {
  return u"%1×%2×%3"_s.arg(map.height).arg(map.width).arg(map.channels);
}

QString partTitle(const PartId& part) {
  switch (part.kind) {
    case PartKind::input:
      return tr("Input");
    case PartKind::stem:
      return tr("Stem");
    case PartKind::stage:
      return tr("Stage %1").arg(part.stage + 1);
    case PartKind::block:
      return tr("Stage %1, block %2").arg(part.stage + 1).arg(part.block + 1);
    case PartKind::head:
      return tr("Head");
  }
  return {};
}

QString countedText(int count, const QString& one, const QString& many) {
  return count == 1 ? one : many.arg(count);
}

QString stemText(const Stem& stem) {
  switch (stem.kind) {
    case StemKind::cifar:
      return u"3×3"_s;
    case StemKind::imagenet:
      return tr("7×7/2, pool");
    case StemKind::resnetD:
      return u"ResNet-D"_s;
    case StemKind::patch:
      return tr("%1×%1 patch").arg(stem.patchSize);
  }
  return {};
}

QString partToolTip(const Architecture& architecture,
                    const NetworkCosts& costs,
                    const PartId& part) {
  if (!contains(architecture, part)) return {};
  QString text = u"<b>"_s + partTitle(part) + u"</b><br>"_s +
                 descriptionOf(architecture, part)
                     .join(u"<br>"_s)
                     .toHtmlEscaped()
                     .replace(u"&lt;br&gt;"_s, u"<br>"_s);
  const auto found = costs.parts.find(part);
  if (found == costs.parts.end() || part.kind == PartKind::input) return text;
  const PartCost& cost = found->second;
  const auto row = [](const QString& name, const QString& value) -> QString {
    return u"<tr><td>"_s + name + u"&nbsp;&nbsp;</td><td align=right>"_s + value + u"</td></tr>"_s;
  };
  text += u"<table cellspacing=0>"_s;
  text += row(tr("Output"), shapeText(cost.output));
  text += row(tr("Parameters"), countText(cost.parameters));
  text += row(tr("FLOPs"), countText(cost.flops));
  text += row(tr("Activations"), tr("%1 per image").arg(bytesText(cost.activationBytes, 3)));
  return text + u"</table>"_s;
}

QString spokenCost(const PartCost& cost) {
  return tr("%1 parameters, %2 FLOPs, %3 of activations per image, gives %4")
      .arg(countText(cost.parameters),
           countText(cost.flops),
           bytesText(cost.activationBytes, 3),
           shapeText(cost.output));
}

QString selectionText(const Architecture& architecture, const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  if (parts.empty()) return tr("Nothing is selected.");
  QStringList names;
  for (const PartId& part : parts) {
    if (names.size() == kSpokenParts) {
      names << tr("and %1 more").arg(static_cast<int>(parts.size()) - kSpokenParts);
      break;
    }
    QString name = partTitle(part);
    if (part.kind == PartKind::block) {
      name += u": "_s + mixerText(blockOf(architecture, part).mixer);
    }
    names << name;
  }
  return names.join(u"; "_s);
}

}  // namespace lambda
