#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/lambda_core/bfloat16/bfloat16_core.h"
#include "engine/kernels/products/bfloat16_products.h"
#include "tests/support/core_on_cpu.h"
#include "tests/support/pair_units.h"

namespace lambda::test {

namespace {

/// A sample and the kernel's results for it.
class Core {
 public:
  Core(PairUnit ofUnit, const CoreSample& sample) : unit(ofUnit), reference(sample) {
    reference.round();
  }

  bool fits() const { return fitsBfloat16Core(reference.shape, reference.tableRowOf.data()); }

  std::vector<float> forward(const ParallelFor& parallelFor) const {
    constexpr Bfloat16 kNaN = 0x7FFF;
    std::vector<Bfloat16> y(reference.dy.size(), kNaN);
    bfloat16CoreForward(unit, reference.shape, inputsOf(reference), y.data(), parallelFor);
    std::vector<float> floats;
    std::ranges::transform(y, std::back_inserter(floats), fromBfloat16);
    return floats;
  }

  WrittenGradients backward(const ParallelFor& parallelFor) const {
    WrittenGradients found(reference);
    std::vector<Bfloat16> dy;
    std::ranges::transform(reference.dy, std::back_inserter(dy), toBfloat16);
    bfloat16CoreBackward(
        unit, reference.shape, inputsOf(reference), dy.data(), found.targets(), parallelFor);
    return found;
  }

  PairUnit unit;
  CoreReference reference;
};

/// Adds a row for each unit and sample.
void addSamples(std::initializer_list<CoreSample> samples) {
  QTest::addColumn<PairUnit>("unit");
  QTest::addColumn<CoreSample>("sample");
  for (const PairUnit unit : kPairUnits) {
    for (const CoreSample& sample : samples) {
      QTest::addRow("%s: %s", nameOf(unit), sample.name) << unit << sample;
    }
  }
}

/// Adds a row for each unit.
void addUnits() {
  QTest::addColumn<PairUnit>("unit");
  for (const PairUnit unit : kPairUnits) QTest::newRow(nameOf(unit)) << unit;
}

/// Replaces all operands by -1, 0 and 1. Everything that the kernel rounds between two products is
/// then a whole number of at most 256, which bfloat16 holds exactly.
void makeWhole(CoreReference& reference) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> whole(-1, 1);
  for (auto* operand :
       {&reference.queries, &reference.keys, &reference.values, &reference.table, &reference.dy}) {
    std::ranges::generate(*operand, [&] { return static_cast<float>(whole(generator)); });
  }
}

}  // namespace

class TestBfloat16Core : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isExactWhereNothingIsRounded_data();
  void isExactWhereNothingIsRounded();

  void roundsToTheNearest_data() { addUnits(); }

  void roundsToTheNearest();

  void theSameBitsWithAnyNumberOfThreads_data() { addUnits(); }

  void theSameBitsWithAnyNumberOfThreads();

  void infinityStaysInItsImage_data() { addUnits(); }

  void infinityStaysInItsImage();
  void leavesOtherShapesToFloat32_data();
  void leavesOtherShapesToFloat32();
};

void TestBfloat16Core::isExactWhereNothingIsRounded_data() {
  addSamples({{"8x8", 17, 8, 8, 1, 4, 16, 16, 0, true, true},
              {"8x8, v 32", 9, 8, 8, 1, 4, 16, 32, 0, true, true},
              {"8x8, v 64, one image", 1, 8, 8, 1, 4, 16, 64, 0, true, true},
              {"7x7, v 48", 3, 7, 7, 1, 4, 16, 48, 0, true, true},
              {"9x9, two panels, v 80", 3, 9, 9, 1, 4, 16, 80, 0, true, true},
              {"12x11, three panels", 2, 12, 11, 1, 4, 16, 32, 0, true, true},
              {"17 rows of the context", 3, 17, 1, 1, 4, 16, 16, 0, true, true},
              {"h 2", 9, 5, 5, 1, 2, 16, 16, 0, true, true},
              {"h 6", 9, 5, 5, 1, 6, 16, 16, 0, true, true},
              {"h 10, k 64", 3, 5, 5, 1, 10, 64, 16, 0, true, true},
              {"h 18, more than a tile", 5, 5, 5, 1, 18, 64, 64, 0, true, true},
              {"h 40, one query in a block", 3, 5, 4, 1, 40, 112, 112, 0, true, true},
              {"k 80, v 96", 3, 5, 5, 1, 4, 80, 96, 0, true, true},
              {"k 32", 3, 4, 5, 1, 4, 32, 16, 0, true, true},
              {"k 48, v 16, short context", 3, 4, 5, 1, 4, 48, 16, 0, true, true},
              {"k 64, v 64", 3, 5, 5, 1, 4, 64, 64, 0, true, true},
              {"intra-depth 4", 3, 5, 4, 4, 4, 16, 16, 0, true, true},
              {"positions alone", 3, 6, 9, 1, 4, 16, 16, 0, false, true},
              {"h 8, images that do not fill a group", 11, 5, 5, 1, 8, 32, 16, 0, true, true},
              {"k 16, v 16, 13x20 in two panels", 2, 13, 20, 1, 4, 16, 16, 0, true, true},
              {"more images than stay in the caches", 230, 8, 8, 1, 4, 16, 48, 0, true, true}});
}

