#include <cmath>
#include <functional>
#include <vector>

#include <QtTest/QtTest>

#include "engine/runtime/thread_governor.h"

namespace lambda::test {

namespace {

/// A machine on which another program uses a core for part of the time. A step takes 1 s on one
/// thread and scales perfectly; while the program runs, `disturbed` gives the seconds of a step.
class Machine {
 public:
  using Duration = std::function<double(int threads, int step)>;

  Machine(int threads, Duration disturbed) : governor(threads), disturbed_(std::move(disturbed)) {}

  /// Trains for the given simulated time.
  void train(double seconds, bool isBusy) {
    for (const double end = time + seconds; time < end;) {
      const double took = isBusy ? disturbed_(governor.threads(), step)
                                 : 1.0 / governor.threads() * (1 + 0.05 * (step % 3));
      ++step;
      time += took;
      if (const auto change = governor.stepTook(took)) changes.push_back(*change);
    }
  }

  int threads() const { return governor.threads(); }

  ThreadGovernor governor;
  std::vector<ThreadChange> changes;
  double time = 0;
  int step = 0;

 private:
  Duration disturbed_;
};

/// In every fourth step all threads wait for a time slice; with one thread less, none waits.
Machine machineThatGains(int threads) {
  return {threads, [threads](int now, int step) {
            const double calm = 1.0 / now;
            return now == threads && step % 4 == 0 ? 6 * calm : calm;
          }};
}

}  // namespace

class TestThreadGovernor : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCalmMachineIsLeftAlone();
  void aBusyMachineCostsAThread();
  void oneLongStepIsAnAccident();
  void theFirstStepsAreIgnored();
  void aThreadIsTakenBackWhenTheMachineIsFree();
  void aMachineThatStaysBusyIsTriedEverMoreSeldom();
  void aLossThatDoesNotHelpIsUndone();
  void theLastThreadStays();
  void waitsAreShortAgainAfterACalmTime();
  void whatItSaysCanBeRead();
};

void TestThreadGovernor::aCalmMachineIsLeftAlone() {
  Machine machine = machineThatGains(2);
  machine.train(3600, false);
  QCOMPARE(machine.threads(), 2);
  QVERIFY(machine.changes.empty());
}

void TestThreadGovernor::aBusyMachineCostsAThread() {
  Machine machine = machineThatGains(4);
  machine.train(30, false);
  machine.train(30, true);
  QCOMPARE(machine.threads(), 3);
  QCOMPARE(machine.changes.size(), std::size_t{1});
}

void TestThreadGovernor::oneLongStepIsAnAccident() {
  ThreadGovernor governor(2);
  for (int step = 0; step < 1000; ++step) {
    QVERIFY(!governor.stepTook(step % 20 == 7 ? 30 : 0.5));
  }
}

void TestThreadGovernor::theFirstStepsAreIgnored() {
  ThreadGovernor governor(2);
  for (int step = 0; step < 200; ++step) QVERIFY(!governor.stepTook(step < 3 ? 20 : 0.5));
}

void TestThreadGovernor::aThreadIsTakenBackWhenTheMachineIsFree() {
  Machine machine = machineThatGains(2);
  machine.train(40, true);
  QCOMPARE(machine.threads(), 1);
  machine.train(200, false);
  QCOMPARE(machine.threads(), 2);
  QCOMPARE(machine.changes.size(), std::size_t{2});
  machine.train(3600, false);
  QCOMPARE(machine.changes.size(), std::size_t{2});
}

void TestThreadGovernor::aMachineThatStaysBusyIsTriedEverMoreSeldom() {
  Machine machine = machineThatGains(2);
  machine.train(3600, true);
  QCOMPARE(machine.threads(), 1);
  // One thread is lost, then each trial makes two changes: after 60, 120, 240, 480 s and then every
  // 600 s.
  QVERIFY(machine.changes.size() >= 11 && machine.changes.size() <= 21);
  const std::size_t first = machine.changes.size();
  machine.train(3600, true);
  QVERIFY(machine.changes.size() - first <= 12);
}

// Some steps are slow, but training is still faster with all threads.
void TestThreadGovernor::aLossThatDoesNotHelpIsUndone() {
  Machine machine(2, [](int threads, int step) { return step % 10 == 0 ? 1.2 : 1.0 / threads; });
  double withAll = 0;
  machine.train(60, true);
  QCOMPARE(machine.changes.size(), std::size_t{2});
  QCOMPARE(machine.changes[0].threads, 1);
  QCOMPARE(machine.changes[1].threads, 2);
  for (const double end = machine.time + 3600; machine.time < end;) {
    const double before = machine.time;
    const bool hasAll = machine.threads() == 2;
    machine.train(1e-9, true);
    if (hasAll) withAll += machine.time - before;
  }
  QVERIFY(withAll > 0.9 * 3600);
}

void TestThreadGovernor::theLastThreadStays() {
  ThreadGovernor governor(1);
  for (int step = 0; step < 1000; ++step) QVERIFY(!governor.stepTook(step % 2 == 0 ? 10 : 0.5));
}

void TestThreadGovernor::waitsAreShortAgainAfterACalmTime() {
  Machine machine = machineThatGains(2);
  machine.train(3600, true);
  machine.train(3600, false);
  QCOMPARE(machine.threads(), 2);
  const std::size_t before = machine.changes.size();
  machine.train(60, true);
  QCOMPARE(machine.threads(), 1);
  machine.train(120, false);
  QCOMPARE(machine.threads(), 2);
  QCOMPARE(machine.changes.size(), before + 2);
}

void TestThreadGovernor::whatItSaysCanBeRead() {
  Machine machine = machineThatGains(2);
  machine.train(40, true);
  machine.train(110, true);
  QCOMPARE(machine.changes.size(), std::size_t{3});
  QCOMPARE(machine.changes[0].reason,
           std::string(
               "other programs keep the cores busy, so that some steps take 6.0 times as long as "
               "most: training continues with 1 thread instead of 2"));
  QVERIFY(machine.changes[1].reason.starts_with("after 6"));
  QVERIFY(machine.changes[1].reason.ends_with(" s with 1 thread, training tries 2 again"));
  QCOMPARE(machine.changes[2].reason,
           std::string("steps were no faster with 2 threads than with 1: training continues with 1 "
                       "thread"));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestThreadGovernor)
#include "tst_thread_governor.moc"
