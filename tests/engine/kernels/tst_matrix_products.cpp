#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/products/matrix_products.h"
#include "engine/kernels/products/reference.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

constexpr double kTolerance = 1e-6;
constexpr float kUnwritten = std::numeric_limits<float>::quiet_NaN();

struct ConvolutionShape {
  std::int64_t rows = 0;
  std::int64_t inputDepth = 0;
  std::int64_t outputDepth = 0;
};

/// A pointwise convolution of random operands, by all three products: y = x W^T, dx = dy W and dW =
/// dy^T x.
class Convolution {
 public:
  explicit Convolution(const ConvolutionShape& of)
      : shape(of),
        x(normalValues(of.rows * of.inputDepth, 1)),
        weights(normalValues(of.inputDepth * of.outputDepth, 2)),
        dy(normalValues(of.rows * of.outputDepth, 3)),
        scale(normalValues(of.outputDepth, 4)),
        shift(normalValues(of.outputDepth, 5)),
        residual(normalValues(of.rows * of.outputDepth, 6)) {}

  std::vector<float> outputs(const ColumnEpilogue& epilogue, std::int64_t threads = 1) const {
    std::vector<float> y(dy.size(), kUnwritten);
    const auto filters = PackedMatrix::ofTransposed(
        shape.inputDepth, shape.outputDepth, weights.data(), withThreads(threads));
    multiplyMatrices(shape.rows, x.data(), filters, epilogue, y.data(), withThreads(threads));
    return y;
  }

  std::vector<float> inputGradient(std::int64_t threads = 1) const {
    std::vector<float> dx(x.size(), kUnwritten);
    const auto filters =
        PackedMatrix::of(shape.outputDepth, shape.inputDepth, weights.data(), withThreads(threads));
    multiplyMatrices(shape.rows, dy.data(), filters, {}, dx.data(), withThreads(threads));
    return dx;
  }

  std::vector<float> filterGradient(std::int64_t threads = 1) const {
    std::vector<float> gradient(weights.size(), kUnwritten);
    multiplyTransposed({shape.rows, shape.outputDepth, shape.inputDepth},
                       dy.data(),
                       x.data(),
                       gradient.data(),
                       withThreads(threads));
    return gradient;
  }

  /// The sums without an epilogue.
  std::vector<double> exactSums() const {
    std::vector<double> y(dy.size());
    forProducts([&](std::size_t in, std::size_t weight, std::size_t out) {
      y[out] += static_cast<double>(x[in]) * static_cast<double>(weights[weight]);
    });
    return y;
  }

  std::vector<double> exactInputGradient() const {
    std::vector<double> dx(x.size());
    forProducts([&](std::size_t in, std::size_t weight, std::size_t out) {
      dx[in] += static_cast<double>(dy[out]) * static_cast<double>(weights[weight]);
    });
    return dx;
  }

  std::vector<double> exactFilterGradient() const {
    std::vector<double> gradient(weights.size());
    forProducts([&](std::size_t in, std::size_t weight, std::size_t out) {
      gradient[weight] += static_cast<double>(x[in]) * static_cast<double>(dy[out]);
    });
    return gradient;
  }

  ConvolutionShape shape;
  std::vector<float> x, weights, dy, scale, shift, residual;

 private:
  /// Calls `work(input, weight, output)` for all products.
  template <class Work>
  void forProducts(const Work& work) const {
    forTerms(shape.rows, shape.inputDepth, shape.outputDepth, work);
  }
};

}  // namespace

class TestMatrixProducts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isThePlainSum_data();
  void isThePlainSum();

  void theSameBitsWithAnyNumberOfThreads_data() { isThePlainSum_data(); }

  void theSameBitsWithAnyNumberOfThreads();
  void theEpilogueFollowsTheSums_data();
  void theEpilogueFollowsTheSums();
  void nanStaysNan();
  void longSumsStayExact();
  void noRowsAreNothing();
};

