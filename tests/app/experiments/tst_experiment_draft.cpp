#include <fstream>
#include <memory>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QtTest/QtTest>

#include "app/experiments/draft/draft_view.h"
#include "app/experiments/draft/proposed_axis.h"
#include "app/experiments/experiments_page.h"
#include "engine/experiments/experiment_folder.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "widgets/forms/field_rows.h"
#include "widgets/theme/theme.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr QSize kSmallestWindow(1280, 800);

/// What the program answers to a dry run of three variants.
constexpr char kMeasures[] = R"(echo "$@" >> "$0.calls"
echo '{"variants": [{"secondsPerRun": 10}, {"secondsPerRun": 20}, {"secondsPerRun": 30}], "seconds": 180}'
)";

FieldRow rowOf(const std::string& path) {
  const std::vector<FieldRow> rows = rowsOf(tinyRun());
  const FieldRow* row = findRow(rows, path);
  if (!row) qFatal("there is no row %s", path.c_str());
  return *row;
}

std::vector<std::string> proposedFor(const std::string& path) {
  return proposedAxis(rowOf(path)).values;
}

using Texts = std::vector<std::string>;

}  // namespace

/// From a field of Design or Train to an experiment that varies it.
class TestExperimentDraft : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void aFieldIsVariedAroundItsValue();
  void valuesAreTyped_data();
  void valuesAreTyped();
  void varyingAFieldDraftsAnExperiment();
  void anotherFieldIsCrossedWithIt();
  void theEditedValuesAreThoseOfThePlan();
  void variantsMayEndEarly();
  void rangesHaveTheirOwnFields();
  void problemsAreNamedAndPreventCreation();
  void thePlanHasTimes();
  void theTimeIsNotMeasuredWhileSomethingTrains();
  void aDraftHasNoActionsOfAnotherExperiment();
  void aWorkerKeepsDraftsFromMeasuring();
  void aDraftIsCreatedAndRun();
  void aTakenNameIsSaidBeforeCreation();
  void warningsOfVariantsAreShown();
  void theDraftOutlivesTheProgram();
  void aCopyOfAnExperimentIsDrafted();

 private:
  template <class W>
  W& part(const QString& name) const {
    return *page_->findChild<W*>(name);
  }

  DraftView& view() const { return *page_->findChild<DraftView*>(); }

  QTableWidget& plan() const { return *view().findChild<QTableWidget*>(u"plan"_s); }

  QString total() const { return view().findChild<QLabel*>(u"planTotal"_s)->text(); }

  QPushButton& create() const { return part<QPushButton>(u"createExperiment"_s); }

  void vary(const std::string& path) { page_->vary(tinyRun(), rowOf(path)); }

  void makePage();
  void installProgram(const char* script) const;
  QByteArray calls() const;

  std::unique_ptr<TemporaryFolder> home_;
  std::unique_ptr<ExperimentsPage> page_;
};

void TestExperimentDraft::makePage() {
  page_ = std::make_unique<ExperimentsPage>(home_->path() / "program");
  page_->resize(kSmallestWindow);
  page_->setFolder(home_->path() / "experiments");
  page_->show();
}

void TestExperimentDraft::init() {
  home_ = std::make_unique<TemporaryFolder>();
  installProgram(kMeasures);
  makePage();
}

void TestExperimentDraft::cleanup() {
  page_.reset();
  home_.reset();
}

void TestExperimentDraft::installProgram(const char* script) const {
  const fs::path program = home_->path() / "program";
  std::ofstream(program) << "#!/bin/sh\n" << script;
  fs::permissions(program, fs::perms::owner_all);
}

