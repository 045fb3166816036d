#include <algorithm>
#include <cmath>
#include <fstream>

#include <ATen/ATen.h>

#include <QTest>

#include "engine/data/dataset.h"
#include "engine/data/sources/data_sources.h"
#include "engine/experiments/difference_text.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/report/experiment_report.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/image_folder/numbered_pictures.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/error.h"
#include "engine/trained/checkpoint_inspector.h"
#include "engine/trained/evaluate_run.h"
#include "engine/trained/predictor.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/objective.h"
#include "engine/values/config/fields.h"
#include "engine/values/config/validate.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/numbered_pictures.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_experiment.h"

namespace fs = std::filesystem;

namespace lambda::test {

/// A second task beside classification, from a CSV file to the report of an experiment.
class TestRegression : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void theFileHasSplitsAndNumbers();
  void aFileThatIsNotRightIsRefused_data();
  void aFileThatIsNotRightIsRefused();
  void aCorruptPictureKeepsTheNumbersOfOthers();
  void lossAndScoreAreThoseOfTheFormulas();
  void itLearns();
  void recordsNameTheScore();
  void olderRecordsAreScoredByAccuracy();
  void aStoppedRunResumesToTheSameBits();
  void evaluationAndPredictionsAgree();
  void predictionsHaveTheUnitsOfTheData();
  void inspectionShowsTheNumbers();
  void anExperimentComparesR2();
  void aClassificationOfTheDataIsRefused();
  void settingsThatNeedClassesAreRefused();

 private:
  fs::path run() const { return result_.run; }

  TemporaryFolder home_;
  fs::path file_;
  RunConfig config_;
  RunResult result_;
};

void TestRegression::initTestCase() {
  file_ = writeNumberedPictures(home_.path() / "data", 280);
  config_ = regressionRun(file_);
  RunControl control;
  RecordingObserver observer;
  result_ = trainRun(config_, home_.path() / "runs", control, observer);
  QCOMPARE(result_.status, RunStatus::finished);
}

void TestRegression::theFileHasSplitsAndNumbers() {
  const DatasetInfo info = probeDataset(config_.data.source);
  QVERIFY(info.task == Task::regression);
  QCOMPARE(info.classNames, (std::vector<std::string>{"width", "brightness"}));
  QCOMPARE(info.trainCount, 252);
  QCOMPARE(info.testCount, 28);
  const Dataset data = loadDataset(config_.data);
  QCOMPARE(data.train.count(), 212U);
  QCOMPARE(data.validation.count(), 40U);
  QCOMPARE(data.train.numbers.size(), 424U);
  // The first row of the second split column is picture 9: width 10, brightness 1.93.
  const LabeledImages test = loadTest(config_.data);
  QCOMPARE(test.numbers[0], 10.0F);
  QCOMPARE(test.numbers[1], 1.93F);
  QVERIFY(std::holds_alternative<PictureNumbersSource>(recognizeDataSource(file_.string())));
  LabeledImages changed = data.train;
  changed.numbers[0] += 1;
  QVERIFY(digestOf(changed) != digestOf(data.train));
}

void TestRegression::aFileThatIsNotRightIsRefused_data() {
  QTest::addColumn<QString>("content");
  QTest::addColumn<QString>("place");
  QTest::addColumn<QString>("reason");
  const auto row =
      [](const char* name, const char* content, const char* place, const char* reason) {
        QTest::newRow(name) << content << place << reason;
      };
  row("empty", "", "numbers.csv", "no line");
  row("no number", "picture\npictures/0.png\n", "line 1", "no column of numbers");
  row("twice the same column", "picture,a,a\n", "line 1", "\"a\"");
  row("a column without a name", "picture,\n", "line 1", "\"\"");
  row("no pictures", "picture,a\n", "numbers.csv", "no picture");
  row("a word", "picture,a\npictures/0.png,wide\n", "line 2", "the a is \"wide\"");
  row("a decimal comma", "picture,a\npictures/0.png,\"1,5\"\n", "line 2", "the a is \"1,5\"");
  row("no value", "picture,a\npictures/0.png,\n", "line 2", "the a is \"\"");
  row("infinite", "picture,a\npictures/0.png,inf\n", "line 2", "the a is \"inf\"");
  row("beyond float32", "picture,a\npictures/0.png,1e39\n", "line 2", "the a is \"1e39\"");
  row("close for float32",
      "picture,a\npictures/0.png,1700000000\npictures/1.png,1700000100\n",
      "numbers.csv",
      "from 1700000000 to 1700000100");
  row("a cell too few", "picture,a,b\npictures/0.png,1\n", "line 2", "2 cells");
  row("a missing picture", "picture,a\npictures/none.png,1\n", "line 2", "no picture");
  row("another file", "picture,a\nnumbers.csv,1\n", "line 2", "no JPEG, PNG or WebP");
  row("out of the folder", "picture,a\n../data/pictures/0.png,1\n", "line 2", "../data");
  row("an absolute path", "picture,a\n/etc/passwd,1\n", "line 2", "/etc/passwd");
  row("twice the same picture",
      "picture,a\npictures/0.png,1\npictures/../pictures/0.png,2\n",
      "line 3",
      "again");
  row("an unknown split", "picture,a,split\npictures/0.png,1,dev\n", "line 2", "\"dev\"");
  row("only a test", "picture,a,split\npictures/0.png,1,test\n", "numbers.csv", "train on");
}

