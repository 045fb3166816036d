#include "app/inspect/panels/image_panel.h"

#include <algorithm>

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/choosers/segmented.h"
#include "app/inspect/contribution_style.h"
#include "app/inspect/panels/contribution_facts.h"
#include "app/inspect/panels/contribution_pictures.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/panels/prediction_text.h"
#include "widgets/equations/equation_view.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kOpacitySteps = 100;
constexpr int kSideBySide = 0;
constexpr int kOverlay = 1;
constexpr double kOpacityWidth = 64;
constexpr double kFirstOpacity = 0.6;

}  // namespace

ImagePanel::ImagePanel(QWidget* parent)
    : InspectPanel(parent),
      controls_(new FlowLayout(spacing::kGap)),
      headList_(new QComboBox),
      modes_(new Segmented({u"Side by side"_s, u"Overlay"_s})),
      opacityRow_(new QWidget),
      opacity_(new QSlider(Qt::Horizontal)),
      prediction_(makeNote()),
      pictures_(new ContributionPictures),
      facts_(new ContributionFacts) {
  QStringList titles;
  for (const ContributionKind quantity : kContributionKinds) titles << titleOf(quantity);
  quantities_ = new Segmented(titles);
  quantities_->setAccessibleName(u"Map of contributions"_s);
  modes_->setAccessibleName(u"Where the contributions are shown"_s);
  modes_->setChoiceToolTip(kSideBySide, u"The image, and the contributions beside it"_s);
  modes_->setChoiceToolTip(kOverlay, u"The contributions over the image"_s);
  const QString tips[] = {u"q · k̄: content of each position (1)"_s,
                          u"q · e: offset of each position (2)"_s,
                          u"A = q · (k̄ + e): both (3)"_s};
  for (int i = 0; i < 3; ++i) quantities_->setChoiceToolTip(i, tips[i]);
  headList_->setAccessibleName(u"Head"_s);
  headList_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  headList_->setMinimumContentsLength(8);
  headList_->setToolTip(u"Which head's contributions (comma and full stop)"_s);
  opacity_->setRange(0, kOpacitySteps);
  setOpacity(kFirstOpacity);
  fitToText();
  opacity_->setAccessibleName(u"Opacity of the contributions"_s);
  opacity_->setToolTip(u"Opacity of the contributions"_s);

  controls_->addWidget(quantities_);
  controls_->addWidget(headList_);
  controls_->addWidget(modes_);
  auto* opacityLabel = new QLabel(u"Opacity"_s);
  opacityLabel->setProperty(kRole, u"secondary"_s);
  opacityLabel->setBuddy(opacity_);
  // One part of the controls, which stays whole where they continue in the next line.
  auto* opacityParts = makeBareLayout<QHBoxLayout>(opacityRow_, spacing::kGap);
  opacityParts->addWidget(opacityLabel);
  opacityParts->addWidget(opacity_);
  controls_->addWidget(opacityRow_);
  controls_->beginRight();
  QToolButton* help = makeExplanationButton(*this, [this] { return explanation(); });
  auto* buttons = new QWidget;
  auto* buttonRow = makeBareLayout<QHBoxLayout>(buttons, 0);
  buttonRow->addWidget(help);
  buttonRow->addWidget(makeExportButton(image(), image()));
  controls_->addWidget(buttons);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kWide, spacing::kGap, spacing::kWide, spacing::kGap);
  column->setSpacing(spacing::kTight);
  column->addLayout(controls_);
  column->addWidget(prediction_);
  equation_ = addEquation(equationOf(quantity_, {}));
  column->addWidget(equation_);
  column->addWidget(pictures_, 1);
  column->addWidget(facts_);

  connect(quantities_, &Segmented::chosen, this, [this](int choice) {
    setQuantity(kContributionKinds[static_cast<std::size_t>(choice)]);
  });
  connect(headList_, &QComboBox::activated, this, [this](int index) { setHead(index - 1); });
  connect(modes_, &Segmented::chosen, this, &ImagePanel::updateMode);
  connect(opacity_, &QSlider::valueChanged, this, &ImagePanel::updateMode);
  for (ImageView* view : {&plain(), &image()}) {
    connect(view, &ImageView::queryChosen, this, [this](int row, int place) {
      setQuery({row, place});
      Q_EMIT queryChosen(row, place);
    });
  }
  connect(&heads(), &HeatmapView::cellActivated, this, [this](int tile) {
    setHead(tile == head_ ? -1 : tile);
  });
  setTabOrder(opacity_, help);
  makeActions();
  setQuantity(ContributionKind::total);
  updateMode();
  onFontChange(*this, [this] { fitToText(); });
}

