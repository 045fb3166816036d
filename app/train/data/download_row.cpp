#include "app/train/data/download_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/train/data/cifar10_download.h"
#include "app/train/training_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QLabel* makeDownloadText(QWidget* parent, const QString& role) {
  auto* label = new QLabel(parent);
  label->setProperty(kRole, role);
  label->setWordWrap(true);
  return label;
}

}  // namespace

DownloadRow::DownloadRow(QWidget* parent) : QWidget(parent), download_(new Cifar10Download(this)) {
  start_ = new QPushButton(u"Download CIFAR-10 (170 MB)"_s, this);
  start_->setObjectName(u"download"_s);
  start_->setToolTip(u"From www.cs.toronto.edu, checked by its digest"_s);
  running_ = new QWidget(this);
  progress_ = new QProgressBar(running_);
  progress_->setTextVisible(false);
  progressText_ = makeDownloadText(running_, u"secondary"_s);
  cancel_ = new QPushButton(u"Cancel"_s, running_);
  cancel_->setObjectName(u"cancelDownload"_s);
  auto* bar = new QVBoxLayout;
  bar->addWidget(progress_);
  bar->addWidget(progressText_);
  auto* row = makeBareLayout<QHBoxLayout>(running_);
  row->addLayout(bar, 1);
  row->addWidget(cancel_);
  result_ = makeDownloadText(this, u"error"_s);
  result_->setObjectName(u"downloadState"_s);
  result_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* column = makeBareLayout<QVBoxLayout>(this);
  column->addWidget(start_, 0, Qt::AlignLeft);
  column->addWidget(running_);
  column->addWidget(result_);
  result_->hide();
  showButtons();
  connect(start_, &QPushButton::clicked, this, &DownloadRow::startRequested);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    cancel_->setEnabled(false);
    progressText_->setText(u"Cancelling …"_s);
    download_->cancel();
  });
  connect(download_, &Cifar10Download::progressed, this, &DownloadRow::showProgress);
  connect(download_, &Cifar10Download::finished, this, [this](const QString& file) {
    end({}, u"secondary"_s);
    Q_EMIT finished(file);
  });
  connect(download_, &Cifar10Download::cancelled, this, [this] {
    end(u"Cancelled. What was received is kept: the next attempt continues from there."_s,
        u"secondary"_s);
  });
  connect(download_, &Cifar10Download::failed, this, [this](const QString& reason) {
    end(reason, u"error"_s);
  });
}

bool DownloadRow::isRunning() const {
  return download_->isRunning();
}

void DownloadRow::setOffered(bool offered, bool enabled) {
  isOffered_ = offered;
  start_->setEnabled(enabled);
  if (!offered && !isRunning()) result_->hide();
  showButtons();
}

void DownloadRow::start(const DownloadRequest& request) {
  if (isRunning()) return;
  result_->hide();
  progress_->setRange(0, 0);
  progressText_->setText(u"Connecting …"_s);
  cancel_->setEnabled(true);
  resumedAt_ = -1;
  since_.start();
  download_->start(request);
  showButtons();
}

void DownloadRow::showButtons() {
  start_->setVisible(isOffered_ && !isRunning());
  running_->setVisible(isRunning());
}

void DownloadRow::showProgress(DownloadPhase phase, qint64 received, qint64 total) {
  if (!isRunning() || !cancel_->isEnabled()) return;
  constexpr int kPerMille = 1000;
  progress_->setRange(0, kPerMille);
  progress_->setValue(total > 0 ? static_cast<int>(kPerMille * received / total) : 0);
  if (phase == DownloadPhase::check) {
    progressText_->setText(u"Checking the digest …"_s);
    return;
  }
  if (resumedAt_ < 0) resumedAt_ = received;
  QString text = u"%1 of %2"_s.arg(bytesText(received), bytesText(total));
  const double seconds = static_cast<double>(since_.elapsed()) / 1000;
  const double rate = seconds > 1 ? static_cast<double>(received - resumedAt_) / seconds : 0;
  if (rate > 0) {
    text += u", %1 left"_s.arg(durationText(static_cast<double>(total - received) / rate));
  }
  progressText_->setText(text);
}

void DownloadRow::end(const QString& text, const QString& role) {
  setRole(*result_, role);
  result_->setText(text);
  result_->setVisible(!text.isEmpty());
  showButtons();
}

}  // namespace lambda
