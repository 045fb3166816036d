#include <set>

#include <QHeaderView>
#include <QScrollBar>
#include <QSettings>

#include "app/runs/table/run_columns.h"
#include "app/runs/table/run_filter_bar.h"
#include "tests/support/runs_page_stage.h"
#include "widgets/tables/confusion_view.h"
#include "widgets/text/path_text.h"
#include "widgets/theme/typography.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

class TestRunsLooks : public QObject, private RunsPageStage {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { beginAll(); }

  void init() { begin(); }

  void cleanup() { end(); }

  void choicesAreRemembered();
  void rememberedColumnsAreAsWideAsTheText();
  void aHiddenColumnKeepsItsWidth();
  void columnsAreAsWideAsTheirContent();
  void layoutsOfOtherColumnsAreRead();
  void everyActionHasATextAndAKeyOfItsOwn();
  void everyTabPaintsInBothThemesAtTwoScales();
  void itFitsSmallWindowsAndLargeText_data();
  void itFitsSmallWindowsAndLargeText();
};

void TestRunsLooks::choicesAreRemembered() {
  const fs::path run = write("a", smallRecord("first"));
  write("b", smallRecord("second"));
  open(2);
  showTab(3);
  table().selectRun(run);
  QTest::keyClick(&table(), Qt::Key_Space);
  table().setColumnHidden(columnOf(RunColumn::flops), true);
  table().sortByColumn(columnOf(RunColumn::name), Qt::AscendingOrder);
  QSettings settings(toText(home_->path() / "layout.ini"), QSettings::IniFormat);
  page_->saveLayout(settings);
  makePage();
  page_->restoreLayout(settings);
  QCOMPARE(page_->findChild<QTabWidget*>()->currentIndex(), 3);
  QVERIFY(table().isColumnHidden(columnOf(RunColumn::flops)));
  QCOMPARE(rows().index(0, columnOf(RunColumn::name)).data().toString(), u"first"_s);
  QCOMPARE(rows().index(0, columnOf(RunColumn::shown)).data(Qt::CheckStateRole).toInt(),
           static_cast<int>(Qt::Checked));
}

void TestRunsLooks::rememberedColumnsAreAsWideAsTheText() {
  constexpr int kWidth = 240;
  write("a", smallRecord("first"));
  open(1);
  table().setColumnWidth(columnOf(RunColumn::name), kWidth);
  QSettings settings(toText(home_->path() / "layout.ini"), QSettings::IniFormat);
  page_->saveLayout(settings);
  applyTheme(*qApp, ThemeChoice::light, 1.5);
  makePage();
  page_->restoreLayout(settings);
  QCOMPARE(table().columnWidth(columnOf(RunColumn::name)), qRound(kWidth * textScale()));
  page_->saveLayout(settings);
  applyTheme(*qApp, ThemeChoice::light, 1);
  makePage();
  page_->restoreLayout(settings);
  QCOMPARE(table().columnWidth(columnOf(RunColumn::name)), kWidth);
}

void TestRunsLooks::aHiddenColumnKeepsItsWidth() {
  constexpr int kWidth = 144;
  write("a", smallRecord("first"));
  open(1);
  const int column = columnOf(RunColumn::status);
  table().setColumnWidth(column, kWidth);
  table().setColumnHidden(column, true);
  QSettings settings(toText(home_->path() / "hidden.ini"), QSettings::IniFormat);
  page_->saveLayout(settings);
  makePage();
  page_->restoreLayout(settings);
  QVERIFY(table().isColumnHidden(column));
  table().setColumnHidden(column, false);
  QCOMPARE(table().columnWidth(column), kWidth);
}

void TestRunsLooks::columnsAreAsWideAsTheirContent() {
  page_->resize(1848, 1000);
  RunRecord record = smallRecord("cpu-hybrid");
  record.config.seed = 1;
  record.parameters = 11'186'304;
  record.trainSeconds = 3599;
  record.tags = {"baseline", "paper"};
  write("a", record);
  record.config.seed = 2;
  record.config.recipe.batchSize = 64;
  record.config.recipe.labelSmoothing = 0.1;
  write("b", record);
  open(2);
  const int name = columnOf(RunColumn::name);
  const auto isWhole = [&](int column) {
    QStyleOptionViewItem option;
    option.widget = &table();
    for (int row = 0; row < rows().rowCount(); ++row) {
      const QSize needed = table().itemDelegate()->sizeHint(option, rows().index(row, column));
      if (table().columnWidth(column) < needed.width()) return false;
    }
    return table().columnWidth(column) >= table().horizontalHeader()->sectionSizeHint(column);
  };
  QTRY_VERIFY(isWhole(name));
  for (int column = 1; column < rows().columnCount(); ++column) {
    if (!table().isColumnHidden(column)) {
      QVERIFY2(isWhole(column), qPrintable(runColumns()[std::size_t(column)].key));
    }
  }
  QVERIFY(table().horizontalScrollBar()->maximum() == 0);
  // The name gives way where the window is too narrow.
  const int wide = table().columnWidth(name);
  page_->resize(1208, 730);
  QTRY_VERIFY(table().columnWidth(name) < wide);
  page_->resize(1848, 1000);
  QTRY_COMPARE(table().columnWidth(name), wide);
  // A width that somebody chose stays.
  table().setColumnWidth(name, 100);
  write("c", smallRecord("a name that is longer than the others"));
  QTRY_COMPARE(rows().rowCount(), 3);
  QTest::qWait(100);
  QCOMPARE(table().columnWidth(name), 100);
}

