#include <algorithm>
#include <cmath>
#include <fstream>

#include <QTest>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runtime/error.h"
#include "engine/training/trainer.h"
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
  void fewerEpochsThanAreDoneAreRefused();
  void aChangedRecordIsRefusedUnlessAccepted_data();
  void aChangedRecordIsRefusedUnlessAccepted();
  void aCheckpointOfAnotherRunIsRefused();
  void lostMetricsAreRebuilt_data();
  void lostMetricsAreRebuilt();
  void aForkHasNoBestOfItsParents();
  void aLostBestCheckpointIsPublishedAgain();
  void aForkThatHasNotTrainedHasNoEpochOfItsParents();
  void forksWithChangedSettings();
  void anAutomaticPrecisionIsDecidedOnce();
  void aForeignRecordIsDecidedForWhenItResumes();
  void damagedCheckpointFallsBack_data();
  void damagedCheckpointFallsBack();
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
}

void TestResume::resumesToTheSameBits() {
  QFETCH(int, optimizer);
  QFETCH(int, stopStep);
  QFETCH(bool, inEvaluation);
  const TemporaryFolder folder;
  const RunConfig config = randomRun(static_cast<OptimizerKind>(optimizer));
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
  QCOMPARE(resumed.testAccuracy, uninterrupted.testAccuracy);
  QCOMPARE(resumed.bestValidationAccuracy, uninterrupted.bestValidationAccuracy);
}

void TestResume::resumeAfterAnotherResumeIsExactToo() {
  const TemporaryFolder folder;
  const RunConfig config = randomRun(OptimizerKind::sgd);
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
  QVERIFY(recordOf(finished.run).testAccuracy);
  RunControl stopping;
  RecordingObserver inTest;
  inTest.onEvaluated = [&](const EvaluationProgress& progress) {
    if (progress.phase == "test") stopping.requestStop();
  };
  const RunResult stopped = resumeRun(finished.run, {.epochs = 4}, stopping, inTest);
  QCOMPARE(stopped.status, RunStatus::stopped);
  QVERIFY(!stopped.testAccuracy);
  QVERIFY(!recordOf(finished.run).testAccuracy);
  // All epochs are done, but the test set is not scored yet.
  RunControl again;
  RecordingObserver silent;
  const RunResult scored = resumeRun(finished.run, {}, again, silent);
  QCOMPARE(scored.status, RunStatus::finished);
  QVERIFY(scored.testAccuracy);
  QVERIFY(silent.batches.empty());
}

void TestResume::fewerEpochsThanAreDoneAreRefused() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult finished = trainRun(tinyRun(), folder.path(), control, observer);
  const RunRecord before = recordOf(finished.run);
  try {
    resumeRun(finished.run, {.epochs = 2}, control, observer);
    QFAIL("Fewer epochs are accepted.");
  } catch (const Error& error) {
    QVERIFY2(error.reason().find("trained for 3 epochs, more than the 2") != std::string::npos,
             error.what());
  }
  QVERIFY(recordOf(finished.run) == before);
}

void TestResume::aChangedRecordIsRefusedUnlessAccepted_data() {
  QTest::addColumn<QString>("field");
  for (const char* field : {"seed", "batch size", "split"}) {
    QTest::newRow(field) << QString::fromLatin1(field);
  }
}

void TestResume::aChangedRecordIsRefusedUnlessAccepted() {
  QFETCH(QString, field);
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 6) control.requestStop();
  };
  const std::string run = trainRun(tinyRun(), folder.path(), control, observer).run;
  RunRecord record = recordOf(run);
  std::string expected;
  if (field == QStringLiteral("seed")) {
    record.config.seed = 4;
    expected = "seed 3 -> 4";
  } else if (field == QStringLiteral("batch size")) {
    record.config.recipe.batchSize = 45;
    expected = "recipe.batchSize 30 -> 45";
  } else {
    record.config.data.validationCount = 30;
    expected = "data.validationCount 60 -> 30";
  }
  writeRunRecord(RunFolder::open(run).record(), record);
  RunControl again;
  RecordingObserver resumed;
  try {
    resumeRun(run, {}, again, resumed);
    QFAIL("The change is accepted without a message.");
  } catch (const Error& error) {
    QVERIFY2(std::string(error.what()).find(expected) != std::string::npos, error.what());
  }
  QCOMPARE(resumeRun(run, {.acceptChanges = true}, again, resumed).status, RunStatus::finished);
  const std::string& told = resumed.events.front().text;
  QVERIFY2(told.find("accepted: ") != std::string::npos, told.c_str());
  QVERIFY2(told.find(expected) != std::string::npos, told.c_str());
}

