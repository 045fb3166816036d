#include <fstream>
#include <memory>

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QtTest/QtTest>

#include "app/experiments/experiment_list.h"
#include "app/experiments/experiment_view.h"
#include "app/experiments/experiments_page.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "tests/support/written_experiment.h"
#include "widgets/plots/effects/effect_plot.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr QSize kSmallestWindow(1280, 800);

Experiment rates() {
  Experiment experiment;
  experiment.name = "rates";
  experiment.question = "Which learning rate is better?";
  experiment.base = tinyRun();
  experiment.variants = {{"slow", {"recipe.optimizer.learningRate=0.05"}},
                         {"fast", {"recipe.optimizer.learningRate=0.1"}}};
  experiment.seeds = {3, 5};
  experiment.measures = {Measure{Quantity::testAccuracy}, Measure{Quantity::parameters}};
  experiment.published = {{"Accuracy, %", "A paper, table 1", {{"fast", 76.5}}}};
  return experiment;
}

}  // namespace

/// The Experiments workspace on folders that the test has written.
class TestExperimentsPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void experimentsAreListedWithTheirStates();
  void theGridShowsTheStateOfEveryRun();
  void theGridFollowsTheTheme();
  void enterOpensTheRun();
  void itsRunsAreListedAmongAll();
  void theResultsCompareWithTheBaseline();
  void theEffectsAreExportedInShownUnits();
  void aClickInAPictureOpensTheRunOrSelectsTheVariant();
  void anotherMeasureHasOtherValues();
  void aShippedExperimentShowsItsPlan();
  void aFolderThatCanNotBeReadSaysWhy();
  void aMissingProgramIsReported();
  void aWorkerIsPaused();
  void theWordsOfAFailedWorkerAreShown();
  void theListFollowsTheRuns();
  void theListFollowsTheFolder();
  void anExperimentOfAFileIsShownAndRun();
  void aFileThatHasChangedIsNotRunBeforeItsPlanIsShown();
  void thePlanFollowsItsFile();
  void aFileThatIsNoExperimentIsExplainedAtTheTop();
  void lookingAtAPlanMeasuresNothing();
  void columnsAreAsWideAsLargeTextNeeds();

 private:
  /// The experiment that is shown, beside which a draft has a plan of its own.
  const QWidget& view() const { return *page_->findChild<ExperimentView*>(); }

  QListWidget& list() const { return *page_->findChild<QListWidget*>(u"experiments"_s); }

  QTableWidget& grid() const { return *page_->findChild<QTableWidget*>(u"grid"_s); }

  QTableWidget& results() const { return *page_->findChild<QTableWidget*>(u"results"_s); }

  QLabel& problem() const { return *page_->findChild<QLabel*>(u"problem"_s); }

  QAction& action(const QString& name) const { return *page_->findChild<QAction*>(name); }

  QListWidgetItem* ratesItem() const {
    const auto found = list().findItems(u"rates\n"_s, Qt::MatchStartsWith);
    return found.isEmpty() ? nullptr : found.constFirst();
  }

  void openRates();

  /// Puts a shell script in the place of the command line program.
  void installWorker(const char* script) {
    const fs::path program = home_->path() / "no-program";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    fs::permissions(program, fs::perms::owner_all);
  }

  std::unique_ptr<TemporaryFolder> home_;
  std::unique_ptr<ExperimentsPage> page_;
};

void TestExperimentsPage::init() {
  home_ = std::make_unique<TemporaryFolder>();
  const auto folder = ExperimentFolder::create(home_->path(), rates());
  const auto& runs = folder.plan().runs;
  writeRunOf(folder, runs[0], RunStatus::finished, 0.5);
  writeRunOf(folder, runs[1], RunStatus::finished, 0.625);
  writeRunOf(folder, runs[2], RunStatus::failed);
  page_ = std::make_unique<ExperimentsPage>(home_->path() / "no-program");
  page_->resize(kSmallestWindow);
  page_->setFolder(home_->path());
  page_->show();
  QTRY_VERIFY(ratesItem() != nullptr);
}

