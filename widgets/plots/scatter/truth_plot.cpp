#include "widgets/plots/scatter/truth_plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include "engine/values/text/text.h"
#include "widgets/plots/axes/axis_tickers.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kReachInPixels = 8;
constexpr double kMargin = 0.05;  // Share of the range, on each side.

}  // namespace

TruthPlot::TruthPlot(QWidget* parent)
    : PlotView(parent),
      diagonal_(plot().addGraph()),
      points_(plot().addGraph()),
      currentPoint_(plot().addGraph()) {
  points_->setLineStyle(QCPGraph::lsNone);
  currentPoint_->setLineStyle(QCPGraph::lsNone);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(u"Predicted over true numbers"_s);
  setExportName(u"predicted-numbers"_s);
  // The plot's own widget would take the clicks.
  plot().setAttribute(Qt::WA_TransparentForMouseEvents);
}

void TruthPlot::setNumbers(NumberColumn column) {
  if (column_ == column) return;
  column_ = std::move(column);
  byTruth_.resize(column_.truth.size());
  std::iota(byTruth_.begin(), byTruth_.end(), 0);
  std::ranges::stable_sort(
      byTruth_, {}, [this](int image) { return column_.truth[static_cast<std::size_t>(image)]; });
  const QString name = QString::fromStdString(column_.name);
  PlotView::setAxes({u"True %1"_s.arg(name)}, {u"Predicted %1"_s.arg(name)});
  setExportCaption(u"Predicted %1 over the true one"_s.arg(name));
  points_->data()->clear();
  diagonal_->data()->clear();
  if (hasPoints()) {
    for (std::size_t i = 0; i < column_.truth.size(); ++i) {
      points_->addData(column_.truth[i], column_.predicted[i]);
    }
    const auto [low, high] = std::ranges::minmax(column_.truth);
    const auto [lowest, highest] = std::ranges::minmax(column_.predicted);
    const double from = std::min(low, lowest), to = std::max(high, highest);
    const double margin =
        to > from ? (to - from) * kMargin : std::max(std::abs(to) * kMargin, 1e-6);
    // Both axes have the same numbers, so that the diagonal is one.
    for (QCPAxis* axis : {&x(), &y()}) axis->setRange(from - margin, to + margin);
    diagonal_->addData(from - margin, from - margin);
    diagonal_->addData(to + margin, to + margin);
  }
  setCurrent(std::nullopt);
}

QPointF TruthPlot::positionOf(int image) const {
  redrawNow();
  const auto index = static_cast<std::size_t>(image);
  return toPixels({column_.truth[index], column_.predicted[index]});
}

QString TruthPlot::toCsv() const {
  QString csv = u"image,true,predicted\n"_s;
  for (std::size_t i = 0; i < column_.truth.size(); ++i) {
    csv += QString::number(i) + u',' + QString::fromStdString(formatFloat(column_.truth[i])) +
           u',' + QString::fromStdString(formatFloat(column_.predicted[i])) + u'\n';
  }
  return csv;
}

bool TruthPlot::hasPoints() const {
  return !column_.truth.empty();
}

void TruthPlot::style(const Colors& colors, const QSize& size, Medium medium) const {
  PlotView::style(colors, size, medium);
  diagonal_->setPen(QPen(colors.textSecondary, 1, Qt::DashLine));
  QColor fill = colors.series[0];
  fill.setAlpha(140);
  points_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, fill, fill, 5));
  currentPoint_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colors.accent, 2), Qt::NoBrush, 11));
  currentPoint_->setVisible(medium == Medium::screen);
}

std::optional<int> TruthPlot::imageAt(const QPointF& position) const {
  std::optional<int> nearest;
  double least = kReachInPixels;
  for (std::size_t i = 0; i < column_.truth.size(); ++i) {
    const QPointF gap = toPixels({column_.truth[i], column_.predicted[i]}) - position;
    const double distance = std::hypot(gap.x(), gap.y());
    if (distance > least) continue;
    least = distance;
    nearest = static_cast<int>(i);
  }
  return nearest;
}

QString TruthPlot::sentenceFor(int image) const {
  const auto index = static_cast<std::size_t>(image);
  return u"Image %1: predicted %2, true %3"_s.arg(image).arg(roundedText(column_.predicted[index]),
                                                             roundedText(column_.truth[index]));
}

void TruthPlot::setCurrent(std::optional<int> image) {
  current_ = image;
  currentPoint_->data()->clear();
  if (image) {
    const auto index = static_cast<std::size_t>(*image);
    currentPoint_->addData(column_.truth[index], column_.predicted[index]);
  }
  setAccessibleDescription(image ? sentenceFor(*image) : QString());
  redraw();
}

bool TruthPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return PlotView::event(event);
  const auto& help = static_cast<const QHelpEvent&>(*event);
  const std::optional<int> image = imageAt(help.pos());
  if (image) {
    QToolTip::showText(help.globalPos(), sentenceFor(*image), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void TruthPlot::mousePressEvent(QMouseEvent* event) {
  const std::optional<int> image = imageAt(event->position());
  if (event->button() != Qt::LeftButton || !image) return PlotView::mousePressEvent(event);
  setCurrent(image);
  Q_EMIT imageChosen(*image);
}

void TruthPlot::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (isEnter && current_) {
    Q_EMIT imageChosen(*current_);
  } else if (step != 0 && !byTruth_.empty()) {
    std::ptrdiff_t place = 0;
    if (current_) place = std::ranges::find(byTruth_, *current_) - byTruth_.begin() + step;
    place = std::clamp<std::ptrdiff_t>(place, 0, std::ssize(byTruth_) - 1);
    setCurrent(byTruth_[static_cast<std::size_t>(place)]);
  } else {
    PlotView::keyPressEvent(event);
  }
}

}  // namespace lambda
