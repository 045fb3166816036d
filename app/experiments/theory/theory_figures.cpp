#include "app/experiments/theory/theory_figures.h"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/export/export_menu.h"
#include "widgets/plots/lines/theory_plot.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

// Of a figure that stands beside others, at text size 1.
constexpr double kLeastFigureWidth = 340;
constexpr double kLeastFigureHeight = 230;

}  // namespace

TheoryFigures::TheoryFigures(QWidget* parent)
    : QWidget(parent), tabs_(new QTabBar(this)), empty_(new QLabel(this)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  tabs_->setObjectName(u"theoryTabs"_s);
  tabs_->setAccessibleName(u"Figures"_s);
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  empty_->setText(u"Run the experiment: its figures are drawn while it computes."_s);
  empty_->setProperty(kRole, u"secondary"_s);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  connect(tabs_, &QTabBar::currentChanged, this, &TheoryFigures::arrange);
  arrange();
}

void TheoryFigures::setFigures(const QString& experiment,
                               const std::vector<TheoryFigure>& figures) {
  const int before = count_;
  count_ = static_cast<int>(figures.size());
  while (panels_.size() < figures.size()) panels_.push_back(makePanel());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    panels_[i].title->setText(QString::fromStdString(figures[i].title));
    panels_[i].plot->setExportName(u"%1-figure-%2"_s.arg(experiment).arg(i + 1));
    panels_[i].plot->setFigure(figures[i]);
  }
  const QSignalBlocker blocker(tabs_);
  while (tabs_->count() > count_) tabs_->removeTab(tabs_->count() - 1);
  while (tabs_->count() < count_) tabs_->addTab(u"Figure %1"_s.arg(tabs_->count() + 1));
  for (int i = 0; i < count_; ++i) {
    tabs_->setTabToolTip(i, panels_[static_cast<std::size_t>(i)].title->fullText());
  }
  if (count_ != before) arrange();
}

TheoryFigures::Panel TheoryFigures::makePanel() {
  auto* frame = new QWidget(this);
  auto* title = new ElidedLabel(frame);
  auto* plot = new TheoryPlot(frame);
  plot->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  auto* line = new QHBoxLayout;
  line->addWidget(title, 1);
  line->addWidget(makeExportButton(*plot, *plot));
  auto* column = makeBareLayout<QVBoxLayout>(frame, 0);
  column->addLayout(line);
  column->addWidget(plot, 1);
  return {frame, title, plot};
}

/// The number of columns in which the figures are largest; 0 where they don't have space beside or
/// below each other.
int TheoryFigures::columnsWithSpace() const {
  int best = 0;
  double largest = 0;
  for (int columns = 1; columns <= count_; ++columns) {
    const int rows = (count_ + columns - 1) / columns;
    const double across = static_cast<double>(width() - (columns - 1) * spacing::kWide) / columns;
    const double down = static_cast<double>(height() - (rows - 1) * spacing::kWide) / rows;
    const double size = std::min(across / kLeastFigureWidth, down / kLeastFigureHeight);
    if (size < textScale() || size <= largest) continue;
    largest = size;
    best = columns;
  }
  return best;
}

void TheoryFigures::arrange() {
  const int columns = columnsWithSpace();
  const bool hasTabs = columns == 0 && count_ > 1;
  const int top = hasTabs ? tabs_->sizeHint().height() : 0;
  tabs_->setVisible(hasTabs);
  tabs_->setGeometry(0, 0, width(), top);
  empty_->setVisible(count_ == 0);
  empty_->setGeometry(rect());
  const int rows = columns > 0 ? (count_ + columns - 1) / columns : 1;
  const int across = std::max(columns, 1);
  const int width = (this->width() - (across - 1) * spacing::kWide) / across;
  const int height = (this->height() - top - (rows - 1) * spacing::kWide) / rows;
  for (int i = 0; i < static_cast<int>(panels_.size()); ++i) {
    const bool isShown = i < count_ && (!hasTabs || i == tabs_->currentIndex());
    const int place = hasTabs ? 0 : i;
    QWidget* frame = panels_[static_cast<std::size_t>(i)].frame;
    frame->setGeometry((place % across) * (width + spacing::kWide),
                       top + (place / across) * (height + spacing::kWide),
                       width,
                       height);
    frame->setVisible(isShown);
  }
}

QSize TheoryFigures::minimumSizeHint() const {
  return {qRound(280 * textScale()), qRound(220 * textScale())};
}

void TheoryFigures::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

bool TheoryFigures::event(QEvent* event) {
  if (event->type() == QEvent::FontChange) arrange();
  return QWidget::event(event);
}

}  // namespace lambda
