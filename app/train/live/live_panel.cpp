#include "app/train/live/live_panel.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QStackedLayout>
#include <QStyle>
#include <QVBoxLayout>

#include "app/session/inspection/repeated_inspection.h"
#include "app/session/training/training_session.h"
#include "app/train/caption.h"
#include "app/train/live/epoch_strip.h"
#include "app/train/live/live_pictures.h"
#include "app/train/live/probe_header.h"
#include "app/train/training_text.h"
#include "widgets/export/export_menu.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

LivePanel::LivePanel(TrainingSession& session, QWidget* parent)
    : Panel(parent),
      session_(session),
      inspection_(new RepeatedInspection(session, this)),
      stored_(*this) {
  makeContent();
  auto* nothing =
      new QLabel(u"This network has no lambda layer.\nTurn a block into one in Design."_s, this);
  nothing->setObjectName(u"noLambda"_s);
  nothing->setProperty(kRole, u"secondary"_s);
  nothing->setAlignment(Qt::AlignCenter);
  nothing->setWordWrap(true);
  views_ = new QStackedLayout(this);
  views_->addWidget(content_);
  views_->addWidget(nothing);
  connectParts();
  beginRun();
}

// ---- making ----

void LivePanel::makeContent() {
  content_ = new QWidget(this);
  head_ = new ProbeHeader(content_);
  watched_ = new QLabel(
      u"The network is in another process. Inspect shows it as of its last checkpoint."_s,
      content_);
  watched_->setProperty(kRole, u"secondary"_s);
  watched_->setWordWrap(true);
  watched_->hide();
  problem_ = new QLabel(content_);
  problem_->setProperty(kRole, u"error"_s);
  problem_->setWordWrap(true);
  problem_->hide();
  scroll_ = new QScrollArea(content_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  auto* inner = new QWidget(scroll_);
  pictures_ = new LivePictures(inner);
  auto* below = new QVBoxLayout(inner);
  below->setContentsMargins(0, 0, spacing::kMargin, spacing::kGap);
  below->setSpacing(spacing::kGap);
  below->addWidget(pictures_, 1);
  below->addWidget(makeStrip());
  scroll_->setWidget(inner);
  // The background is that of the page.
  scroll_->viewport()->setAutoFillBackground(false);
  inner->setAutoFillBackground(false);
  auto* column = new QVBoxLayout(content_);
  column->setContentsMargins(spacing::kMargin, spacing::kGap, 0, 0);
  column->setSpacing(spacing::kGap);
  auto* above = new QVBoxLayout;
  above->setContentsMargins(0, 0, spacing::kMargin, 0);
  above->addWidget(head_);
  above->addWidget(watched_);
  above->addWidget(problem_);
  column->addLayout(above);
  column->addWidget(scroll_, 1);
}

QWidget* LivePanel::makeStrip() {
  auto* holder = new QWidget(this);
  strip_ = new EpochStrip(holder);
  auto* head = new QHBoxLayout;
  head->addWidget(makeCaption(holder, u"Epoch by epoch"_s));
  head->addStretch();
  head->addWidget(makeExportButton(*strip_, *strip_));
  auto* column = makeBareLayout<QVBoxLayout>(holder, spacing::kGap);
  column->addLayout(head);
  column->addWidget(strip_);
  return holder;
}

void LivePanel::connectParts() {
  connect(head_, &ProbeHeader::targetChosen, this, &LivePanel::aim);
  connect(head_, &ProbeHeader::newestRequested, this, [this] {
    strip_->setChosen(-1);
    showPicture();
  });
  connect(pictures_, &LivePictures::partChanged, strip_, &EpochStrip::setPart);
  connect(strip_, &EpochStrip::epochChosen, this, &LivePanel::showPicture);
  connect(&session_, &TrainingSession::started, this, &LivePanel::beginRun);
  connect(&session_, &TrainingSession::metricsArrived, this, &LivePanel::noteEpochs);
  connect(&session_, &TrainingSession::ended, this, [this] {
    loadStored();
    askForEnd();
  });
  connect(inspection_, &RepeatedInspection::updated, this, &LivePanel::take);
  connect(inspection_, &RepeatedInspection::failed, this, [this](const QString& reason) {
    problem_->setText(breakableText(reason));
    problem_->show();
  });
}

QSize LivePanel::minimumSizeHint() const {
  constexpr int kLeastPicture = 120;
  const int bar = style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, scroll_);
  const int inner = scroll_->widget()->minimumSizeHint().width() + bar;
  const QSize head = head_->minimumSizeHint();
  return {2 * spacing::kGap + std::max(inner, head.width() + 2 * spacing::kGap),
          head.height() + 2 * spacing::kGap + qRound(kLeastPicture * textScale())};
}