void TestRegression::aFileThatIsNotRightIsRefused() {
  QFETCH(QString, content);
  QFETCH(QString, place);
  QFETCH(QString, reason);
  const fs::path folder = home_.path() / "wrong";
  writeNumberedPictures(folder / "data", 2);
  PictureNumbersSource source{.path = (folder / "data" / "numbers.csv").string(), .size = 16};
  std::ofstream(source.path) << content.toStdString();
  const auto error = errorOf([&] { probeDataset(source); });
  QVERIFY(error);
  QVERIFY2(QString::fromStdString(error->place()).contains(place), error->place().c_str());
  QVERIFY2(QString::fromStdString(error->reason()).contains(reason), error->reason().c_str());
  QVERIFY(!error->hint().empty() || content.isEmpty() || reason.contains(u"train on") ||
          reason == u"no picture");
  QVERIFY(!checkDataset(source).usable);
}

void TestRegression::aCorruptPictureKeepsTheNumbersOfOthers() {
  const fs::path file = writeNumberedPictures(home_.path() / "corrupt", 6);
  std::ofstream(file.parent_path() / "pictures" / "1.png") << "no picture";
  PictureNumbersSource source{.path = file.string(), .size = 16};
  QVERIFY(errorOf([&] { readTrainingImages(source); }));
  source.corrupt = CorruptPictures::skip;
  const TrainingImages images = readTrainingImages(source);
  QCOMPARE(images.train.count(), 5U);
  QCOMPARE(images.train.numbers[0], 1.0F);
  QCOMPARE(images.train.numbers[2], 3.0F);
  QVERIFY2(images.changes.find("1 corrupt") != std::string::npos, images.changes.c_str());
}

void TestRegression::lossAndScoreAreThoseOfTheFormulas() {
  const at::Tensor outputs = at::tensor({1.0F, 2.0F, 3.0F, 0.5F, -1.0F, 0.0F}).view({3, 2});
  const at::Tensor labels = at::tensor({2.0F, 2.0F, 1.0F, 1.5F, 0.0F, 1.0F}).view({3, 2});
  const Objective& objective = objectiveOf(Task::regression);
  // Squared errors: 1, 0; 4, 1; 1, 1.
  QCOMPARE(objective.lossOf(outputs, {{}, labels}, 0).item<float>(), 8.0F / 6);
  QVERIFY(objective.lossesOf(outputs, labels).equal(at::tensor({0.5F, 2.5F, 1.0F})));
  QVERIFY(std::abs(objective.scoreOf(outputs, labels).item<double>() - (1 - 8.0 / 6)) < 1e-6);
  const auto sums = objective.sums(2);
  sums->add(outputs.narrow(0, 0, 1), labels.narrow(0, 0, 1));
  sums->add(outputs.narrow(0, 1, 2), labels.narrow(0, 1, 2));
  // Variations: 2 of the first number, whose mean is 1; 0.5 of the second, whose mean is 1.5.
  const double expected = ((1 - 6.0 / 2) + (1 - 2.0 / 0.5)) / 2;
  QVERIFY(std::abs(sums->scores().score - expected) < 1e-12);
  QVERIFY(std::abs(sums->scores().loss - 8.0 / 6) < 1e-12);
  QVERIFY(sums->scores().scoredBy == ScoreKind::r2);
  const auto constant = objective.sums(2);
  constant->add(outputs, at::ones({3, 2}));
  QCOMPARE(constant->scores().score, 0.0);
}

void TestRegression::itLearns() {
  QVERIFY2(*result_.bestValidationScore > 0.8,
           qPrintable(QString::number(*result_.bestValidationScore)));
  QVERIFY2(*result_.testScore > 0.8, qPrintable(QString::number(*result_.testScore)));
}

