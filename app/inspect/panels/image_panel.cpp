#include "app/inspect/panels/image_panel.h"

#include <algorithm>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/panels/balance_bar.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/segmented.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmap_view.h"
#include "widgets/pictures/image_view.h"
#include "widgets/pictures/number_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kAround = 110;     // controls above the pictures and facts below
constexpr double kCaption = 28;  // of a head's tile, with its gap
constexpr double kTileGap = 12;
constexpr double kLeastTile = 88;    // device-independent pixels
constexpr double kHeadsShare = 0.2;  // of the panel's width, at most
constexpr int kManyHeads = 4;        // above it they stand in two columns
constexpr int kOpacitySteps = 100;
constexpr double kResidualLimit = 1e-4;  // above it the sum is not the layer's arithmetic

QString quantityName(Quantity quantity) {
  switch (quantity) {
    case Quantity::content:
      return ImagePanel::tr("A content");
    case Quantity::position:
      return ImagePanel::tr("A position");
    case Quantity::total:
      return ImagePanel::tr("A total");
    case Quantity::effect:
      return u"‖A v‖"_s;
  }
  return {};
}

QString fileName(Quantity quantity) {
  switch (quantity) {
    case Quantity::content:
      return u"contribution-content"_s;
    case Quantity::position:
      return u"contribution-position"_s;
    case Quantity::total:
      return u"contribution-total"_s;
    case Quantity::effect:
      return u"effect"_s;
  }
  return {};
}

ColorMap mapFor(Quantity quantity) {
  return quantity == Quantity::effect ? ColorMap::viridis : ColorMap::diverging;
}

/// `scale` 0 = of the values themselves.
ColorRange rangeFor(Quantity quantity, const Array& map, double scale) {
  if (quantity == Quantity::effect) return {0, rangeOf(ColorMap::viridis, map.values).high};
  if (scale > 0) return {-scale, scale};
  return rangeOf(ColorMap::diverging, map.values);
}

}  // namespace

QString quantityTitle(Quantity quantity) {
  switch (quantity) {
    case Quantity::content:
      return ImagePanel::tr("Content");
    case Quantity::position:
      return ImagePanel::tr("Position");
    case Quantity::total:
      return ImagePanel::tr("Total");
    case Quantity::effect:
      return ImagePanel::tr("Effect");
  }
  return {};
}

ImagePanel::ImagePanel(QWidget* parent)
    : QWidget(parent),
      headList_(new QComboBox),
      opacity_(new QSlider(Qt::Horizontal)),
      image_(new ImageView),
      heads_(new HeatmapView),
      residual_(makeNote()),
      balance_(new BalanceBar) {
  QStringList titles;
  for (const Quantity quantity : kQuantities) titles << quantityTitle(quantity);
  quantities_ = new Segmented(titles);
  quantities_->setAccessibleName(tr("What is laid over the image"));
  const QString tips[] = {tr("q · k̄: what stands there (1)"),
                          tr("q · e: how far away it stands (2)"),
                          tr("A = q · (k̄ + e): both (3)"),
                          tr("‖A v‖: how much it changes the output (4)")};
  for (int i = 0; i < 4; ++i) quantities_->setChoiceToolTip(i, tips[i]);
  headList_->setAccessibleName(tr("Head"));
  headList_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  headList_->setMinimumContentsLength(10);
  headList_->setToolTip(tr("Which head's contributions (comma and full stop)"));
  opacity_->setRange(0, kOpacitySteps);
  opacity_->setValue(60);
  opacity_->setFixedWidth(static_cast<int>(72 * textScale()));
  opacity_->setAccessibleName(tr("Opacity of the contributions"));
  opacity_->setToolTip(tr("Opacity of the contributions"));
  heads_->setColorBarVisible(false);
  heads_->setReadoutVisible(false);
  heads_->setPlaceholder({});
  residual_->setWordWrap(false);

  auto* controls = new QHBoxLayout;
  controls->setSpacing(8);
  controls->addWidget(quantities_);
  controls->addWidget(headList_);
  controls->addWidget(opacity_);
  controls->addStretch();
  controls->addWidget(makeExplanationButton(*this, [this] { return explanation(); }));
  controls->addWidget(makeExportButton(*image_, *image_));
  auto* pictures = new QHBoxLayout;
  pictures->setSpacing(12);
  pictures->addWidget(image_, 1);
  pictures->addWidget(heads_);
  auto* facts = new QHBoxLayout;
  facts->setSpacing(24);
  facts->addWidget(residual_);
  facts->addWidget(balance_, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(8);
  column->addLayout(controls);
  column->addLayout(pictures, 1);
  column->addLayout(facts);

  connect(quantities_, &Segmented::chosen, this, [this](int choice) {
    setQuantity(kQuantities[static_cast<std::size_t>(choice)]);
  });
  connect(headList_, &QComboBox::activated, this, [this](int index) { setHead(index - 1); });
  connect(opacity_, &QSlider::valueChanged, this, [this](int value) {
    image_->setOpacity(static_cast<double>(value) / kOpacitySteps);
  });
  image_->setOpacity(opacity());
  connect(image_, &ImageView::queryChosen, this, &ImagePanel::queryChosen);
  connect(heads_, &HeatmapView::cellActivated, this, [this](int tile) {
    setHead(tile == head_ ? -1 : tile);
  });
  setQuantity(Quantity::total);
}

void ImagePanel::setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  if (snapshot_) {
    image_->setImage(snapshot_->image);
    image_->setPositions(snapshot_->layer.height, snapshot_->layer.width);
    image_->setQuery(Cell{snapshot_->queryRow, snapshot_->queryColumn});
  } else {
    image_->setImage({});
    image_->setPositions(0, 0);
  }
  updateHeadList();
  updateViews();
  updateResidual();
}