// ---- target of the inspection ----

void LivePanel::beginRun() {
  layers_ = inspectableLayers(session_.status().record.config.architecture);
  std::erase_if(layers_, [](const InspectableLayer& layer) {
    return inspectedAs(layer) != InspectedAs::lambdas;
  });
  live_.reset();
  snapshot_.reset();
  endedEpoch_ = 0;
  endedStep_ = 0;
  watched_->setVisible(session_.isWatching());
  problem_->hide();
  strip_->clear();
  head_->setLayers(layers_);
  const bool hasNone = layers_.empty() && !session_.status().run.empty();
  views_->setCurrentIndex(hasNone ? 1 : 0);
  aim();
}

void LivePanel::aim() {
  const bool hasValidation = session_.status().record.config.data.validationCount > 0;
  request_ = {.layer = head_->layer(),
              .split = hasValidation ? Split::validation : Split::train,
              .image = head_->image()};
  inspection_->setRequest(request_);
  problem_->hide();
  strip_->clear();
  live_.reset();
  snapshot_.reset();
  loadStored();
  showPicture();
  askForEnd();
}

/// The last inspection of a training is older than its last step.
void LivePanel::askForEnd() {
  const TrainingStatus& status = session_.status();
  const bool hasEnded = !session_.isBusy() && !status.run.empty();
  if (!hasEnded || !isVisible() || request_.layer.empty()) return;
  if (!live_ || live_->step < status.step) Q_EMIT endRequested(request_);
}

void LivePanel::showEnd(const std::shared_ptr<const InspectionSnapshot>& snapshot) {
  const bool isWanted =
      snapshot->request.layer == request_.layer && snapshot->request.image == request_.image;
  if (!session_.isBusy() && isWanted) take(snapshot);
}

void LivePanel::loadStored() {
  stored_.cancel();
  // Runs store pictures of only the first validation image.
  if (layers_.empty() || head_->image() != 0 || session_.status().run.empty()) return;
  stored_.runNewest(
      [run = session_.status().run,
       layers = layers_,
       layer = head_->layer(),
       known = strip_->epochs()] { return storedPictures(run, layers, layer, known); },
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
  // Without an inspection in time, as before the first step, the run's file fills the gap.
  for (int epoch = 0; epoch < endedEpoch_; ++epoch) {
    if (strip_->has(epoch)) continue;
    loadStored();
    return;
  }
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
  // The current epoch, counted from 1 as everywhere else.
  const int batches = session_.status().record.batchesPerEpoch;
  if (batches > 0) {
    const std::int64_t before = std::max<std::int64_t>(picture->step - 1, 0);
    picture->epoch = static_cast<int>(before / batches) + 1;
  }
  live_ = std::move(picture);
  keepEpoch();
  showPicture();
}

std::shared_ptr<const LayerPicture> LivePanel::shown() const {
  const auto chosen = strip_->at(strip_->chosen());
  return chosen ? chosen : live_;
}

void LivePanel::showPicture() {
  const std::shared_ptr<const LayerPicture> picture = shown();
  const bool isStored = picture && picture != live_;
  head_->setProbe(snapshot_.get());
  pictures_->setSnapshot(snapshot_);
  pictures_->setPicture(picture);
  if (!picture) {
    head_->setWhen(u"Nothing inspected yet"_s, false);
    return;
  }
  const QString step = u"step %1"_s.arg(countText(picture->step));
  const QString text = isStored ? u"End of epoch %1 · %2"_s : u"Epoch %1 · %2"_s;
  const bool isStart = isStored && picture->epoch == 0;
  head_->setWhen(isStart ? u"At the start"_s : text.arg(picture->epoch).arg(step), isStored);
}

// ---- events ----

void LivePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  inspection_->setActive(true);
  // Epochs that ended elsewhere.
  loadStored();
  askForEnd();
}

void LivePanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  inspection_->setActive(false);
}

void LivePanel::saveLayout(QSettings& settings) const {
  pictures_->saveLayout(settings);
}

void LivePanel::restoreLayout(QSettings& settings) {
  pictures_->restoreLayout(settings);
}

}  // namespace lambda