QByteArray TestExperimentDraft::calls() const {
  QFile file(QString::fromStdString((home_->path() / "program.calls").string()));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void TestExperimentDraft::aFieldIsVariedAroundItsValue() {
  QCOMPARE(proposedFor("recipe.optimizer.learningRate"), (Texts{"0.025", "0.05", "0.1"}));
  QCOMPARE(proposedFor("recipe.optimizer.nesterov"), (Texts{"false", "true"}));
  QCOMPARE(proposedFor("recipe.schedule.kind"),
           (Texts{"constant", "cosine", "linear", "triangular", "step"}));
  FieldRow row = rowOf("recipe.batchSize");
  row.value = std::int64_t{64};
  QCOMPARE(proposedAxis(row).values, (Texts{"32", "64", "128"}));
  row.max = 64;
  QCOMPARE(proposedAxis(row).values, (Texts{"32", "64"}));
  row = rowOf("recipe.labelSmoothing");
  row.value = 0.0;
  QCOMPARE(proposedAxis(row).values, (Texts{"0", "0.01"}));
  row.value = 0.3;
  QCOMPARE(proposedAxis(row).values, (Texts{"0.29", "0.3", "0.31"}));
  QCOMPARE(proposedQuestion(rowOf("recipe.optimizer.learningRate")),
           std::string("Which learning rate is best?"));
  QCOMPARE(proposedName(rowOf("recipe.optimizer.learningRate")), std::string("learning-rate"));
}

void TestExperimentDraft::valuesAreTyped_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<Texts>("values");
  QTest::newRow("numbers") << std::string(" 0.05,0.1 , 2e-1,") << Texts{"0.05", "0.1", "2e-1"};
  QTest::newRow("names") << std::string("lambda, selfAttention")
                         << Texts{"lambda", "selfAttention"};
  QTest::newRow("objects") << std::string(R"({"kind": "lambda", "k": 8}, [1, 2], "a, b")")
                           << Texts{R"({"kind": "lambda", "k": 8})", "[1, 2]", R"("a, b")"};
  QTest::newRow("unfinished") << std::string("{\"kind\", 1") << Texts{"{\"kind\", 1"};
  QTest::newRow("nothing") << std::string(" , ") << Texts{};
}

void TestExperimentDraft::valuesAreTyped() {
  QFETCH(std::string, text);
  QFETCH(Texts, values);
  QCOMPARE(valuesFromText(text), values);
  QCOMPARE(valuesFromText(valuesText(values)), values);
}

void TestExperimentDraft::varyingAFieldDraftsAnExperiment() {
  vary("recipe.optimizer.learningRate");
  QVERIFY(view().isVisible());
  const QString listed = part<QListWidget>(u"experiments"_s).item(1)->text();
  QVERIFY2(listed.startsWith(u"learning-rate\nWhich learning rate is best?"_s), qPrintable(listed));
  QTRY_COMPARE(plan().rowCount(), 3);
  QCOMPARE(plan().verticalHeaderItem(0)->text(), u"learningRate = 0.025"_s);
  // The others are compared with the value that the field has.
  QCOMPARE(part<QComboBox>(u"baseline"_s).currentText(), u"learningRate = 0.05"_s);
  QCOMPARE(view().draft()->baseline, std::string("learningRate = 0.05"));
  QCOMPARE(plan().item(0, 2)->text(), QString::number(tinyRun().recipe.epochs));
  QVERIFY(create().isEnabled());
  // Typing a name renames the listed draft.
  auto& name = part<QLineEdit>(u"draftName"_s);
  name.selectAll();
  QTest::keyClicks(&name, u"rates"_s);
  QCOMPARE(view().draft()->name, std::string("rates"));
  QVERIFY(part<QListWidget>(u"experiments"_s).item(1)->text().startsWith(u"rates\n"_s));
}

void TestExperimentDraft::anotherFieldIsCrossedWithIt() {
  vary("recipe.optimizer.learningRate");
  vary("recipe.optimizer.nesterov");
  vary("recipe.optimizer.nesterov");
  QCOMPARE(view().draft()->axes.size(), std::size_t{2});
  QTRY_COMPARE(plan().rowCount(), 6);
  auto& combination = part<QComboBox>(u"combination"_s);
  QVERIFY(combination.isVisible());
  combination.setCurrentIndex(1);
  Q_EMIT combination.activated(1);
  auto& problems = part<QLabel>(u"draftProblems"_s);
  QTRY_VERIFY(problems.isVisible());
  QVERIFY2(problems.text().contains(u"same number of values"_s), qPrintable(problems.text()));
  QVERIFY(!create().isEnabled());
  view().findChildren<QToolButton*>(u"removeAxis"_s).constFirst()->click();
  QTRY_COMPARE(plan().rowCount(), 2);
  QVERIFY(!combination.isVisible());
}

