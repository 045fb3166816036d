#include "app/design/totals_bar.h"

#include <QHBoxLayout>
#include <QPainter>

#include "app/design/epoch_time.h"
#include "app/design/total_cell.h"
#include "engine/values/range_check.h"
#include "widgets/network/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

struct Totals {
  long long parameters = 0;
  long long flops = 0;
  long long activations = 0;  ///< Of a batch.
  long long memory = 0;
};

Totals totalsOf(const RunConfig& config, const NetworkCost& cost) {
  const Recipe& recipe = config.recipe;
  return {cost.parameters,
          cost.flops,
          trainingBytes({{}, 0, 0, cost.activationBytes}, recipe.batchSize, 0),
          trainingBytes(cost, recipe.batchSize, stateCopiesOf(recipe.optimizer.kind))};
}

template <class Text>
void show(TotalCell& cell, long long now, long long before, const Text& text) {
  QString difference;
  if (now != before) {
    // A difference too small for the digits shown is still one.
    difference = (now > before ? u"+"_s : u"−"_s) + text(std::abs(now - before));
  }
  cell.setValue(text(now), difference, now > before);
  cell.setToolTip(now == before ? TotalsBar::tr("As in the last saved version")
                                : TotalsBar::tr("%1 in the last saved version").arg(text(before)));
}

}  // namespace

int stateCopiesOf(OptimizerKind kind) {
  return kind == OptimizerKind::sgd ? 1 : 2;
}

TotalsBar::TotalsBar(InspectionSession& inspection, QWidget* parent)
    : QFrame(parent),
      pattern_(new TotalCell(tr("Pattern"), this)),
      parameters_(new TotalCell(tr("Parameters"), this)),
      flops_(new TotalCell(tr("FLOPs an image"), this)),
      activations_(new TotalCell(tr("Activations"), this)),
      memory_(new TotalCell(tr("Memory to train"), this)),
      time_(new EpochTime(inspection, this)) {
  setProperty(kRole, u"panel"_s);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(16, 10, 16, 10);
  layout->setSpacing(24);
  for (TotalCell* cell : {pattern_, parameters_, flops_, activations_, memory_}) {
    layout->addWidget(cell);
  }
  layout->addStretch(1);
  layout->addWidget(time_);
  pattern_->setToolTip(tr("A letter a stage: C for convolutions, L for lambda layers"));
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
  const auto count = [](long long value) { return shortCount(value); };
  const auto bytes = [](long long value) { return shortBytes(value, 3); };
  const QString pattern = QString::fromStdString(patternOf(config.architecture));
  pattern_->setValue(pattern.isEmpty() ? u"–"_s : pattern);
  lambda::show(*parameters_, now.parameters, before.parameters, count);
  lambda::show(*flops_, now.flops, before.flops, count);
  activations_->setName(tr("Activations, batch of %1").arg(config.recipe.batchSize));
  lambda::show(*activations_, now.activations, before.activations, bytes);
  lambda::show(*memory_, now.memory, before.memory, bytes);
  time_->setConfig(config, canTrain);
}

void TotalsBar::paintEvent(QPaintEvent* event) {
  QFrame::paintEvent(event);
  QPainter painter(this);
  painter.setPen(colorsOf(*this).hairline);
  painter.drawLine(QPointF(0, 0.5), QPointF(width(), 0.5));
}

}  // namespace lambda
