#include "app/design/totals/epoch_time.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/session/machine_service.h"
#include "engine/values/config/settings.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSteps = 20;
constexpr std::size_t kMostKept = 16;

}  // namespace

EpochTime::EpochTime(MachineService& machine, QWidget* parent)
    : QWidget(parent),
      machine_(machine),
      caption_(new QLabel(u"Time on this machine"_s, this)),
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
  auto* layout = makeBareLayout<QHBoxLayout>(this, 8);
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
  caption_->setText(isBrief ? u"Time"_s : u"Time on this machine"_s);
  if (!isMeasuring()) showState();
}

void EpochTime::measure() {
  if (isMeasuring() || !canMeasure()) return;
  failure_.clear();
  measuring_ = config_;
  isMeasuring_ = true;
  measurement_.followNewest(
      machine_.estimateThroughput(config_, kSteps),
      [this](const ThroughputEstimate& result) {
        keep(result);
        end();
      },
      [this](const QString& reason) {
        failure_ = reason;
        end();
      },
      [this](int done, int total) {
        progress_->setRange(0, total);
        progress_->setValue(done);
        text_->setText(u"Step %1 of %2"_s.arg(done).arg(total));
      });
  progress_->setValue(0);
  showState();
  Q_EMIT changed();
}

void EpochTime::cancel() {
  if (!isMeasuring()) return;
  measurement_.cancel();
  end();
}

void EpochTime::end() {
  isMeasuring_ = false;
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
  return isBrief_ ? u"%1 per epoch"_s.arg(durationText(result()->secondsPerEpoch)) : longText();
}

QString EpochTime::longText() const {
  const double total = result()->secondsPerEpoch * config_.recipe.epochs;
  return u"about %1 per epoch, %2 = %3, %4"_s.arg(
      durationText(result()->secondsPerEpoch),
      config_.recipe.epochs == 1 ? u"1 epoch"_s : u"%1 epochs"_s.arg(config_.recipe.epochs),
      durationText(total),
      bytesText(static_cast<qint64>(result()->peakResidentBytes)));
}

QString EpochTime::stateText() const {
  if (isMeasuring()) return isBrief_ ? u"Measuring …"_s : u"Preparing …"_s;
  if (hasFailed()) return u"Could not be measured"_s;
  return result() ? resultText() : u"not measured"_s;
}

QString EpochTime::stateTip() const {
  if (hasFailed()) return failure_;
  const ThroughputEstimate* measured = result();
  if (isMeasuring() || !measured)
    return u"Times %1 training steps of this network here"_s.arg(kSteps);
  QString tip = u"%1 steps on %2, %3 images per second; an epoch includes %4 of scoring."_s
                    .arg(measured->steps)
                    .arg(QString::fromStdString(measured->device))
                    .arg(countText(std::llround(measured->imagesPerSecond)),
                         durationText(measured->evaluationSeconds));
  if (isBrief_) tip.prepend(longText() + u'\n');
  if (measured->syntheticData) {
    tip += u"\nMeasured with random pixels: the data set is not there."_s;
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
  button_->setText(isMeasuringNow ? u"Cancel"_s : result() ? u"Measure again"_s : u"Measure"_s);
  button_->setEnabled(isMeasuringNow || canMeasure());
  button_->setToolTip(canMeasure() ? u"Times %1 training steps of this network here"_s.arg(kSteps)
                                   : obstacle_);
}

}  // namespace lambda
