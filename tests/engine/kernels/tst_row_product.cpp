#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/products/reference.h"
#include "engine/kernels/products/row_product.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

struct Shape {
  std::int64_t depth = 0;
  std::int64_t columns = 0;
};

std::vector<float> productOf(const Shape& shape,
                             const std::vector<float>& a,
                             const std::vector<float>& b,
                             std::int64_t threads = 1) {
  std::vector<float> c(static_cast<std::size_t>(shape.columns),
                       std::numeric_limits<float>::quiet_NaN());
  multiplyRows(std::array{RowProduct{shape.depth, shape.columns, a.data(), b.data(), c.data()}},
               withThreads(threads));
  return c;
}

}  // namespace

class TestRowProduct : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isThePlainSum_data();
  void isThePlainSum();

  void theSameBitsWithAnyNumberOfThreads_data() { isThePlainSum_data(); }

  void theSameBitsWithAnyNumberOfThreads();
  void readsNothingBehindARow();
  void severalProductsAreThoseOfEach();
};

void TestRowProduct::isThePlainSum_data() {
  QTest::addColumn<Shape>("shape");
  for (const std::int64_t depth : {1, 7, 16, 33, 100, 768}) {
    for (const std::int64_t columns : {0, 1, 3, 4, 11, 12, 13, 29, 100, 256}) {
      QTest::addRow("%d to %d", static_cast<int>(depth), static_cast<int>(columns))
          << Shape{depth, columns};
    }
  }
  QTest::newRow("a part for each thread") << Shape{768, 777};
  QTest::newRow("deep") << Shape{4096, 5};
  QTest::newRow("nothing to sum") << Shape{0, 5};
}

void TestRowProduct::isThePlainSum() {
  QFETCH(Shape, shape);
  const std::vector<float> a = normalValues(shape.depth, 1);
  const std::vector<float> b = normalValues(shape.depth * shape.columns, 2);
  std::vector<double> expected(static_cast<std::size_t>(shape.columns));
  forTerms(1, shape.depth, shape.columns, [&](std::size_t inA, std::size_t inB, std::size_t inC) {
    expected[inC] += static_cast<double>(a[inA]) * static_cast<double>(b[inB]);
  });
  QVERIFY(distance(productOf(shape, a, b), expected) < 1e-6);
}

void TestRowProduct::theSameBitsWithAnyNumberOfThreads() {
  QFETCH(Shape, shape);
  const std::vector<float> a = normalValues(shape.depth, 1);
  const std::vector<float> b = normalValues(shape.depth * shape.columns, 2);
  for (const std::int64_t threads : {2, 5})
    QVERIFY(productOf(shape, a, b, threads) == productOf(shape, a, b));
}

// A vector that is cut at the end of a row must not take up numbers of the next one.
void TestRowProduct::readsNothingBehindARow() {
  const Shape shape{5, 2};
  const std::vector<float> a{1, 1, 1, 1, 1, std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> b(10, 2);
  b.back() = std::numeric_limits<float>::infinity();
  QCOMPARE(productOf(shape, a, b).front(), 10.0F);
}

void TestRowProduct::severalProductsAreThoseOfEach() {
  const std::array<Shape, 3> shapes{Shape{300, 500}, Shape{7, 3}, Shape{64, 900}};
  std::array<std::vector<float>, 3> a, b, c;
  std::vector<RowProduct> products;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto& [depth, columns] = shapes[i];
    a[i] = normalValues(depth, 1);
    b[i] = normalValues(depth * columns, 2);
    c[i].resize(static_cast<std::size_t>(columns));
    products.push_back({depth, columns, a[i].data(), b[i].data(), c[i].data()});
  }
  multiplyRows(products, withThreads(3));
  for (std::size_t i = 0; i < shapes.size(); ++i) QVERIFY(c[i] == productOf(shapes[i], a[i], b[i]));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRowProduct)
#include "tst_row_product.moc"