void TestExperimentsPage::cleanup() {
  page_.reset();
  home_.reset();
}

void TestExperimentsPage::openRates() {
  list().setCurrentItem(ratesItem());
  QTRY_COMPARE(grid().rowCount(), 2);
}

void TestExperimentsPage::experimentsAreListedWithTheirStates() {
  const QString text = ratesItem()->text();
  QVERIFY(text.contains(u"Which learning rate is better?"_s));
  QVERIFY2(text.endsWith(u"2 of 4 runs done, 1 failed"_s), qPrintable(text));
  QVERIFY(!list().findItems(u"Own experiments"_s, Qt::MatchExactly).isEmpty());
}

void TestExperimentsPage::theGridShowsTheStateOfEveryRun() {
  openRates();
  QCOMPARE(grid().columnCount(), 2);
  QCOMPARE(grid().verticalHeaderItem(0)->text(), u"slow (baseline)"_s);
  QCOMPARE(grid().item(0, 0)->text(), u"50.0 %"_s);
  QCOMPARE(grid().item(1, 0)->text(), u"62.5 %"_s);
  QCOMPARE(grid().item(0, 1)->text(), u"failed"_s);
  QVERIFY(grid().item(0, 1)->toolTip().contains(u"the loss is not finite"_s));
  QCOMPARE(grid().item(1, 1)->text(), u"waiting"_s);
  const auto* failures = page_->findChild<QLabel*>(u"failures"_s);
  QCOMPARE(failures->text(), u"slow, seed 5, failed: the loss is not finite"_s);
  QVERIFY(failures->isVisible());
  QVERIFY(action(u"run"_s).isEnabled());
  QVERIFY(action(u"retry"_s).isEnabled());
  QVERIFY(!action(u"pause"_s).isEnabled());
}

void TestExperimentsPage::theGridFollowsTheTheme() {
  openRates();
  for (const Colors* colors : {&darkColors(), &lightColors()}) {
    page_->setPalette(paletteOf(*colors));
    QCOMPARE(grid().item(0, 0)->foreground().color(), colors->text);
    QCOMPARE(grid().item(0, 1)->foreground().color(), colors->error);
  }
}

void TestExperimentsPage::enterOpensTheRun() {
  openRates();
  QSignalSpy requests(page_.get(), &ExperimentsPage::inspectRequested);
  grid().setCurrentCell(1, 1);
  QTest::keyClick(&grid(), Qt::Key_Return);
  QCOMPARE(requests.count(), 0);
  grid().setCurrentCell(1, 0);
  QTest::keyClick(&grid(), Qt::Key_Return);
  QCOMPARE(requests.count(), 1);
  const auto folder = ExperimentFolder::open(home_->path() / "rates");
  QCOMPARE(requests[0][0].value<fs::path>(), folder.runFolder(folder.plan().runs[1]));
}

void TestExperimentsPage::itsRunsAreListedAmongAll() {
  openRates();
  QSignalSpy requests(page_.get(), &ExperimentsPage::runsRequested);
  action(u"compareRuns"_s).trigger();
  QCOMPARE(requests.count(), 1);
  const auto runs = requests[0][0].value<std::vector<fs::path>>();
  QCOMPARE(runs.size(), std::size_t{3});
  const auto folder = ExperimentFolder::open(home_->path() / "rates");
  QCOMPARE(runs[2], folder.runFolder(folder.plan().runs[2]));
}

