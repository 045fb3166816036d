#include <atomic>
#include <barrier>
#include <thread>

#include <QTest>

#include "engine/runtime/run_control.h"

using namespace lambda;

namespace {

using Turn = RunControl::Turn;
using Mode = RunControl::Mode;

/// A training loop without training: it counts batches and waits for the test in each one, so that
/// the test decides when a batch ends.
class FakeLoop {
 public:
  explicit FakeLoop(RunControl& control) : control_(control), thread_([this] { run(); }) {}

  ~FakeLoop() {
    control_.requestStop();
    released_ = true;
    released_.notify_all();
    thread_.join();
  }

  /// Lets the loop run without waiting for the test.
  void release() {
    released_ = true;
    released_.notify_all();
  }

  /// Returns once the loop is in its n-th batch, counted from 1.
  void waitUntilInBatch(std::int64_t n) const {
    for (std::int64_t now = begun_; now < n; now = begun_) begun_.wait(now);
  }

  void finishBatch() {
    ++allowed_;
    allowed_.notify_all();
  }

  void waitUntilPaused(std::int64_t times = 1) const {
    for (std::int64_t now = pauses_; now < times; now = pauses_) pauses_.wait(now);
  }

  void waitUntilServed(std::uint64_t id) const {
    for (std::uint64_t now = served_; now != id; now = served_) served_.wait(now);
  }

  void waitUntilStopped() const { stopped_.wait(false); }

  std::int64_t batches() const { return begun_; }

 private:
  void run() {
    while (true) {
      switch (control_.next()) {
        case Turn::batch:
          trainBatch();
          break;
        case Turn::change:
          control_.takeChanges();
          break;
        case Turn::inspection:
          if (const auto request = control_.takeInspection()) {
            served_ = request->id;
            served_.notify_all();
          }
          break;
        case Turn::paused:
          ++pauses_;
          pauses_.notify_all();
          control_.waitForChange();
          break;
        case Turn::stop:
          stopped_ = true;
          stopped_.notify_all();
          return;
      }
    }
  }

  void trainBatch() {
    const std::int64_t batch = ++begun_;
    begun_.notify_all();
    while (!released_ && allowed_ < batch) std::this_thread::yield();
  }

  RunControl& control_;
  std::atomic<std::int64_t> begun_ = 0;
  std::atomic<std::int64_t> allowed_ = 0;
  std::atomic<std::int64_t> pauses_ = 0;
  std::atomic<std::uint64_t> served_ = 0;
  std::atomic<bool> released_ = false;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

InspectionRequest requestWithId(std::uint64_t id) {
  InspectionRequest request;
  request.id = id;
  return request;
}

}  // namespace

class TestRunControl : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void changesComeInOrderAndBeforeEverythingElse();
  void changesBeforeAStopAreKeptAndLaterOnesIgnored();
  void pauseActsAfterTheBatchUnderWay();
  void oneStepIsOneBatch();
  void oneStepWhileRunningPauses();
  void stopEndsAPause();
  void stopActsAfterTheBatchUnderWay();
  void stopsAtThePlaceThatWasAskedFor();
  void inspectionIsServedWhilePaused();
  void newestInspectionWins();
  void nothingFollowsAStop();
  void everySequenceOfFourRequestsIsAnswered();
  void manyThreadsMayMakeRequests();
};

void TestRunControl::pauseActsAfterTheBatchUnderWay() {
  RunControl control;
  FakeLoop loop(control);
  loop.waitUntilInBatch(1);
  control.pause();
  loop.finishBatch();
  loop.waitUntilPaused();
  QCOMPARE(loop.batches(), 1);
  control.resume();
  loop.waitUntilInBatch(2);
}

void TestRunControl::oneStepIsOneBatch() {
  RunControl control;
  control.pause();
  FakeLoop loop(control);
  loop.release();
  loop.waitUntilPaused(1);
  QCOMPARE(loop.batches(), 0);
  control.stepOnce();
  loop.waitUntilPaused(2);
  QCOMPARE(loop.batches(), 1);
  control.stepOnce();
  loop.waitUntilPaused(3);
  QCOMPARE(loop.batches(), 2);
}

void TestRunControl::oneStepWhileRunningPauses() {
  RunControl control;
  FakeLoop loop(control);
  loop.waitUntilInBatch(1);
  control.stepOnce();
  loop.finishBatch();
  loop.waitUntilPaused();
  QCOMPARE(loop.batches(), 1);
}

void TestRunControl::stopEndsAPause() {
  RunControl control;
  control.pause();
  FakeLoop loop(control);
  loop.waitUntilPaused();
  control.requestStop();
  loop.waitUntilStopped();
  QCOMPARE(loop.batches(), 0);
}

void TestRunControl::stopActsAfterTheBatchUnderWay() {
  RunControl control;
  FakeLoop loop(control);
  loop.waitUntilInBatch(1);
  control.requestStop();
  loop.finishBatch();
  loop.waitUntilStopped();
  QCOMPARE(loop.batches(), 1);
}

