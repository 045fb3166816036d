#include "app/inspect/panels/image_panel.h"

#include <algorithm>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/balance_bar.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/segmented.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmap_view.h"
#include "widgets/pictures/image_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kCaption = 28;  // height of the caption of a head's tile, with its gap
constexpr double kTileGap = 12;
constexpr double kLeastTile = 40;    // pixels at the usual size of text
constexpr double kHeadsShare = 0.2;  // upper limit as a share of the panel's width
constexpr int kManyHeads = 4;        // more heads stand in two columns
constexpr int kOpacitySteps = 100;
constexpr int kSideBySide = 0;
constexpr int kOverlay = 1;
constexpr double kOpacityWidth = 64;
constexpr double kLeastPlain = 64;
constexpr int kMargin = 12;
constexpr int kGap = 8;
constexpr int kFactsGap = 4;         // between the lines of the panel
constexpr int kFactsGapAcross = 24;  // where they stand side by side

}  // namespace

ImagePanel::ImagePanel(QWidget* parent)
    : QWidget(parent),
      controls_(new FlowLayout(kGap)),
      headList_(new QComboBox),
      modes_(new Segmented({tr("Side by side"), tr("Overlay")})),
      opacityLabel_(new QLabel(tr("Opacity"))),
      opacity_(new QSlider(Qt::Horizontal)),
      prediction_(new ElidedLabel),
      plain_(new ImageView),
      image_(new ImageView),
      heads_(new HeatmapView),
      facts_(new QBoxLayout(QBoxLayout::LeftToRight)),
      residual_(new ElidedLabel),
      balance_(new BalanceBar) {
  QStringList titles;
  for (const ContributionKind quantity : kContributionKinds) titles << titleOf(quantity);
  quantities_ = new Segmented(titles);
  quantities_->setAccessibleName(tr("Map of contributions"));
  modes_->setAccessibleName(tr("Where the contributions are shown"));
  modes_->setChoiceToolTip(kSideBySide, tr("The image, and the contributions beside it"));
  modes_->setChoiceToolTip(kOverlay, tr("The contributions over the image"));
  opacityLabel_->setProperty(kRole, u"secondary"_s);
  opacityLabel_->setBuddy(opacity_);
  plain_->setColorBarVisible(false);
  plain_->setAccessibleName(tr("Image"));
  const QString tips[] = {tr("q · k̄: content of each position (1)"),
                          tr("q · e: offset of each position (2)"),
                          tr("A = q · (k̄ + e): both (3)"),
                          tr("‖A v‖: how much it changes the output (4)")};
  for (int i = 0; i < 4; ++i) quantities_->setChoiceToolTip(i, tips[i]);
  headList_->setAccessibleName(tr("Head"));
  headList_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  headList_->setMinimumContentsLength(8);
  headList_->setToolTip(tr("Which head's contributions (comma and full stop)"));
  opacity_->setRange(0, kOpacitySteps);
  opacity_->setValue(60);
  fitToText();
  opacity_->setAccessibleName(tr("Opacity of the contributions"));
  opacity_->setToolTip(tr("Opacity of the contributions"));
  heads_->setColorBarVisible(false);
  heads_->setReadoutVisible(false);
  heads_->setPlaceholder({});
  residual_->setProperty(kRole, u"secondary"_s);

  controls_->addWidget(quantities_);
  controls_->addWidget(headList_);
  controls_->addWidget(modes_);
  controls_->addWidget(opacityLabel_);
  controls_->addWidget(opacity_);
  controls_->beginRight();
  QToolButton* help = makeExplanationButton(*this, [this] { return explanation(); });
  auto* buttons = new QWidget;
  auto* buttonRow = new QHBoxLayout(buttons);
  buttonRow->setContentsMargins(0, 0, 0, 0);
  buttonRow->setSpacing(0);
  buttonRow->addWidget(help);
  buttonRow->addWidget(makeExportButton(*image_, *image_));
  controls_->addWidget(buttons);
  auto* pictures = new QHBoxLayout;
  pictures->setSpacing(12);
  pictures->addWidget(plain_, 1);
  pictures->addWidget(image_, 1);
  pictures->addWidget(heads_);
  facts_->addWidget(residual_);
  facts_->addWidget(balance_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kMargin, kGap, kMargin, kGap);
  column->setSpacing(kFactsGap);
  column->addLayout(controls_);
  column->addWidget(prediction_);
  column->addLayout(pictures, 1);
  column->addLayout(facts_);

  connect(quantities_, &Segmented::chosen, this, [this](int choice) {
    setQuantity(kContributionKinds[static_cast<std::size_t>(choice)]);
  });
  connect(headList_, &QComboBox::activated, this, [this](int index) { setHead(index - 1); });
  connect(modes_, &Segmented::chosen, this, &ImagePanel::updateMode);
  connect(opacity_, &QSlider::valueChanged, this, &ImagePanel::updateMode);
  for (ImageView* view : {plain_, image_}) {
    connect(view, &ImageView::queryChosen, this, [this](int y, int x) {
      setQuery({y, x});
      Q_EMIT queryChosen(y, x);
    });
  }
  connect(heads_, &HeatmapView::cellActivated, this, [this](int tile) {
    setHead(tile == head_ ? -1 : tile);
  });
  setTabOrder(opacity_, help);
  setQuantity(ContributionKind::total);
  updateMode();
}

