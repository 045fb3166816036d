#include "app/inspect/compare/compare_side.h"

#include <algorithm>
#include <utility>

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/choosers/name_list.h"
#include "app/inspect/choosers/source_chooser.h"
#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/panels/prediction_text.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kLeastImage = 232;  // pixels at the usual size of text
constexpr double kLeastLambda = 192;
constexpr double kLeastEmbeddings = 232;
constexpr int kVerdictLines = 2;

}  // namespace

CompareSide::CompareSide(TrainingSession& training, CheckpointService& checkpoints, QWidget* parent)
    : QWidget(parent),
      chooser_(new SourceChooser),
      layerList_(new NameList),
      image_(new ImageView),
      lambda_(new HeatmapView),
      embeddings_(new HeatmapView),
      verdict_(makeNote()),
      feed_(new SnapshotFeed(training, checkpoints, this)) {
  layerList_->setAccessibleName(u"Layer"_s);
  layerList_->setToolTip(u"The layer to compare"_s);
  verdict_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  fitToText();
  auto* header = new QHBoxLayout;
  header->setSpacing(8);
  header->addWidget(layerList_, 1);
  header->addWidget(makeExportButton(*image_, *image_));
  auto* column = makeBareLayout<QVBoxLayout>(this, 8);
  column->addWidget(chooser_);
  column->addLayout(header);
  column->addWidget(image_, 5);
  column->addWidget(verdict_);
  column->addWidget(withExport(*lambda_), 3);
  column->addWidget(withExport(*embeddings_), 4);

  connect(chooser_, &SourceChooser::sourceChanged, this, &CompareSide::takeSource);
  connect(layerList_, &NameList::activated, this, [this](int index) {
    layer_ = layers_[static_cast<std::size_t>(index)];
    Q_EMIT chosen();
  });
  connect(image_, &ImageView::queryChosen, this, [this](int row, int place) {
    if (!layer_) return;
    Q_EMIT queryChosen((row + 0.5) / layer_->height, (place + 0.5) / layer_->width);
  });
  connect(feed_, &SnapshotFeed::arrived, this, &CompareSide::changed);
  connect(feed_, &SnapshotFeed::failed, this, [this](const QString& reason) {
    showReason(reason);
    Q_EMIT changed();
  });
  onFontChange(*this, [this] { fitToText(); });
}

void CompareSide::fitToText() {
  image_->setMinimumHeight(qRound(kLeastImage * textScale()));
  lambda_->setMinimumHeight(qRound(kLeastLambda * textScale()));
  embeddings_->setMinimumHeight(qRound(kLeastEmbeddings * textScale()));
  // The pictures keep their places when the words become longer.
  verdict_->setFixedHeight(kVerdictLines * QFontMetrics(bodyFont()).lineSpacing() + 2);
}

int CompareSide::headerHeight() const {
  return chooser_->sizeHint().height() + layout()->spacing() + layerList_->sizeHint().height();
}

int CompareSide::verdictHeight() const {
  return verdict_->maximumHeight();
}

void CompareSide::takeSource(const InspectionSource& source) {
  feed_->setSource(source);
  layers_ = inspectableLayers(source.record.config.architecture);
  fillLayers();
  if (source.kind == SourceKind::none) {
    showReason(u"Choose a run above."_s);
    Q_EMIT changed();
  }
  Q_EMIT chosen();
}

void CompareSide::fillLayers() {
  const std::string wanted = layer_ ? layer_->name : std::string();
  layerList_->clear();
  layer_.reset();
  for (const InspectableLayer& layer : layers_) {
    layerList_->addItem(layerTitle(layer.name) + u"  "_s + layerSummary(layer));
    if (layer.name == wanted || !layer_) {
      layer_ = layer;
      layerList_->setCurrentIndex(layerList_->count() - 1);
    }
  }
  layerList_->setEnabled(!layers_.empty());
  layerList_->setPlaceholderText(u"No layers"_s);
}

void CompareSide::setLayer(const std::string& name) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i].name != name) continue;
    layer_ = layers_[i];
    layerList_->setCurrentIndex(static_cast<int>(i));
  }
}

void CompareSide::ask(const InspectionRequest& image, double rowShare, double columnShare) {
  if (feed_->source().kind == SourceKind::none) return;
  if (!layer_) {
    showReason(u"This network has no layers to compare."_s);
    Q_EMIT changed();
    return;
  }
  InspectionRequest request = image;
  request.layer = layer_->name;
  request.queryRow = std::clamp(static_cast<int>(rowShare * layer_->height), 0, layer_->height - 1);
  request.queryColumn =
      std::clamp(static_cast<int>(columnShare * layer_->width), 0, layer_->width - 1);
  image_->setQuery(Cell{request.queryRow, request.queryColumn});
  feed_->ask(request);
}

void CompareSide::showReason(const QString& reason) {
  image_->setImage({});
  image_->setOverlay({});
  image_->setPlaceholder(reason);
  lambda_->setPlaceholder({});
  lambda_->setData({});
  embeddings_->setPlaceholder({});
  embeddings_->setData({});
  verdict_->setText({});
}

void CompareSide::show(ContributionKind quantity, const Scales& scales) {
  const std::shared_ptr<const InspectionSnapshot> s = snapshot();
  if (!s) return;
  image_->setImage(s->image);
  image_->setPositions(s->layer.height, s->layer.width);
  image_->setQuery(Cell{s->queryRow, s->queryColumn});
  Array map = mapOf(headMapsOf(*s, quantity), quantity, -1);
  if (scales.areShares) map = sharesOf(std::move(map));
  ColorRange range = scales.map.value_or(rangeOf(quantity, map));
  if (quantity == ContributionKind::effect) range.low = 0;
  image_->setOverlay(
      {.cells = map,
       .range = range,
       .map = colorMapOf(quantity),
       .quantity = scales.areShares ? u"%1, share"_s.arg(titleOf(quantity)) : titleOf(quantity),
       .name = exportStem(*s, u"compared-"_s + titleOf(quantity).toLower()),
       .caption = exportCaption(*s, titleOf(quantity)),
       .query = Cell{s->queryRow, s->queryColumn}});
  const QString whyNoLambdas = whyNoLambda(s->layer);
  lambda_->setPlaceholder(whyNoLambdas);
  lambda_->setRange(scales.lambda);
  lambda_->setData(lambdaData(*s, s->lambdas.total, u"total"_s, u"λ total"_s));
  embeddings_->setRange(scales.embeddings);
  embeddings_->setPlaceholder(whyNoLambdas.isEmpty() ? u"This layer has no position embeddings."_s
                                                     : QString());
  embeddings_->setData(embeddingData(*s));
  const PredictionText words = predictionText(*s);
  setRole(*verdict_, words.role);
  verdict_->setText(
      u"%1 · epoch %2, step %3"_s.arg(words.text, QString::number(s->epoch), countText(s->step)));
}

}  // namespace lambda
