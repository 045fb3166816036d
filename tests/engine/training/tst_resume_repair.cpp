#include <cmath>
#include <fstream>

#include <QTest>

#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runtime/error.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestResumeRepair : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fewerEpochsThanAreDoneAreRefused();
  void aChangedRecordIsRefusedUnlessAccepted_data();
  void aChangedRecordIsRefusedUnlessAccepted();
  void aCheckpointOfAnotherRunIsRefused();
  void lostMetricsAreRebuilt_data();
  void lostMetricsAreRebuilt();
  void aLostBestCheckpointIsPublishedAgain();
  void damagedCheckpointFallsBack_data();
  void damagedCheckpointFallsBack();
};

void TestResumeRepair::fewerEpochsThanAreDoneAreRefused() {
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

void TestResumeRepair::aChangedRecordIsRefusedUnlessAccepted_data() {
  QTest::addColumn<QString>("field");
  for (const char* field : {"seed", "batch size", "split"}) {
    QTest::newRow(field) << QString::fromLatin1(field);
  }
}

void TestResumeRepair::aChangedRecordIsRefusedUnlessAccepted() {
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

void TestResumeRepair::aCheckpointOfAnotherRunIsRefused() {
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

void TestResumeRepair::lostMetricsAreRebuilt_data() {
  QTest::addColumn<QString>("damage");
  for (const char* damage : {"missing", "empty", "short", "without TensorBoard"}) {
    QTest::newRow(damage) << QString::fromLatin1(damage);
  }
}

void TestResumeRepair::lostMetricsAreRebuilt() {
  QFETCH(QString, damage);
  const TemporaryFolder folder;
  const RunConfig config = randomRun(Sgd{});
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

void TestResumeRepair::aLostBestCheckpointIsPublishedAgain() {
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

void TestResumeRepair::damagedCheckpointFallsBack_data() {
  QTest::addColumn<QString>("damage");
  for (const char* damage : {"cut", "bit", "empty", "missing"}) {
    QTest::newRow(damage) << QString::fromLatin1(damage);
  }
}

void TestResumeRepair::damagedCheckpointFallsBack() {
  QFETCH(QString, damage);
  const TemporaryFolder folder;
  const RunConfig config = randomRun(Sgd{});
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

QTEST_GUILESS_MAIN(TestResumeRepair)
#include "tst_resume_repair.moc"