void TestExperimentsPage::theResultsCompareWithTheBaseline() {
  openRates();
  QCOMPARE(results().item(0, 4)->text(), u"baseline"_s);
  QCOMPARE(results().item(1, 0)->text(), u"1"_s);
  QCOMPARE(results().item(1, 1)->text(), u"62.5"_s);
  QCOMPARE(results().item(1, 3)->text(), QString());
  QVERIFY2(results().item(1, 4)->text().contains(u"seed"_s),
           qPrintable(results().item(1, 4)->text()));
  QCOMPARE(results().item(1, 5)->text(), u"76.5"_s);
  QCOMPARE(results().item(0, 5)->text(), QString());
}

void TestExperimentsPage::theEffectsAreExportedInShownUnits() {
  openRates();
  QCOMPARE(page_->findChild<EffectPlot*>()->toCsv(),
           u"variant,count,mean,low,high\nslow,1,50,,\nfast,1,62.5,,\n"_s);
}

void TestExperimentsPage::aClickInAPictureOpensTheRunOrSelectsTheVariant() {
  openRates();
  QSignalSpy requests(page_.get(), &ExperimentsPage::inspectRequested);
  auto& effects = *page_->findChild<EffectPlot*>();
  QTest::mouseClick(&effects, Qt::LeftButton, {}, effects.positionOf(1, 62.5).toPoint());
  const auto folder = ExperimentFolder::open(home_->path() / "rates");
  QCOMPARE(requests.count(), 1);
  QCOMPARE(requests[0][0].value<fs::path>(), folder.runFolder(folder.plan().runs[1]));
  QTest::mouseClick(
      &effects, Qt::LeftButton, {}, effects.positionOf(1, 62.5).toPoint() - QPoint(30, 0));
  QCOMPARE(requests.count(), 1);
  QCOMPARE(grid().currentRow(), 1);
}

void TestExperimentsPage::anotherMeasureHasOtherValues() {
  openRates();
  page_->findChild<QComboBox*>(u"measure"_s)->setCurrentIndex(1);
  QVERIFY2(grid().item(0, 0)->text().startsWith(u"7200"_s), qPrintable(grid().item(0, 0)->text()));
}

void TestExperimentsPage::aShippedExperimentShowsItsPlan() {
  const auto shipped = list().findItems(u"content-position\n"_s, Qt::MatchStartsWith);
  QVERIFY(!shipped.isEmpty());
  list().setCurrentItem(shipped.constFirst());
  QTRY_VERIFY(grid().rowCount() > 1);
  QCOMPARE(grid().item(0, 0)->text(), u"waiting"_s);
  QVERIFY(action(u"run"_s).isEnabled());
  QVERIFY(!action(u"addSeed"_s).isEnabled());
}

void TestExperimentsPage::aFolderThatCanNotBeReadSaysWhy() {
  openRates();
  const fs::path description = home_->path() / "rates" / "experiment.json";
  const std::string whole = readFile(description, 1 << 20);
  std::ofstream(description) << "{";
  QTRY_VERIFY(problem().isVisible());
  QVERIFY2(problem().text().contains(u"experiment.json"_s), qPrintable(problem().text()));
  std::ofstream(description) << whole;
  QTRY_VERIFY(!problem().isVisible());
  QTRY_COMPARE(grid().rowCount(), 2);
}

void TestExperimentsPage::aMissingProgramIsReported() {
  openRates();
  action(u"run"_s).trigger();
  QTRY_VERIFY(problem().isVisible());
  QVERIFY2(problem().text().contains(u"no-program"_s), qPrintable(problem().text()));
  QVERIFY(action(u"run"_s).isEnabled());
}

void TestExperimentsPage::aWorkerIsPaused() {
  installWorker(
      "trap 'exit 143' TERM; echo \"$@\" >> \"$0.calls\"; while :; do sleep 0.05; done\n");
  openRates();
  action(u"run"_s).trigger();
  QTRY_VERIFY(fs::exists(home_->path() / "no-program.calls"));
  QVERIFY(action(u"pause"_s).isEnabled());
  QVERIFY(!action(u"run"_s).isEnabled());
  action(u"pause"_s).trigger();
  QTRY_VERIFY(action(u"run"_s).isEnabled());
  QVERIFY2(!problem().isVisible(), qPrintable(problem().text()));
  std::ifstream calls(home_->path() / "no-program.calls");
  std::string call;
  QVERIFY(std::getline(calls, call));
  QCOMPARE(call, "experiment run " + (home_->path() / "rates").string());
}

