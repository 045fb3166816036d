#include <algorithm>

#include <QTest>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/runtime/error.h"
#include "engine/training/loop/trainer.h"
#include "engine/values/config/fields.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestResume : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resumesToTheSameBits_data();
  void resumesToTheSameBits();
  void resumeAfterAnotherResumeIsExactToo();
  void resumedRunRecordsOneCleanLine();
  void continuesAFinishedRun();
  void aContinuedRunHasNoResultBeforeItsNewEnd();
  void anAutomaticPrecisionIsDecidedOnce();
  void aForeignRecordIsDecidedForWhenItResumes();
};

void TestResume::resumesToTheSameBits_data() {
  QTest::addColumn<int>("optimizer");
  QTest::addColumn<int>("stopStep");
  QTest::addColumn<bool>("inEvaluation");
  QTest::newRow("sgd, first batch") << 0 << 1 << false;
  QTest::newRow("sgd, middle of an epoch") << 0 << 9 << false;
  QTest::newRow("sgd, last batch of an epoch") << 0 << 12 << false;
  QTest::newRow("sgd, in evaluation") << 0 << 6 << true;
  QTest::newRow("adam, middle of an epoch") << 1 << 10 << false;
  QTest::newRow("adamw, in evaluation") << 2 << 12 << true;
  QTest::newRow("adamw, last batch") << 2 << 18 << false;
  QTest::newRow("muon, middle of an epoch") << 3 << 9 << false;
  QTest::newRow("muon, in evaluation") << 3 << 12 << true;
  QTest::newRow("lion, middle of an epoch") << 4 << 9 << false;
}

void TestResume::resumesToTheSameBits() {
  QFETCH(int, optimizer);
  QFETCH(int, stopStep);
  QFETCH(bool, inEvaluation);
  const TemporaryFolder folder;
  const RunConfig config =
      randomRun(valueOfKind<OptimizerKind>(static_cast<std::size_t>(optimizer)));
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);

  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (!inEvaluation && batch.step == stopStep) control.requestStop();
  };
  observer.onEvaluated = [&](const EvaluationProgress&) {
    if (inEvaluation && observer.batches.size() == static_cast<std::size_t>(stopStep)) {
      control.requestStop();
    }
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  QCOMPARE(stopped.status, RunStatus::stopped);
  QCOMPARE(observer.batches.size(), static_cast<std::size_t>(stopStep));
  const bool allTrained = stopStep == observer.batchesPerEpoch * config.recipe.epochs;
  QCOMPARE(tensorsOf(stopped.run) == tensorsOf(uninterrupted.run), allTrained);

  RunControl again;
  const RunResult resumed = resumeRun(stopped.run, {}, again, silent);
  QCOMPARE(resumed.status, RunStatus::finished);
  QVERIFY(tensorsOf(resumed.run) == tensorsOf(uninterrupted.run));
  QVERIFY(lossesOf(resumed.run) == lossesOf(uninterrupted.run));
  QCOMPARE(resumed.testScore, uninterrupted.testScore);
  QCOMPARE(resumed.bestValidationScore, uninterrupted.bestValidationScore);
}

void TestResume::resumeAfterAnotherResumeIsExactToo() {
  const TemporaryFolder folder;
  const RunConfig config = randomRun(Sgd{});
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
  std::string run;
  for (const std::int64_t stopStep : {2, 5, 13}) {
    RunControl control;
    RecordingObserver observer;
    observer.onBatch = [&](const BatchRecord& batch) {
      if (batch.step == stopStep) control.requestStop();
    };
    run = run.empty() ? trainRun(config, folder.path(), control, observer).run
                      : resumeRun(run, {}, control, observer).run;
  }
  RunControl control;
  resumeRun(run, {}, control, silent);
  QVERIFY(tensorsOf(run) == tensorsOf(uninterrupted.run));
}

void TestResume::resumedRunRecordsOneCleanLine() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.checkpoints.everyMinutes = 0;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 8) control.requestStop();
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  // This is the state after a kill: the checkpoint is from the end of epoch 1, and the metrics have
  // two more batches.
  const RunFolder run = RunFolder::open(stopped.run);
  std::filesystem::copy_file(run.epochCheckpoint(1),
                             run.lastCheckpoint(),
                             std::filesystem::copy_options::overwrite_existing);
  RunControl again;
  RecordingObserver silent;
  resumeRun(stopped.run, {}, again, silent);
  const Metrics metrics = readMetrics(run.metrics());
  QCOMPARE(metrics.batches.size(), std::size_t{18});
  for (std::size_t i = 0; i < metrics.batches.size(); ++i) {
    QCOMPARE(metrics.batches[i].step, static_cast<std::int64_t>(i + 1));
  }
  QCOMPARE(metrics.epochs.size(), std::size_t{3});
  const auto hasEvent = [&](EventKind kind) {
    return std::any_of(metrics.events.begin(), metrics.events.end(), [&](const EventRecord& event) {
      return event.kind == kind;
    });
  };
  QVERIFY(hasEvent(EventKind::stopped));
  QVERIFY(hasEvent(EventKind::resumed));
}