void TestResume::aCheckpointOfAnotherRunIsRefused() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 3) control.requestStop();
  };
  const std::string first = trainRun(tinyRun(), folder.path(), control, observer).run;
  RunRecord record = recordOf(first);
  record.environment.started = "2020-01-01T00:00:00Z";
  writeRunRecord(RunFolder::open(first).record(), record);
  RunControl again;
  RecordingObserver silent;
  try {
    resumeRun(first, {}, again, silent);
    QFAIL("A checkpoint of another run is accepted.");
  } catch (const Error& error) {
    QVERIFY2(error.reason().find("of another run") != std::string::npos, error.what());
  }
}

void TestResume::lostMetricsAreRebuilt_data() {
  QTest::addColumn<QString>("damage");
  for (const char* damage : {"missing", "empty", "short", "without TensorBoard"}) {
    QTest::newRow(damage) << QString::fromLatin1(damage);
  }
}

void TestResume::lostMetricsAreRebuilt() {
  QFETCH(QString, damage);
  const TemporaryFolder folder;
  const RunConfig config = randomRun(OptimizerKind::sgd);
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 9) control.requestStop();
  };
  const RunFolder run = RunFolder::open(trainRun(config, folder.path(), control, observer).run);
  const std::uintmax_t length = std::filesystem::file_size(run.metrics());
  if (damage == QStringLiteral("short")) {
    std::filesystem::resize_file(run.metrics(), length / 2);
  } else if (damage == QStringLiteral("empty")) {
    std::filesystem::resize_file(run.metrics(), 0);
  } else {
    std::filesystem::remove(run.metrics());
  }
  const bool hasEvents = damage != QStringLiteral("without TensorBoard");
  for (const auto& entry : std::filesystem::directory_iterator(run.path())) {
    const bool isEvents = entry.path().filename().string().find("tfevents") != std::string::npos;
    if (isEvents && !hasEvents) std::filesystem::remove(entry.path());
  }

  RunControl again;
  RecordingObserver resumed;
  QCOMPARE(resumeRun(run.path(), {}, again, resumed).status, RunStatus::finished);
  QVERIFY(tensorsOf(run.path()) == tensorsOf(uninterrupted.run));
  const std::string& told = resumed.events.front().text;
  QVERIFY2(told.find("metrics.jsonl") != std::string::npos, told.c_str());
  const std::vector<double> expected = lossesOf(uninterrupted.run), found = lossesOf(run.path());
  if (!hasEvents) {
    QVERIFY2(told.find("the records of 9 steps are lost") != std::string::npos, told.c_str());
    QCOMPARE(found.size(), expected.size() - 9);
    return;
  }
  QCOMPARE(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    // TensorBoard keeps them in float32.
    QVERIFY(std::abs(found[i] - expected[i]) <= 1e-6 * std::abs(expected[i]));
  }
  const Metrics metrics = readMetrics(run.metrics());
  QCOMPARE(metrics.epochs.size(), std::size_t{3});
  QCOMPARE(metrics.epochs[0].epoch, 1);
  QCOMPARE(metrics.epochs[0].step, std::int64_t{6});
  QCOMPARE(metrics.batches[7].epoch, 2);
}

void TestResume::aForkHasNoBestOfItsParents() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult parent = trainRun(tinyRun(), folder.path(), control, observer);
  const RunFolder parentRun = RunFolder::open(parent.run);
  // No accuracy can exceed that of this parent.
  RunConfig config = tinyRun();
  config.recipe.epochs = 4;
  config.recipe.optimizer.learningRate = 1e-6;
  RecordingObserver child;
  const RunResult forked =
      forkRun(parentRun.epochCheckpoint(3), config, folder.path(), control, child);
  QCOMPARE(forked.bestValidationAccuracy, std::optional(child.epochs.back().validation->accuracy));
  QVERIFY(std::filesystem::exists(RunFolder::open(forked.run).bestCheckpoint()));
}

