#include <QTest>

#include "engine/formats/json/run_json.h"
#include "engine/runtime/error.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestFork : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aForkHasNoBestOfItsParents();
  void aForkThatHasNotTrainedHasNoEpochOfItsParents();
  void forksWithChangedSettings();
  void aDuplicateKnowsItsRun();
};

void TestFork::aForkHasNoBestOfItsParents() {
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
  QCOMPARE(forked.bestValidationScore, std::optional(child.epochs.back().validation->score));
  QVERIFY(std::filesystem::exists(RunFolder::open(forked.run).bestCheckpoint()));
}

void TestFork::aForkThatHasNotTrainedHasNoEpochOfItsParents() {
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

void TestFork::aDuplicateKnowsItsRun() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  config.parentRun = "2026-11-21_01-02-23_first";
  const RunResult run = trainRun(config, folder.path(), control, observer);
  std::vector<Problem> warnings;
  const RunRecord record = readRunRecord(RunFolder::open(run.run).record(), warnings);
  QCOMPARE(record.lineage.parentRun, config.parentRun);
  QVERIFY(record.lineage.parentCheckpoint.empty());
}

void TestFork::forksWithChangedSettings() {
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

QTEST_GUILESS_MAIN(TestFork)
#include "tst_fork.moc"