void ImagePanel::setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  for (ImageView* view : {plain_, image_}) {
    view->setImage(snapshot_ ? snapshot_->image : Image());
    view->setPositions(snapshot_ ? snapshot_->layer.height : 0,
                       snapshot_ ? snapshot_->layer.width : 0);
  }
  if (snapshot_) setQuery({snapshot_->queryRow, snapshot_->queryColumn});
  setPrediction(snapshot_ ? predictionText(*snapshot_) : PredictionText());
  updateMode();
  updateHeadList();
  updateViews();
  updateResidual();
}

void ImagePanel::setImage(const Image& image) {
  setSnapshot(nullptr);
  image_->setImage(image);
}

void ImagePanel::setControlsEnabled(bool enabled) {
  for (QWidget* control : std::initializer_list<QWidget*>{quantities_, modes_, opacity_}) {
    control->setEnabled(enabled);
  }
}

bool ImagePanel::isOverlay() const {
  return modes_->current() == kOverlay;
}

void ImagePanel::setOverlay(bool overlay) {
  modes_->setCurrent(overlay ? kOverlay : kSideBySide);
  updateMode();
}

void ImagePanel::setQuery(const Cell& query) {
  for (ImageView* view : {plain_, image_}) view->setQuery(query);
}

void ImagePanel::setGridVisible(bool visible) {
  for (ImageView* view : {plain_, image_}) view->setGridVisible(visible);
}

void ImagePanel::setPrediction(const PredictionText& words) {
  prediction_->setText(words.text);
  setRole(*prediction_, words.role);
}

QString ImagePanel::predictionWords() const {
  return prediction_->fullText();
}

void ImagePanel::updateMode() {
  // Without a map there is nothing to show beside the image.
  plain_->setVisible(!isOverlay() && snapshot_);
  image_->setOpacity(isOverlay() ? opacity() : 1);
  opacityLabel_->setVisible(isOverlay());
  opacity_->setVisible(isOverlay());
}

void ImagePanel::setPlaceholder(const QString& text) {
  image_->setPlaceholder(text);
}

void ImagePanel::setQuantity(ContributionKind quantity) {
  quantity_ = quantity;
  quantities_->setCurrent(static_cast<int>(quantity));
  updateViews();
  Q_EMIT quantityChanged();
}

void ImagePanel::setHead(int head) {
  head_ = head;
  updateHeadList();
  updateViews();
  Q_EMIT headChanged(head_);
}

void ImagePanel::stepHead(int by) {
  const int heads = snapshot_ ? snapshot_->layer.heads : 0;
  if (heads > 0) setHead(std::clamp(head_ + by, -1, heads - 1));
}

double ImagePanel::opacity() const {
  return static_cast<double>(opacity_->value()) / kOpacitySteps;
}

void ImagePanel::setOpacity(double opacity) {
  opacity_->setValue(qRound(opacity * kOpacitySteps));
}

void ImagePanel::setScale(std::optional<double> greatest) {
  scale_ = greatest;
  updateViews();
}

