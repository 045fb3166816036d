#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/convolution/amx_convolution.h"
#include "engine/kernels/convolution/reference.h"
#include "engine/kernels/products/bfloat16_products.h"
#include "tests/support/core_reference.h"
#include "tests/support/kernel_checks.h"
#include "tests/support/pair_units.h"

namespace lambda::test {

namespace {

using Values = std::vector<Bfloat16>;

/// A convolution of random whole numbers, whose sums are exact in float32.
class Convolution {
 public:
  explicit Convolution(const ConvolutionShape& of)
      : shape(of),
        x(wholeNumbers(pixels() * of.inputDepth, 1)),
        filters(wholeNumbers(9 * of.inputDepth * of.outputDepth, 2)),
        dy(wholeNumbers(pixels() * of.outputDepth, 3)) {}

  std::int64_t pixels() const { return shape.images * shape.height * shape.width; }

  Values outputs(std::int64_t threads = 1) const {
    Values y = unwritten(dy.size());
    convolveByAmx(shape, x.data(), filters.data(), y.data(), withThreads(threads));
    return y;
  }

  Values inputGradient(std::int64_t threads = 1) const {
    Values dx = unwritten(x.size());
    amxInputGradient(shape, dy.data(), filters.data(), dx.data(), withThreads(threads));
    return dx;
  }

  Values filterGradient(std::int64_t threads = 1) const {
    Values gradient = unwritten(filters.size());
    amxFilterGradient(shape, x.data(), dy.data(), gradient.data(), withThreads(threads));
    return gradient;
  }

  Values exactOutputs() const {
    return rounded(dy.size(), [&](auto& sums, std::size_t in, std::size_t filter, std::size_t out) {
      sums[out] += fromBfloat16(x[in]) * fromBfloat16(filters[filter]);
    });
  }

  Values exactInputGradient() const {
    return rounded(x.size(), [&](auto& sums, std::size_t in, std::size_t filter, std::size_t out) {
      sums[in] += fromBfloat16(dy[out]) * fromBfloat16(filters[filter]);
    });
  }

  Values exactFilterGradient() const {
    return rounded(filters.size(),
                   [&](auto& sums, std::size_t in, std::size_t filter, std::size_t out) {
                     sums[filter] += fromBfloat16(x[in]) * fromBfloat16(dy[out]);
                   });
  }

  ConvolutionShape shape;
  Values x, filters, dy;

 private:
  static Values unwritten(std::size_t size) {
    return Values(size, toBfloat16(std::numeric_limits<float>::quiet_NaN()));
  }

  static Values wholeNumbers(std::int64_t size, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_int_distribution<int> whole(-3, 3);
    Values values(static_cast<std::size_t>(size));
    for (Bfloat16& value : values) value = toBfloat16(static_cast<float>(whole(generator)));
    return values;
  }

  /// `size` sums, to which `add(sums, input, filter, output)` adds all products of the plain sum.
  template <class Add>
  Values rounded(std::size_t size, const Add& add) const {
    std::vector<float> sums(size);
    const auto c = static_cast<std::size_t>(shape.inputDepth);
    const auto k = static_cast<std::size_t>(shape.outputDepth);
    forTaps(shape, [&](std::int64_t in, std::int64_t tap, std::int64_t out) {
      const auto first = static_cast<std::size_t>(in) * c;
      const auto t = static_cast<std::size_t>(tap);
      for (std::size_t o = 0; o < k; ++o) {
        for (std::size_t i = 0; i < c; ++i)
          add(sums, first + i, (o * 9 + t) * c + i, static_cast<std::size_t>(out) * k + o);
      }
    });
    Values values;
    for (const float sum : sums) values.push_back(toBfloat16(sum));
    return values;
  }
};

}  // namespace

/// 3x3 convolutions by AMX, with whole numbers, which it multiplies and adds without rounding.
class TestAmxConvolution : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() {
    if (!hasPairUnit(PairUnit::matrices)) QSKIP(kNoPairUnit);
  }

  void isThePlainSum_data();
  void isThePlainSum();

  void theSameBitsWithAnyNumberOfThreads_data() { isThePlainSum_data(); }

  void theSameBitsWithAnyNumberOfThreads();
  void infinitiesReachOnlyWhatSeesThem_data();
  void infinitiesReachOnlyWhatSeesThem();
  void noImagesAreNothing();
};

