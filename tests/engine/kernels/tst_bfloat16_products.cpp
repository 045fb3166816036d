#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/products/bfloat16_products.h"
#include "tests/support/core_reference.h"
#include "tests/support/pair_units.h"

namespace lambda::test {

/// Products in bfloat16 by every unit that this CPU has, with whole numbers, which they multiply
/// and add without rounding.
class TestBfloat16Products : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areExact_data();
  void areExact();
};

void TestBfloat16Products::areExact_data() {
  QTest::addColumn<PairUnit>("unit");
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("columns");
  QTest::addColumn<int>("pairs");
  // Tiles of AMX have 16 rows, 16 columns, and 8 or 16 pairs, those of vectors up to 16 rows.
  constexpr std::array<std::array<int, 3>, 8> kSizes{{{16, 16, 16},
                                                      {96, 112, 32},
                                                      {32, 64, 8},
                                                      {33, 48, 27},
                                                      {5, 32, 70},
                                                      {80, 16, 3},
                                                      {32, 32, 0},
                                                      {48, 80, 150}}};
  for (const PairUnit unit : kPairUnits) {
    for (const auto& [rows, columns, pairs] : kSizes) {
      QTest::addRow("%s, %d x %d, %d pairs", nameOf(unit), rows, columns, pairs)
          << unit << rows << columns << pairs;
    }
  }
}

void TestBfloat16Products::areExact() {
  QFETCH(PairUnit, unit);
  QFETCH(int, rows);
  QFETCH(int, columns);
  QFETCH(int, pairs);
  if (!hasPairUnit(unit)) QSKIP(kNoPairUnit);
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> whole(-3, 3);
  const auto draw = [&](int size) {
    std::vector<Bfloat16> values(static_cast<std::size_t>(size));
    for (Bfloat16& value : values) value = toBfloat16(static_cast<float>(whole(generator)));
    return values;
  };
  const std::vector<Bfloat16> a = draw(rows * pairs * 2), b = draw(pairs * columns * 2);
  // Rows of A that lie one after another, and pairs that do.
  for (const PairRows& layout :
       {PairRows{a.data(), 2 * pairs, 2}, PairRows{a.data(), 2, 2 * rows}}) {
    for (const bool adds : {false, true}) {
      const int stride = columns + 16;
      std::vector<float> c(static_cast<std::size_t>(rows * stride), 5.0F);
      multiplyPairs(rows, columns, pairs, layout, b.data(), adds, c.data(), stride, unit);
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < stride; ++column) {
          float sum = adds || column >= columns ? 5.0F : 0.0F;
          for (int pair = 0; pair < pairs && column < columns; ++pair) {
            for (int i = 0; i < 2; ++i) {
              sum += fromBfloat16(a[row * layout.rowStride + pair * layout.pairStride + i]) *
                     fromBfloat16(b[static_cast<std::size_t>(2 * (pair * columns + column) + i)]);
            }
          }
          QCOMPARE(c[static_cast<std::size_t>(row * stride + column)], sum);
        }
      }
    }
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestBfloat16Products)

#include "tst_bfloat16_products.moc"
