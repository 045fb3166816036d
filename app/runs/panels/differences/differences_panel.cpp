#include "app/runs/panels/differences/differences_panel.h"

#include <utility>

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSettings>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/runs/panels/differences/differences_model.h"
#include "app/runs/run_table_model.h"
#include "app/runs/table/cell_painting.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSettingHeight = 26;
constexpr int kLabelWidth = 320;
constexpr int kValueWidth = 200;
constexpr double kDotSide = 8;

const QString kOnlyDifferencesKey = u"onlyDifferences"_s;

/// Draws groups and differing values bold, other values quiet.
class DifferencesDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter,
             const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    paintCellGround(*painter, cell);
    paintCellText(*painter, cell);
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const Colors& colors = colorsOf(*option->widget);
    const bool isGroup = index.data(DifferencesModel::kIsGroupRole).toBool();
    const bool differs = index.data(DifferencesModel::kDiffersRole).toBool();
    const bool isValue = index.column() > 0;
    if (isValue) option->font = numberFont();
    if (isGroup || (isValue && differs)) option->font.setWeight(QFont::DemiBold);
    const bool isQuiet = !isGroup && (!isValue || !differs);
    const QColor text = isQuiet ? colors.textSecondary : colors.text;
    option->palette.setColor(QPalette::Text, text);
    option->palette.setColor(QPalette::HighlightedText, text);
    if (isGroup) option->displayAlignment = Qt::AlignLeft | Qt::AlignBottom;
  }
};

/// Draws run names behind dots of their colours.
class RunsHeader : public QHeaderView {
 public:
  explicit RunsHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override {
    QHeaderView::initStyleOptionForIndex(option, section);
    if (seriesOf(section) >= 0) option->text.prepend(u"     "_s);
  }

  void paintSection(QPainter* painter, const QRect& rect, int section) const override {
    painter->save();
    QHeaderView::paintSection(painter, rect, section);
    painter->restore();
    const int series = seriesOf(section);
    if (series < 0) return;
    const Colors& colors = colorsOf(*this);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(colors.series[static_cast<std::size_t>(series) % colors.series.size()]);
    painter->drawEllipse(QRectF(
        rect.left() + kCellPadding, rect.center().y() - kDotSide / 2 + 0.5, kDotSide, kDotSide));
    painter->restore();
  }

 private:
  /// The colour of a run's column; -1 = none.
  int seriesOf(int section) const {
    if (section == 0) return -1;
    return model()->headerData(section, Qt::Horizontal, DifferencesModel::kColorRole).toInt();
  }
};

}  // namespace

DifferencesPanel::DifferencesPanel(const RunsContext& context)
    : runs_(context.runs),
      model_(new DifferencesModel(this)),
      view_(new QTableView(this)),
      onlyDifferences_(new QCheckBox(u"Only differences"_s, this)),
      note_(new QLabel(this)) {
  onlyDifferences_->setChecked(model_->onlyDifferences());
  onlyDifferences_->setToolTip(u"Leave out settings that are equal in all runs"_s);
  note_->setProperty(kRole, u"secondary"_s);
  auto* copy = new QToolButton(this);
  copy->setText(u"Copy"_s);
  copy->setToolTip(u"Copy this table as text for a spreadsheet"_s);
  copy->setProperty(kRole, u"quiet"_s);

  view_->setModel(model_);
  view_->setHorizontalHeader(new RunsHeader(view_));
  view_->setItemDelegate(new DifferencesDelegate(view_));
  view_->setAccessibleName(u"Differences"_s);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setShowGrid(false);
  view_->setWordWrap(false);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setTabKeyNavigation(false);
  view_->verticalHeader()->hide();
  view_->horizontalHeader()->setStretchLastSection(true);
  view_->horizontalHeader()->setHighlightSections(false);
  view_->horizontalHeader()->setSectionsClickable(false);

  auto* top = new QHBoxLayout;
  top->addWidget(onlyDifferences_);
  top->addSpacing(8);
  top->addWidget(note_, 1);
  top->addWidget(copy);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(8);
  column->addLayout(top);
  column->addWidget(view_, 1);
  setTabOrder(onlyDifferences_, view_);
  setTabOrder(copy, view_);

  connect(onlyDifferences_, &QCheckBox::toggled, this, [this](bool on) {
    model_->setOnlyDifferences(on);
    updateLooks();
  });
  connect(copy, &QToolButton::clicked, this, [this] {
    QApplication::clipboard()->setText(model_->toText());
  });
  connect(&runs_, &QAbstractItemModel::dataChanged, this, [this] {
    if (isVisible()) refresh();
  });
  onFontChange(*this, [this] { updateLooks(); });
}

void DifferencesPanel::setRuns(const std::vector<std::filesystem::path>& runs) {
  paths_ = runs;
  if (isVisible()) refresh();
}

void DifferencesPanel::saveLayout(QSettings& settings) const {
  settings.setValue(kOnlyDifferencesKey, onlyDifferences_->isChecked());
}

void DifferencesPanel::restoreLayout(QSettings& settings) {
  onlyDifferences_->setChecked(settings.value(kOnlyDifferencesKey, true).toBool());
}

void DifferencesPanel::showEvent(QShowEvent* event) {
  RunsPanel::showEvent(event);
  refresh();
}

void DifferencesPanel::refresh() {
  std::vector<DifferencesModel::Run> runs;
  bool isAnyLeftOut = false;
  for (const std::filesystem::path& path : paths_) {
    const int index = runs_.indexOf(path);
    if (index < 0) continue;
    const RunRow& row = runs_.row(index);
    isAnyLeftOut = isAnyLeftOut || !row.hasRecord();
    if (!row.hasRecord()) continue;
    runs.push_back({path, row.name(), runs_.colorIndex(path), row.run.record});
  }
  const std::size_t count = runs.size();
  model_->setRuns(std::move(runs));
  onlyDifferences_->setEnabled(count > 1);
  if (count == 0) {
    note_->setText(u"Check two runs in the table to see their differences."_s);
  } else if (count == 1) {
    note_->setText(u"All settings of one run. Check a second one to see their differences."_s);
  } else if (!model_->hasDifferences()) {
    note_->setText(u"These runs have equal settings."_s);
  } else {
    note_->setText(isAnyLeftOut ? u"Without imported logs and damaged runs: their settings are "
                                  "not known."_s
                                : QString());
  }
  updateLooks();
}

void DifferencesPanel::updateLooks() {
  view_->setColumnWidth(0, qRound(kLabelWidth * textScale()));
  for (int column = 1; column < model_->columnCount(); ++column) {
    view_->setColumnWidth(column, qRound(kValueWidth * textScale()));
  }
  const int height = qRound(kSettingHeight * textScale());
  view_->verticalHeader()->setDefaultSectionSize(height);
  for (int row = 0; row < model_->rowCount(); ++row) {
    const bool isGroup = model_->index(row, 0).data(DifferencesModel::kIsGroupRole).toBool();
    if (isGroup && row > 0) view_->setRowHeight(row, height + 10);
  }
}

}  // namespace lambda