void TestAmxConvolution::isThePlainSum_data() {
  QTest::addColumn<ConvolutionShape>("shape");
  // Rows of whole tiles are copied once, others three times. Odd widths have half a pair of pixels.
  for (const auto& [height, width] : {std::pair{1, 1},
                                      {1, 7},
                                      {2, 2},
                                      {3, 5},
                                      {4, 4},
                                      {7, 7},
                                      {8, 8},
                                      {9, 6},
                                      {3, 16},
                                      {17, 13}}) {
    // Depths are padded to whole steps and squares of 32.
    for (const auto& [in, out] : {std::pair{16, 16}, {48, 16}, {32, 64}, {16, 80}}) {
      QTest::addRow("%dx%d, %d to %d", height, width, in, out)
          << ConvolutionShape{3, height, width, in, out};
    }
  }
  QTest::newRow("one image") << ConvolutionShape{1, 8, 8, 64, 32};
  QTest::newRow("no image together") << ConvolutionShape{70, 8, 8, 64, 32};
  QTest::newRow("images in bands") << ConvolutionShape{2, 40, 32, 16, 16};
  QTest::newRow("images in bands of a row") << ConvolutionShape{1, 3, 600, 16, 16};
  QTest::newRow("columns of the kernel in parts of their own")
      << ConvolutionShape{3, 4, 4, 256, 160};
  QTest::newRow("filters in parts of their own") << ConvolutionShape{2, 2, 2, 512, 240};
}

void TestAmxConvolution::isThePlainSum() {
  QFETCH(ConvolutionShape, shape);
  const Convolution one(shape);
  QVERIFY(one.outputs() == one.exactOutputs());
  QVERIFY(one.inputGradient() == one.exactInputGradient());
  QVERIFY(one.filterGradient() == one.exactFilterGradient());
}

void TestAmxConvolution::theSameBitsWithAnyNumberOfThreads() {
  QFETCH(ConvolutionShape, shape);
  Convolution one(shape);
  // Values whose sums are rounded, and so depend on their order.
  for (Values* values : {&one.x, &one.filters, &one.dy}) {
    const std::vector<float> normal = normalValues(static_cast<std::int64_t>(values->size()), 4);
    std::transform(normal.begin(), normal.end(), values->begin(), toBfloat16);
  }
  for (const std::int64_t threads : {2, 5}) {
    QVERIFY(one.outputs(threads) == one.outputs());
    QVERIFY(one.inputGradient(threads) == one.inputGradient());
    QVERIFY(one.filterGradient(threads) == one.filterGradient());
  }
}

void TestAmxConvolution::infinitiesReachOnlyWhatSeesThem_data() {
  QTest::addColumn<ConvolutionShape>("shape");
  QTest::newRow("three copies") << ConvolutionShape{3, 6, 5, 16, 16};
  QTest::newRow("one copy") << ConvolutionShape{3, 5, 16, 16, 16};
  QTest::newRow("padded depth") << ConvolutionShape{20, 6, 5, 48, 48};
}

void TestAmxConvolution::infinitiesReachOnlyWhatSeesThem() {
  QFETCH(ConvolutionShape, shape);
  Convolution one(shape);
  const Values whole = one.outputs(), wholeGradient = one.inputGradient();
  const std::int64_t spoilt = one.pixels() / 2;
  const Bfloat16 infinity = toBfloat16(std::numeric_limits<float>::infinity());
  std::fill_n(one.x.begin() + spoilt * shape.inputDepth, shape.inputDepth, infinity);
  std::fill_n(one.dy.begin() + spoilt * shape.outputDepth, shape.outputDepth, infinity);
  std::vector<bool> sees(static_cast<std::size_t>(one.pixels()));
  forTaps(shape, [&](std::int64_t in, std::int64_t, std::int64_t out) {
    if (in == spoilt) sees[static_cast<std::size_t>(out)] = true;
  });
  const Values y = one.outputs(), dx = one.inputGradient();
  const auto check = [&](const Values& found, const Values& before, std::int64_t depth) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool isSpoilt = sees[i / static_cast<std::size_t>(depth)];
      if (isSpoilt ? std::isfinite(fromBfloat16(found[i])) : found[i] != before[i]) return false;
    }
    return true;
  };
  QVERIFY(check(y, whole, shape.outputDepth));
  QVERIFY(check(dx, wholeGradient, shape.inputDepth));
}

void TestAmxConvolution::noImagesAreNothing() {
  const Convolution none({0, 8, 8, 16, 16});
  QVERIFY(none.outputs().empty());
  for (const Bfloat16 value : none.filterGradient()) QCOMPARE(value, Bfloat16{});
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestAmxConvolution)

#include "tst_amx_convolution.moc"
