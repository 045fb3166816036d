#include "app/design/epoch_time.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/session/inspection_session.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSteps = 20;
constexpr std::size_t kMostKept = 16;

/// The configuration with all settings that do not affect the speed reset to their defaults.
RunConfig speedOf(RunConfig config) {
  const RunConfig plain;
  config.name.clear();
  config.seed = plain.seed;
  config.checkpoints = plain.checkpoints;
  config.monitoring = plain.monitoring;
  config.architecture.name.clear();
  config.architecture.description.clear();
  config.recipe.epochs = plain.recipe.epochs;
  config.recipe.schedule = plain.recipe.schedule;
  config.recipe.labelSmoothing = 0;
  const OptimizerKind kind = config.recipe.optimizer.kind;
  config.recipe.optimizer = plain.recipe.optimizer;
  config.recipe.optimizer.kind = kind;
  return config;
}

}  // namespace

bool isEquallyFast(const RunConfig& a, const RunConfig& b) {
  return speedOf(a) == speedOf(b);
}

EpochTime::EpochTime(InspectionSession& inspection, QWidget* parent)
    : QWidget(parent),
      inspection_(inspection),
      caption_(new QLabel(tr("Time on this machine"), this)),
      text_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      button_(new QPushButton(this)) {
  caption_->setProperty(kRole, u"secondary"_s);
  progress_->setRange(0, kSteps);
  progress_->setTextVisible(false);
  progress_->setFixedWidth(120);
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  line->addWidget(text_);
  line->addWidget(progress_);
  line->addStretch();
  auto* column = new QVBoxLayout;
  column->setSpacing(2);
  column->addWidget(caption_);
  column->addLayout(line);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addLayout(column, 1);
  layout->addWidget(button_);

  connect(button_, &QPushButton::clicked, this, [this] { isMeasuring() ? cancel() : measure(); });
  showState();
}

void EpochTime::setConfig(const RunConfig& config, const QString& obstacle) {
  config_ = config;
  obstacle_ = obstacle;
  if (!isMeasuring()) showState();
}

void EpochTime::keep(const ThroughputEstimate& result) {
  std::erase_if(measurements_,
                [this](const Measurement& each) { return isEquallyFast(each.config, measuring_); });
  if (measurements_.size() == kMostKept) measurements_.erase(measurements_.begin());
  measurements_.push_back({measuring_, result});
}

const ThroughputEstimate* EpochTime::result() const {
  for (const Measurement& each : measurements_) {
    if (isEquallyFast(each.config, config_)) return &each.result;
  }
  return nullptr;
}

void EpochTime::setBrief(bool isBrief) {
  if (isBrief == isBrief_) return;
  isBrief_ = isBrief;
  caption_->setText(isBrief ? tr("Time") : tr("Time on this machine"));
  if (!isMeasuring()) showState();
}

void EpochTime::measure() {
  if (isMeasuring() || !canMeasure()) return;
  failure_.clear();
  measuring_ = config_;
  id_ = inspection_.estimateThroughput(
      config_,
      kSteps,
      *this,
      {.answered =
           [this](const ThroughputEstimate& result) {
             keep(result);
             end();
           },
       .failed =
           [this](const QString& reason) {
             failure_ = reason;
             end();
           },
       .progressed =
           [this](qint64 done, qint64 total) {
             progress_->setRange(0, static_cast<int>(total));
             progress_->setValue(static_cast<int>(done));
             text_->setText(tr("Step %1 of %2").arg(done).arg(total));
           }});
  progress_->setValue(0);
  showState();
  Q_EMIT changed();
}

void EpochTime::cancel() {
  if (!isMeasuring()) return;
  inspection_.cancel(id_);
  end();
}

void EpochTime::end() {
  id_ = 0;
  showState();
  Q_EMIT changed();
}

bool EpochTime::hasFailed() const {
  return !isMeasuring() && !failure_.isEmpty() && isEquallyFast(measuring_, config_);
}

QString EpochTime::text() const {
  return text_->text();
}

QString EpochTime::resultText() const {
  return isBrief_ ? tr("%1 per epoch").arg(durationText(result()->secondsPerEpoch)) : longText();
}

QString EpochTime::longText() const {
  const double total = result()->secondsPerEpoch * config_.recipe.epochs;
  return tr("about %1 per epoch, %2 = %3, %4")
      .arg(durationText(result()->secondsPerEpoch),
           config_.recipe.epochs == 1 ? tr("1 epoch") : tr("%1 epochs").arg(config_.recipe.epochs),
           durationText(total),
           bytesText(static_cast<qint64>(result()->peakResidentBytes)));
}

QString EpochTime::stateText() const {
  if (isMeasuring()) return isBrief_ ? tr("Measuring …") : tr("Preparing …");
  if (hasFailed()) return tr("Could not be measured");
  return result() ? resultText() : tr("not measured");
}

QString EpochTime::stateTip() const {
  if (hasFailed()) return failure_;
  const ThroughputEstimate* measured = result();
  if (isMeasuring() || !measured)
    return tr("Times %1 training steps of this network here").arg(kSteps);
  QString tip = tr("%1 steps on %2, %3 images per second; an epoch includes %4 of scoring.")
                    .arg(measured->steps)
                    .arg(QString::fromStdString(measured->device))
                    .arg(countText(std::llround(measured->imagesPerSecond)),
                         durationText(measured->evaluationSeconds));
  if (isBrief_) tip.prepend(longText() + u'\n');
  if (measured->syntheticData) {
    tip += tr("\nMeasured with random pixels: the data set is not there.");
  }
  return tip;
}

void EpochTime::showState() {
  const bool isMeasuringNow = isMeasuring();
  QString role = hasFailed() ? u"error"_s : QString();
  if (!hasFailed() && (isMeasuringNow || !result())) role = u"secondary"_s;
  text_->setText(stateText());
  text_->setToolTip(stateTip());
  setRole(*text_, role);
  progress_->setVisible(isMeasuringNow);
  button_->setText(isMeasuringNow ? tr("Cancel") : result() ? tr("Measure again") : tr("Measure"));
  button_->setEnabled(isMeasuringNow || canMeasure());
  button_->setToolTip(canMeasure() ? tr("Times %1 training steps of this network here").arg(kSteps)
                                   : obstacle_);
}

}  // namespace lambda
