#include "app/inspect/compare/difference_column.h"

#include <utility>

#include <QLabel>
#include <QStringList>
#include <QVBoxLayout>

#include "app/inspect/compare/compare_side.h"
#include "app/inspect/compare/map_pair.h"
#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The difference of the changes since the start, or of the embeddings where a start is not known.
HeatmapData embeddingDifferenceOf(const InspectionSnapshot& left, const InspectionSnapshot& right) {
  HeatmapData heat = embeddingData(left);
  const EmbeddingTiles &a = left.embeddings, &b = right.embeddings;
  const bool haveChange = !a.change.empty() && !b.change.empty();
  const Array difference =
      haveChange ? differenceOf(a.change, b.change) : differenceOf(a.tiles, b.tiles);
  heat.array.values = difference.values;
  if (difference.empty()) heat.array = {};
  heat.name = exportStem(left, u"embeddings-difference"_s);
  heat.title = haveChange ? u"Embeddings, change"_s : u"Embeddings"_s;
  return heat;
}

/// The weights, layer, image and step of a side that shows a snapshot.
QString sideText(CompareSide& side) {
  return exportCaption(*side.snapshot(), side.feed().source().label);
}

QString captionOf(const QString& what, CompareSide& left, CompareSide& right) {
  return u"%1, left minus right. Left: %2. Right: %3"_s.arg(what, sideText(left), sideText(right));
}

}  // namespace

DifferenceColumn::DifferenceColumn(QWidget* parent)
    : QWidget(parent),
      header_(new QWidget),
      note_(makeNote()),
      map_(new HeatmapView),
      gap_(new QWidget),
      lambda_(new HeatmapView),
      embeddings_(new HeatmapView) {
  auto* title = new QLabel(u"Left minus right"_s);
  title->setProperty(kRole, u"heading"_s);
  auto* header = makeBareLayout<QVBoxLayout>(header_);
  header->addWidget(title);
  header->addWidget(note_);
  header->addStretch();
  auto* column = makeBareLayout<QVBoxLayout>(this, 8);
  column->addWidget(header_);
  column->addWidget(withExport(*map_), 5);
  column->addWidget(gap_);
  column->addWidget(withExport(*lambda_), 3);
  column->addWidget(withExport(*embeddings_), 4);
}

void DifferenceColumn::alignWith(CompareSide& side) {
  header_->setFixedHeight(side.headerHeight());
  gap_->setFixedHeight(side.verdictHeight());
  map_->setMinimumHeight(side.image().minimumHeight());
  lambda_->setMinimumHeight(side.lambdaView().minimumHeight());
  embeddings_->setMinimumHeight(side.embeddingsView().minimumHeight());
}

void DifferenceColumn::showNothing(const QString& reason) {
  for (HeatmapView* view : {map_, lambda_, embeddings_}) {
    view->setData({});
    view->setPlaceholder({});
  }
  map_->setPlaceholder(reason);
  note_->setVisible(false);
}

void DifferenceColumn::showMaps(CompareSide& left, CompareSide& right, ContributionKind quantity) {
  const auto leftShown = left.snapshot(), rightShown = right.snapshot();
  const MapPair maps = mapsOf(*leftShown, *rightShown, quantity);
  map_->setPlaceholder(
      u"The maps have different sizes: %1×%2 and %3×%4."_s.arg(leftShown->layer.height)
          .arg(leftShown->layer.width)
          .arg(rightShown->layer.height)
          .arg(rightShown->layer.width));
  map_->setData(
      {.array = differenceOf(maps.left, maps.right),
       .name = exportStem(*leftShown, u"difference"_s),
       .title = maps.areShares ? u"%1, share"_s.arg(titleOf(quantity)) : titleOf(quantity),
       .caption = captionOf(titleOf(quantity), left, right),
       .rows = {.label = u"row"_s, .isNumbered = false},
       .columns = {.label = u"column"_s, .isNumbered = false}});
  map_->setMark(Cell{leftShown->queryRow, leftShown->queryColumn});
  QStringList notes;
  if (leftShown->image != rightShown->image) {
    notes << u"The runs have different images with this number: the sides do not show the same "
             "picture."_s;
  }
  if (maps.areShares) {
    notes << u"Layers of different kinds: the values are shares of the sum of absolute values."_s;
  }
  note_->setText(notes.join(u' '));
  note_->setVisible(!notes.isEmpty());
}

void DifferenceColumn::showLambdas(CompareSide& left, CompareSide& right) {
  const auto leftShown = left.snapshot(), rightShown = right.snapshot();
  const bool areBothLambdas = hasLambdas(*leftShown) && hasLambdas(*rightShown);
  lambda_->setPlaceholder(!areBothLambdas ? QString()
                                          : u"The lambdas have different sizes: %1×%2 and %3×%4."_s
                                                .arg(leftShown->layer.lambdaRows())
                                                .arg(leftShown->layer.valueDepth)
                                                .arg(rightShown->layer.lambdaRows())
                                                .arg(rightShown->layer.valueDepth));
  HeatmapData lambdas =
      lambdaData(*leftShown,
                 differenceOf(leftShown->lambdas.total, rightShown->lambdas.total),
                 u"difference"_s,
                 u"λ total"_s);
  lambdas.caption = captionOf(u"Lambda matrix: total"_s, left, right);
  lambda_->setData(std::move(lambdas));
  embeddings_->setPlaceholder(areBothLambdas ? u"The layers have different embeddings."_s
                                             : QString());
  HeatmapData embeddings = embeddingDifferenceOf(*leftShown, *rightShown);
  embeddings.caption = captionOf(embeddings.title, left, right);
  embeddings_->setData(std::move(embeddings));
}

void DifferenceColumn::show(CompareSide& left, CompareSide& right, ContributionKind quantity) {
  const auto leftShown = left.snapshot(), rightShown = right.snapshot();
  if (!leftShown || !rightShown) {
    showNothing({});
    return;
  }
  const bool isSame = left.feed().source().isSameAs(right.feed().source()) &&
                      leftShown->layer == rightShown->layer && leftShown->step == rightShown->step;
  if (isSame) {
    showNothing(
        u"Both sides are the same. Choose another run, checkpoint or layer on one of them."_s);
    return;
  }
  showMaps(left, right, quantity);
  showLambdas(left, right);
}

}  // namespace lambda