void ImagePanel::makeActions() {
  QAction* previous = makePageAction(*this, u"Previous head"_s, Qt::Key_Comma, u"Previous head"_s);
  QAction* next = makePageAction(*this, u"Next head"_s, Qt::Key_Period, u"Next head"_s);
  connect(previous, &QAction::triggered, this, [this] { stepHead(-1); });
  connect(next, &QAction::triggered, this, [this] { stepHead(1); });
  actions_ << previous << next << nullptr;
  const Qt::Key digits[] = {Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4};
  for (std::size_t i = 0; i < kContributionKinds.size(); ++i) {
    QAction* action = makePageAction(*this,
                                     u"Show %1"_s.arg(titleOf(kContributionKinds[i]).toLower()),
                                     digits[i],
                                     u"Show this map of contributions"_s);
    connect(action, &QAction::triggered, this, [this, i] { setQuantity(kContributionKinds[i]); });
    actions_ << action;
  }
  grid_ = makePageAction(
      *this, u"Grid of positions"_s, Qt::Key_G, u"Lines between the layer's positions"_s);
  grid_->setCheckable(true);
  connect(grid_, &QAction::toggled, this, [this](bool isOn) {
    for (ImageView* view : {&plain(), &image()}) view->setGridVisible(isOn);
  });
  actions_ << grid_;
}

QList<QAction*> ImagePanel::panelActions() const {
  return actions_;
}

ImageView& ImagePanel::image() {
  return pictures_->map();
}

ImageView& ImagePanel::plain() {
  return pictures_->plain();
}

HeatmapView& ImagePanel::heads() {
  return pictures_->heads();
}

std::vector<const Exportable*> ImagePanel::exports() const {
  return {&pictures_->map(), &pictures_->heads()};
}

void ImagePanel::showState(const PanelState& state) {
  snapshot_ = state.snapshot;
  scale_ = state.scales.contribution;
  const InspectionSnapshot* s = snapshot_.get();
  const bool isPlain = !s && state.plain;
  for (ImageView* view : {&plain(), &image()}) {
    view->setImage(s ? s->image : isPlain ? state.plain->image : Image());
    view->setPositions(s ? s->layer.height : 0, s ? s->layer.width : 0);
  }
  if (s) setQuery(state.query.value_or(Cell{s->queryRow, s->queryColumn}));
  image().setPlaceholder(state.note.isEmpty() ? u"No image yet."_s : state.note);
  const PredictionText words = s ? predictionText(*s)
                               : isPlain && state.plain->predictions
                                   ? predictionText(*state.plain->predictions, state.plain->index)
                                   : PredictionText();
  prediction_->setText(words.text);
  setRole(*prediction_, words.role);
  facts_->setSnapshot(s);
  updateMode();
  updateHeadList();
  updateViews();
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
  for (ImageView* view : {&plain(), &image()}) view->setQuery(query);
}

QString ImagePanel::predictionWords() const {
  return prediction_->text();
}

void ImagePanel::updateMode() {
  // Without a map there is nothing to show beside the image.
  pictures_->setPlainVisible(!isOverlay() && snapshot_);
  image().setOpacity(isOverlay() ? opacity() : 1);
  opacityRow_->setVisible(isOverlay());
}

void ImagePanel::setQuantity(ContributionKind quantity) {
  quantity_ = quantity;
  updateViews();
}