void TestExperimentDraft::theEditedValuesAreThoseOfThePlan() {
  vary("recipe.optimizer.learningRate");
  auto& values = part<QLineEdit>(u"values"_s);
  values.selectAll();
  QTest::keyClicks(&values, u"0.01, 0.02, 0.04, 0.08"_s);
  QTRY_COMPARE(plan().rowCount(), 4);
  QCOMPARE(values.text(), u"0.01, 0.02, 0.04, 0.08"_s);
  auto& baseline = part<QComboBox>(u"baseline"_s);
  QCOMPARE(baseline.count(), 4);
  baseline.setCurrentIndex(2);
  Q_EMIT baseline.activated(2);
  QCOMPARE(view().draft()->baseline, std::string("learningRate = 0.04"));
  part<QSpinBox>(u"seeds"_s).setValue(5);
  QCOMPARE(view().draft()->seeds, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  QTRY_VERIFY2(total().startsWith(u"20 runs with 5 seeds"_s), qPrintable(total()));
}

void TestExperimentDraft::variantsMayEndEarly() {
  vary("recipe.optimizer.learningRate");
  QVERIFY2(!view().draft()->halving.isOn(), "off unless it is asked for");
  auto& epochs = part<QSpinBox>(u"earlyEnd"_s);
  QCOMPARE(epochs.text(), u"off"_s);
  epochs.setValue(1);
  QCOMPARE(view().draft()->halving.firstEpochs, 1);
  bool isSaid = false;
  for (const auto* label : view().findChildren<QLabel*>()) {
    isSaid = isSaid || (label->isVisible() && label->text().startsWith(u"early ends after 1"_s));
  }
  QVERIFY(isSaid);
}

void TestExperimentDraft::rangesHaveTheirOwnFields() {
  vary("recipe.optimizer.learningRate");
  part<QComboBox>(u"scale"_s).setCurrentIndex(static_cast<int>(AxisScale::logarithmic));
  QTRY_COMPARE(plan().rowCount(), 5);
  auto& from = part<QLineEdit>(u"from"_s);
  from.selectAll();
  QTest::keyClicks(&from, u"0.001"_s);
  auto& to = part<QLineEdit>(u"to"_s);
  to.selectAll();
  QTest::keyClicks(&to, u"10"_s);
  QTRY_COMPARE(plan().verticalHeaderItem(4)->text(), u"learningRate = 10"_s);
  QCOMPARE(plan().verticalHeaderItem(0)->text(), u"learningRate = 0.001"_s);
  to.selectAll();
  QTest::keyClicks(&to, u"x"_s);
  QTRY_VERIFY(part<QLabel>(u"draftProblems"_s).isVisible());
  QCOMPARE(to.text(), u"x"_s);
}

void TestExperimentDraft::problemsAreNamedAndPreventCreation() {
  vary("recipe.optimizer.learningRate");
  QTRY_VERIFY(create().isEnabled());
  auto& values = part<QLineEdit>(u"values"_s);
  values.selectAll();
  QTest::keyClicks(&values, u"fast"_s);
  auto& problems = part<QLabel>(u"draftProblems"_s);
  QTRY_VERIFY(problems.isVisible());
  QCOMPARE(problems.text(),
           u"recipe.optimizer.learningRate=fast: expected a number, found \"fast\""_s);
  QVERIFY(!create().isEnabled());
}

void TestExperimentDraft::thePlanHasTimes() {
  vary("recipe.optimizer.learningRate");
  QTRY_VERIFY2(total().contains(u"about 3 min"_s), qPrintable(total()));
  QCOMPARE(plan().item(1, 3)->text(), u"20 s"_s);
  QVERIFY2(calls().contains("--dry-run --json"), calls().constData());
  // More seeds take longer, which needs no measurement.
  part<QSpinBox>(u"seeds"_s).setValue(6);
  QTRY_VERIFY2(total().contains(u"about 6 min"_s), qPrintable(total()));
  QCOMPARE(calls().count('\n'), 1);
}

void TestExperimentDraft::theTimeIsNotMeasuredWhileSomethingTrains() {
  vary("recipe.optimizer.learningRate");
  view().setMayMeasure(false);
  QTRY_COMPARE(plan().rowCount(), 3);
  QTest::qWait(1000);
  QVERIFY(calls().isEmpty());
  QVERIFY(!view().findChild<QPushButton*>(u"measureTime"_s)->isEnabled());
}

void TestExperimentDraft::aDraftHasNoActionsOfAnotherExperiment() {
  auto& list = part<QListWidget>(u"experiments"_s);
  QTRY_VERIFY(list.count() > 1);
  list.setCurrentRow(1);
  auto& run = part<QAction>(u"run"_s);
  QTRY_VERIFY(run.isEnabled());
  vary("recipe.optimizer.learningRate");
  QVERIFY2(!run.isEnabled(), "it would run the experiment that was shown before");
  QVERIFY(!part<QAction>(u"copyExperiment"_s).isEnabled());
  list.setCurrentRow(3);
  QTRY_VERIFY(run.isEnabled());
}

void TestExperimentDraft::aWorkerKeepsDraftsFromMeasuring() {
  installProgram("echo \"$@\" >> \"$0.calls\"; while :; do sleep 0.05; done\n");
  auto& list = part<QListWidget>(u"experiments"_s);
  QTRY_VERIFY(list.count() > 1);
  list.setCurrentRow(1);
  QTRY_VERIFY(part<QAction>(u"run"_s).isEnabled());
  part<QAction>(u"run"_s).trigger();
  QTRY_VERIFY(part<QAction>(u"pause"_s).isEnabled());
  const auto measured = calls().count("--dry-run");
  vary("recipe.optimizer.learningRate");
  QTRY_COMPARE(plan().rowCount(), 3);
  QTest::qWait(1000);
  QCOMPARE(calls().count("--dry-run"), measured);
}

void TestExperimentDraft::aDraftIsCreatedAndRun() {
  installProgram("echo \"$@\" >> \"$0.calls\"\n");
  vary("recipe.optimizer.learningRate");
  QTRY_VERIFY(create().isEnabled());
  create().click();
  const fs::path folder = home_->path() / "experiments" / "learning-rate";
  const std::string run = "experiment run " + folder.string() + "\n";
  QTRY_VERIFY2(calls().contains(run.c_str()), calls().constData());
  QTRY_VERIFY(!view().draft());
  QCOMPARE(ExperimentFolder::open(folder).plan().runs.size(), std::size_t{9});
  auto& list = part<QListWidget>(u"experiments"_s);
  QTRY_VERIFY(list.currentItem() && list.currentItem()->text().startsWith(u"learning-rate\n"_s));
  QVERIFY(!view().isVisible());
}

void TestExperimentDraft::aTakenNameIsSaidBeforeCreation() {
  fs::create_directories(home_->path() / "experiments" / "learning-rate");
  std::ofstream(home_->path() / "experiments" / "learning-rate" / "experiment.json") << "{}";
  vary("recipe.optimizer.learningRate");
  auto& problems = part<QLabel>(u"draftProblems"_s);
  QTRY_COMPARE(problems.text(), u"Another experiment has this name. Choose a new one."_s);
  QVERIFY(problems.isVisible() && !create().isEnabled());
  auto& name = part<QLineEdit>(u"draftName"_s);
  name.selectAll();
  QTest::keyClicks(&name, u"rates"_s);
  QTRY_VERIFY(create().isEnabled());
  QVERIFY(!problems.isVisible());
}

void TestExperimentDraft::warningsOfVariantsAreShown() {
  vary("data.augmentation.horizontalFlip");
  auto& problems = part<QLabel>(u"draftProblems"_s);
  QTRY_VERIFY2(problems.text().startsWith(u"With horizontalFlip = true: "_s),
               qPrintable(problems.text()));
  QCOMPARE(problems.property(kRole).toString(), u"warning"_s);
  QVERIFY2(create().isEnabled(), "a warning does not prevent an experiment");
}

void TestExperimentDraft::theDraftOutlivesTheProgram() {
  vary("recipe.optimizer.learningRate");
  const auto before = view().draft();
  const QString file = QString::fromStdString((home_->path() / "layout.ini").string());
  {
    QSettings settings(file, QSettings::IniFormat);
    page_->saveLayout(settings);
  }
  makePage();
  QVERIFY(!view().draft());
  QSettings settings(file, QSettings::IniFormat);
  page_->restoreLayout(settings);
  QVERIFY(view().draft() == before);
  settings.setValue(u"draft"_s, u"{"_s);
  page_->restoreLayout(settings);
  QVERIFY(!view().draft());
}

void TestExperimentDraft::aCopyOfAnExperimentIsDrafted() {
  auto& list = part<QListWidget>(u"experiments"_s);
  QTRY_VERIFY(list.count() > 1);
  list.setCurrentRow(1);
  auto& copy = part<QAction>(u"copyExperiment"_s);
  QTRY_VERIFY(copy.isEnabled());
  copy.trigger();
  QVERIFY(view().isVisible());
  QCOMPARE(view().draft()->name, std::string("content-position-copy"));
  QTRY_COMPARE(plan().rowCount(), static_cast<int>(view().draft()->variants.size()));
  // Its own base stays, whatever Design and Train show.
  vary("recipe.optimizer.learningRate");
  QVERIFY(view().draft()->base != tinyRun());
  QVERIFY(!view().draft()->variants.empty());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestExperimentDraft)
#include "tst_experiment_draft.moc"
