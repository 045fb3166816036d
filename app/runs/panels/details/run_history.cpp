#include "app/runs/panels/details/run_history.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include "widgets/text/quantity_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kRowHeight = 22;
constexpr int kSmallestHeight = 140;

}  // namespace

RunHistory::RunHistory(QWidget* parent) : QWidget(parent), table_(new QTableWidget(0, 3, this)) {
  auto* heading = new QLabel(u"Events"_s, this);
  heading->setProperty(kRole, u"heading"_s);
  table_->setAccessibleName(u"Events"_s);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setShowGrid(false);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->hide();
  table_->horizontalHeader()->setStretchLastSection(true);
  updateSizes();
  auto* column = makeBareLayout<QVBoxLayout>(this, 6);
  column->addWidget(heading);
  column->addWidget(table_, 1);
  onFontChange(*this, [this] { updateSizes(); });
}

void RunHistory::updateSizes() {
  table_->setMinimumHeight(qRound(kSmallestHeight * textScale()));
  table_->verticalHeader()->setDefaultSectionSize(qRound(kRowHeight * textScale()));
  table_->resizeColumnToContents(0);
  table_->resizeColumnToContents(1);
}

void RunHistory::setEvents(const std::vector<EventRecord>& events) {
  setVisible(!events.empty());
  table_->setRowCount(static_cast<int>(events.size()));
  int line = 0;
  for (auto event = events.rbegin(); event != events.rend(); ++event, ++line) {
    const QString text = QString::fromStdString(event->text);
    table_->setItem(line, 0, new QTableWidgetItem(clockText(event->seconds)));
    table_->setItem(line, 1, new QTableWidgetItem(eventTitle(event->kind)));
    table_->setItem(line, 2, new QTableWidgetItem(oneLine(text)));
    table_->item(line, 0)->setToolTip(u"Epoch %1, step %2"_s.arg(event->epoch).arg(event->step));
    table_->item(line, 2)->setToolTip(toolTipText(text));
  }
  table_->resizeColumnToContents(0);
  table_->resizeColumnToContents(1);
}

}  // namespace lambda
