#include "app/design/totals/totals_bar.h"

#include <QPainter>

#include "app/design/totals/epoch_time.h"
#include "app/design/totals/total_cell.h"
#include "app/session/machine_memory.h"
#include "engine/values/config/range_check.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kTotalsGap = 24;
constexpr int kNarrowGap = 14;
constexpr double kWidestPattern = 200;  ///< In pixels at text size 1.

struct Totals {
  long long parameters = 0;
  long long flops = 0;
  long long activations = 0;  ///< For one batch.
  long long memory = 0;
};

Totals totalsOf(const RunConfig& config, const NetworkCost& cost) {
  const Recipe& recipe = config.recipe;
  return {cost.parameters,
          cost.flops,
          trainingBytes({{}, 0, 0, cost.activationBytes}, recipe.batchSize, 0),
          trainingBytes(cost, recipe)};
}

template <class Text>
void show(TotalCell& cell, long long now, long long before, const Text& text) {
  QString difference;
  if (now != before) {
    // A difference that is too small for the digits of the total is shown too.
    difference = (now > before ? u"+"_s : u"−"_s) + text(std::abs(now - before));
  }
  cell.setValue(text(now), difference, now > before);
  cell.setToolTip(now == before ? u"As in the last saved version"_s
                                : u"%1 in the last saved version"_s.arg(text(before)));
}

}  // namespace

TotalsBar::TotalsBar(MachineService& machine, QWidget* parent)
    : QFrame(parent),
      pattern_(new TotalCell(u"Pattern"_s, this)),
      parameters_(new TotalCell(u"Parameters"_s, this)),
      flops_(new TotalCell(u"FLOPs per image"_s, this)),
      activations_(new TotalCell(u"Activations"_s, this)),
      memory_(new TotalCell(u"Memory to train"_s, this)),
      time_(new EpochTime(machine, this)) {
  setProperty(kRole, u"panel"_s);
  auto* layout = new FlowLayout(kTotalsGap, this);
  layout->setContentsMargins(16, 10, 16, 10);
  for (TotalCell* cell : {pattern_, parameters_, flops_, activations_, memory_}) {
    layout->addWidget(cell);
  }
  layout->beginRight();
  layout->addWidget(time_);
  connect(time_, &EpochTime::changed, this, &TotalsBar::fit);
  onChange(*this, {QEvent::FontChange, QEvent::StyleChange}, [this] { fit(); });
}

void TotalsBar::show(const RunConfig& config,
                     const NetworkCost& cost,
                     const RunConfig& saved,
                     bool canTrain) {
  if (saved_ != saved || savedCost_.layers.empty()) {
    saved_ = saved;
    Architecture inRange = saved.architecture;
    clampToRanges(inRange);
    savedCost_ = costOf(inRange);
  }
  const Totals now = totalsOf(config, cost);
  const Totals before = totalsOf(saved, savedCost_);
  const auto count = [](long long value) { return shortCountText(value); };
  const auto bytes = [](long long value) { return bytesText(value, 3); };
  showPattern(QString::fromStdString(patternOf(config.architecture)));
  lambda::show(*parameters_, now.parameters, before.parameters, count);
  lambda::show(*flops_, now.flops, before.flops, count);
  batchSize_ = config.recipe.batchSize;
  example_ = QString::fromLatin1(traitsOf(config.architecture.task).example);
  lambda::show(*activations_, now.activations, before.activations, bytes);
  lambda::show(*memory_, now.memory, before.memory, bytes);
  QString obstacle = canTrain ? QString() : u"Solve the errors first"_s;
  const long long machine = machineMemory();
  if (machine > 0 && now.memory > machine) {
    memory_->setValue(bytes(now.memory), u"of %1"_s.arg(bytes(machine)), true);
    obstacle =
        u"Needs more memory than the %1 of this machine: smaller batches, fewer blocks or "
        "less width help."_s.arg(bytes(machine));
    memory_->setToolTip(obstacle);
  }
  time_->setConfig(config, obstacle);
  fit();
}

void TotalsBar::showPattern(const QString& pattern) {
  const QString shown =
      QFontMetrics(headingFont())
          .elidedText(pattern, Qt::ElideMiddle, qRound(kWidestPattern * textScale()));
  pattern_->setValue(pattern.isEmpty() ? u"–"_s : shown);
  QString tip = u"One letter per stage: %1"_s.arg(QString::fromStdString(patternLegend()));
  if (shown != pattern) tip.prepend(pattern + u'\n');
  pattern_->setToolTip(tip);
}

void TotalsBar::fit() {
  setBrief(false);
  if (layout()->sizeHint().width() > width()) setBrief(true);
}

void TotalsBar::setBrief(bool isBrief) {
  layout()->setSpacing(isBrief ? kNarrowGap : kTotalsGap);
  flops_->setName(isBrief ? u"FLOPs"_s : u"FLOPs per %1"_s.arg(example_));
  activations_->setName(isBrief ? u"Activations"_s : u"Activations, batch of %1"_s.arg(batchSize_));
  memory_->setName(isBrief ? u"Memory"_s : u"Memory to train"_s);
  time_->setBrief(isBrief);
  // The layout caches sizes until it is notified of new ones.
  for (QWidget* cell : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    cell->updateGeometry();
  }
  updateGeometry();
}

void TotalsBar::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  fit();
}

void TotalsBar::paintEvent(QPaintEvent* event) {
  QFrame::paintEvent(event);
  QPainter painter(this);
  painter.setPen(colorsOf(*this).hairline);
  painter.drawLine(QPointF(0, 0.5), QPointF(width(), 0.5));
}

}  // namespace lambda
