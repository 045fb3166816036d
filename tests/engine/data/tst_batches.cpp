#include <algorithm>
#include <set>

#include <QTest>

#include "engine/data/batches.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

Recipe batchesOf(int size, LastBatch last = LastBatch::automatic) {
  Recipe recipe;
  recipe.batchSize = size;
  recipe.lastBatch = last;
  return recipe;
}

std::vector<std::uint32_t> epochOf(BatchOrder& order, std::uint64_t epoch) {
  std::vector<std::uint32_t> seen;
  for (std::uint32_t b = 0; b < order.epoch().batches; ++b) {
    const auto batch = order.batch({epoch, b});
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  return seen;
}

}  // namespace

class TestBatches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anEpochIsAPermutation();
  void incompleteBatchesAreLeftOut();
  void anIncompleteBatchMayBeKept();
  void epochsAndSeedsDiffer();
  void aPositionIsAllThatResumingNeeds();
  void refusesBatchesThatCannotBeFilled();
};

void TestBatches::anEpochIsAPermutation() {
  BatchOrder order(1, 120, batchesOf(10));
  std::vector<std::uint32_t> seen = epochOf(order, 3);
  QVERIFY(!std::is_sorted(seen.begin(), seen.end()));
  std::sort(seen.begin(), seen.end());
  QCOMPARE(seen.size(), std::size_t{120});
  for (std::uint32_t i = 0; i < 120; ++i) QCOMPARE(seen[i], i);
}

void TestBatches::incompleteBatchesAreLeftOut() {
  BatchOrder order(1, 25, batchesOf(10, LastBatch::drop));
  QCOMPARE(order.epoch().batches, std::int64_t{2});
  std::set<std::uint32_t> everSeen;
  for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
    const std::vector<std::uint32_t> seen = epochOf(order, epoch);
    QCOMPARE(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), std::size_t{20});
    everSeen.insert(seen.begin(), seen.end());
  }
  QCOMPARE(everSeen.size(), std::size_t{25});
}

void TestBatches::anIncompleteBatchMayBeKept() {
  BatchOrder order(1, 25, batchesOf(10, LastBatch::keep));
  QCOMPARE(order.epoch().batches, std::int64_t{3});
  QCOMPARE(order.batch({0, 2}).size(), std::size_t{5});
  const std::vector<std::uint32_t> seen = epochOf(order, 0);
  QCOMPARE(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), std::size_t{25});
  // The whole batches are those without it.
  BatchOrder dropping(1, 25, batchesOf(10, LastBatch::drop));
  QVERIFY(std::ranges::equal(order.batch({0, 1}), dropping.batch({0, 1})));
}

void TestBatches::epochsAndSeedsDiffer() {
  BatchOrder order(1, 100, batchesOf(10));
  BatchOrder other(2, 100, batchesOf(10));
  QVERIFY(epochOf(order, 0) != epochOf(order, 1));
  QVERIFY(epochOf(order, 0) != epochOf(other, 0));
}

void TestBatches::aPositionIsAllThatResumingNeeds() {
  BatchOrder order(1, 100, batchesOf(10));
  for (std::uint32_t step = 0; step < 37; ++step) order.batch({step / 10, step % 10});
  BatchOrder resumed(1, 100, batchesOf(10));
  for (std::uint32_t step = 37; step < 74; ++step) {
    const BatchPosition position{step / 10, step % 10};
    QVERIFY(std::ranges::equal(order.batch(position), resumed.batch(position)));
  }
}

void TestBatches::refusesBatchesThatCannotBeFilled() {
  QVERIFY(errorOf([] { BatchOrder(1, 10, batchesOf(11)); }));
  QVERIFY(errorOf([] { BatchOrder(1, 10, batchesOf(0)); }));
}

QTEST_GUILESS_MAIN(TestBatches)
#include "tst_batches.moc"