void TestExperimentsPage::theWordsOfAFailedWorkerAreShown() {
  installWorker("echo 'lambda: the disk is full' >&2; exit 1\n");
  openRates();
  action(u"retry"_s).trigger();
  QTRY_COMPARE(problem().text(), u"lambda: the disk is full"_s);
  QVERIFY(problem().isVisible());
}

void TestExperimentsPage::theListFollowsTheRuns() {
  openRates();
  // Another program trains one of the waiting runs.
  installWorker("exec sleep 30");
  action(u"run"_s).trigger();
  const auto folder = ExperimentFolder::open(home_->path() / "rates");
  writeRunOf(folder, folder.plan().runs[3], RunStatus::finished, 0.75);
  QTRY_VERIFY2(ratesItem()->text().endsWith(u"3 of 4 runs done, 1 failed"_s),
               qPrintable(ratesItem()->text()));
}

void TestExperimentsPage::theListFollowsTheFolder() {
  openRates();
  Experiment another = rates();
  another.name = "another";
  ExperimentFolder::create(home_->path(), another);
  QTRY_VERIFY(!list().findItems(u"another\n"_s, Qt::MatchStartsWith).isEmpty());
  QCOMPARE(list().currentItem(), ratesItem());
  QVERIFY(view().isVisible());

  page_->hide();
  fs::create_directory(home_->path() / "elsewhere");
  fs::rename(home_->path() / "rates", home_->path() / "elsewhere" / "rates");
  page_->show();
  QTRY_VERIFY(!ratesItem());
  QVERIFY(!view().isVisible());
  QVERIFY(!action(u"run"_s).isEnabled());
}

void TestExperimentsPage::anExperimentOfAFileIsShownAndRun() {
  Experiment experiment = rates();
  experiment.name = "from-a-file";
  const fs::path file = home_->path() / "somewhere.json";
  std::ofstream(file) << toJson(experiment);
  page_->showFile(file);
  QTRY_VERIFY(!list().findItems(u"from-a-file\n"_s, Qt::MatchStartsWith).isEmpty());
  QVERIFY(!list().findItems(u"Opened files"_s, Qt::MatchExactly).isEmpty());
  auto* plan = view().findChild<QTableWidget*>(u"plan"_s);
  QTRY_COMPARE(plan->rowCount(), 2);
  QVERIFY(plan->isVisible());
  action(u"run"_s).trigger();
  QTRY_VERIFY(ExperimentFolder::isAt(home_->path() / "from-a-file"));
}

void TestExperimentsPage::aFileThatHasChangedIsNotRunBeforeItsPlanIsShown() {
  const fs::path file = home_->path() / "somewhere.json";
  Experiment experiment = rates();
  experiment.name = "from-a-file";
  std::ofstream(file) << toJson(experiment);
  page_->showFile(file);
  const auto& plan = *view().findChild<QTableWidget*>(u"plan"_s);
  QTRY_COMPARE(plan.rowCount(), 2);
  experiment.variants.push_back({"faster", {"recipe.optimizer.learningRate=0.2"}});
  experiment.question = "Which of three learning rates is best?";
  std::ofstream(file) << toJson(experiment);
  action(u"run"_s).trigger();
  QTRY_VERIFY(problem().isVisible());
  QVERIFY2(problem().text().contains(u"has changed"_s), qPrintable(problem().text()));
  QTRY_COMPARE(plan.rowCount(), 3);
  QVERIFY(!ExperimentFolder::isAt(home_->path() / "from-a-file"));
  QTRY_VERIFY(!list().findItems(u"Which of three"_s, Qt::MatchContains).isEmpty());
  QTRY_VERIFY(action(u"run"_s).isEnabled());
  action(u"run"_s).trigger();
  QTRY_VERIFY(ExperimentFolder::isAt(home_->path() / "from-a-file"));
  QCOMPARE(ExperimentFolder::open(home_->path() / "from-a-file").plan().variants.size(),
           std::size_t{3});
}

