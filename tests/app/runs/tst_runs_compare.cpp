#include <QtTest/QtTest>

#include "app/runs/compare/confused_images.h"
#include "app/runs/compare/lineage.h"
#include "app/runs/compare/overlay.h"
#include "app/runs/run_command.h"
#include "app/runs/run_library.h"
#include "app/runs/table/run_csv.h"
#include "app/runs/table/run_sort_filter.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/json/presets.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

RunSummary summaryOf(const std::string& folder, const std::string& parent = {}) {
  RunSummary run;
  run.path = fs::path("/runs") / folder;
  run.name = folder;
  run.record = finishedRecord(folder);
  run.record.lineage.parentRun = parent;
  return run;
}

OverlayRun overlayRun(const std::string& name, int color, std::vector<EpochRecord> epochs) {
  OverlayRun run;
  run.row = rowOf(summaryOf(name));
  run.colorIndex = color;
  Metrics metrics;
  metrics.epochs = std::move(epochs);
  run.metrics = std::make_shared<const Metrics>(std::move(metrics));
  return run;
}

RunConfig preset(const std::string& name) {
  std::vector<Problem> warnings;
  RunConfig config = loadPreset(name, warnings);
  if (config.name.empty()) config.name = name;
  return config;
}

Predictions fourPredictions() {
  Predictions predictions;
  predictions.classNames = {"cat", "dog"};
  predictions.labels = {0, 0, 1, 0};
  predictions.predicted = {1, 0, 1, 1};
  predictions.confidence = {0.6F, 0.9F, 0.8F, 0.7F};
  predictions.truthProbability = {0.3F, 0.9F, 0.8F, 0.2F};
  return predictions;
}

}  // namespace

class TestRunsCompare : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parentsAreFoundByTheirNames();
  void renamedParentsAreFoundByTheirDates();
  void curvesHaveEveryEpochOnAllAxes();
  void runsOfOneColorAreTold();
  void foreignEpochsEndWhereOursDo();
  void theBestIsTheHighestAccuracyOrTheLowestLoss();
  void imagesOfACellComeTheSurestFirst();
  void imagesAreDescribedInWords();
  void commandsNameThePresetAndWhatDiffers();
  void commandsFallBackOnTheRunItself();
  void shellWordsAreQuoted_data();
  void shellWordsAreQuoted();
  void tablesAreExportedWithExactNumbers();
};

void TestRunsCompare::parentsAreFoundByTheirNames() {
  const std::vector<RunSummary> library{
      summaryOf("a"), summaryOf("b", "a"), summaryOf("c", "gone")};
  QCOMPARE(parentOf(library[1], library), &library[0]);
  QVERIFY(!parentOf(library[0], library));
  QVERIFY(!parentOf(library[2], library));
  QCOMPARE(childrenOf(library[0], library), std::vector<const RunSummary*>{&library[1]});
}

void TestRunsCompare::renamedParentsAreFoundByTheirDates() {
  std::vector<RunSummary> library{summaryOf("2026-11-21_01-02-23_new-name"),
                                  summaryOf("2026-11-22_01-02-23_x", "2026-11-21_01-02-23_old")};
  QCOMPARE(parentOf(library[1], library), &library[0]);
  // Two runs began in the same second, so the parent is ambiguous.
  library.push_back(summaryOf("2026-11-21_01-02-23_twin"));
  QVERIFY(!parentOf(library[1], library));
}

void TestRunsCompare::curvesHaveEveryEpochOnAllAxes() {
  EpochRecord unscored = epochRecord(2, 0.6);
  unscored.validation.reset();
  const std::vector<OverlayRun> runs{
      overlayRun("a", 3, {epochRecord(1, 0.5), unscored, epochRecord(3, 0.75)})};
  const std::vector<CurveSeries> validation = overlayOf(runs, RunQuantity::validationScore);
  QCOMPARE(validation.size(), std::size_t(1));
  QCOMPARE(validation[0].key, std::string("/runs/a"));
  QCOMPARE(validation[0].colorIndex, 3);
  QCOMPARE(validation[0].samples.epoch, (std::vector<double>{1, 3}));
  QCOMPARE(validation[0].samples.step, (std::vector<double>{10, 30}));
  QCOMPARE(validation[0].samples.seconds, (std::vector<double>{2.5, 7.5}));
  QCOMPARE(validation[0].samples.y, (std::vector<double>{0.5, 0.75}));
  QCOMPARE(overlayOf(runs, RunQuantity::trainLoss)[0].samples.y.size(), std::size_t(3));
}

void TestRunsCompare::runsOfOneColorAreTold() {
  std::vector<OverlayRun> runs{overlayRun("same", 0, {epochRecord(1, 0.5)}),
                               overlayRun("same", 0, {epochRecord(1, 0.6)}),
                               overlayRun("other", 1, {epochRecord(1, 0.7)}),
                               overlayRun("empty", 2, {})};
  runs[0].difference = u"seed 0"_s;
  runs[1].difference = u"seed 1"_s;
  const std::vector<CurveSeries> series = overlayOf(runs, RunQuantity::validationScore);
  QCOMPARE(series.size(), std::size_t(3));
  QCOMPARE(series[0].penStyle, Qt::SolidLine);
  QCOMPARE(series[1].penStyle, Qt::DashLine);
  QCOMPARE(series[2].penStyle, Qt::SolidLine);
  QCOMPARE(series[1].label, std::string("same: seed 1"));
  QCOMPARE(series[2].label, std::string("other"));
}