void TestResume::continuesAFinishedRun() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult finished = trainRun(tinyRun(), folder.path(), control, observer);
  QVERIFY_THROWS_EXCEPTION(Error, resumeRun(finished.run, {}, control, observer));
  ResumeOptions options;
  options.epochs = 5;
  const RunResult more = resumeRun(finished.run, options, control, observer);
  QCOMPARE(more.status, RunStatus::finished);
  QCOMPARE(more.epochs, 5);
  const RunRecord record = recordOf(more.run);
  QCOMPARE(record.config.recipe.epochs, 5);
  QCOMPARE(record.testEvaluations, 2);
}

void TestResume::aContinuedRunHasNoResultBeforeItsNewEnd() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult finished = trainRun(tinyRun(), folder.path(), control, observer);
  QVERIFY(recordOf(finished.run).testScore);
  RunControl stopping;
  RecordingObserver inTest;
  inTest.onEvaluated = [&](const EvaluationProgress& progress) {
    if (progress.split == Split::test) stopping.requestStop();
  };
  const RunResult stopped = resumeRun(finished.run, {.epochs = 4}, stopping, inTest);
  QCOMPARE(stopped.status, RunStatus::stopped);
  QVERIFY(!stopped.testScore);
  QVERIFY(!recordOf(finished.run).testScore);
  // All epochs are done, but the test set is not scored yet.
  RunControl again;
  RecordingObserver silent;
  const RunResult scored = resumeRun(finished.run, {}, again, silent);
  QCOMPARE(scored.status, RunStatus::finished);
  QVERIFY(scored.testScore);
  QVERIFY(silent.batches.empty());
}

void TestResume::anAutomaticPrecisionIsDecidedOnce() {
  const TemporaryFolder folder;
  RunConfig config = randomRun(Sgd{});
  config.recipe.precision = Precision::automatic;
  config.device.threads = 2;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 9) control.requestStop();
  };
  const std::string run = trainRun(config, folder.path(), control, observer).run;
  RunRecord record = recordOf(run);
  const PrecisionRates rates = record.environment.precisionRates;
  QVERIFY(rates.wereMeasured());
  QVERIFY(record.config.recipe.precision == fasterPrecision(rates));
  const SafeTensors checkpoint = readSafeTensors(RunFolder::open(run).lastCheckpoint());
  const std::string& header = checkpoint.metadata.at(std::string(kCheckpointKey));
  QVERIFY(checkpointHeaderFromJson(header, "last").config == record.config);
  const std::string told = observer.events.front().text;
  QVERIFY2(told.find(precisionText(record.config.recipe.precision, rates)) != std::string::npos,
           told.c_str());

  // The bits are the same as with a precision that was set by hand.
  RunControl again, whole;
  RecordingObserver silent;
  QCOMPARE(resumeRun(run, {}, again, silent).status, RunStatus::finished);
  const RunResult chosen = trainRun(record.config, folder.path(), whole, silent);
  QVERIFY(tensorsOf(run) == tensorsOf(chosen.run));
  QVERIFY(lossesOf(run) == lossesOf(chosen.run));
  QVERIFY(!recordOf(chosen.run).environment.precisionRates.wereMeasured());

  // This record contradicts a measurement; a resumed run must not measure again.
  const Precision other = record.config.recipe.precision == Precision::float32 ? Precision::bfloat16
                                                                               : Precision::float32;
  record = recordOf(run);
  record.config.recipe.precision = other;
  record.environment.precisionRates = {rates.bfloat16, rates.float32};
  writeRunRecord(RunFolder::open(run).record(), record);
  RunControl later;
  resumeRun(run, {.epochs = 4, .acceptChanges = true}, later, silent);
  QVERIFY(recordOf(run).config.recipe.precision == other);
  QVERIFY(recordOf(run).environment.precisionRates == record.environment.precisionRates);

  // A fork with the run's settings must not measure either.
  RunControl forked;
  record.config.recipe.epochs = 5;
  const std::filesystem::path last = RunFolder::open(run).lastCheckpoint();
  const std::string fork = forkRun(last, record.config, folder.path(), forked, silent).run;
  QVERIFY(recordOf(fork).config.recipe.precision == other);
  QVERIFY(!recordOf(fork).environment.precisionRates.wereMeasured());
}

void TestResume::aForeignRecordIsDecidedForWhenItResumes() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 9) control.requestStop();
  };
  const std::string run = trainRun(tinyRun(), folder.path(), control, observer).run;
  RunRecord record = recordOf(run);
  record.config.recipe.precision = Precision::automatic;
  writeRunRecord(RunFolder::open(run).record(), record);
  RunControl again;
  RecordingObserver resumed;
  QCOMPARE(resumeRun(run, {}, again, resumed).status, RunStatus::finished);
  const PrecisionRates rates = recordOf(run).environment.precisionRates;
  QVERIFY(rates.wereMeasured());
  QVERIFY(recordOf(run).config.recipe.precision == fasterPrecision(rates));
  const std::string told = resumed.events.front().text;
  QVERIFY2(told.find(precisionText(fasterPrecision(rates), rates)) != std::string::npos,
           told.c_str());
}

QTEST_GUILESS_MAIN(TestResume)
#include "tst_resume.moc"
