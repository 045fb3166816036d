#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/convolution/reference.h"
#include "engine/kernels/convolution/winograd_kernel.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

constexpr double kTolerance = 1e-5;

/// A convolution with random operands.
class Convolution {
 public:
  explicit Convolution(const ConvolutionShape& of)
      : shape(of),
        x(normalValues(pixels() * of.inputDepth, 1)),
        filters(normalValues(9 * of.inputDepth * of.outputDepth, 2)),
        dy(normalValues(pixels() * of.outputDepth, 3)) {}

  std::int64_t pixels() const { return shape.images * shape.height * shape.width; }

  std::vector<float> outputs(std::int64_t threads = 1) const {
    std::vector<float> y(sizeOf(pixels() * shape.outputDepth), kUnwritten);
    convolveByWinograd(shape, x.data(), filters.data(), {}, y.data(), withThreads(threads));
    return y;
  }

  std::vector<float> filterGradient(std::int64_t threads = 1) const {
    std::vector<float> gradient(filters.size(), kUnwritten);
    winogradFilterGradient(shape, x.data(), dy.data(), gradient.data(), withThreads(threads));
    return gradient;
  }

  std::vector<double> exactOutputs() const {
    std::vector<double> y(sizeOf(pixels() * shape.outputDepth));
    forProducts([&](std::size_t in, std::size_t filter, std::size_t out) {
      y[out] += static_cast<double>(x[in]) * static_cast<double>(filters[filter]);
    });
    return y;
  }

  std::vector<double> exactFilterGradient() const {
    std::vector<double> gradient(filters.size());
    forProducts([&](std::size_t in, std::size_t filter, std::size_t out) {
      gradient[filter] += static_cast<double>(x[in]) * static_cast<double>(dy[out]);
    });
    return gradient;
  }

  ConvolutionShape shape;
  std::vector<float> x, filters, dy;

 private:
  static constexpr float kUnwritten = std::numeric_limits<float>::quiet_NaN();

  static std::size_t sizeOf(std::int64_t size) { return static_cast<std::size_t>(size); }

  /// Calls `work(input, filter, output)` for all products of the plain sum.
  template <class Work>
  void forProducts(const Work& work) const {
    const std::int64_t c = shape.inputDepth, k = shape.outputDepth;
    forTaps(shape, [&](std::int64_t in, std::int64_t tap, std::int64_t out) {
      for (std::int64_t i = 0; i < c; ++i) {
        for (std::int64_t o = 0; o < k; ++o)
          work(sizeOf(in * c + i), sizeOf((tap * c + i) * k + o), sizeOf(out * k + o));
      }
    });
  }
};

}  // namespace

class TestWinogradKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isThePlainSum_data();
  void isThePlainSum();

  void theSameBitsWithAnyNumberOfThreads_data() { isThePlainSum_data(); }

  void theSameBitsWithAnyNumberOfThreads();
  void longSumsStayExact();
  void imagesDoNotMeet();
  void noImagesAreNothing();
};

void TestWinogradKernel::isThePlainSum_data() {
  QTest::addColumn<ConvolutionShape>("shape");
  for (const auto& [height, width] : {std::pair{1, 1},
                                      {1, 7},
                                      {2, 2},
                                      {3, 5},
                                      {4, 4},
                                      {5, 4},
                                      {7, 7},
                                      {8, 8},
                                      {9, 6},
                                      {17, 13}}) {
    for (const auto& [in, out] : {std::pair{16, 16}, {48, 16}, {32, 64}, {16, 80}}) {
      QTest::addRow("%dx%d, %d to %d", height, width, in, out)
          << ConvolutionShape{3, height, width, in, out};
    }
  }
  QTest::newRow("one image") << ConvolutionShape{1, 8, 8, 64, 32};
  QTest::newRow("many blocks") << ConvolutionShape{70, 8, 8, 64, 32};
}

void TestWinogradKernel::isThePlainSum() {
  QFETCH(ConvolutionShape, shape);
  const Convolution one(shape);
  QVERIFY(distance(one.outputs(), one.exactOutputs()) < kTolerance);
  QVERIFY(distance(one.filterGradient(), one.exactFilterGradient()) < kTolerance);
}

void TestWinogradKernel::theSameBitsWithAnyNumberOfThreads() {
  QFETCH(ConvolutionShape, shape);
  const Convolution one(shape);
  for (const std::int64_t threads : {2, 5}) {
    QVERIFY(one.outputs(threads) == one.outputs());
    QVERIFY(one.filterGradient(threads) == one.filterGradient());
  }
}

// The gradient of a filter is a sum over all pixels.
void TestWinogradKernel::longSumsStayExact() {
  const Convolution one({96, 32, 32, 16, 16});
  QVERIFY(distance(one.filterGradient(2), one.exactFilterGradient()) < kTolerance);
}

void TestWinogradKernel::imagesDoNotMeet() {
  Convolution one({3, 6, 5, 16, 16});
  const std::vector<float> whole = one.outputs();
  const std::size_t image = one.x.size() / 3, made = whole.size() / 3;
  std::fill_n(one.x.begin() + static_cast<std::ptrdiff_t>(image),
              image,
              std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> spoilt = one.outputs();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool isSpoilt = i / made == 1;
    QVERIFY(isSpoilt ? std::isnan(spoilt[i]) : spoilt[i] == whole[i]);
  }
}

void TestWinogradKernel::noImagesAreNothing() {
  const Convolution none({0, 8, 8, 16, 16});
  QVERIFY(none.outputs().empty());
  for (const float value : none.filterGradient()) QCOMPARE(value, 0.0F);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestWinogradKernel)

#include "tst_winograd_kernel.moc"