void TestExperimentsPage::thePlanFollowsItsFile() {
  const fs::path file = home_->path() / "somewhere.json";
  Experiment experiment = rates();
  experiment.name = "from-a-file";
  std::ofstream(file) << toJson(experiment);
  page_->showFile(file);
  const auto& plan = *view().findChild<QTableWidget*>(u"plan"_s);
  QTRY_COMPARE(plan.rowCount(), 2);
  QTest::qWait(20);  // The time of a file is that of a tick of the system.
  experiment.variants.push_back({"faster", {"recipe.optimizer.learningRate=0.2"}});
  std::ofstream(file) << toJson(experiment);
  QTRY_COMPARE(plan.rowCount(), 3);
  QVERIFY(problem().text().contains(u"has changed"_s));
}

void TestExperimentsPage::aFileThatIsNoExperimentIsExplainedAtTheTop() {
  const fs::path file = home_->path() / "somewhere.json";
  std::ofstream(file) << toJson(tinyRun().architecture);
  page_->showFile(file);
  QTRY_VERIFY(problem().isVisible());
  QVERIFY2(problem().text().contains(u"this is a network, not an experiment"_s),
           qPrintable(problem().text()));
  QVERIFY(problem().text().contains(u"Design"_s));
  QVERIFY(!problem().text().contains(u"lambda train"_s));
  const auto& progress = *view().findChild<QProgressBar*>();
  QTRY_VERIFY(progress.mapTo(&view(), QPoint()).y() < view().height() / 2);
}

void TestExperimentsPage::lookingAtAPlanMeasuresNothing() {
  installWorker("echo \"$@\" >> \"$0.calls\"");
  const auto shipped = list().findItems(u"content-position\n"_s, Qt::MatchStartsWith);
  QVERIFY(!shipped.isEmpty());
  list().setCurrentItem(shipped.constFirst());
  QTRY_VERIFY(view().findChild<QTableWidget*>(u"plan"_s)->isVisible());
  QTest::qWait(1500);  // A draft is measured 0.8 s after the last change of it.
  QVERIFY(!fs::exists(home_->path() / "no-program.calls"));
  auto* button = view().findChild<QPushButton*>(u"measureTime"_s);
  QVERIFY(button->isVisible() && button->isEnabled());
  page_->setTraining(true);
  QVERIFY(!button->isEnabled());
  page_->setTraining(false);
  button->click();
  QTRY_VERIFY(fs::exists(home_->path() / "no-program.calls"));
}

void TestExperimentsPage::columnsAreAsWideAsLargeTextNeeds() {
  const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light); });
  applyTheme(*qApp, ThemeChoice::light);
  Experiment experiment = rates();
  experiment.name = "from-a-file";
  const fs::path file = home_->path() / "somewhere.json";
  std::ofstream(file) << toJson(experiment);
  page_->showFile(file);
  const auto& plan = *view().findChild<QTableWidget*>(u"plan"_s);
  QTRY_COMPARE(plan.rowCount(), 2);
  applyTheme(*qApp, ThemeChoice::light, 2.0);
  const QAbstractItemView& cells = plan;
  for (int column = 0; column < plan.columnCount(); ++column) {
    QTRY_VERIFY(plan.columnWidth(column) >= cells.sizeHintForColumn(column));
    QTRY_VERIFY(plan.columnWidth(column) >= plan.horizontalHeader()->sectionSizeHint(column));
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestExperimentsPage)
#include "tst_experiments_page.moc"