void TestRegression::recordsNameTheScore() {
  const std::string record = readFile(run() / "run.json", 1 << 20);
  for (const char* key :
       {"\"bestValidationR2\"", "\"testR2\"", "\"numbers\": 2", "\"regression\""}) {
    QVERIFY2(record.find(key) != std::string::npos, key);
  }
  for (const char* key : {"bestValidationAccuracy", "testAccuracy", "\"classes\""}) {
    QVERIFY2(record.find(key) == std::string::npos, key);
  }
  std::vector<Problem> warnings;
  const RunRecord read = readRunRecord(run() / "run.json", warnings);
  QVERIFY(warnings.empty());
  QVERIFY(read.scoredBy == ScoreKind::r2);
  QCOMPARE(read.testScore, result_.testScore);
  QVERIFY(!read.validationMajority && !read.testMajority);
  QCOMPARE(read.input.numbers.size(), 2U);
  QCOMPARE(read.input.numbers[0].name, std::string("width"));
  const Metrics metrics = readMetrics(run() / "metrics.jsonl");
  QVERIFY(metrics.warnings.empty());
  QVERIFY(metrics.epochs.back().validation->scoredBy == ScoreKind::r2);
  QVERIFY(metrics.batches.back().scoredBy == ScoreKind::r2);
  const auto best = std::ranges::max_element(
      metrics.epochs, {}, [](const EpochRecord& epoch) { return epoch.validation->score; });
  QCOMPARE(std::optional(best->validation->score), read.bestValidationScore);
  QVERIFY(runConfigFromJson(toJson(config_), "config", warnings) == config_);
  QVERIFY(warnings.empty());
}

void TestRegression::olderRecordsAreScoredByAccuracy() {
  Metrics metrics;
  MetricsReader reader;
  reader.feed("{\"kind\": \"batch\", \"step\": 1, \"loss\": 2, \"accuracy\": 0.25}\n", metrics);
  QVERIFY(metrics.batches.at(0).scoredBy == ScoreKind::accuracy);
  QCOMPARE(metrics.batches[0].score, 0.25);
}

void TestRegression::aStoppedRunResumesToTheSameBits() {
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 27) control.requestStop();
  };
  const RunResult stopped = trainRun(config_, home_.path() / "runs", control, observer);
  QCOMPARE(stopped.status, RunStatus::stopped);
  RunControl again;
  const RunResult resumed = resumeRun(stopped.run, {}, again, observer);
  QCOMPARE(resumed.status, RunStatus::finished);
  QVERIFY(tensorsOf(resumed.run) == tensorsOf(result_.run));
  QVERIFY(lossesOf(resumed.run) == lossesOf(result_.run));
  QCOMPARE(resumed.testScore, result_.testScore);
}

void TestRegression::evaluationAndPredictionsAgree() {
  RunControl control;
  RecordingObserver observer;
  const EvaluationRequest request{.run = run(), .split = Split::test};
  const auto evaluation = evaluateRun(request, control, observer);
  QCOMPARE(std::optional(evaluation->scores.score), result_.testScore);
  const fs::path file = home_.path() / "predictions.csv";
  const auto written = writePredictions(request, file, control, observer);
  QCOMPARE(written->evaluation.scores.score, evaluation->scores.score);
  const std::string csv = readFile(file, 1 << 20);
  QVERIFY(csv.starts_with("index,width,predicted width,brightness,predicted brightness,loss\n"));
  QCOMPARE(std::ranges::count(csv, '\n'), 29);
  QVERIFY(csv.find("\n0,10,") != std::string::npos);
  QVERIFY(errorOf([&] { writePredictions(request, home_.path() / "p.npy", control, observer); }));
}

void TestRegression::predictionsHaveTheUnitsOfTheData() {
  Predictor predictor(run());
  const std::vector<std::string> files{(file_.parent_path() / "pictures" / "9.png").string()};
  const std::vector<PredictedFile> predicted = predictFiles(predictor, files);
  QVERIFY2(predicted[0].problem.empty(), predicted[0].problem.c_str());
  QCOMPARE(predicted[0].outputs.size(), 2U);
  QVERIFY(std::abs(predicted[0].outputs[0] - 10) < 2);
  QVERIFY(std::abs(predicted[0].outputs[1] - 1.93) < 0.3);
  CheckpointInspector inspector(run(), {});
  const auto all = inspector.predict(Split::test, [](std::int64_t, std::int64_t) { return true; });
  QCOMPARE(all->numbers.size(), 2U);
  QCOMPARE(all->numbers[0].truth[0], 10.0F);
  QVERIFY(std::abs(all->numbers[0].predicted[0] - predicted[0].outputs[0]) < 1e-3);
  const double mean = (r2Of(all->numbers[0]) + r2Of(all->numbers[1])) / 2;
  QVERIFY(std::abs(mean - *result_.testScore) < 1e-5);
}

