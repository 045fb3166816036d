#include <cstring>
#include <new>
#include <set>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/benchmarks/measuring/alternation.h"
#include "engine/benchmarks/measuring/other_load.h"
#include "engine/benchmarks/measuring/peak_memory.h"
#include "engine/benchmarks/measuring/rotation.h"
#include "engine/benchmarks/measuring/timing.h"
#include "engine/benchmarks/measuring/vector_ceilings.h"
#include "tests/support/sanitizer.h"

namespace lambda {

class TestMeasuring : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quantilesLieBetweenNeighbours();
  void contendersTakeTurns();
  void warmUpsAreNotCounted();
  void turnsEndWhenTheTimeIsUp();
  void partsOfARepetitionAreToldApart();
  void setsRotate();
  void whatOthersUsedIsToldFromTheOwnUse();
  void ownWorkIsNoForeignLoad();
  void peakMemoryIsWhatWorkHeldAtOnce();
  void ceilingsAreMeasuredForEveryInstructionSet();
  void blocksThatDontFitAreSaid();
};

void TestMeasuring::quantilesLieBetweenNeighbours() {
  QCOMPARE(quantileOf({}, 0.5), 0.0);
  QCOMPARE(quantileOf({7}, 0.9), 7.0);
  QCOMPARE(quantileOf({4, 1, 3, 2}, 0.5), 2.5);
  QCOMPARE(quantileOf({5, 1, 4, 2, 3}, 0.25), 2.0);
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(100 - i);
  QCOMPARE(timingOf(values), (Timing{50, 10, 90, 95}));
}

void TestMeasuring::contendersTakeTurns() {
  std::string order;
  const auto contender = [&order](char name) {
    return [&order, name] {
      order += name;
      return Laps{1};
    };
  };
  const auto all =
      alternate({contender('A'), contender('B'), contender('C')}, {.warmUps = 1, .repetitions = 2});
  QCOMPARE(order, std::string("ABCABCABC"));
  QCOMPARE(all.size(), std::size_t{3});
  for (const Repetitions& each : all) QCOMPARE(each.count(), std::size_t{2});
}

void TestMeasuring::warmUpsAreNotCounted() {
  int calls = 0;
  const auto all = alternate({[&calls] { return Laps{++calls <= 3 ? 100.0 : 2.0}; }},
                             {.warmUps = 3, .repetitions = 5});
  QCOMPARE(all[0].total(), (Timing{2, 2, 2, 2}));
}

void TestMeasuring::turnsEndWhenTheTimeIsUp() {
  const auto all =
      alternate({[] { return Laps{1}; }}, {.repetitions = 1000, .secondsAtMost = 0, .fewest = 4});
  QCOMPARE(all[0].count(), std::size_t{4});
}

void TestMeasuring::partsOfARepetitionAreToldApart() {
  const auto all = alternate({[] { return Laps{1, 2, 4}; }}, {.repetitions = 3});
  QCOMPARE(all[0].total().median, 7.0);
  QCOMPARE(all[0].part(1).median, 2.0);
  QCOMPARE(all[0].without(0).median, 6.0);
  Stopwatch clock;
  clock.lap();
  clock.lap();
  QCOMPARE(clock.laps().size(), std::size_t{2});
  QVERIFY(clock.laps()[0] >= 0 && clock.laps()[1] >= 0);
}

void TestMeasuring::setsRotate() {
  int copies = 0;
  const auto copy = [&copies](int) { return ++copies; };
  Rotation<int> sets(0, 1, 1000, 3, copy);
  const std::vector<int> seen{sets.next(), sets.next(), sets.next(), sets.next()};
  QCOMPARE(seen, (std::vector<int>{0, 1, 2, 0}));
  // One set is as large as the cache, so two are needed to exceed it.
  copies = 0;
  const Rotation<int> large(0, 4096, 4096, 100, copy);
  QCOMPARE(copies, 2);
}

void TestMeasuring::whatOthersUsedIsToldFromTheOwnUse() {
  const CoreSeconds start{.busy = 100, .stolen = 5, .own = 10, .wall = 1000};
  // Two cores for ten seconds: 12 s of work, 9 of them ours; 1 s stolen.
  const CoreSeconds end{.busy = 112, .stolen = 6, .own = 19, .wall = 1010};
  const LoadShares shares = sharesOf(start, end, 2);
  QCOMPARE(shares.others, 0.15);
  QCOMPARE(shares.stolen, 0.05);
  QVERIFY(shares.disturbs());
  QVERIFY(!LoadShares({0.03, 0.01}).disturbs());
  // The kernel counts in ticks, so our own time may slightly exceed the busy time.
  QCOMPARE(sharesOf(start, {.busy = 110, .stolen = 5, .own = 20.01, .wall = 1010}, 2).others, 0.0);
  QCOMPARE(sharesOf(start, start, 2).others, 0.0);
}

void TestMeasuring::ownWorkIsNoForeignLoad() {
  const OtherLoad load;
  volatile double sum = 0;
  Stopwatch clock;
  double elapsed = 0;
  while (elapsed < 0.3) {
    for (int i = 0; i < 100'000; ++i) sum = sum + i;
    clock.lap();
    elapsed += clock.laps().back();
  }
  const auto shares = load.shares();
  if (!shares) QSKIP("/proc/stat does not report the time of the cores");
  QVERIFY(shares->others >= 0 && shares->others <= 1);
  QVERIFY(shares->stolen >= 0 && shares->stolen <= 1);
}

void TestMeasuring::peakMemoryIsWhatWorkHeldAtOnce() {
#ifdef LAMBDA_SANITIZED
  QSKIP("the memory of the sanitizer grows too");
#endif
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const auto hold = [](std::size_t bytes) {
    std::vector<char> memory(bytes, 1);
    asm volatile("" : : "r"(memory.data()) : "memory");
  };
  hold(2 * kBytes);  // An earlier peak must not count.
  const auto growth = peakGrowth([&] {
    hold(kBytes);
    hold(kBytes);
  });
  if (!growth) QSKIP("the system does not report peak memory");
  // The kernel counts pages per core, and its total lags a little behind.
  constexpr std::size_t kSlack = std::size_t{4} << 20;
  QVERIFY2(*growth > kBytes - kSlack && *growth < kBytes + kSlack, std::to_string(*growth).c_str());
}

void TestMeasuring::ceilingsAreMeasuredForEveryInstructionSet() {
  const std::vector<InstructionSetPeak> peaks = multiplyAddPeaks(2);
  QVERIFY(!peaks.empty());
  std::set<std::string> names;
  for (const InstructionSetPeak& peak : peaks) {
    names.insert(peak.name);
    QVERIFY2(peak.flopsPerSecond > 1e8 && peak.flopsPerSecond < 1e13, peak.name.c_str());
  }
  QCOMPARE(names.size(), peaks.size());
  const double bandwidth = copyBandwidth(2, std::size_t{16} << 20);
  QVERIFY(bandwidth > 1e8 && bandwidth < 1e13);
}

void TestMeasuring::blocksThatDontFitAreSaid() {
#ifdef LAMBDA_SANITIZED
  QSKIP("a sanitizer ends a program that asks for so much");
#endif
  QVERIFY_THROWS_EXCEPTION(std::bad_alloc, copyBandwidth(1, std::size_t{1} << 60));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestMeasuring)
#include "tst_measuring.moc"
