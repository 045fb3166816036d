#include <algorithm>
#include <limits>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/training/loop/conductor.h"
#include "engine/training/run/live_inspection.h"
#include "tests/support/open_test_run.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

/// A governor that will give up a thread after one more step.
ThreadGovernor disturbedGovernor() {
  ThreadGovernor governor(2);
  for (int step = 0; step < 22; ++step) governor.stepTook(step % 2 == 0 ? 1000 : 0.001);
  return governor;
}

OpenRun openRun(const RunConfig& config, const std::filesystem::path& runs, Observer& observer) {
  return test::openTestRun(
      config, std::make_unique<TrainingState>(test::onCpu(config)), runs, observer);
}

}  // namespace

class TestTrainingLoop : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDisturbedRunContinuesWithFewerThreadsAndSaysSo();
  void aGpuWithoutItsKernelsIsAWarningOfTheRun();
  void theLiveWeightsAreInspectedWhileOthersAreScored_data();
  void theLiveWeightsAreInspectedWhileOthersAreScored();
  void weightsThatAreNotFiniteAreNotSaved();
  void statisticsThatAreNotFiniteAreNotSaved();
  void anOptimiserThatIsNotFiniteIsNotSaved();
  void withoutDiskSpaceTheTrainingContinuesAndTheLastCheckpointStays();
  void theBestEpochIsOneThatIsKept();
};

void TestTrainingLoop::theLiveWeightsAreInspectedWhileOthersAreScored_data() {
  QTest::addColumn<QString>("phase");
  QTest::addColumn<bool>("keepsBest");
  QTest::newRow("average, on training images") << QStringLiteral("train") << false;
  QTest::newRow("average, on validation images") << QStringLiteral("validation") << false;
  QTest::newRow("average, on test images") << QStringLiteral("test") << false;
  QTest::newRow("best, on test images") << QStringLiteral("test") << true;
}

void TestTrainingLoop::theLiveWeightsAreInspectedWhileOthersAreScored() {
  QFETCH(QString, phase);
  QFETCH(bool, keepsBest);
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.recipe.epochs = 2;
  config.recipe.emaDecay = 0.999;
  config.checkpoints.keepBest = keepsBest;
  RunControl control;
  RecordingObserver observer;
  int scored = 0;
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    // No weight changes between the end of the last batch and this call.
    const bool isLast = observer.epochs.size() == (progress.split == Split::test ? 2U : 1U);
    if (isLast && progress.split && phase.toStdString() == nameOf(*progress.split) &&
        scored++ == 0) {
      control.requestInspection({});
    }
  };
  OpenRun opened = openRun(config, folder.path(), observer);
  TrainingState& state = *opened.prepared.state;
  Conductor conductor(std::move(opened), control, observer);
  const RunResult result = conductor.run(EventKind::started, "");
  QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
  QCOMPARE(observer.snapshots.size(), std::size_t{1});
  const InspectionSnapshot& seen = *observer.snapshots[0];
  QVERIFY(seen.weights == InspectedWeights::live);
  // The loop has left the network as its last batch did.
  RunData images(test::onCpu(config));
  const InspectionSnapshot expected = inspectLive(state, images, seen.request);
  QVERIFY(seen.embeddings.tiles == expected.embeddings.tiles);
  QVERIFY(seen.lambdas == expected.lambdas);
}

void TestTrainingLoop::weightsThatAreNotFiniteAreNotSaved() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  OpenRun opened = openRun(tinyRun(), folder.path(), observer);
  at::Tensor weight = opened.prepared.state->network->parameters().front();
  // As an update that overflows leaves it, after a batch whose loss and gradients were finite.
  observer.onBatch = [&](const BatchRecord& batch) {
    const at::NoGradGuard noGradient;
    if (batch.step == 12) weight[0].fill_(std::numeric_limits<float>::infinity());
  };
  Conductor conductor(std::move(opened), control, observer);
  const RunResult result = conductor.run(EventKind::started, "");
  QCOMPARE(result.status, RunStatus::failed);
  QVERIFY2(result.failure.find("not finite: in stem") != std::string::npos, result.failure.c_str());
  const RunFolder run = RunFolder::open(result.run);
  QCOMPARE(readCheckpointHeader(run.lastCheckpoint()).progress.epoch, 1);
  QCOMPARE(readCheckpointHeader(run.bestCheckpoint()).progress.epoch, 1);
  QCOMPARE(observer.epochs.size(), std::size_t{1});
}

void TestTrainingLoop::statisticsThatAreNotFiniteAreNotSaved() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  OpenRun opened = openRun(tinyRun(), folder.path(), observer);
  at::Tensor variance;
  for (const auto& buffer : opened.prepared.state->network->named_buffers()) {
    if (buffer.key().ends_with("running_var")) variance = buffer.value();
  }
  observer.onBatch = [&](const BatchRecord& batch) {
    // Training does not read the running statistics, so its losses stay finite.
    if (batch.step == 6) variance.fill_(std::numeric_limits<float>::quiet_NaN());
  };
  Conductor conductor(std::move(opened), control, observer);
  const RunResult result = conductor.run(EventKind::started, "");
  QCOMPARE(result.status, RunStatus::failed);
  QVERIFY2(result.failure.find("running_var are not finite") != std::string::npos,
           result.failure.c_str());
  const RunFolder run = RunFolder::open(result.run);
  QCOMPARE(readCheckpointHeader(run.lastCheckpoint()).progress.step, std::int64_t{0});
  QVERIFY(!std::filesystem::exists(run.bestCheckpoint()));
  // Only the probe from before the first step.
  QCOMPARE(probeSnapshotsOf(run.inspection()).size(), std::size_t{1});
}

