#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/runtime/spin_limit.h"

using namespace lambda;

namespace {

constexpr std::chrono::milliseconds kInterval{5};

double secondsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The time on cores of all threads of the process as a multiple of their work: the first of two
/// threads works for a millisecond again and again, and the second waits for it.
double costOfWaiting() {
  constexpr double kWork = 1e-3;
  constexpr int kRegions = 200;
  const auto wait = [](std::int64_t begin, std::int64_t) {
    if (begin > 0) return;
    const double start = secondsOf(CLOCK_THREAD_CPUTIME_ID);
    while (secondsOf(CLOCK_THREAD_CPUTIME_ID) < start + kWork) {
    }
  };
  const double start = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < kRegions; ++i) at::parallel_for(0, 2, 1, wait);
  return (secondsOf(CLOCK_PROCESS_CPUTIME_ID) - start) / (kRegions * kWork);
}

/// A process whose threads wait for a core in a share of the time that the test sets.
struct Waiting {
  std::atomic<double> share = 0;
  std::chrono::steady_clock::time_point then = std::chrono::steady_clock::now();
  SpinLimit::Seconds sum{0};

  std::function<SpinLimit::Seconds()> clock() {
    return [this] {
      const auto now = std::chrono::steady_clock::now();
      sum += 2 * share * SpinLimit::Seconds(now - then);
      then = now;
      return sum;
    };
  }
};

}  // namespace

class TestSpinLimit : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() {
    for (const char* name : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}) unsetenv(name);
    at::set_num_threads(2);
  }

  void otherProgramsAreNoticedAtOnceAndTheirEndAfterAWhile();
  void theEndIsBelievedLaterEachTimeItWasWrong();
  void waitingThreadsLeaveTheCoresToOthersOnlyWhileThereAreOthers();
  void theSettingOfThePersonStays();
  void theKernelCountsTheTimeInTheQueue();
};

void TestSpinLimit::otherProgramsAreNoticedAtOnceAndTheirEndAfterAWhile() {
  SpinDecision decision;
  for (int i = 0; i < 10; ++i) QVERIFY(!decision.next(0.1, 0.25));
  QVERIFY(decision.next(0.4, 0.25));
  for (int i = 0; i < 100; ++i) QVERIFY(decision.next(0.1, 0.25));
  for (int i = 0; i < 7; ++i) QVERIFY(decision.next(0.01, 0.25));
  QVERIFY(!decision.next(0.01, 0.25));
}

void TestSpinLimit::theEndIsBelievedLaterEachTimeItWasWrong() {
  SpinDecision decision;
  for (const int seconds : {2, 4, 8, 16, 32, 60, 60}) {
    QVERIFY(decision.next(0.9, 1));
    for (int i = 1; i < seconds; ++i) QVERIFY(decision.next(0, 1));
    QVERIFY(!decision.next(0, 1));
  }
  for (int i = 0; i < 5; ++i) QVERIFY(!decision.next(0, 1));
  QVERIFY(decision.next(0.9, 1));
  QVERIFY(decision.next(0, 1));
  QVERIFY(!decision.next(0, 1));
}

void TestSpinLimit::waitingThreadsLeaveTheCoresToOthersOnlyWhileThereAreOthers() {
  Waiting waiting;
  const auto limit = std::make_unique<SpinLimit>(2, waiting.clock(), kInterval);
  const double spinning = costOfWaiting();
  waiting.share = 0.9;
  QTRY_VERIFY(limit->isLimited());
  const double limited = costOfWaiting();
  waiting.share = 0;
  QTRY_VERIFY(!limit->isLimited());
  const double after = costOfWaiting();
  const QString costs = QStringLiteral("%1, %2, %3").arg(spinning).arg(limited).arg(after);
  QVERIFY2(limited < 1.3, qPrintable(costs));
  QVERIFY2(spinning > 1.2 * limited && after > 1.2 * limited, qPrintable(costs));
}

void TestSpinLimit::theSettingOfThePersonStays() {
  const auto isLimited = [] {
    Waiting waiting;
    waiting.share = 0.9;
    const SpinLimit limit(2, waiting.clock(), kInterval);
    QTest::qWait(100);
    return limit.isLimited();
  };
  QVERIFY(isLimited());
  setenv("GOMP_SPINCOUNT", "100000", 1);
  QVERIFY(!isLimited());
  setenv("GOMP_SPINCOUNT", kWindowSpinCount, 1);
  QVERIFY(isLimited());
  setenv("OMP_WAIT_POLICY", "active", 1);
  QVERIFY(!isLimited());
}

void TestSpinLimit::theKernelCountsTheTimeInTheQueue() {
  const SpinLimit::Seconds before = SpinLimit::timeWaitedForCores();
  QVERIFY(before.count() >= 0);
  costOfWaiting();
  QVERIFY(SpinLimit::timeWaitedForCores() >= before);
}

QTEST_GUILESS_MAIN(TestSpinLimit)
#include "tst_spin_limit.moc"
