#include "app/inspect/panels/panel_parts.h"

#include <algorithm>

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "app/inspect/choosers/layer_list.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSizeF kButtonSize(24, 22);

/// "validation image 7"
QString imageText(const InspectionRequest& request) {
  if (request.picture) return u"own picture"_s;
  const QString split = request.split == Split::test ? u"test"_s : u"validation"_s;
  return u"%1 image %2"_s.arg(split).arg(request.image);
}

}  // namespace

QString exportStem(const InspectionSnapshot& snapshot, const QString& what) {
  return layerTitle(snapshot.layer.name) + u'-' + what;
}

QString exportCaption(const InspectionSnapshot& snapshot, const QString& what) {
  return u"%1. Layer %2, %3, step %4"_s.arg(
      what, layerTitle(snapshot.layer.name), imageText(snapshot.request), countText(snapshot.step));
}

QLabel* makeNote(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty(kRole, u"secondary"_s);
  label->setWordWrap(true);
  return label;
}

QWidget* withExport(HeatmapView& view) {
  auto* widget = new QWidget;
  auto* grid = makeBareLayout<QGridLayout>(widget);
  QToolButton* button = makeExportButton(view, view);
  button->setStyleSheet(u"padding: 0;"_s);
  const auto fitToText = [button] { button->setFixedSize((kButtonSize * textScale()).toSize()); };
  fitToText();
  onFontChange(*widget, fitToText);
  grid->addWidget(&view, 0, 0);
  grid->addWidget(button, 0, 0, Qt::AlignTop | Qt::AlignRight);
  button->raise();
  return widget;
}

ColorRange commonRange(std::initializer_list<const Array*> arrays) {
  double most = 0;
  for (const Array* array : arrays) {
    if (array->empty()) continue;
    most = std::max(most, rangeOf(ColorMap::diverging, array->values).high);
  }
  return most > 0 ? ColorRange{-most, most} : ColorRange{-1, 1};
}

HeatmapData lambdaData(const InspectionSnapshot& snapshot,
                       const Array& lambda,
                       const QString& part,
                       const QString& title) {
  return {.array = lambda,
          .name = exportStem(snapshot, u"lambda-"_s + part),
          .title = title,
          .caption = exportCaption(snapshot, u"Lambda matrix: %1"_s.arg(part)),
          .rows = {.label = snapshot.layer.lambdas > 1 ? u"h, k"_s : u"k"_s},
          .columns = {.label = u"v"_s}};
}

HeatmapAxis offsetAxis(const InspectableLayer& layer, const QString& offset, std::int64_t size) {
  const bool isRelative = layer.embedding == PositionEmbedding::relative;
  return {.label = isRelative ? u"Δ"_s + offset : offset,
          .first = isRelative ? -static_cast<int>(size / 2) : 0,
          .hasZero = isRelative};
}

HeatmapData embeddingData(const InspectionSnapshot& snapshot) {
  const EmbeddingTiles& embeddings = snapshot.embeddings;
  const bool hasChange = !embeddings.change.empty();
  const Array& tiles = hasChange ? embeddings.change : embeddings.tiles;
  HeatmapData heat{
      .array = {},
      .name = exportStem(snapshot, hasChange ? u"embeddings-change"_s : u"embeddings"_s),
      .title = hasChange ? u"Embeddings, change since the start"_s
                         : u"Embeddings; their start is not known"_s};
  heat.caption = exportCaption(snapshot, heat.title);
  if (tiles.shape.size() != 4 || tiles.empty()) return heat;
  heat.array = {{tiles.shape[0] * tiles.shape[1], tiles.shape[2], tiles.shape[3]}, tiles.values};
  heat.rows = offsetAxis(snapshot.layer, u"y"_s, tiles.shape[2]);
  heat.columns = offsetAxis(snapshot.layer, u"x"_s, tiles.shape[3]);
  for (int slot = 0; slot < static_cast<int>(heat.array.shape[0]); ++slot) {
    heat.captions << slotName(snapshot.layer, slot);
  }
  return heat;
}

QString slotName(const InspectableLayer& layer, int slot) {
  const int depth = std::max(1, layer.intraDepth);
  const int row = slot / depth;
  const int rowsOfHead = layer.lambdas > 1 ? std::max(1, layer.queryDepth) : row + 1;
  QStringList name;
  if (layer.lambdas > 1) name << u"h %1"_s.arg(row / rowsOfHead);
  name << u"k %1"_s.arg(row % rowsOfHead);
  if (depth > 1) name << u"u %1"_s.arg(slot % depth);
  return name.join(u", "_s);
}

QString weightsText(InspectedWeights weights) {
  switch (weights) {
    case InspectedWeights::live:
      return u"Live weights"_s;
    case InspectedWeights::averaged:
      return u"Averaged weights"_s;
    case InspectedWeights::stored:
      break;
  }
  return u"Weights"_s;
}

QString whyNoLambda(const InspectableLayer& layer) {
  if (inspectedAs(layer) == InspectedAs::lambdas) return {};
  const QString kind = QString::fromUtf8(kMixerTraits[layer.kind].name);
  const QString article = u"aeiou"_s.contains(kind.front()) ? u"An"_s : u"A"_s;
  return u"%1 %2 has no lambda: its weights are shown over the image."_s.arg(article, kind);
}

QString lettersOf(const InspectableLayer& layer) {
  const QString positions = u"%1 × %2"_s.arg(layer.height).arg(layer.width);
  const QString where =
      layer.scope > 0
          ? u"n is one of %1 positions, m one of %2 × %2 around it."_s.arg(positions).arg(
                layer.scope)
          : u"n and m are %1 positions."_s.arg(positions);
  const QString heads =
      layer.lambdas > 1
          ? u" Each head has its own lambda: they are shown below each other, k rows each."_s
          : QString();
  return u"Here k = %1, v = %2, h = %3, u = %4; %5%6"_s.arg(layer.queryDepth)
      .arg(layer.valueDepth)
      .arg(layer.heads)
      .arg(layer.intraDepth)
      .arg(where, heads);
}

QAction* makePageAction(QObject& owner,
                        const QString& text,
                        const QKeySequence& key,
                        const QString& toolTip) {
  auto* action = new QAction(text, &owner);
  action->setShortcut(key);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  action->setToolTip(toolTip);
  return action;
}

}  // namespace lambda
