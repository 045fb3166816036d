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
      others << u"stage %1, block %2"_s.arg(stage + 1).arg(block + 1);
    }
  }
  return others.join(u"; "_s);
}

QStringList descriptionOf(const Architecture& architecture, const PartId& part) {
  QStringList lines;
  switch (part.kind) {
    case PartKind::input:
      lines << u"Images of %1"_s.arg(mapShapeText(architecture.input));
      break;
    case PartKind::stem:
      lines << u"The first convolutions: %1"_s.arg(stemText(architecture.stem));
      if (architecture.stem.whitened) lines << u"whitening filters, which are not learnt"_s;
      break;
    case PartKind::stage: {
      const Stage& stage = architecture.stages.at(static_cast<std::size_t>(part.stage));
      lines << u"Width %1, stride %2, blocks: %3"_s.arg(stage.width)
                   .arg(stage.stride)
                   .arg(stage.blocks.size());
      break;
    }
    case PartKind::block: {
      const Block& block = blockOf(architecture, part);
      lines << mixerText(block.mixer);
      if (const QString sharers = sharersText(architecture, part); !sharers.isEmpty()) {
        lines << u"one table of position embeddings with %1"_s.arg(sharers);
      }
      if (block.squeezeExcitation) lines << u"with squeeze-and-excitation"_s;
      if (block.stochasticDepth > 0) {
        lines << u"skipped with probability %1 in training"_s.arg(block.stochasticDepth);
      }
      break;
    }
    case PartKind::head:
      lines << (architecture.head.pooling == Pooling::max ? u"Maximum over all positions"_s
                                                          : u"Average over all positions"_s)
            << u"and a linear map to "_s + outputsText(architecture);
      break;
  }
  return lines;
}

}  // namespace

QString mapShapeText(const MapShape& map) {
  return u"%1×%2×%3"_s.arg(map.height).arg(map.width).arg(map.channels);
}

QString partTitle(const PartId& part) {
  switch (part.kind) {
    case PartKind::input:
      return u"Input"_s;
    case PartKind::stem:
      return u"Stem"_s;
    case PartKind::stage:
      return u"Stage %1"_s.arg(part.stage + 1);
    case PartKind::block:
      return u"Stage %1, block %2"_s.arg(part.stage + 1).arg(part.block + 1);
    case PartKind::head:
      return u"Head"_s;
  }
  return {};
}

QString countedText(int count, const QString& one, const QString& many) {
  return count == 1 ? one : many.arg(count);
}

QString outputsText(const Architecture& architecture) {
  return QString::number(architecture.outputs) + u' ' +
         QString::fromLatin1(traitsOf(architecture.task).outputs);
}

QString stemText(const Stem& stem) {
  return QString::fromStdString(textOf(stem));
}

QString headText(const Architecture& architecture) {
  if (architecture.task == Task::tokens) return u"Linear"_s;
  return architecture.head.pooling == Pooling::max ? u"Max, linear"_s : u"Mean, linear"_s;
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
  text += row(u"Output"_s, mapShapeText(cost.output));
  text += row(u"Parameters"_s, countText(cost.parameters));
  text += row(u"FLOPs"_s, countText(cost.flops));
  text += row(u"Activations"_s, u"%1 per image"_s.arg(bytesText(cost.activationBytes, 3)));
  return text + u"</table>"_s;
}

QString spokenCost(const PartCost& cost) {
  return u"%1 parameters, %2 FLOPs, %3 of activations per image, gives %4"_s.arg(
      countText(cost.parameters),
      countText(cost.flops),
      bytesText(cost.activationBytes, 3),
      mapShapeText(cost.output));
}

QString selectionText(const Architecture& architecture, const Selection& selection) {
  const Selection parts = existing(architecture, selection);
  if (parts.empty()) return u"Nothing is selected."_s;
  QStringList names;
  for (const PartId& part : parts) {
    if (names.size() == kSpokenParts) {
      names << u"and %1 more"_s.arg(static_cast<int>(parts.size()) - kSpokenParts);
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