void TestBfloat16Core::isExactWhereNothingIsRounded() {
  QFETCH(PairUnit, unit);
  if (!hasPairUnit(unit)) QSKIP(kNoPairUnit);
  QFETCH(CoreSample, sample);
  Core core(unit, sample);
  makeWhole(core.reference);
  QVERIFY(core.fits());
  const CoreResults expected = core.reference.results();
  const std::vector<float> y = core.forward(withThreads(1));
  for (std::size_t i = 0; i < y.size(); ++i)
    QCOMPARE(y[i], fromBfloat16(toBfloat16(static_cast<float>(expected.y[i]))));
  const WrittenGradients found = core.backward(withThreads(1));
  QCOMPARE(found.differsIn(expected, 0), std::string());
}

void TestBfloat16Core::roundsToTheNearest() {
  QFETCH(PairUnit, unit);
  if (!hasPairUnit(unit)) QSKIP(kNoPairUnit);
  const Core core(unit, {"8x8, v 32", 17, 8, 8, 1, 4, 16, 32, 0, true, true});
  const CoreResults expected = core.reference.results();
  // Rounding to the nearest of 8 binary digits changes a value by 1.6e-3 in the root of the mean
  // square, and three of them at most follow one another. Cutting digits off changes it by 3e-3.
  constexpr double kTolerance = 3e-3;
  QVERIFY(distance(core.forward(withThreads(1)), expected.y) < kTolerance);
  const WrittenGradients found = core.backward(withThreads(1));
  QCOMPARE(found.differsIn(expected, kTolerance), std::string());
}

void TestBfloat16Core::theSameBitsWithAnyNumberOfThreads() {
  QFETCH(PairUnit, unit);
  if (!hasPairUnit(unit)) QSKIP(kNoPairUnit);
  for (const CoreSample& sample :
       std::initializer_list<CoreSample>{{"8x8", 37, 8, 8, 1, 4, 16, 16, 0, true, true},
                                         {"three images", 3, 5, 5, 1, 4, 16, 16, 0, true, true},
                                         {"many images", 230, 8, 8, 1, 4, 16, 48, 0, true, true}}) {
    QVERIFY2(hasTheSameBitsWithAnyNumberOfThreads(Core(unit, sample)), sample.name);
  }
}

void TestBfloat16Core::infinityStaysInItsImage() {
  QFETCH(PairUnit, unit);
  if (!hasPairUnit(unit)) QSKIP(kNoPairUnit);
  // Blocks of 8 queries and groups of 3 images: the last of each have fewer.
  Core core(unit, {"9x3", 35, 9, 3, 1, 4, 16, 16, 0, true, true});
  const CoreShape& shape = core.reference.shape;
  constexpr std::int64_t kInfinite = 32;
  const auto sizeOf = [&](const std::vector<float>& values) {
    return static_cast<std::int64_t>(values.size()) / shape.images;
  };
  for (const std::int64_t query : {std::int64_t{0}, std::int64_t{20}, shape.queries - 1}) {
    const std::vector<float> whole = core.reference.queries;
    core.reference.queries[static_cast<std::size_t>(kInfinite * sizeOf(whole) +
                                                    query * shape.heads * shape.queryDepth)] =
        std::numeric_limits<float>::infinity();
    for (const std::int64_t threads : {1, 3}) {
      const WrittenGradients found = core.backward(withThreads(threads));
      for (const auto* gradient : {&found.queries, &found.keys, &found.values}) {
        for (std::size_t i = 0; i < gradient->size(); ++i) {
          if (static_cast<std::int64_t>(i) / sizeOf(*gradient) != kInfinite)
            QVERIFY(std::isfinite((*gradient)[i]));
        }
      }
    }
    core.reference.queries = whole;
  }
}

void TestBfloat16Core::leavesOtherShapesToFloat32_data() {
  QTest::addColumn<CoreSample>("sample");
  for (const CoreSample& sample : std::initializer_list<CoreSample>{
           {"odd heads", 2, 5, 5, 1, 3, 16, 16, 0, true, true},
           {"k not in whole vectors", 2, 5, 5, 1, 4, 8, 16, 0, true, true},
           {"v not in whole vectors", 2, 5, 5, 1, 4, 16, 24, 0, true, true},
           {"a short context", 2, 4, 4, 1, 4, 16, 16, 0, true, true},
           {"a window", 2, 8, 8, 1, 4, 16, 16, 3, true, true},
           {"content alone", 2, 5, 5, 1, 4, 16, 16, 0, true, false}}) {
    QTest::newRow(sample.name) << sample;
  }
}

void TestBfloat16Core::leavesOtherShapesToFloat32() {
  QFETCH(CoreSample, sample);
  const CoreReference reference(sample);
  QVERIFY(!fitsBfloat16Core(reference.shape, reference.tableRowOf.data()));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestBfloat16Core)

#include "tst_bfloat16_core.moc"
