#include "app/train/train_status.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>

#include "app/session/training/training_session.h"
#include "app/train/training_text.h"
#include "engine/values/text/quantities.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kLoadInterval = 1000;
constexpr int kNumbersInterval = 500;
constexpr int kProgressSteps = 1000;
constexpr int kProgressWidth = 120;

QLabel* makeLabel(QWidget* parent, QHBoxLayout& row, const QString& widest = {}) {
  auto* label = new QLabel(parent);
  label->setProperty(kRole, u"secondary"_s);
  label->setFont(numberFont());
  // A number with one more digit must not move its neighbours.
  if (!widest.isEmpty()) label->setMinimumWidth(label->fontMetrics().horizontalAdvance(widest));
  row.addWidget(label);
  return label;
}

}  // namespace

TrainStatus::TrainStatus(TrainingSession& session, QWidget* parent)
    : QWidget(parent), session_(session) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 8, 0);
  row->setSpacing(16);
  state_ = makeLabel(this, *row);
  state_->setObjectName(u"state"_s);
  progress_ = new QProgressBar(this);
  progress_->setRange(0, kProgressSteps);
  progress_->setTextVisible(false);
  progress_->setFixedWidth(qRound(kProgressWidth * textScale()));
  progress_->setAccessibleName(u"Progress of the training"_s);
  row->addWidget(progress_);
  throughput_ = makeLabel(this, *row, u"00,000 images/s"_s);
  throughput_->setObjectName(u"throughput"_s);
  left_ = makeLabel(this, *row, u"%1 left"_s.arg(u"00 min 00 s"_s));
  left_->setObjectName(u"left"_s);
  row->addStretch();
  load_ = makeLabel(this, *row);
  load_->setObjectName(u"load"_s);
  load_->setToolTip(u"Memory of this program, and processor time that it takes, in cores"_s);
  loadTimer_.setInterval(kLoadInterval);
  connect(&loadTimer_, &QTimer::timeout, this, &TrainStatus::showLoad);
  connect(&session_, &TrainingSession::statusChanged, this, &TrainStatus::showTraining);
  connect(&session_, &TrainingSession::stateChanged, this, [this] {
    shownNumbers_.invalidate();
    showTraining();
  });
  showTraining();
  showLoad();
}

void TrainStatus::showTraining() {
  const TrainingStatus& status = session_.status();
  const bool isBusy = session_.isBusy();
  const QString progress = isBusy ? progressText(status) : QString();
  state_->setText(progress.isEmpty() ? stateText(session_.state())
                                     : stateText(session_.state()) + u", "_s + progress);
  progress_->setVisible(isBusy);
  // Before the first batch nothing can be measured: a moving bar shows that work is under way.
  progress_->setRange(0, isBusy && status.run.empty() ? 0 : kProgressSteps);
  progress_->setValue(qRound(kProgressSteps * progressOf(status)));
  throughput_->setVisible(isBusy && status.imagesPerSecond > 0);
  left_->setVisible(isBusy && status.secondsLeft > 0);
  // Numbers that change ten times a second can't be read.
  if (shownNumbers_.isValid() && shownNumbers_.elapsed() < kNumbersInterval) return;
  shownNumbers_.start();
  const Architecture& network = status.record.config.architecture;
  throughput_->setText(QString::fromStdString(
      throughputText(status.imagesPerSecond, network.task, network.input.width)));
  left_->setText(u"%1 left"_s.arg(durationText(status.secondsLeft)));
  const std::vector<EpochRecord>& epochs = session_.metrics().epochs;
  if (epochs.empty()) return;
  throughput_->setToolTip(
      u"In the last epoch %1 of the time went into making batches, the rest into training"_s.arg(
          percentText(epochs.back().dataShare)));
}

void TrainStatus::showLoad() {
  const ProcessLoad::Values load = processLoad_.look();
  QStringList texts;
  if (load.residentBytes > 0) texts << bytesText(load.residentBytes);
  texts << u"%1 cores"_s.arg(fixedText(load.cores, 1));
  load_->setText(texts.join(u" · "_s));
}

void TrainStatus::showEvent(QShowEvent* event) {
  loadTimer_.start();
  QWidget::showEvent(event);
}

void TrainStatus::hideEvent(QHideEvent* event) {
  loadTimer_.stop();
  QWidget::hideEvent(event);
}

}  // namespace lambda
