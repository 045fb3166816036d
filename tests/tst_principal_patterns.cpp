#include <cmath>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "widgets/pictures/principal_patterns.h"
#include "widgets/pictures/spectrum.h"

namespace lambda::test {

namespace {

/// An array of `tiles` tiles, tile i = 3 a_i left + 1 b_i right. The loadings a and b and the
/// patterns left and right are orthogonal unit vectors, so the singular values are 3 and 1.
Array rankTwo(int tiles, int side) {
  Array array{{tiles, 1, side, side}, {}};
  const double norm = std::sqrt(tiles / 2.0), unit = std::sqrt(side * side / 2.0);
  for (int tile = 0; tile < tiles; ++tile) {
    const double a = tile % 2 == 0 ? 1 / norm : 0, b = tile % 2 == 0 ? 0 : 1 / norm;
    for (int i = 0; i < side * side; ++i) {
      const bool isLeft = i % side < side / 2;
      array.values.push_back(static_cast<float>(isLeft ? 3 * a / unit : b / unit));
    }
  }
  return array;
}

}  // namespace

class TestPrincipalPatterns : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void findsTheTwoPatternsOfARankTwoArray_data() {
    QTest::addColumn<int>("tiles");
    QTest::addColumn<int>("side");
    QTest::newRow("fewer tiles than cells") << 6 << 4;
    QTest::newRow("more tiles than cells") << 40 << 4;
  }

  void findsTheTwoPatternsOfARankTwoArray() {
    QFETCH(int, tiles);
    QFETCH(int, side);
    const PrincipalPatterns found = principalPatterns(rankTwo(tiles, side), 5);
    QCOMPARE(found.strength.size(), std::size_t{2});
    QVERIFY(std::abs(found.strength[0] - 3) < 1e-5F);
    QVERIFY(std::abs(found.strength[1] - 1) < 1e-5F);
    QVERIFY(std::abs(found.share[0] - 0.9F) < 1e-5F);
    QCOMPARE(found.patterns.shape, (std::vector<std::int64_t>{2, side, side}));
    QCOMPARE(found.loadings.shape, (std::vector<std::int64_t>{2, tiles}));
    const float unit = static_cast<float>(1 / std::sqrt(side * side / 2.0));
    for (int i = 0; i < side * side; ++i) {
      const bool isLeft = i % side < side / 2;
      const auto at = static_cast<std::size_t>(i), cells = static_cast<std::size_t>(side * side);
      QVERIFY(std::abs(found.patterns.values[at] - (isLeft ? unit : 0)) < 1e-5F);
      QVERIFY(std::abs(found.patterns.values[cells + at] - (isLeft ? 0 : unit)) < 1e-5F);
    }
  }

  void allPatternsTogetherGiveTheTilesBack() {
    Array tiles{{5, 2, 3}, {}};
    for (int i = 0; i < 30; ++i) {
      tiles.values.push_back(static_cast<float>(std::sin(i * 1.7) * (1 + i % 4)));
    }
    const PrincipalPatterns found = principalPatterns(tiles, 5);
    for (std::size_t tile = 0; tile < 5; ++tile) {
      for (std::size_t cell = 0; cell < 6; ++cell) {
        float sum = 0;
        for (std::size_t p = 0; p < found.strength.size(); ++p) {
          sum += found.strength[p] * found.loadings.values[p * 5 + tile] *
                 found.patterns.values[p * 6 + cell];
        }
        QVERIFY(std::abs(sum - tiles.values[tile * 6 + cell]) < 1e-4F);
      }
    }
  }

  void aPatternsGreatestEntryIsPositive() {
    const PrincipalPatterns found = principalPatterns({{1, 1, 3}, {-4, 1, 2}}, 1);
    QVERIFY(found.patterns.values[0] > 0);
    QVERIFY(found.loadings.values[0] < 0);
  }

  void nothingIsFoundInNothing() {
    QVERIFY(principalPatterns({}, 3).strength.empty());
    QVERIFY(principalPatterns({{2, 2, 2}, std::vector<float>(8, 0)}, 3).strength.empty());
    const float nan = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(principalPatterns({{1, 1, 2}, {1, nan}}, 3).strength.empty());
  }

  void effectiveRankCountsEqualDirections() {
    QCOMPARE(effectiveRank(std::vector<float>{2, 2, 2, 2}), 4.0);
    QCOMPARE(effectiveRank(std::vector<float>{5, 0, 0}), 1.0);
    QCOMPARE(effectiveRank(std::vector<float>{0, 0}), 0.0);
    QCOMPARE(effectiveRank(std::vector<float>{1, std::nanf("")}), 0.0);
    const double between = effectiveRank(std::vector<float>{3, 1});
    QVERIFY(between > 1 && between < 2);
  }
};

}  // namespace lambda::test

QTEST_APPLESS_MAIN(lambda::test::TestPrincipalPatterns)
#include "tst_principal_patterns.moc"
