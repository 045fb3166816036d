#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <QtTest/QtTest>

#include "engine/runtime/block_cache.h"

namespace lambda::test {

namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

}  // namespace

class TestBlockCache : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void blocksAreWholeAndApart();
  void usesABlockAgain();
  void doesNotWasteALargeBlockOnASmallNeed();
  void keepsAtMostAsMuchAsWasOnceInUse();
  void releaseReturnsWhatIsNotInUse();
  void knowsItsOwnBlocks();
  void aSizeThatCantBeIsNull();
  void manyThreads();
};

void TestBlockCache::blocksAreWholeAndApart() {
  BlockCache cache;
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (const std::size_t size : {std::size_t{1},
                                 std::size_t{70000},
                                 kMegabyte,
                                 2 * kMegabyte,
                                 3 * kMegabyte + 1,
                                 40 * kMegabyte}) {
    auto* block = static_cast<unsigned char*>(cache.take(size));
    QVERIFY(block != nullptr);
    QCOMPARE(reinterpret_cast<std::uintptr_t>(block) % 4096, std::uintptr_t{0});
    std::memset(block, static_cast<int>(blocks.size() + 1), size);
    blocks.emplace_back(block, size);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, size] = blocks[i];
    QCOMPARE(std::size_t{block[0]}, i + 1);
    QCOMPARE(std::size_t{block[size - 1]}, i + 1);
    QVERIFY(cache.give(block));
  }
  QCOMPARE(cache.bytesInUse(), std::size_t{0});
}

void TestBlockCache::usesABlockAgain() {
  BlockCache cache;
  void* const first = cache.take(5 * kMegabyte);
  QVERIFY(cache.give(first));
  QVERIFY(cache.bytesKept() >= 5 * kMegabyte);
  QCOMPARE(cache.take(5 * kMegabyte - 100), first);
  QCOMPARE(cache.bytesKept(), std::size_t{0});
  QVERIFY(cache.take(5 * kMegabyte) != first);
}

void TestBlockCache::doesNotWasteALargeBlockOnASmallNeed() {
  BlockCache cache;
  void* const large = cache.take(16 * kMegabyte);
  cache.give(large);
  QVERIFY(cache.take(8 * kMegabyte) != large);
  QCOMPARE(cache.take(14 * kMegabyte), large);
}

void TestBlockCache::keepsAtMostAsMuchAsWasOnceInUse() {
  BlockCache cache;
  for (std::size_t i = 1; i <= 40; ++i) {
    cache.give(cache.take(i * kMegabyte));
    QVERIFY(cache.bytesKept() <= 2 * (i + 1) * kMegabyte);
  }
}

void TestBlockCache::releaseReturnsWhatIsNotInUse() {
  BlockCache cache;
  auto* used = static_cast<char*>(cache.take(kMegabyte));
  cache.give(cache.take(30 * kMegabyte));
  cache.release();
  QCOMPARE(cache.bytesKept(), std::size_t{0});
  QCOMPARE(cache.bytesInUse(), kMegabyte);
  used[0] = 1;
  QVERIFY(cache.give(used));
}

void TestBlockCache::knowsItsOwnBlocks() {
  BlockCache cache;
  int other = 0;
  QVERIFY(!cache.give(&other));
  QVERIFY(!cache.give(nullptr));
  void* const block = cache.take(kMegabyte);
  QVERIFY(cache.give(block));
  QVERIFY(!cache.give(block));
}

void TestBlockCache::aSizeThatCantBeIsNull() {
  BlockCache cache;
  QVERIFY(cache.take(~std::size_t{0}) == nullptr);
  QVERIFY(cache.take(std::size_t{1} << 62) == nullptr);
  QCOMPARE(cache.bytesInUse(), std::size_t{0});
}

void TestBlockCache::manyThreads() {
  BlockCache cache;
  std::vector<std::thread> threads;
  for (unsigned char name = 1; name <= 4; ++name) {
    threads.emplace_back([&cache, name] {
      for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t size = (i % 7 + 1) * (kMegabyte / 4);
        auto* block = static_cast<unsigned char*>(cache.take(size));
        block[0] = block[size - 1] = name;
        std::this_thread::yield();
        if (block[0] != name || block[size - 1] != name) qFatal("two threads got the same block");
        cache.give(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  QCOMPARE(cache.bytesInUse(), std::size_t{0});
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestBlockCache)
#include "tst_block_cache.moc"
