#include "app/experiments/plan/plan_panel.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>

#include "app/experiments/plan/plan_estimate.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

enum Column { kParameters, kFlops, kEpochs, kSeconds, kColumns };

constexpr std::chrono::milliseconds kDelay{800};

/// Whether a run of one takes as long as a run of the other.
bool isEquallyLong(const PlanRow& a, const PlanRow& b) {
  return a.settings == b.settings && a.parameters == b.parameters && a.flops == b.flops &&
         a.epochs == b.epochs && a.batchSize == b.batchSize;
}

}  // namespace

PlanPanel::PlanPanel(const std::filesystem::path& program, PlanTiming timing, QWidget* parent)
    : QWidget(parent),
      timing_(timing),
      estimate_(new PlanEstimate(program, this)),
      delay_(new QTimer(this)),
      table_(new QTableWidget(0, kColumns)),
      total_(new QLabel),
      button_(new QPushButton(u"Measure the time"_s)) {
  table_->setObjectName(u"plan"_s);
  table_->setAccessibleName(u"Plan of the experiment"_s);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setTabKeyNavigation(false);
  table_->setHorizontalHeaderLabels(
      {u"Parameters"_s, u"FLOPs per image"_s, u"Epochs"_s, u"Time of a run"_s});
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  total_->setObjectName(u"planTotal"_s);
  total_->setProperty(kRole, u"secondary"_s);
  total_->setWordWrap(true);
  button_->setObjectName(u"measureTime"_s);
  auto* line = new QHBoxLayout;
  line->addWidget(total_, 1);
  line->addWidget(button_);
  auto* column = makeBareLayout<QVBoxLayout>(this, spacing::kGap);
  column->addLayout(line);
  column->addWidget(table_, 1);
  delay_->setSingleShot(true);
  delay_->setInterval(kDelay);
  onFontChangeOfParts(*table_, [this] { table_->resizeColumnsToContents(); });
  connect(delay_, &QTimer::timeout, this, &PlanPanel::measure);
  connect(button_, &QPushButton::clicked, this, &PlanPanel::measure);
  connect(estimate_, &PlanEstimate::measured, this, [this](const PlanTime& time) {
    for (std::size_t i = 0; i < std::min(rows_.size(), time.secondsPerRun.size()); ++i) {
      rows_[i].seconds = time.secondsPerRun[i];
    }
    showRows();
  });
  connect(estimate_, &PlanEstimate::failed, this, [this](const QString& reason) {
    showTotal();
    total_->setText(reason);
  });
  clear();
}

void PlanPanel::setPlan(const Experiment& experiment, std::vector<PlanRow> rows) {
  for (PlanRow& row : rows) {
    const auto same = std::ranges::find_if(
        rows_, [&](const PlanRow& before) { return isEquallyLong(before, row); });
    if (same != rows_.end()) row.seconds = same->seconds;
  }
  const bool isSameBase = experiment.base == experiment_.base;
  if (!isSameBase) {
    for (PlanRow& row : rows) row.seconds.reset();
  }
  if (isSameBase && rows == rows_ && experiment.seeds == experiment_.seeds) return;
  experiment_ = experiment;
  rows_ = std::move(rows);
  estimate_->cancel();
  const bool isKnown =
      std::ranges::all_of(rows_, [](const auto& row) { return row.seconds.has_value(); });
  if (timing_ == PlanTiming::asEdited && !isKnown && isQuicklyMeasured(rows_)) {
    delay_->start();
  } else {
    delay_->stop();
  }
  showRows();
}

void PlanPanel::clear() {
  delay_->stop();
  estimate_->cancel();
  experiment_ = {};
  rows_.clear();
  showRows();
}

void PlanPanel::setMayMeasure(bool mayMeasure) {
  if (mayMeasure_ == mayMeasure) return;
  mayMeasure_ = mayMeasure;
  if (!mayMeasure_) estimate_->cancel();
  showTotal();
}

void PlanPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  delay_->stop();
  estimate_->cancel();
  showTotal();
}

void PlanPanel::measure() {
  delay_->stop();
  if (rows_.empty() || !mayMeasure_) return;
  estimate_->measure(experiment_);
  showTotal();
}

void PlanPanel::showRows() {
  table_->setRowCount(static_cast<int>(rows_.size()));
  for (int i = 0; i < table_->rowCount(); ++i) {
    const PlanRow& row = rows_[static_cast<std::size_t>(i)];
    auto* name = new QTableWidgetItem(QString::fromStdString(row.name));
    QStringList changes;
    for (const std::string& setting : row.settings) changes << QString::fromStdString(setting);
    name->setToolTip(changes.join(u'\n').toHtmlEscaped());
    table_->setVerticalHeaderItem(i, name);
    const QString texts[kColumns] = {countText(row.parameters),
                                     shortCountText(row.flops),
                                     countText(row.epochs),
                                     row.seconds ? durationText(*row.seconds) : QString()};
    for (int column = 0; column < kColumns; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(i, column, item);
    }
  }
  table_->resizeColumnsToContents();
  showTotal();
}

void PlanPanel::showTotal() {
  const auto seeds = std::ssize(experiment_.seeds);
  double seconds = 0;
  bool isKnown = !rows_.empty();
  for (const PlanRow& row : rows_) {
    isKnown = isKnown && row.seconds.has_value();
    seconds += row.seconds.value_or(0) * static_cast<double>(seeds);
  }
  const QString runs = u"%1 with %2"_s.arg(countedText(std::ssize(rows_) * seeds, u"run"_s),
                                           countedText(seeds, u"seed"_s));
  QString text;
  if (rows_.empty()) {
    text = u"There is no plan yet."_s;
  } else if (isKnown) {
    text = u"%1: about %2 on this machine, one run at a time."_s.arg(runs, durationText(seconds));
  } else if (estimate_->isMeasuring()) {
    text = u"%1. The time on this machine is being measured…"_s.arg(runs);
  } else {
    text = u"%1."_s.arg(runs);
  }
  total_->setText(text);
  button_->setVisible(!rows_.empty() && !isKnown);
  button_->setEnabled(mayMeasure_ && !estimate_->isMeasuring());
  button_->setToolTip(
      mayMeasure_ ? u"Train a few steps of every variant to find out how long its runs take"_s
                  : u"Not while a run trains: both would be slower, and the time would be wrong"_s);
}

}  // namespace lambda
