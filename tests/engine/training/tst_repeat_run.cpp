#include <filesystem>

#include <QTest>

#include "engine/formats/json/run_json.h"
#include "engine/runs/run_comparison.h"
#include "engine/runtime/error.h"
#include "tests/support/observed_run.h"
#include "tests/support/run_content.h"

namespace fs = std::filesystem;
using namespace lambda;

/// Repeating a run, and the report on whether the bits agree.
class TestRepeatRun : public QObject {
  Q_OBJECT

 private:
  static RunResult repeated(const std::string& run) {
    RunControl control;
    RecordingObserver observer;
    return repeatRun(run, fs::path(run).parent_path(), control, observer);
  }

 private Q_SLOTS:

  void aRunGivesTheSameBitsTwice() {
    ObservedRun training;
    const RunResult first = training.train(randomRun(Muon{}));
    const RunResult second = repeated(first.run);
    QCOMPARE(second.status, RunStatus::finished);
    QVERIFY(second.run != first.run);
    const RunComparison comparison = compareRuns(first.run, second.run);
    QVERIFY(comparison.areEqual());
    QCOMPARE(comparison.batches, std::int64_t{18});
    QCOMPARE(comparison.tensors, static_cast<std::int64_t>(tensorsOf(first.run).size()));
    QVERIFY(comparison.environment.empty());
    QCOMPARE(second.testScore, first.testScore);
  }

  void changesWhileItTrainedAreRepeatedAtTheirSteps() {
    ObservedRun training;
    training.requestAfter(4, {.learningRateFactor = 0.5, .epochs = 2});
    const RunResult first = training.train(randomRun(Sgd{}));
    QCOMPARE(first.epochs, 2);
    const RunResult second = repeated(first.run);
    QVERIFY(compareRuns(first.run, second.run).areEqual());
    QCOMPARE(recordOf(second.run).changes, recordOf(first.run).changes);
  }

  void aRunThatWasContinuedIsRepeatedToItsEnd() {
    ObservedRun training;
    const RunResult first = training.train(randomRun(Sgd{}));
    const int epochs = first.epochs + 1;
    QCOMPARE(training.resume(first.run, {.epochs = epochs}).epochs, epochs);
    const RunResult second = repeated(first.run);
    QCOMPARE(second.epochs, epochs);
    QVERIFY(compareRuns(first.run, second.run).areEqual());
  }

  void aStoppedRunIsRepeatedToItsEnd() {
    ObservedRun training;
    training.observer.onBatch = [&](const BatchRecord& batch) {
      if (batch.step == 8) training.control.requestStop();
    };
    const RunResult first = training.train(randomRun(AdamW{}));
    QCOMPARE(first.status, RunStatus::stopped);
    const RunResult second = repeated(first.run);
    QCOMPARE(second.status, RunStatus::stopped);
    QVERIFY(compareRuns(first.run, second.run).areEqual());
  }

  void aDifferenceIsNamed() {
    ObservedRun training;
    RunConfig config = randomRun(Sgd{});
    const RunResult first = training.train(config);
    ObservedRun other;
    config.seed += 1;
    const RunResult second = other.train(config);
    RunRecord record = recordOf(second.run);
    record.environment.threads = 7;
    writeRunRecord(fs::path(second.run) / "run.json", record);
    const RunComparison comparison = compareRuns(first.run, second.run);
    QVERIFY(!comparison.areEqual());
    QCOMPARE(comparison.firstDifferentStep, std::optional<std::int64_t>{1});
    QVERIFY(!comparison.differentTensors.empty());
    QCOMPARE(comparison.environment, std::vector<std::string>{"threads: 1 and 7"});
  }

  void aForkNeedsTheCheckpointThatItCameFrom() {
    ObservedRun training;
    const RunResult parent = training.train(randomRun(Sgd{}));
    RunConfig longer = randomRun(Sgd{});
    longer.recipe.epochs = 4;
    const fs::path checkpoint = fs::path(parent.run) / "checkpoints" / "epoch-0002.safetensors";
    const RunResult fork = training.fork(checkpoint, longer);
    QCOMPARE(fork.status, RunStatus::finished);
    QVERIFY(compareRuns(fork.run, repeated(fork.run).run).areEqual());
    fs::remove(checkpoint);
    try {
      repeated(fork.run);
      QFAIL("the checkpoint is missing");
    } catch (const Error& error) {
      QVERIFY(std::string(error.what()).find("epoch-0002.safetensors") != std::string::npos);
    }
  }
};

QTEST_GUILESS_MAIN(TestRepeatRun)
#include "tst_repeat_run.moc"