void TestRegression::inspectionShowsTheNumbers() {
  CheckpointInspector inspector(run(), {});
  const InspectionSnapshot snapshot = inspector.inspect({.split = Split::test, .image = 0});
  QVERIFY(snapshot.probabilities.empty());
  QCOMPARE(snapshot.numbers.size(), 2U);
  QCOMPARE(snapshot.numbers[0].name, std::string("width"));
  QCOMPARE(snapshot.numbers[0].truth, std::optional(10.0));
  QVERIFY(std::abs(snapshot.numbers[0].predicted - 10) < 2);
  QVERIFY(snapshot.residual.relative < 1e-3);
}

void TestRegression::anExperimentComparesR2() {
  QVERIFY(validationQuantityOf(ScoreKind::r2) == Quantity::validationR2);
  QVERIFY(validationQuantityOf(ScoreKind::accuracy) == Quantity::validationAccuracy);
  QCOMPARE(quantityText(Quantity::testR2, 0.93125), std::string("0.9313"));
  QVERIFY(std::isinf(possibleValuesOf(Quantity::testR2).low));
  QCOMPARE(possibleValuesOf(Quantity::testR2).high, 1.0);

  Experiment experiment;
  experiment.name = "bars";
  experiment.base = config_;
  experiment.variants = {{"slow", {"recipe.optimizer.learningRate=0.01"}}, {"fast", {}}};
  experiment.seeds = {1, 2};
  experiment.measures = {{Quantity::testAccuracy}};
  const std::vector<Problem> problems = problemsOf(experiment);
  QCOMPARE(problems.size(), 1U);
  QCOMPARE(problems.front().path, std::string("measures[0]"));
  QVERIFY(problems.front().text.find("validationR2") != std::string::npos);
  experiment.measures = {{Quantity::validationR2}, {Quantity::testR2}};
  const auto folder = ExperimentFolder::create(home_.path() / "experiments", experiment);
  for (std::size_t i = 0; i < folder.plan().runs.size(); ++i) {
    const PlannedRun& run = folder.plan().runs[i];
    writeRunOf(folder, run, RunStatus::finished);
    const fs::path file = folder.runFolder(run) / "run.json";
    std::vector<Problem> warnings;
    RunRecord record = readRunRecord(file, warnings);
    record.scoredBy = ScoreKind::r2;
    record.bestValidationScore = 0.5 + 0.1 * static_cast<double>(i);
    record.testScore = -0.25;
    record.epochsDone = record.config.recipe.epochs;
    writeRunRecord(file, record);
  }
  const ExperimentState state = readExperiment(folder);
  QVERIFY(state.scoredBy == ScoreKind::r2);
  QCOMPARE(state.countOf(CellState::done), 4U);
  QCOMPARE(state.results[0].variants[0].summary.count, 2);
  QVERIFY(std::abs(state.results[0].variants[1].summary.mean - 0.7) < 1e-12);
  QCOMPARE(state.results[1].variants[0].summary.mean, -0.25);
  const std::string report = markdownReport(state, {});
  QVERIFY2(report.find("best validation R²") != std::string::npos, report.c_str());
}

void TestRegression::aClassificationOfTheDataIsRefused() {
  RunConfig config = config_;
  config.architecture.task = Task::classification;
  const std::vector<Problem> problems = validate(config, probeDataset(config.data.source));
  const auto found = std::ranges::find(problems, "architecture.task", &Problem::path);
  QVERIFY(found != problems.end());
  QCOMPARE(found->fix->value, std::string("regression"));
  RunControl control;
  RecordingObserver observer;
  const auto error = errorOf([&] { trainRun(config, home_.path() / "runs", control, observer); });
  QVERIFY(error);
  QCOMPARE(error->place(), std::string("architecture.task"));
}

void TestRegression::settingsThatNeedClassesAreRefused() {
  RunConfig config = config_;
  config.recipe.labelSmoothing = 0.1;
  config.data.labelledPerClass = 5;
  const std::vector<Problem> problems = validate(config, std::nullopt);
  for (const char* path : {"recipe.labelSmoothing", "data.labelledPerClass"}) {
    const auto found = std::ranges::find(problems, path, &Problem::path);
    QVERIFY2(found != problems.end() && found->severity == Severity::error, path);
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRegression)

#include "tst_regression.moc"
