#include "app/experiments/theory/theory_numbers.h"

#include <algorithm>
#include <array>

#include <QFontMetrics>
#include <QHeaderView>
#include <QPainter>

#include "engine/values/theory/theory_csv.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

enum NumberColumn { kQuantity, kFound, kRepetitions, kPublished, kWords, kNumberColumns };

constexpr int kCellPadding = 12;

using ColumnWidths = std::array<int, kNumberColumns>;

bool isNumberColumn(int column) {
  return column == kFound || column == kRepetitions || column == kPublished;
}

Qt::Alignment alignmentOf(int column) {
  return Qt::AlignVCenter | (isNumberColumn(column) ? Qt::AlignRight : Qt::AlignLeft);
}

QStringList columnTitles() {
  return {u"Quantity"_s, u"Found"_s, u"Repetitions"_s, u"Source"_s, u"The source says"_s};
}

QString withUnit(const QString& number, const std::string& unit) {
  return unit.empty() ? number : number + u' ' + QString::fromStdString(unit);
}

QStringList textsOf(const TheoryNumber& number) {
  QString found = numberText(number.value, 4);
  if (number.deviation) found += u" ± "_s + numberText(*number.deviation);
  const QString published =
      number.published ? withUnit(roundedText(*number.published), number.unit) : QString();
  return {QString::fromStdString(number.title),
          withUnit(found, number.unit),
          countText(number.count),
          published,
          QString::fromStdString(number.publishedText)};
}

ColumnWidths widthsOf(const std::vector<QStringList>& rows) {
  const QFontMetrics metrics(smallFont());
  ColumnWidths widths{};
  for (const QStringList& row : rows) {
    for (int column = 0; column < kNumberColumns; ++column) {
      int& width = widths[static_cast<std::size_t>(column)];
      width = std::max(width, metrics.horizontalAdvance(row[column]) + 2 * kCellPadding);
    }
  }
  return widths;
}

int paintedRowHeight() {
  return QFontMetrics(smallFont()).height() + kCellPadding;
}

}  // namespace

TheoryNumbers::TheoryNumbers(QWidget* parent) : QTableWidget(parent) {
  setObjectName(u"theoryNumbers"_s);
  setAccessibleName(u"Numbers of the experiment"_s);
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setTabKeyNavigation(false);
  setWordWrap(true);
  setColumnCount(kNumberColumns);
  setHorizontalHeaderLabels(columnTitles());
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  horizontalHeader()->setHighlightSections(false);
  for (int column = 0; column < kNumberColumns; ++column) {
    horizontalHeaderItem(column)->setTextAlignment(alignmentOf(column));
    horizontalHeader()->setSectionResizeMode(
        column, isNumberColumn(column) ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
  }
  connect(verticalHeader(), &QHeaderView::sectionResized, this, [this] { updateGeometry(); });
  horizontalHeaderItem(kFound)->setToolTip(
      u"The mean over the repetitions, and their standard deviation"_s);
}

void TheoryNumbers::setNumbers(const QString& experiment,
                               const QString& caption,
                               const std::vector<TheoryNumber>& numbers) {
  experiment_ = experiment;
  caption_ = caption;
  if (numbers_ == numbers) return;
  const bool isOther = numbers_.size() != numbers.size();
  numbers_ = numbers;
  setRowCount(static_cast<int>(numbers_.size()));
  for (int row = 0; row < rowCount(); ++row) {
    const QStringList texts = textsOf(numbers_[static_cast<std::size_t>(row)]);
    for (int column = 0; column < kNumberColumns; ++column) {
      if (!item(row, column)) {
        setItem(row, column, new QTableWidgetItem);
        item(row, column)->setTextAlignment(alignmentOf(column));
      }
      item(row, column)->setText(texts[column]);
    }
  }
  if (isOther) updateGeometry();
}

QString TheoryNumbers::exportName() const {
  return experiment_ + u"-numbers"_s;
}

QString TheoryNumbers::exportCaption() const {
  return caption_;
}

std::vector<QStringList> TheoryNumbers::rowsWithTitles() const {
  std::vector<QStringList> rows{columnTitles()};
  for (const TheoryNumber& number : numbers_) rows.push_back(textsOf(number));
  return rows;
}

QSize TheoryNumbers::exportSize() const {
  int width = 0;
  for (const int column : widthsOf(rowsWithTitles())) width += column;
  return {width, (rowCount() + 1) * paintedRowHeight()};
}

void TheoryNumbers::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  painter.fillRect(QRect(QPoint(), size), colors.page);
  painter.setFont(smallFont());
  const std::vector<QStringList> rows = rowsWithTitles();
  const ColumnWidths widths = widthsOf(rows);
  const int height = paintedRowHeight();
  int y = 0;
  for (const QStringList& row : rows) {
    int x = 0;
    for (int column = 0; column < kNumberColumns; ++column) {
      const int width = widths[static_cast<std::size_t>(column)];
      painter.setPen(y == 0 ? colors.textSecondary : colors.text);
      painter.drawText(QRect(x, y, width, height).adjusted(kCellPadding, 0, -kCellPadding, 0),
                       static_cast<int>(alignmentOf(column)),
                       row[column]);
      x += width;
    }
    y += height;
    painter.setPen(QPen(colors.hairline, 1));
    painter.drawLine(0, y, x, y);
  }
}

QString TheoryNumbers::toCsv() const {
  return numbers_.empty() ? QString() : QString::fromStdString(theoryCsv(numbers_));
}

int TheoryNumbers::contentHeight() const {
  return horizontalHeader()->sizeHint().height() + verticalHeader()->length() + 2 * frameWidth();
}

QSize TheoryNumbers::sizeHint() const {
  return {QTableWidget::sizeHint().width(), contentHeight()};
}

QSize TheoryNumbers::minimumSizeHint() const {
  return {qRound(240 * textScale()), std::min(contentHeight(), qRound(110 * textScale()))};
}

}  // namespace lambda