void ImagePanel::updateHeadList() {
  const int heads = snapshot_ ? snapshot_->layer.heads : 0;
  if (head_ >= heads) head_ = -1;
  if (headList_->count() != heads + 1) {
    headList_->clear();
    headList_->addItem(tr("All heads"));
    for (int head = 0; head < heads; ++head) headList_->addItem(tr("Head %1").arg(head));
  }
  headList_->setCurrentIndex(head_ + 1);
  headList_->setEnabled(heads > 0);
}

void ImagePanel::updateViews() {
  const Array maps = snapshot_ ? headMapsOf(*snapshot_, quantity_) : Array();
  const Array map = mapOf(maps, quantity_, head_);
  if (map.empty()) {
    image_->setOverlay({});
    heads_->setData({});
    heads_->setVisible(false);
    return;
  }
  // Sums over the heads have another magnitude than one head: a given scale is for all heads
  // together.
  const double scale = head_ < 0 ? scale_.value_or(0) : 0;
  image_->setOverlay({.cells = map,
                      .range = rangeOf(quantity_, map, scale),
                      .map = colorMapOf(quantity_),
                      .quantity = symbolOf(quantity_),
                      .name = exportStem(*snapshot_, fileStemOf(quantity_))});
  HeatmapData heat{.array = maps,
                   .name = exportStem(*snapshot_, fileStemOf(quantity_) + u"-heads"_s),
                   .map = colorMapOf(quantity_)};
  heads_->setRange(rangeOf(quantity_, maps));
  heads_->setData(std::move(heat));
  heads_->setMark(Cell{snapshot_->queryRow, snapshot_->queryColumn});
  heads_->setSelectedTile(head_);
  fitHeads();
  heads_->setVisible(snapshot_->layer.heads > 1);
}

void ImagePanel::fitToText() {
  opacity_->setFixedWidth(qRound(kOpacityWidth * textScale()));
  plain_->setMinimumWidth(qRound(kLeastPlain * textScale()));
}

void ImagePanel::fitHeads() {
  const int heads = snapshot_ ? snapshot_->layer.heads : 0;
  if (heads == 0) return;
  const int columns = heads > kManyHeads ? 2 : 1, rows = (heads + columns - 1) / columns;
  const int inner = contentsRect().width() - 2 * kMargin;
  const int room = contentsRect().height() - controls_->heightForWidth(inner) -
                   facts_->sizeHint().height() - prediction_->sizeHint().height() - 5 * kGap;
  // A tile is as high as fits beside its caption, but no larger than the image can spare.
  const double fitting = static_cast<double>(room) / rows - kCaption * textScale();
  const double least = kLeastTile * textScale();
  const double tile = std::clamp(fitting, least, std::max(least, width() * kHeadsShare));
  heads_->setTilesPerRow(columns);
  heads_->setFixedWidth(static_cast<int>(columns * (tile + kTileGap)));
  HeatmapData heat = heads_->data();
  const QString longest = tr("Head %1").arg(heads - 1);
  const bool hasRoom =
      QFontMetrics(smallFont()).horizontalAdvance(longest) <= std::min(tile, fitting);
  heat.captions.clear();
  for (int head = 0; head < heads; ++head) {
    heat.captions << (hasRoom ? tr("Head %1").arg(head) : QString::number(head));
  }
  if (heat.captions != heads_->data().captions) heads_->setData(std::move(heat));
}

void ImagePanel::fitFacts() {
  const int text = QFontMetrics(bodyFont()).horizontalAdvance(residual_->fullText()) + 2;
  const int rest = contentsRect().width() - 2 * kMargin - kFactsGapAcross - text;
  const bool fits = rest >= balance_->sizeHint().width();
  facts_->setDirection(fits ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  facts_->setSpacing(fits ? kFactsGapAcross : kFactsGap);
  facts_->setStretch(0, fits ? text : 0);
  facts_->setStretch(1, fits ? rest : 0);
}

void ImagePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitHeads();
  fitFacts();
}

void ImagePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange) return;
  fitToText();
  fitHeads();
  fitFacts();
}

QSize ImagePanel::minimumSizeHint() const {
  // Includes the second line that the facts need at the least width.
  const int width = layout()->minimumSize().width();
  const bool isOneLine = facts_->direction() == QBoxLayout::LeftToRight;
  const int secondLine = isOneLine ? residual_->minimumSizeHint().height() + kFactsGap : 0;
  return {width, layout()->minimumHeightForWidth(width) + secondLine};
}

}  // namespace lambda