void TestRunControl::stopsAtThePlaceThatWasAskedFor() {
  RunControl anywhere, atStep, atEpoch;
  atStep.stopAfter({.step = 3});
  atEpoch.stopAfter({.epoch = 2});
  for (RunControl* control : {&anywhere, &atStep, &atEpoch}) {
    control->reached({.step = 2});
    control->reached({.epoch = 1});
    QCOMPARE(control->mode(), Mode::running);
    control->reached({.step = 4});
    QCOMPARE(control->mode() == Mode::stopping, control == &atStep);
    control->reached({.epoch = 2});
    QCOMPARE(control->mode() == Mode::stopping, control != &anywhere);
  }
}

void TestRunControl::inspectionIsServedWhilePaused() {
  RunControl control;
  control.pause();
  FakeLoop loop(control);
  loop.waitUntilPaused();
  control.requestInspection(requestWithId(7));
  loop.waitUntilServed(7);
  loop.waitUntilPaused(2);
  QCOMPARE(loop.batches(), 0);
}

void TestRunControl::newestInspectionWins() {
  RunControl control;
  control.requestInspection(requestWithId(1));
  control.requestInspection(requestWithId(2));
  QCOMPARE(control.next(), Turn::inspection);
  QCOMPARE(control.takeInspection()->id, std::uint64_t{2});
  QVERIFY(!control.takeInspection());
  QCOMPARE(control.next(), Turn::batch);
}

void TestRunControl::nothingFollowsAStop() {
  RunControl control;
  control.requestStop();
  control.resume();
  control.pause();
  control.stepOnce();
  control.requestInspection(requestWithId(1));
  QCOMPARE(control.mode(), Mode::stopping);
  QCOMPARE(control.next(), Turn::stop);
}

void TestRunControl::everySequenceOfFourRequestsIsAnswered() {
  // The control must agree with a model that has only a mode and a number of steps.
  constexpr int kRequests = 4;
  for (int sequence = 0; sequence < kRequests * kRequests * kRequests * kRequests; ++sequence) {
    RunControl control;
    Mode mode = Mode::running;
    int steps = 0;
    for (int place = 0, rest = sequence; place < 4; ++place, rest /= kRequests) {
      switch (rest % kRequests) {
        case 0:
          control.pause();
          if (mode != Mode::stopping) mode = Mode::paused, steps = 0;
          break;
        case 1:
          control.resume();
          if (mode != Mode::stopping) mode = Mode::running, steps = 0;
          break;
        case 2:
          control.stepOnce();
          if (mode == Mode::paused) ++steps;
          if (mode == Mode::running) mode = Mode::paused;
          break;
        case 3:
          control.requestStop();
          mode = Mode::stopping;
          break;
      }
    }
    for (int turn = 0; turn < 6; ++turn) {
      Turn expected = Turn::paused;
      if (mode == Mode::stopping) expected = Turn::stop;
      if (mode == Mode::running || (mode == Mode::paused && steps-- > 0)) expected = Turn::batch;
      QVERIFY2(control.next() == expected, qPrintable(QString::number(sequence)));
    }
  }
}

void TestRunControl::manyThreadsMayMakeRequests() {
  constexpr int kThreads = 4;
  RunControl control;
  FakeLoop loop(control);
  loop.release();
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      for (int round = 0; round < 200; ++round) {
        switch ((round + i) % 4) {
          case 0:
            control.pause();
            break;
          case 1:
            control.stepOnce();
            break;
          case 2:
            control.resume();
            break;
          case 3:
            control.requestInspection(requestWithId(static_cast<std::uint64_t>(round)));
            break;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  control.requestStop();
  loop.waitUntilStopped();
  QCOMPARE(control.mode(), Mode::stopping);
}

void TestRunControl::changesComeInOrderAndBeforeEverythingElse() {
  RunControl control;
  control.pause();
  control.requestInspection(requestWithId(1));
  control.requestChange({.epochs = 4});
  control.requestChange({.learningRateFactor = 0.5});
  QVERIFY(control.next() == Turn::change);
  const std::vector<ChangeRequest> changes = control.takeChanges();
  QVERIFY((changes == std::vector<ChangeRequest>{{.epochs = 4}, {.learningRateFactor = 0.5}}));
  QVERIFY(control.next() == Turn::inspection);
}

void TestRunControl::changesBeforeAStopAreKeptAndLaterOnesIgnored() {
  RunControl control;
  control.requestChange({.epochs = 4});
  control.requestStop();
  control.requestChange({.epochs = 5});
  QVERIFY(control.next() == Turn::change);
  QCOMPARE(control.takeChanges().size(), std::size_t{1});
  QVERIFY(control.next() == Turn::stop);
}

QTEST_GUILESS_MAIN(TestRunControl)
#include "tst_run_control.moc"