void TestTrainingLoop::anOptimiserThatIsNotFiniteIsNotSaved() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  OpenRun opened = openRun(tinyRun(), folder.path(), observer);
  const at::Tensor momentum = opened.prepared.state->optimizer.state().front().tensor;
  observer.onBatch = [&](const BatchRecord& batch) {
    // This is after the last update of the epoch, so that it has not affected a weight yet.
    if (batch.step == 6) momentum[0].fill_(std::numeric_limits<float>::infinity());
  };
  Conductor conductor(std::move(opened), control, observer);
  const RunResult result = conductor.run(EventKind::started, "");
  QCOMPARE(result.status, RunStatus::failed);
  QVERIFY2(result.failure.find("in the state of the optimiser") != std::string::npos,
           result.failure.c_str());
  const RunFolder run = RunFolder::open(result.run);
  QCOMPARE(readCheckpointHeader(run.lastCheckpoint()).progress.step, std::int64_t{0});
}

void TestTrainingLoop::withoutDiskSpaceTheTrainingContinuesAndTheLastCheckpointStays() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  OpenRun opened = openRun(tinyRun(), folder.path(), observer);
  const RunFolder run = opened.folder;
  // Full at the end of the second epoch.
  opened.freeBytes = [&](const std::filesystem::path&) -> std::uintmax_t {
    return observer.epochs.size() == 2 ? 1000 : std::uintmax_t{1} << 40;
  };
  std::int64_t lastStep = -1;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 13) lastStep = readCheckpointHeader(run.lastCheckpoint()).progress.step;
  };
  Conductor conductor(std::move(opened), control, observer);
  const RunResult result = conductor.run(EventKind::started, "");
  QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
  QCOMPARE(lastStep, std::int64_t{6});
  QCOMPARE(readCheckpointHeader(run.lastCheckpoint()).progress.epoch, 3);
  QVERIFY(!std::filesystem::exists(run.epochCheckpoint(2)));
  const auto told = std::find_if(observer.events.begin(), observer.events.end(), [](const auto& e) {
    return e.kind == EventKind::warning;
  });
  QVERIFY(told != observer.events.end());
  QVERIFY2(told->text.find("not saved: the checkpoint (epoch 2) needs") == 0, told->text.c_str());
}

void TestTrainingLoop::theBestEpochIsOneThatIsKept() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  OpenRun opened = openRun(tinyRun(), folder.path(), observer);
  const RunFolder run = opened.folder;
  opened.freeBytes = [&](const std::filesystem::path&) -> std::uintmax_t {
    return observer.epochs.size() == 2 ? 1000 : std::uintmax_t{1} << 40;
  };
  Conductor conductor(std::move(opened), control, observer);
  const RunResult result = conductor.run(EventKind::started, "");
  const TrainingProgress best = readCheckpointHeader(run.bestCheckpoint()).progress;
  QVERIFY(best.epoch != 2);
  QCOMPARE(best.epoch, best.bestEpoch);
  const auto& scores = observer.epochs[static_cast<std::size_t>(best.epoch) - 1].validation;
  QCOMPARE(result.bestValidationScore, std::optional(scores->score));
}

void TestTrainingLoop::aGpuWithoutItsKernelsIsAWarningOfTheRun() {
  for (const std::string obstacle : {"", "the plugin can't be opened"}) {
    const TemporaryFolder folder;
    RunControl control;
    RecordingObserver observer;
    OpenRun opened = openRun(tinyRun(), folder.path(), observer);
    QVERIFY(opened.prepared.state->kernelObstacle.empty());
    opened.prepared.state->kernelObstacle = obstacle;
    Conductor conductor(std::move(opened), control, observer);
    const RunResult result = conductor.run(EventKind::started, "");
    QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
    QCOMPARE(observer.events[0].kind, EventKind::started);
    const EventRecord& second = observer.events[1];
    QCOMPARE(second.kind, obstacle.empty() ? EventKind::checkpoint : EventKind::warning);
    QVERIFY(obstacle.empty() || second.text.ends_with("because " + obstacle));
    QVERIFY(obstacle.empty() || second.text.starts_with("runs on plain LibTorch operations"));
  }
}

void TestTrainingLoop::aDisturbedRunContinuesWithFewerThreadsAndSaysSo() {
  const TemporaryFolder folder;
  at::set_num_threads(2);
  RunControl control;
  RecordingObserver observer;
  std::vector<int> threads;
  observer.onBatch = [&](const BatchRecord&) { threads.push_back(at::get_num_threads()); };
  OpenRun opened = openRun(tinyRun(), folder.path(), observer);
  opened.governor = disturbedGovernor();
  Conductor conductor(std::move(opened), control, observer);
  const RunResult result = conductor.run(EventKind::started, "");
  QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
  QCOMPARE(threads[0], 2);
  QVERIFY(std::all_of(threads.begin() + 1, threads.end(), [](int count) { return count == 1; }));

  const auto told = std::find_if(observer.events.begin(), observer.events.end(), [](const auto& e) {
    return e.kind == EventKind::warning;
  });
  QVERIFY(told != observer.events.end());
  QCOMPARE(told->step, std::int64_t{1});
  QVERIFY(told->text.find("1 thread instead of 2") != std::string::npos);
  QVERIFY(told->text.find("can't be repeated to the bit") != std::string::npos);
  std::vector<Problem> problems;
  QCOMPARE(readRunRecord(RunFolder::open(result.run).record(), problems).environment.threadChanges,
           1);
}

QTEST_GUILESS_MAIN(TestTrainingLoop)
#include "tst_training_loop.moc"
