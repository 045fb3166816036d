#include <set>

#include <QSettings>

#include "app/runs/path_text.h"
#include "app/runs/table/run_filter_bar.h"
#include "tests/support/runs_page_stage.h"
#include "widgets/tables/confusion_view.h"
#include "widgets/theme/typography.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

using Column = RunTableModel::Column;

}  // namespace

class TestRunsLooks : public QObject, private RunsPageStage {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { beginAll(); }

  void init() { begin(); }

  void cleanup() { end(); }

  void choicesAreRemembered();
  void rememberedColumnsAreAsWideAsTheText();
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
  table().setColumnHidden(Column::kFlops, true);
  table().sortByColumn(Column::kName, Qt::AscendingOrder);
  QSettings settings(toText(home_->path() / "layout.ini"), QSettings::IniFormat);
  page_->saveLayout(settings);
  makePage();
  page_->restoreLayout(settings);
  QCOMPARE(page_->findChild<QTabWidget*>()->currentIndex(), 3);
  QVERIFY(table().isColumnHidden(Column::kFlops));
  QCOMPARE(rows().index(0, Column::kName).data().toString(), u"first"_s);
  QCOMPARE(rows().index(0, Column::kShown).data(Qt::CheckStateRole).toInt(),
           static_cast<int>(Qt::Checked));
}

void TestRunsLooks::rememberedColumnsAreAsWideAsTheText() {
  constexpr int kWidth = 240;
  write("a", smallRecord("first"));
  open(1);
  table().setColumnWidth(Column::kName, kWidth);
  QSettings settings(toText(home_->path() / "layout.ini"), QSettings::IniFormat);
  page_->saveLayout(settings);
  applyTheme(*qApp, ThemeChoice::light, 1.5);
  makePage();
  page_->restoreLayout(settings);
  QCOMPARE(table().columnWidth(Column::kName), qRound(kWidth * textScale()));
  page_->saveLayout(settings);
  applyTheme(*qApp, ThemeChoice::light, 1);
  makePage();
  page_->restoreLayout(settings);
  QCOMPARE(table().columnWidth(Column::kName), kWidth);
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
      for (int tab = 0; tab < 5; ++tab) {
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
  for (int tab = 0; tab < 5; ++tab) {
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