void ImagePanel::setHead(int head) {
  head_ = head;
  updateHeadList();
  updateViews();
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

void ImagePanel::updateHeadList() {
  const int heads = snapshot_ ? snapshot_->layer.heads : 0;
  if (head_ >= heads) head_ = -1;
  if (headList_->count() != heads + 1) {
    headList_->clear();
    headList_->addItem(u"All heads"_s);
    for (int head = 0; head < heads; ++head) headList_->addItem(u"Head %1"_s.arg(head));
  }
  headList_->setCurrentIndex(head_ + 1);
  headList_->setEnabled(heads > 0);
}

bool ImagePanel::hasParts() const {
  return !snapshot_ || inspectedAs(snapshot_->layer) == InspectedAs::lambdas;
}

bool ImagePanel::hasEffect() const {
  return !snapshot_ || !snapshot_->effect.empty();
}

ContributionKind ImagePanel::shownQuantity() const {
  const bool isThere = quantity_ == ContributionKind::effect ? hasEffect() : hasParts();
  return isThere ? quantity_ : ContributionKind::total;
}

void ImagePanel::updateViews() {
  const ContributionKind quantity = shownQuantity();
  equation_->setEquation(equationOf(quantity, snapshot_ ? snapshot_->layer : InspectableLayer()));
  quantities_->setCurrent(static_cast<int>(quantity));
  for (const ContributionKind part : {ContributionKind::content, ContributionKind::position}) {
    quantities_->setChoiceEnabled(static_cast<int>(part), hasParts());
  }
  constexpr int kEffect = static_cast<int>(ContributionKind::effect);
  quantities_->setChoiceEnabled(kEffect, hasEffect());
  // Of an epoch a run stores the weights A and not the values v.
  quantities_->setChoiceToolTip(
      kEffect,
      hasEffect() ? u"‖A v‖: how much it changes the output (4)"_s
                  : u"Not here: a run does not store the values v of an epoch. Image shows the "
                    "effect of a checkpoint."_s);
  const Array maps = snapshot_ ? headMapsOf(*snapshot_, quantity) : Array();
  const Array map = mapOf(maps, quantity, head_);
  if (map.empty()) {
    image().setOverlay({});
    heads().setData({});
    pictures_->setHeadCount(0);
    return;
  }
  // Sums over the heads have another magnitude than one head: a given scale is for all heads
  // together.
  const double scale = head_ < 0 ? scale_.value_or(0) : 0;
  const QString what = u"Contributions (%1) of all pixels to the output at row %2, column %3"_s
                           .arg(titleOf(quantity).toLower())
                           .arg(snapshot_->queryRow)
                           .arg(snapshot_->queryColumn);
  image().setOverlay({.cells = map,
                      .range = rangeOf(quantity, map, scale),
                      .map = colorMapOf(quantity),
                      .quantity = symbolOf(quantity),
                      .name = exportStem(*snapshot_, fileStemOf(quantity)),
                      .caption = exportCaption(*snapshot_, what),
                      .query = Cell{snapshot_->queryRow, snapshot_->queryColumn}});
  heads().setRange(rangeOf(quantity, maps));
  heads().setData({.array = maps,
                   .name = exportStem(*snapshot_, fileStemOf(quantity) + u"-heads"_s),
                   .caption = exportCaption(*snapshot_, u"%1, one tile per head"_s.arg(what)),
                   .rows = {.label = u"row"_s, .isNumbered = false},
                   .columns = {.label = u"column"_s, .isNumbered = false},
                   .map = colorMapOf(quantity)});
  heads().setMark(Cell{snapshot_->queryRow, snapshot_->queryColumn});
  heads().setSelectedTile(head_);
  pictures_->setHeadCount(snapshot_->layer.heads);
}

ExplanationText ImagePanel::explanation() const {
  ExplanationText text{
      .title = u"Contributions to one position"_s,
      .formula = {},
      .body =
          u"Click a position n: the colours say with which weight A every other position's "
          "value enters the output there, red positive, blue negative. They are not "
          "normalised and may have any sign. Effect is ‖A v‖: weight times size of the value "
          "there. This is the layer's own arithmetic: the sum is the output."_s,
      .numbers = {}};
  if (snapshot_ && inspectedAs(snapshot_->layer) != InspectedAs::lambdas) {
    text.body =
        u"Click a position n: the colours say how much weight each position has in the output "
        "there. A lambda layer shows the same picture with weights of any sign, and without a "
        "softmax between query and context."_s;
  }
  if (!snapshot_ || snapshot_->effect.empty()) return text;
  const InspectionSnapshot& s = *snapshot_;
  const Array map = mapOf(headMapsOf(s, ContributionKind::total), ContributionKind::total, head_);
  text.numbers.emplace_back(u"Position n"_s,
                            u"row %1, column %2"_s.arg(s.queryRow).arg(s.queryColumn));
  if (!map.values.empty()) {
    const auto [least, most] = std::minmax_element(map.values.begin(), map.values.end());
    text.numbers.emplace_back(u"A, smallest … greatest"_s,
                              numberText(static_cast<double>(*least)) + u" … "_s +
                                  numberText(static_cast<double>(*most)));
  }
  if (inspectedAs(s.layer) != InspectedAs::lambdas) return text;
  text.numbers.emplace_back(u"‖y content‖²"_s, numberText(s.balance.contentEnergy));
  text.numbers.emplace_back(u"‖y position‖²"_s, numberText(s.balance.positionEnergy));
  text.numbers.emplace_back(u"Cosine between them"_s, numberText(s.balance.cosine));
  text.numbers.emplace_back(u"Σ A v − y"_s, numberText(s.residual.absolute));
  return text;
}

void ImagePanel::saveLayout(QSettings& settings) const {
  InspectPanel::saveLayout(settings);
  settings.setValue(u"quantity"_s, static_cast<int>(quantity_));
  settings.setValue(u"overlay"_s, isOverlay());
  settings.setValue(u"opacity"_s, opacity());
  settings.setValue(u"grid"_s, grid_->isChecked());
}

void ImagePanel::restoreLayout(QSettings& settings) {
  InspectPanel::restoreLayout(settings);
  const int quantity =
      settings.value(u"quantity"_s, static_cast<int>(ContributionKind::total)).toInt();
  if (quantity >= 0 && quantity < static_cast<int>(kContributionKinds.size())) {
    setQuantity(kContributionKinds[static_cast<std::size_t>(quantity)]);
  }
  setOverlay(settings.value(u"overlay"_s, false).toBool());
  setOpacity(settings.value(u"opacity"_s, kFirstOpacity).toDouble());
  grid_->setChecked(settings.value(u"grid"_s, false).toBool());
}

void ImagePanel::fitToText() {
  opacity_->setFixedWidth(qRound(kOpacityWidth * textScale()));
}

}  // namespace lambda
