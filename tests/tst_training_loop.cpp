#include <algorithm>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/formats/json/run_json.h"
#include "engine/training/training_loop.h"
#include "tests/support/loop_parts.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

/// One step before it gives up a thread.
ThreadGovernor disturbedGovernor() {
  ThreadGovernor governor(2);
  for (int step = 0; step < 22; ++step) governor.stepTook(step % 2 == 0 ? 1000 : 0.001);
  return governor;
}

TrainingLoop::Parts partsOf(const RunConfig& config,
                            const std::filesystem::path& runs,
                            Observer& observer) {
  return test::loopParts(
      config, std::make_unique<TrainingState>(config, selectDevice(config.device)), runs, observer);
}

}  // namespace

class TestTrainingLoop : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDisturbedRunGoesOnWithFewerThreadsAndSaysSo();
  void aGpuWithoutItsKernelsIsAWarningOfTheRun();
};

void TestTrainingLoop::aGpuWithoutItsKernelsIsAWarningOfTheRun() {
  for (const std::string obstacle : {"", "the plugin can't be opened"}) {
    const TemporaryFolder folder;
    RunControl control;
    RecordingObserver observer;
    TrainingLoop::Parts parts = partsOf(tinyRun(), folder.path(), observer);
    QVERIFY(parts.state->kernelObstacle.empty());
    parts.state->kernelObstacle = obstacle;
    TrainingLoop loop(std::move(parts), control, observer);
    const RunResult result = loop.run(EventKind::started, "");
    QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
    QCOMPARE(observer.events[0].kind, EventKind::started);
    const EventRecord& second = observer.events[1];
    QCOMPARE(second.kind, obstacle.empty() ? EventKind::checkpoint : EventKind::warning);
    QVERIFY(obstacle.empty() || second.text.ends_with("because " + obstacle));
    QVERIFY(obstacle.empty() || second.text.starts_with("runs on plain LibTorch operations"));
  }
}

void TestTrainingLoop::aDisturbedRunGoesOnWithFewerThreadsAndSaysSo() {
  const TemporaryFolder folder;
  at::set_num_threads(2);
  RunControl control;
  RecordingObserver observer;
  std::vector<int> threads;
  observer.onBatch = [&](const BatchRecord&) { threads.push_back(at::get_num_threads()); };
  TrainingLoop::Parts parts = partsOf(tinyRun(), folder.path(), observer);
  parts.governor = disturbedGovernor();
  TrainingLoop loop(std::move(parts), control, observer);
  const RunResult result = loop.run(EventKind::started, "");
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
