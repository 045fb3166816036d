#include "app/train/setup/change_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "engine/values/config/schedule.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// "The learning rate goes from 0.05 to 0.025."; empty if it stays.
QString changeOfRate(const RunConfig& before, const RunConfig& after, double epoch) {
  const QString now = roundedText(learningRateAt(before.recipe, epoch));
  const QString then = roundedText(learningRateAt(after.recipe, epoch));
  if (now == then) return {};
  return u" "_s + u"The learning rate goes from %1 to %2."_s.arg(now, then);
}

}  // namespace

ChangeBar::ChangeBar(QWidget* parent)
    : QFrame(parent),
      words_(new QLabel(this)),
      apply_(new QPushButton(u"Apply"_s, this)),
      discard_(new QPushButton(u"Discard"_s, this)) {
  setProperty(kRole, u"card"_s);
  words_->setObjectName(u"change"_s);
  words_->setTextFormat(Qt::PlainText);
  words_->setWordWrap(true);
  apply_->setObjectName(u"applyChange"_s);
  apply_->setProperty(kRole, u"primary"_s);
  apply_->setToolTip(u"Change the settings of the run after this batch"_s);
  discard_->setObjectName(u"discardChange"_s);
  discard_->setToolTip(u"Show the settings of the run again"_s);
  auto* row = new QHBoxLayout(this);
  row->addWidget(words_, 1);
  row->addWidget(discard_);
  row->addWidget(apply_);
  hide();
  connect(apply_, &QPushButton::clicked, this, &ChangeBar::applyRequested);
  connect(discard_, &QPushButton::clicked, this, &ChangeBar::discardRequested);
}

void ChangeBar::setRequest(const ChangeRequest& request,
                           const RunConfig& config,
                           double epoch,
                           int runningEpoch) {
  const LiveSettings before = liveSettingsOf(config);
  const LiveSettings after = settingsAfter(before, request);
  setVisible(after != before);
  if (isHidden()) return;
  const std::string obstacle = obstacleTo(request, config, runningEpoch);
  setWaiting(false);
  if (!obstacle.empty()) {
    setRefusal(QString::fromStdString(obstacle));
    apply_->setEnabled(false);
    return;
  }
  RunConfig next = config;
  setLiveSettings(next, after);
  setRole(*words_, {});
  const QString what = QString::fromStdString(textOf(RunChange{.before = before, .after = after}));
  words_->setText(u"From the next batch on: %1."_s.arg(what) + changeOfRate(config, next, epoch));
}

void ChangeBar::setWaiting(bool waiting) {
  apply_->setEnabled(!waiting);
  discard_->setEnabled(!waiting);
  if (!waiting) return;
  setRole(*words_, {});
  words_->setText(u"The change takes effect after this batch …"_s);
}

void ChangeBar::setRefusal(const QString& reason) {
  setWaiting(false);
  setRole(*words_, u"error"_s);
  words_->setText(u"Could not change the settings: %1."_s.arg(reason));
}

}  // namespace lambda