void TestResume::aForkThatHasNotTrainedHasNoEpochOfItsParents() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult parent = trainRun(tinyRun(), folder.path(), control, observer);
  RunControl stopping;
  stopping.requestStop();
  const std::filesystem::path checkpoint = RunFolder::open(parent.run).epochCheckpoint(2);
  const RunResult stopped = forkRun(checkpoint, tinyRun(), folder.path(), stopping, observer);
  QCOMPARE(stopped.status, RunStatus::stopped);
  RunControl again;
  const RunFolder fork = RunFolder::open(stopped.run);
  QCOMPARE(resumeRun(stopped.run, {}, again, observer).status, RunStatus::finished);
  QVERIFY(!std::filesystem::exists(fork.epochCheckpoint(2)));
  QVERIFY(std::filesystem::exists(fork.epochCheckpoint(3)));
}

void TestResume::aLostBestCheckpointIsPublishedAgain() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult finished = trainRun(tinyRun(), folder.path(), control, observer);
  const RunFolder run = RunFolder::open(finished.run);
  const CheckpointHeader last = readCheckpointHeader(run.lastCheckpoint());
  const int best = last.progress.bestEpoch;
  QVERIFY(best > 0);
  std::filesystem::remove(run.bestCheckpoint());
  resumeRun(finished.run, {.epochs = 4}, control, observer);
  const CheckpointHeader found = readCheckpointHeader(run.bestCheckpoint());
  QVERIFY(found.progress.epoch == best || found.progress.epoch == 4);
  QCOMPARE(found.progress.bestEpoch, found.progress.epoch);
}

void TestResume::forksWithChangedSettings() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult parent = trainRun(tinyRun(), folder.path(), control, observer);
  const auto before = tensorsOf(parent.run);
  RunConfig changed = tinyRun();
  changed.recipe.optimizer.learningRate = 0.01;
  changed.recipe.batchSize = 45;
  changed.recipe.epochs = 4;
  const std::filesystem::path checkpoint = RunFolder::open(parent.run).epochCheckpoint(2);
  RecordingObserver child;
  const RunResult forked = forkRun(checkpoint, changed, folder.path(), control, child);
  QCOMPARE(forked.status, RunStatus::finished);
  QCOMPARE(child.epochs.front().epoch, 3);
  QCOMPARE(child.batches.front().step, std::int64_t{13});
  const RunRecord record = recordOf(forked.run);
  QCOMPARE(record.lineage.parentRun, RunFolder::open(parent.run).name());
  QCOMPARE(record.lineage.parentCheckpoint, std::string("epoch-0002.safetensors"));
  QCOMPARE(record.lineage.parentStep, std::int64_t{12});
  QVERIFY(tensorsOf(parent.run) == before);
  changed.architecture.stages[0].width = 12;
  QVERIFY_THROWS_EXCEPTION(Error, forkRun(checkpoint, changed, folder.path(), control, child));
}

void TestResume::anAutomaticPrecisionIsDecidedOnce() {
  const TemporaryFolder folder;
  RunConfig config = randomRun(OptimizerKind::sgd);
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

void TestResume::damagedCheckpointFallsBack_data() {
  QTest::addColumn<QString>("damage");
  for (const char* damage : {"cut", "bit", "empty", "missing"}) {
    QTest::newRow(damage) << QString::fromLatin1(damage);
  }
}

void TestResume::damagedCheckpointFallsBack() {
  QFETCH(QString, damage);
  const TemporaryFolder folder;
  const RunConfig config = randomRun(OptimizerKind::sgd);
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 9) control.requestStop();
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  const std::filesystem::path last = RunFolder::open(stopped.run).lastCheckpoint();
  const auto size = std::filesystem::file_size(last);
  if (damage == QStringLiteral("cut")) std::filesystem::resize_file(last, size - 100);
  if (damage == QStringLiteral("empty")) std::filesystem::resize_file(last, 0);
  if (damage == QStringLiteral("missing")) std::filesystem::remove(last);
  if (damage == QStringLiteral("bit")) {
    std::fstream file(last, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(size - 1000));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(size - 1000));
    file.put(byte);
  }
  RunControl again;
  RecordingObserver resumed;
  resumeRun(stopped.run, {}, again, resumed);
  QCOMPARE(resumed.batches.front().step, std::int64_t{7});
  const bool isTold = resumed.events.front().text.find("damaged") != std::string::npos;
  QCOMPARE(isTold, damage != QStringLiteral("missing"));
  QVERIFY(tensorsOf(stopped.run) == tensorsOf(uninterrupted.run));
}

QTEST_GUILESS_MAIN(TestResume)
#include "tst_resume.moc"