void TestMatrixProducts::isThePlainSum_data() {
  QTest::addColumn<ConvolutionShape>("shape");
  for (const std::int64_t rows : {1, 5, 13, 96, 100, 777}) {
    for (const auto& [in, out] : {std::pair{16, 16}, {48, 80}, {64, 64}, {80, 48}, {208, 144}}) {
      QTest::addRow("%d rows, %d to %d", static_cast<int>(rows), in, out)
          << ConvolutionShape{rows, in, out};
    }
  }
  QTest::newRow("deep") << ConvolutionShape{50, 2048, 64};
  QTest::newRow("wide") << ConvolutionShape{50, 64, 2048};
}

void TestMatrixProducts::isThePlainSum() {
  QFETCH(ConvolutionShape, shape);
  const Convolution one(shape);
  QVERIFY(distance(one.outputs({}), one.exactSums()) < kTolerance);
  QVERIFY(distance(one.inputGradient(), one.exactInputGradient()) < kTolerance);
  QVERIFY(distance(one.filterGradient(), one.exactFilterGradient()) < kTolerance);
}

void TestMatrixProducts::theSameBitsWithAnyNumberOfThreads() {
  QFETCH(ConvolutionShape, shape);
  const Convolution one(shape);
  for (const std::int64_t threads : {2, 5}) {
    QVERIFY(one.outputs({}, threads) == one.outputs({}));
    QVERIFY(one.inputGradient(threads) == one.inputGradient());
    QVERIFY(one.filterGradient(threads) == one.filterGradient());
  }
}

void TestMatrixProducts::theEpilogueFollowsTheSums_data() {
  QTest::addColumn<bool>("isAffine");
  QTest::addColumn<bool>("hasResidual");
  QTest::addColumn<bool>("hasRelu");
  for (const bool isAffine : {false, true}) {
    for (const bool hasResidual : {false, true}) {
      for (const bool hasRelu : {false, true}) {
        QTest::addRow("%s, %s, %s",
                      isAffine ? "affine" : "plain",
                      hasResidual ? "residual" : "none",
                      hasRelu ? "ReLU" : "linear")
            << isAffine << hasResidual << hasRelu;
      }
    }
  }
}

void TestMatrixProducts::theEpilogueFollowsTheSums() {
  QFETCH(bool, isAffine);
  QFETCH(bool, hasResidual);
  QFETCH(bool, hasRelu);
  // 112 channels are a whole panel, and another of three vectors.
  const Convolution one({37, 48, 112});
  const std::vector<float> y = one.outputs({isAffine ? one.scale.data() : nullptr,
                                            isAffine ? one.shift.data() : nullptr,
                                            hasResidual ? one.residual.data() : nullptr,
                                            hasRelu});
  std::vector<double> expected = one.exactSums();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t channel = i % one.scale.size();
    if (isAffine) {
      expected[i] = expected[i] * static_cast<double>(one.scale[channel]) +
                    static_cast<double>(one.shift[channel]);
    }
    if (hasResidual) expected[i] += static_cast<double>(one.residual[i]);
    if (hasRelu) expected[i] = std::max(expected[i], 0.0);
  }
  QVERIFY(distance(y, expected) < kTolerance);
}

void TestMatrixProducts::nanStaysNan() {
  Convolution one({3, 16, 16});
  std::fill_n(one.x.begin() + 16, 16, kUnwritten);
  const std::vector<float> y = one.outputs({nullptr, nullptr, nullptr, /*hasRelu=*/true});
  for (std::size_t i = 0; i < y.size(); ++i) QCOMPARE(std::isnan(y[i]), i / 16 == 1);
}

// The gradient of a filter is a sum over all rows.
void TestMatrixProducts::longSumsStayExact() {
  const Convolution one({100'000, 16, 16});
  QVERIFY(distance(one.filterGradient(2), one.exactFilterGradient()) < 3e-6);
}

void TestMatrixProducts::noRowsAreNothing() {
  const Convolution none({0, 16, 32});
  QVERIFY(none.outputs({}).empty());
  for (const float value : none.filterGradient()) QCOMPARE(value, 0.0F);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestMatrixProducts)

#include "tst_matrix_products.moc"
