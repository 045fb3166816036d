#include "app/train/data/classes_dialog.h"

#include <algorithm>

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/train/caption.h"
#include "app/train/data/class_examples.h"
#include "app/train/data/data_report_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kExamples = 8;
constexpr int kSide = 40;
constexpr int kSpace = 4;
constexpr int kColumnSpace = 24;
constexpr QSize kDialogSize(860, 640);
constexpr int kFindingsHeight = 160;

enum Column { kName, kTrain, kTest, kPictures, kColumns };

QString untrusted(const std::string& text) {
  return oneLine(QString::fromStdString(text));
}

QTableWidget* makeTable(const QStringList& titles, QWidget* parent) {
  auto* table = new QTableWidget(0, static_cast<int>(titles.size()), parent);
  table->setHorizontalHeaderLabels(titles);
  table->verticalHeader()->hide();
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->horizontalHeader()->setStretchLastSection(true);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  return table;
}

/// As wide as the contents, with a space between the columns.
void widenToContents(QTableWidget& table) {
  table.resizeColumnsToContents();
  for (int i = 0; i < table.columnCount() - 1; ++i) {
    table.setColumnWidth(i, table.columnWidth(i) + kColumnSpace);
  }
}

/// Images side by side, each in a square.
QPixmap stripOf(const std::vector<QImage>& images, qreal ratio) {
  const auto count = static_cast<int>(images.size());
  QPixmap strip(QSize(std::max(1, count * (kSide + kSpace)), kSide) * ratio);
  strip.setDevicePixelRatio(ratio);
  strip.fill(Qt::transparent);
  QPainter painter(&strip);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  for (int i = 0; i < count; ++i) {
    painter.drawImage(QRect(i * (kSide + kSpace), 0, kSide, kSide),
                      images[static_cast<std::size_t>(i)]);
  }
  return strip;
}

}  // namespace

ClassesDialog::ClassesDialog(const DataReport& report, const DataSource& source, QWidget* parent)
    : QDialog(parent),
      classes_(
          makeTable({u"Class"_s, u"Training and validation"_s, u"Test"_s, u"Examples"_s}, this)) {
  // Data that was refused has none.
  const std::vector<ClassCount> classes = classCountsOf(report);
  setWindowTitle(classes.empty() ? u"Findings"_s : u"Classes"_s);
  auto* column = new QVBoxLayout(this);
  auto* counts = new QLabel(countsText(report), this);
  counts->setWordWrap(true);
  counts->setVisible(report.info.has_value());
  column->addWidget(counts);
  classes_->setObjectName(u"classes"_s);
  classes_->setAccessibleName(u"Classes"_s);
  classes_->setIconSize({kExamples * (kSide + kSpace), kSide});
  classes_->verticalHeader()->setDefaultSectionSize(kSide + 2 * kSpace);
  addClasses(classes);
  classes_->setVisible(!classes.empty());
  classes_->setSortingEnabled(true);
  classes_->sortByColumn(kName, Qt::AscendingOrder);
  for (const Column ofCounts : {kTrain, kTest}) {
    classes_->horizontalHeaderItem(ofCounts)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
  widenToContents(*classes_);
  column->addWidget(classes_, 1);
  if (!report.findings.empty()) {
    column->addWidget(makeFindings(report.findings), classes.empty() ? 1 : 0);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  column->addWidget(buttons);
  resize(kDialogSize);
  if (classes.empty()) return;
  reading_.run([source] { return readClassExamples(source, kExamples); },
               [this](const ClassExamples& examples) { showExamples(examples); });
}

void ClassesDialog::addClasses(const std::vector<ClassCount>& counts) {
  classes_->setRowCount(static_cast<int>(counts.size()));
  for (int row = 0; row < classes_->rowCount(); ++row) {
    const ClassCount& each = counts[static_cast<std::size_t>(row)];
    auto* name = new QTableWidgetItem(untrusted(each.name));
    name->setData(Qt::UserRole, row);
    classes_->setItem(row, kName, name);
    for (const auto& [column, count] : {std::pair{kTrain, each.train}, {kTest, each.test}}) {
      auto* item = new QTableWidgetItem;
      item->setData(Qt::DisplayRole, static_cast<qlonglong>(count));
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      classes_->setItem(row, column, item);
    }
    classes_->setItem(row, kPictures, new QTableWidgetItem);
  }
}

QWidget* ClassesDialog::makeFindings(const std::vector<DataFinding>& findings) {
  auto* part = new QWidget(this);
  auto* column = makeBareLayout<QVBoxLayout>(part);
  column->addWidget(makeCaption(part, u"What the check found"_s));
  QTableWidget* table = makeTable({u"File or folder"_s, u"Finding"_s}, part);
  table->setObjectName(u"findings"_s);
  table->setAccessibleName(u"What the check found"_s);
  if (classes_->rowCount() > 0) table->setMaximumHeight(kFindingsHeight);
  table->setRowCount(static_cast<int>(findings.size()));
  for (int row = 0; row < table->rowCount(); ++row) {
    const DataFinding& finding = findings[static_cast<std::size_t>(row)];
    table->setItem(row, 0, new QTableWidgetItem(untrusted(finding.place)));
    auto* text = new QTableWidgetItem(untrusted(finding.text));
    text->setToolTip(toolTipText(QString::fromStdString(finding.hint)));
    table->setItem(row, 1, text);
  }
  widenToContents(*table);
  column->addWidget(table);
  return part;
}

void ClassesDialog::showExamples(const ClassExamples& examples) {
  // While rows are sorted by the examples, setting one would move its row.
  classes_->setSortingEnabled(false);
  for (int row = 0; row < classes_->rowCount(); ++row) {
    const auto label = classes_->item(row, kName)->data(Qt::UserRole).toULongLong();
    QTableWidgetItem* item = classes_->item(row, kPictures);
    if (!examples.problem.isEmpty()) {
      item->setText(oneLine(examples.problem));
    } else if (label < examples.ofClass.size()) {
      item->setIcon(QIcon(stripOf(examples.ofClass[label], devicePixelRatioF())));
    }
  }
  classes_->setSortingEnabled(true);
}

}  // namespace lambda
