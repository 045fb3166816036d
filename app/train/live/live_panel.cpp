#include "app/train/live/live_panel.h"

#include <algorithm>

#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/session/training_session.h"
#include "app/train/live/epoch_strip.h"
#include "app/train/live/live_explanations.h"
#include "app/train/live/live_inspection.h"
#include "app/train/live/probe_header.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/explanation.h"
#include "widgets/pictures/heatmap_view.h"
#include "widgets/plots/axis_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kGap = 8;
constexpr int kChange =
    0;  // Of the two ways to see the embeddings; they begin as noise, so that it comes first.
constexpr int kLambdaHeight = 112;
constexpr int kTilesHeight = 128;

QLabel* makeCaption(QWidget* parent, const QString& text) {
  auto* label = new QLabel(text, parent);
  QFont font = bodyFont();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  return label;
}

}  // namespace

LivePanel::LivePanel(TrainingSession& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      inspection_(new LiveInspection(session, this)),
      parts_(new QButtonGroup(this)),
      embeddings_(new QButtonGroup(this)),
      stored_(*this) {
  auto* content = new QWidget(this);
  column_ = new QVBoxLayout(content);
  column_->setContentsMargins(2 * kGap, kGap, 2 * kGap, kGap);
  column_->setSpacing(kGap);
  auto* nothing =
      new QLabel(tr("This network has no lambda layer.\nTurn a block into one in Design."), this);
  nothing->setObjectName(u"noLambda"_s);
  nothing->setProperty(kRole, u"secondary"_s);
  nothing->setAlignment(Qt::AlignCenter);
  nothing->setWordWrap(true);
  views_ = new QStackedLayout(this);
  views_->addWidget(content);
  views_->addWidget(nothing);
  makeHead();
  makeLambda();
  makePositions();
  makeStrip();
  connect(&session_, &TrainingSession::started, this, &LivePanel::beginRun);
  connect(&session_, &TrainingSession::metricsArrived, this, &LivePanel::noteEpochs);
  connect(inspection_, &LiveInspection::updated, this, &LivePanel::take);
  connect(inspection_, &LiveInspection::failed, this, [this](const QString& reason) {
    problem_->setText(reason);
    problem_->show();
  });
  beginRun();
}

// ---- making ----

QWidget* LivePanel::makeToggle(QButtonGroup& group, const QStringList& names) {
  auto* holder = new QWidget(this);
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins({});
  row->setSpacing(0);
  for (int i = 0; i < names.size(); ++i) {
    auto* button = new QToolButton(holder);
    button->setText(names[i]);
    button->setCheckable(true);
    button->setChecked(i == 0);
    button->setProperty(kRole, u"quiet"_s);
    group.addButton(button, i);
    row->addWidget(button);
  }
  return holder;
}

void LivePanel::makeHead() {
  head_ = new ProbeHeader(this);
  problem_ = new QLabel(this);
  problem_->setProperty(kRole, u"error"_s);
  problem_->setWordWrap(true);
  problem_->hide();
  column_->addWidget(head_);
  column_->addWidget(problem_);
  connect(head_, &ProbeHeader::targetChosen, this, &LivePanel::aim);
  connect(head_, &ProbeHeader::newestRequested, this, [this] {
    strip_->setChosen(-1);
    showPicture();
  });
}

void LivePanel::makeLambda() {
  lambda_ = new HeatmapView(this);
  lambda_->setPlaceholder(
      tr("The lambda matrix is shown here while a network with a lambda layer is trained."));
  lambda_->setAccessibleName(tr("Lambda matrix"));
  lambda_->setMinimumHeight(kLambdaHeight);
  lambda_->setReadoutVisible(false);
  auto* head = new QHBoxLayout;
  head->setSpacing(0);
  head->addWidget(makeCaption(this, tr("Lambda")));
  head->addSpacing(kGap);
  head->addWidget(makeToggle(*parts_, {tr("All"), tr("Total"), tr("Content"), tr("Position")}));
  head->addStretch();
  head->addWidget(
      makeExplanationButton(*this, [this] { return lambdaExplanation(snapshot_.get()); }));
  head->addWidget(makeExportButton(*lambda_, *lambda_));
  column_->addLayout(head);
  column_->addWidget(lambda_, 3);
  connect(parts_, &QButtonGroup::idClicked, this, [this](int id) {
    isPartChosen_ = true;
    strip_->setPart(static_cast<LambdaPart>(id));
    showPicture();
  });
}

void LivePanel::makePositions() {
  positions_ = new QWidget(this);
  auto* column = new QVBoxLayout(positions_);
  column->setContentsMargins({});
  column->setSpacing(kGap);
  tiles_ = new HeatmapView(positions_);
  tiles_->setPlaceholder(tr("This layer has no position embeddings."));
  tiles_->setAccessibleName(tr("Position embeddings"));
  tiles_->setMinimumHeight(kTilesHeight);
  tiles_->setReadoutVisible(false);
  auto* head = new QHBoxLayout;
  head->setSpacing(0);
  head->addWidget(makeCaption(positions_, tr("Positions")));
  head->addSpacing(kGap);
  head->addWidget(makeToggle(*embeddings_, {tr("Change"), tr("Now")}));
  head->addStretch();
  head->addWidget(
      makeExplanationButton(*this, [this] { return positionExplanation(snapshot_.get()); }));
  head->addWidget(makeExportButton(*tiles_, *tiles_));
  column->addLayout(head);
  column->addWidget(tiles_, 1);
  column_->addWidget(positions_, 4);
  connect(embeddings_, &QButtonGroup::idClicked, this, &LivePanel::showPicture);
}

void LivePanel::makeStrip() {
  strip_ = new EpochStrip(this);
  auto* head = new QHBoxLayout;
  head->addWidget(makeCaption(this, tr("Epoch by epoch")));
  head->addStretch();
  head->addWidget(makeExportButton(*strip_, *strip_));
  column_->addLayout(head);
  column_->addWidget(strip_);
  connect(strip_, &EpochStrip::epochChosen, this, &LivePanel::showPicture);
}

// ---- what is looked at ----

void LivePanel::beginRun() {
  layers_ = inspectableLayers(session_.status().record.config.architecture);
  live_.reset();
  snapshot_.reset();
  endedEpoch_ = 0;
  endedStep_ = 0;
  problem_->hide();
  strip_->clear();
  head_->setLayers(layers_);
  const bool hasNone = layers_.empty() && !session_.status().run.empty();
  views_->setCurrentIndex(hasNone ? 1 : 0);
  aim();
}

void LivePanel::aim() {
  const bool hasValidation = session_.status().record.config.data.validationCount > 0;
  inspection_->setTarget(
      head_->layer(), hasValidation ? Split::validation : Split::train, head_->image());
  problem_->hide();
  strip_->clear();
  live_.reset();
  snapshot_.reset();
  loadStored();
  showPicture();
}

void LivePanel::loadStored() {
  stored_.forget();
  // Runs keep pictures of the first validation image alone.
  if (layers_.empty() || head_->image() != 0 || session_.status().run.empty()) return;
  stored_.start(
      [run = session_.status().run, layer = head_->layer()] { return storedPictures(run, layer); },
      [this](std::vector<LayerPicture> pictures) {
        for (LayerPicture& picture : pictures) {
          if (!strip_->has(picture.epoch)) {
            strip_->add(std::make_shared<const LayerPicture>(std::move(picture)));
          }
        }
      });
}

void LivePanel::noteEpochs(const MetricsUpdate& update) {
  if (update.epochs.empty()) return;
  endedEpoch_ = update.epochs.back().epoch;
  endedStep_ = update.epochs.back().step;
  keepEpoch();
}

void LivePanel::keepEpoch() {
  if (!live_ || endedEpoch_ == 0 || live_->step < endedStep_ || strip_->has(endedEpoch_)) return;
  auto kept = std::make_shared<LayerPicture>(*live_);
  kept->epoch = endedEpoch_;
  strip_->add(std::move(kept));
}

void LivePanel::take(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  snapshot_ = snapshot;
  problem_->hide();
  auto picture = std::make_shared<LayerPicture>(pictureOf(*snapshot));
  // The running epoch, as it is called everywhere else.
  const int batches = session_.status().batchesPerEpoch;
  if (batches > 0) {
    const std::int64_t before = std::max<std::int64_t>(picture->step - 1, 0);
    picture->epoch = static_cast<int>(before / batches) + 1;
  }
  choosePart(snapshot->layer);
  live_ = std::move(picture);
  keepEpoch();
  showPicture();
}

/// Three wide matrices beside each other would be too small to be read. Who has chosen keeps the
/// choice.
void LivePanel::choosePart(const InspectableLayer& layer) {
  if (isPartChosen_) return;
  const bool isWide = layer.valueDepth > 2 * layer.queryDepth;
  const LambdaPart part = isWide ? LambdaPart::total : LambdaPart::all;
  parts_->button(static_cast<int>(part))->setChecked(true);
  strip_->setPart(part);
}

std::shared_ptr<const LayerPicture> LivePanel::shown() const {
  const auto chosen = strip_->at(strip_->chosen());
  return chosen ? chosen : live_;
}

void LivePanel::showPicture() {
  const std::shared_ptr<const LayerPicture> picture = shown();
  const bool isStored = picture && picture != live_;
  head_->setProbe(snapshot_.get());
  if (!picture) {
    head_->setWhen(tr("Nothing looked into yet"), false);
    lambda_->setData({});
    tiles_->setData({});
    return;
  }
  const QString step = tr("step %1").arg(countText(static_cast<double>(picture->step)));
  const QString text = isStored ? tr("End of epoch %1 · %2") : tr("Epoch %1 · %2");
  const bool isStart = isStored && picture->epoch == 0;
  head_->setWhen(isStart ? tr("At the start") : text.arg(picture->epoch).arg(step), isStored);
  lambda_->setData(lambdaHeatmap(*picture, static_cast<LambdaPart>(parts_->checkedId())));
  const bool change = embeddings_->checkedId() == kChange;
  tiles_->setPlaceholder(change && !picture->tiles.empty()
                             ? tr("The embeddings of the start are not known.")
                             : tr("This layer has no position embeddings."));
  tiles_->setData(embeddingHeatmap(*picture, change));
}

// ---- events ----

void LivePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  inspection_->setActive(true);
}

void LivePanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  inspection_->setActive(false);
}

void LivePanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) strip_->update();
  QWidget::changeEvent(event);
}

void LivePanel::saveLayout(QSettings& settings) const {
  if (isPartChosen_) settings.setValue(u"part"_s, parts_->checkedId());
  settings.setValue(u"change"_s, embeddings_->checkedId());
}

void LivePanel::restoreLayout(QSettings& settings) {
  const auto check = [](QButtonGroup& group, int id) {
    if (QAbstractButton* button = group.button(id)) button->setChecked(true);
  };
  isPartChosen_ = settings.contains(u"part"_s);
  check(*parts_, settings.value(u"part"_s, 0).toInt());
  check(*embeddings_, settings.value(u"change"_s, 0).toInt());
  strip_->setPart(static_cast<LambdaPart>(parts_->checkedId()));
  showPicture();
}

}  // namespace lambda