void ImagePanel::setImage(const Image& image) {
  setSnapshot(nullptr);
  image_->setImage(image);
}

void ImagePanel::setControlsEnabled(bool enabled) {
  quantities_->setEnabled(enabled);
  opacity_->setEnabled(enabled);
}

void ImagePanel::setPlaceholder(const QString& text) {
  image_->setPlaceholder(text);
}

void ImagePanel::setQuantity(Quantity quantity) {
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
  // Sums over the heads have another size than one head: a scale from outside is for all together.
  const double scale = head_ < 0 ? scale_.value_or(0) : 0;
  image_->setOverlay({.cells = map,
                      .range = rangeFor(quantity_, map, scale),
                      .map = mapFor(quantity_),
                      .quantity = quantityName(quantity_),
                      .name = exportStem(*snapshot_, fileName(quantity_))});
  HeatmapData heat{.array = maps,
                   .name = exportStem(*snapshot_, fileName(quantity_) + u"-heads"_s),
                   .map = mapFor(quantity_)};
  for (int head = 0; head < snapshot_->layer.heads; ++head)
    heat.captions << tr("Head %1").arg(head);
  heads_->setRange(rangeFor(quantity_, maps, 0));
  heads_->setData(std::move(heat));
  heads_->setMark(Cell{snapshot_->queryRow, snapshot_->queryColumn});
  heads_->setSelectedTile(head_);
  fitHeads();
  heads_->setVisible(snapshot_->layer.heads > 1);
}

void ImagePanel::fitHeads() {
  const int heads = snapshot_ ? snapshot_->layer.heads : 0;
  if (heads == 0) return;
  const int columns = heads > kManyHeads ? 2 : 1, rows = (heads + columns - 1) / columns;
  // A tile as high as fits beside its caption, yet no more than the image can spare.
  const double fitting = static_cast<double>(height() - kAround) / rows - kCaption;
  const double tile = std::clamp(fitting, kLeastTile, std::max(kLeastTile, width() * kHeadsShare));
  heads_->setTilesPerRow(columns);
  heads_->setFixedWidth(static_cast<int>(columns * (tile + kTileGap) * textScale()));
}

void ImagePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitHeads();
}

QString ImagePanel::residualText() const {
  return residual_->text();
}

QString ImagePanel::balanceText() const {
  return balance_->text();
}

void ImagePanel::updateResidual() {
  const bool isKnown = snapshot_ && !snapshot_->effect.empty();
  balance_->setBalance(isKnown ? std::optional(snapshot_->balance) : std::nullopt);
  if (!isKnown) {
    residual_->setText({});
    return;
  }
  const ContributionResidual& residual = snapshot_->residual;
  const bool isExact = residual.relative <= kResidualLimit;
  residual_->setText(isExact ? tr("✓ Sum of contributions = layer output within %1")
                                   .arg(numberText(residual.relative, 1))
                             : tr("Sum of contributions differs from the layer output by %1")
                                   .arg(numberText(residual.relative, 2)));
  residual_->setToolTip(tr("Greatest difference %1, as a share of the greatest output %2. The map "
                           "is the layer's own arithmetic, not an interpretation.")
                            .arg(numberText(residual.absolute), numberText(residual.relative)));
  residual_->setProperty(kRole, isExact ? u"success"_s : u"warning"_s);
  residual_->style()->unpolish(residual_);
  residual_->style()->polish(residual_);
}

ExplanationText ImagePanel::explanation() const {
  ExplanationText text{
      .title = tr("Contributions to one position"),
      .formula = tr("A<sub>m</sub> = q<sub>n</sub> &middot; (k&#772;<sub>m</sub> + "
                    "e<sub>nm</sub>)<br>y<sub>n</sub> = &Sigma;<sub>m</sub> A<sub>m</sub> "
                    "v<sub>m</sub>"),
      .body = tr("Click a position n: the colours say with which weight A every other position's "
                 "value enters the output there, red positive, blue negative. They are not "
                 "normalised and may have any sign. Effect is ‖A v‖: weight times size of what is "
                 "there. This is the layer's own arithmetic: summed up it gives the output."),
      .numbers = {}};
  if (!snapshot_ || snapshot_->effect.empty()) return text;
  const InspectionSnapshot& s = *snapshot_;
  const Array map = mapOf(headMapsOf(s, Quantity::total), Quantity::total, head_);
  text.numbers.emplace_back(tr("Position n"),
                            tr("row %1, column %2").arg(s.queryRow).arg(s.queryColumn));
  if (!map.values.empty()) {
    const auto [least, most] = std::minmax_element(map.values.begin(), map.values.end());
    text.numbers.emplace_back(tr("A, smallest … greatest"),
                              numberText(static_cast<double>(*least)) + u" … "_s +
                                  numberText(static_cast<double>(*most)));
  }
  text.numbers.emplace_back(tr("‖y content‖²"), numberText(s.balance.contentEnergy));
  text.numbers.emplace_back(tr("‖y position‖²"), numberText(s.balance.positionEnergy));
  text.numbers.emplace_back(tr("Cosine between them"), numberText(s.balance.cosine));
  text.numbers.emplace_back(tr("Σ A v − y"), numberText(s.residual.absolute));
  return text;
}

}  // namespace lambda