void TestRunsLooks::layoutsOfOtherColumnsAreRead() {
  write("a", smallRecord("first"));
  open(1);
  QSettings settings(toText(home_->path() / "columns.ini"), QSettings::IniFormat);
  settings.setValue(u"table/version"_s, 1);
  settings.setValue(
      u"table/columns"_s,
      QStringList{u"shown|0|1"_s, u"test|0|1"_s, u"gone|80|1"_s, u"name|200|1"_s, u"flops|0|0"_s});
  settings.setValue(u"table/sort"_s, u"test"_s);
  page_->restoreLayout(settings);
  const QHeaderView& header = *table().horizontalHeader();
  QCOMPARE(header.visualIndex(columnOf(RunColumn::test)), 1);
  QCOMPARE(header.visualIndex(columnOf(RunColumn::name)), 2);
  QCOMPARE(table().columnWidth(columnOf(RunColumn::name)), 200);
  QVERIFY(table().isColumnHidden(columnOf(RunColumn::flops)));
  QVERIFY(!table().isColumnHidden(columnOf(RunColumn::status)));
  QCOMPARE(header.sortIndicatorSection(), columnOf(RunColumn::test));
  settings.setValue(u"table/version"_s, 99);
  page_->restoreLayout(settings);
  QCOMPARE(header.visualIndex(columnOf(RunColumn::name)), 1);
  QVERIFY(!table().isColumnHidden(columnOf(RunColumn::flops)));
  QCOMPARE(header.sortIndicatorSection(), columnOf(RunColumn::started));
}

void TestRunsLooks::everyActionHasATextAndAKeyOfItsOwn() {
  std::set<QString> keys;
  for (const QAction* each : page_->pageActions()) {
    if (!each) continue;
    QVERIFY(!each->text().isEmpty());
    QVERIFY(!each->toolTip().isEmpty());
    if (each->shortcut().isEmpty()) continue;
    QVERIFY2(keys.insert(each->shortcut().toString()).second, qPrintable(each->text()));
  }
}

void TestRunsLooks::everyTabPaintsInBothThemesAtTwoScales() {
  RunRecord second = smallRecord("second");
  second.config.seed = 1;
  appendText(write("a", smallRecord("first")) / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  write("b", second);
  appendText(write("c", smallRecord("damaged")) / "run.json", "}");
  open(3);
  table().selectAll();
  QTest::keyClick(&table(), Qt::Key_Space);
  for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
    for (const double scale : {2.0, 1.0}) {
      applyTheme(*qApp, theme, scale);
      for (int tab = 0; tab < 6; ++tab) {
        showTab(tab);
        QCOMPARE(page_->grab().size(), page_->size() * page_->devicePixelRatio());
      }
    }
  }
}

void TestRunsLooks::itFitsSmallWindowsAndLargeText_data() {
  QTest::addColumn<double>("scale");
  QTest::addColumn<QSize>("smallest");
  QTest::addColumn<QSize>("page");
  QTest::newRow("small window") << 1.0 << QSize(920, 560) << QSize(1000, 620);
  QTest::newRow("large text") << 1.5 << QSize(1190, 660) << QSize(1208, 680);
  QTest::newRow("largest text") << 2.0 << QSize(1820, 990) << QSize(1848, 1010);
}

void TestRunsLooks::itFitsSmallWindowsAndLargeText() {
  QFETCH(double, scale);
  QFETCH(QSize, smallest);
  QFETCH(QSize, page);
  RunRecord record = smallRecord("a name that goes on and on " + std::string(90, 'x'));
  record.config.recipe.batchSize = 17;
  record.tags = {"one", "another & a third"};
  appendText(write("a", record) / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  write("b", smallRecord("second"));
  open(2);
  table().selectAll();
  QTest::keyClick(&table(), Qt::Key_Space);
  table().selectRun(folder_->path() / "2026-11-21_01-02-23_a");
  showTab(2);
  QTRY_VERIFY(button(u"Classify the validation images"_s));
  QTest::mouseClick(button(u"Classify the validation images"_s), Qt::LeftButton);
  QTRY_VERIFY(page_->findChild<ConfusionView*>()->isVisible());
  const auto filters = page_->findChild<RunFilterBar*>();
  QTest::keyClicks(filters->searchField(), u"x"_s);
  page_->open(home_->path() / std::string(200, 'y'));
  QTRY_VERIFY(messageBar().isVisible());
  // Text may grow while the page is shown.
  applyTheme(*qApp, ThemeChoice::light, scale);
  page_->resize(page);
  for (int tab = 0; tab < 6; ++tab) {
    showTab(tab);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    const QSize least = page_->minimumSizeHint();
    QVERIFY2(least.width() <= smallest.width() && least.height() <= smallest.height(),
             qPrintable(u"tab %1: %2 x %3"_s.arg(tab).arg(least.width()).arg(least.height())));
    QCOMPARE(page_->size(), page);
    const QString clipped = clippedControls();
    QVERIFY2(clipped.isEmpty(), qPrintable(u"tab %1: %2"_s.arg(tab).arg(clipped)));
  }
  applyTheme(*qApp, ThemeChoice::light);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRunsLooks)
#include "tst_runs_looks.moc"