void TestRunsCompare::foreignEpochsEndWhereOursDo() {
  OverlayRun run;
  run.log = {"/logs/x", "logs/x", {{"Accuracy_Test", {{0, 100, 50}, {1, 130, 75}}}}, {}};
  run.row = rowOf(run.log);
  const std::vector<CurveSeries> series = overlayOf({run}, RunQuantity::validationScore);
  QCOMPARE(series.size(), std::size_t(1));
  QCOMPARE(series[0].samples.epoch, (std::vector<double>{1, 2}));
  QCOMPARE(series[0].samples.seconds, (std::vector<double>{0, 30}));
  QCOMPARE(series[0].samples.y, (std::vector<double>{0.5, 0.75}));
  QVERIFY(series[0].label.ends_with("on its test set"));
}

void TestRunsCompare::theBestIsTheHighestAccuracyOrTheLowestLoss() {
  CurveSeries series;
  series.samples.y = {0.5, NAN, 0.75, 0.25};
  QCOMPARE(bestOf(series, RunQuantity::trainScore), 0.75);
  QCOMPARE(bestOf(series, RunQuantity::validationLoss), 0.25);
  QVERIFY(std::isnan(bestOf(CurveSeries(), RunQuantity::trainLoss)));
}

void TestRunsCompare::imagesOfACellComeTheSurestFirst() {
  const Predictions predictions = fourPredictions();
  QCOMPARE(imagesIn(predictions, {0, 1}), (std::vector<int>{3, 0}));
  QCOMPARE(imagesIn(predictions, {1, 1}), std::vector<int>{2});
  QVERIFY(imagesIn(predictions, {1, 0}).empty());
  QCOMPARE(wrongImages(predictions), (std::vector<int>{3, 0}));
  QCOMPARE(shareOfRight(predictions), 0.5);
  QCOMPARE(shareOfRight(Predictions()), 0.0);
}

void TestRunsCompare::imagesAreDescribedInWords() {
  QCOMPARE(describeImage(fourPredictions(), 0),
           u"Image 0. Wrong: predicted dog, 60.0 %; labelled cat, 30.0 %"_s);
  QCOMPARE(describeImage(fourPredictions(), 1), u"Image 1. Correct: predicted cat, 90.0 %"_s);
  QVERIFY(describeImage(fourPredictions(), 9).isEmpty());
}

void TestRunsCompare::commandsNameThePresetAndWhatDiffers() {
  RunSummary run = summaryOf("a");
  run.record.config = preset("quickstart");
  QCOMPARE(commandFor(run), u"lambda train quickstart"_s);
  run.record.config.seed = 3;
  run.record.config.name = "it is mine";
  run.record.config.recipe.optimizer.learningRate = 0.05;
  QCOMPARE(commandFor(run),
           u"lambda train quickstart --name 'it is mine' --seed 3 "
           "--set recipe.optimizer.learningRate=0.05"_s);
}

void TestRunsCompare::commandsFallBackOnTheRunItself() {
  RunSummary run = summaryOf("own network");
  QCOMPARE(commandFor(run), u"lambda train '/runs/own network'"_s);
}

void TestRunsCompare::shellWordsAreQuoted_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("quoted");
  QTest::newRow("plain") << u"runs/a-b_1.json"_s << u"runs/a-b_1.json"_s;
  QTest::newRow("empty") << QString() << u"''"_s;
  QTest::newRow("space") << u"a b"_s << u"'a b'"_s;
  QTest::newRow("quote") << u"it's"_s << u"'it'\\''s'"_s;
  QTest::newRow("dollar") << u"$HOME"_s << u"'$HOME'"_s;
}

void TestRunsCompare::shellWordsAreQuoted() {
  QFETCH(QString, text);
  QFETCH(QString, quoted);
  QCOMPARE(shellQuoted(text), quoted);
}

void TestRunsCompare::tablesAreExportedWithExactNumbers() {
  const TemporaryFolder folder;
  RunRecord record = finishedRecord("a, b");
  record.bestValidationScore = 1.0 / 3;
  record.testScore.reset();
  record.notes = "=two\n\"lines\"";
  const fs::path run = writeRun(folder.path(), "2026-11-21_01-02-23_a", record);
  RunLibrary library;
  library.setFolder(folder.path());
  RunTableModel model(library);
  RunSortFilter sorted(model);
  QTRY_COMPARE(sorted.rowCount(), 1);
  const QString line = toCsv(sorted).section(u'\n', 1);
  QCOMPARE(line,
           u"\"a, b\","_s + toText(run) +
               u",finished,shapes10,C-CL,27994,17498752,0.3333333333333333,,,,1,6,6,60,500,"
               "2026-11-21T01:02:23Z,cpu,,\"'=two\n\"\"lines\"\"\"\n"_s);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRunsCompare)
#include "tst_runs_compare.moc"
