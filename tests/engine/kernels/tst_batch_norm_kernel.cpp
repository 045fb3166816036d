#include <limits>
#include <random>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/batch_norm/batch_norm_kernel.h"
#include "engine/kernels/batch_norm/reference.h"
#include "tests/support/element_map.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

constexpr double kEpsilon = 1e-5;

struct Case {
  std::int64_t rows, channels;
  bool hasRelu = false, hasResidual = false;
  Element element = Element::float32;
  float mean = 0;       ///< Mean of x, in standard deviations.
  float deviation = 1;  ///< Standard deviation of x.
};

using Statistics = ReferenceStatistics;

struct Gradients {
  ElementMap x, residual;
  std::vector<float> weight, bias;

  bool operator==(const Gradients&) const = default;
};

/// Random operands of a case, the kernel's results for them, and those of ReferenceNorm.
class Norm {
 public:
  explicit Norm(const Case& shapeAndNumbers) : one(shapeAndNumbers) {
    shape = {one.rows, one.channels, one.element, one.hasRelu};
    x = ElementMap(random(one.rows * one.channels, one.mean * one.deviation, one.deviation),
                   one.element);
    if (one.hasResidual) residual = ElementMap(random(one.rows * one.channels, 0, 1), one.element);
    dy = ElementMap(random(one.rows * one.channels, 0.1F, 1), one.element);
    weight = random(one.channels, 1, 0.5F);
    bias = random(one.channels, 0, 0.5F);
  }

  Statistics statistics(const ParallelFor& parallelFor) const {
    Statistics found{channels(), channels()};
    batchNormStatistics(shape, x.data(), found.mean.data(), found.variance.data(), parallelFor);
    return found;
  }

  ElementMap forward(const Statistics& statistics, const ParallelFor& parallelFor) const {
    ElementMap y = nothing();
    const std::vector<double> inverse = inverseDeviation(statistics);
    batchNormForward(shape,
                     x.data(),
                     one.hasResidual ? residual.data() : nullptr,
                     {statistics.mean.data(), inverse.data()},
                     {weight.data(), bias.data()},
                     y.data(),
                     parallelFor);
    return y;
  }

  Gradients backward(const Statistics& statistics,
                     const ElementMap& y,
                     bool isTraining,
                     const ParallelFor& parallelFor) const {
    const bool hasResidualGradient = one.hasResidual && one.hasRelu;
    Gradients found{nothing(), hasResidualGradient ? nothing() : ElementMap(), weight, bias};
    const std::vector<double> inverse = inverseDeviation(statistics);
    batchNormBackward(shape,
                      x.data(),
                      y.data(),
                      dy.data(),
                      {statistics.mean.data(), inverse.data()},
                      {weight.data(), bias.data()},
                      isTraining,
                      {found.x.data(),
                       hasResidualGradient ? found.residual.data() : nullptr,
                       found.weight.data(),
                       found.bias.data()},
                      parallelFor);
    return found;
  }

  Statistics expectedStatistics() const {
    const std::vector<float> values = x.values();
    return referenceOf(values).statistics();
  }

  std::vector<double> expectedForward(const Statistics& statistics) const {
    const std::vector<float> values = x.values();
    return referenceOf(values).outputs(statistics,
                                       one.hasResidual ? residual.values() : std::vector<float>());
  }

  /// `y`: the kernel's output, so that both sides use the same signs for ReLU.
  ReferenceNormGradients expectedBackward(const Statistics& statistics,
                                          const ElementMap& y,
                                          bool isTraining) const {
    const std::vector<float> values = x.values();
    return referenceOf(values).gradients(statistics, y.values(), dy.values(), isTraining);
  }

  Case one;
  BatchNormShape shape;
  ElementMap x, residual, dy;
  std::vector<float> weight, bias;

 private:
  ReferenceNorm referenceOf(const std::vector<float>& values) const {
    return {shape, values, weight, bias, kEpsilon};
  }

  std::vector<double> channels() const {
    return std::vector<double>(static_cast<std::size_t>(one.channels));
  }

  ElementMap nothing() const {
    const auto size = static_cast<std::size_t>(one.rows * one.channels);
    return {std::vector<float>(size, std::numeric_limits<float>::quiet_NaN()), one.element};
  }

  std::vector<float> random(std::int64_t size, float mean, float deviation) {
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& value : values) value = mean + deviation * normal_(generator_);
    return values;
  }

  static std::vector<double> inverseDeviation(const Statistics& statistics) {
    std::vector<double> inverse;
    for (const double variance : statistics.variance)
      inverse.push_back(1 / std::sqrt(variance + kEpsilon));
    return inverse;
  }

  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

/// The allowed relative distance: some roundings of the output, and in float32 also of sums.
double toleranceOf(const Case& one) {
  return one.element == Element::float32 ? 1e-6 : 4e-3;
}

}  // namespace

class TestBatchNormKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsLoopsInDouble_data();
  void equalsLoopsInDouble();
  void outputsAreTheNearestBfloat16();
  void aLargeMeanCostsNoAccuracy_data();
  void aLargeMeanCostsNoAccuracy();
  void aRowOfOutliersCostsLittleAccuracy();
  void theSameBitsWithAnyNumberOfThreads();
  void nothingThatIsNotFiniteIsHidden();
};

void TestBatchNormKernel::equalsLoopsInDouble_data() {
  QTest::addColumn<Case>("one");
  for (const std::int64_t channels : {1, 3, 16, 17, 64, 130, 512}) {
    for (const std::int64_t rows : {1, 2, 7, 31, 1031}) {
      for (const auto& [hasRelu, hasResidual] :
           {std::pair(false, false), {true, false}, {true, true}, {false, true}}) {
        for (const Element element : {Element::float32, Element::bfloat16}) {
          QTest::addRow("%d x %d%s%s%s",
                        static_cast<int>(rows),
                        static_cast<int>(channels),
                        hasRelu ? ", relu" : "",
                        hasResidual ? ", residual" : "",
                        element == Element::bfloat16 ? ", bfloat16" : "")
              << Case{rows, channels, hasRelu, hasResidual, element};
        }
      }
    }
  }
  QTest::newRow("many chunks") << Case{70000, 32, true, true};
  QTest::newRow("many chunks and rows left over") << Case{70001, 24, true, true};
  QTest::newRow("wide") << Case{128, 2048, true, true};
}

void TestBatchNormKernel::equalsLoopsInDouble() {
  QFETCH(Case, one);
  const Norm norm(one);
  const double tolerance = toleranceOf(one);
  const ParallelFor parallelFor = withThreads(1);
  const Statistics statistics = norm.statistics(parallelFor);
  const Statistics expected = norm.expectedStatistics();
  for (std::size_t c = 0; c < expected.mean.size(); ++c) {
    QVERIFY(std::abs(statistics.mean[c] - expected.mean[c]) < 1e-6);
    QVERIFY(std::abs(statistics.variance[c] - expected.variance[c]) <= 3e-6 * expected.variance[c]);
  }
  const ElementMap y = norm.forward(expected, parallelFor);
  QVERIFY2(distance(y.values(), norm.expectedForward(expected)) < tolerance, "y");
  for (const bool isTraining : {true, false}) {
    if (isTraining && one.rows == 1) continue;
    const Gradients found = norm.backward(expected, y, isTraining, parallelFor);
    const ReferenceNormGradients gradients = norm.expectedBackward(expected, y, isTraining);
    // With two rows, the gradients are differences of nearly equal numbers.
    const double ofX = one.rows == 2 && isTraining ? 2 : tolerance;
    QVERIFY2(distance(found.x.values(), gradients.x) < ofX, "x");
    if (one.hasResidual && one.hasRelu) {
      QVERIFY2(distance(found.residual.values(), gradients.residual) < 1e-12, "residual");
    }
    QVERIFY2(distance(found.weight, gradients.weight) < 2e-6, "weight");
    QVERIFY2(distance(found.bias, gradients.bias) < 2e-6, "bias");
  }
}

void TestBatchNormKernel::outputsAreTheNearestBfloat16() {
  const Norm norm({513, 33, false, true, Element::bfloat16});
  const Statistics statistics = norm.expectedStatistics();
  const std::vector<float> found = norm.forward(statistics, withThreads(1)).values();
  const std::vector<double> expected = norm.expectedForward(statistics);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(static_cast<double>(found[i]) - expected[i]);
    const double halfStep = std::ldexp(1.0, std::ilogb(expected[i]) - 8);
    QVERIFY2(difference <= halfStep * 1.0001 + 1e-6, std::to_string(expected[i]).c_str());
  }
}

void TestBatchNormKernel::aLargeMeanCostsNoAccuracy_data() {
  QTest::addColumn<Case>("one");
  QTest::newRow("mean of 10,000 deviations")
      << Case{5003, 17, true, false, Element::float32, 1e4F, 1};
  QTest::newRow("mean of 1,000 small deviations")
      << Case{5003, 64, true, true, Element::float32, -1e3F, 0.1F};
  QTest::newRow("mean of 10 large deviations")
      << Case{300, 3, false, false, Element::float32, 10, 1e5F};
}

void TestBatchNormKernel::aLargeMeanCostsNoAccuracy() {
  QFETCH(Case, one);
  const Norm norm(one);
  const Statistics statistics = norm.statistics(withThreads(1));
  const Statistics expected = norm.expectedStatistics();
  for (std::size_t c = 0; c < expected.mean.size(); ++c) {
    const double deviation = std::sqrt(expected.variance[c]);
    QVERIFY(std::abs(statistics.mean[c] - expected.mean[c]) < 1e-6 * deviation);
    QVERIFY(std::abs(statistics.variance[c] / expected.variance[c] - 1) < 1e-6);
  }
  const ElementMap y = norm.forward(statistics, withThreads(1));
  QVERIFY(distance(y.values(), norm.expectedForward(expected)) < 1e-6);
  const Gradients found = norm.backward(statistics, y, true, withThreads(1));
  const ReferenceNormGradients gradients = norm.expectedBackward(expected, y, true);
  QVERIFY(distance(found.x.values(), gradients.x) < 1e-6);
  QVERIFY(distance(found.weight, gradients.weight) < 2e-6);
}

// The kernel subtracts an origin, the mean of a few rows, which may be outliers. The origin is at
// most sqrt(rows / few) standard deviations from the mean, so the loss of accuracy is bounded.
void TestBatchNormKernel::aRowOfOutliersCostsLittleAccuracy() {
  Norm norm({2048, 16});
  std::vector<float> values = norm.x.values();
  std::fill_n(values.begin(), 16, 1e4F);
  norm.x = ElementMap(values, Element::float32);
  const Statistics found = norm.statistics(withThreads(1));
  const Statistics expected = norm.expectedStatistics();
  for (std::size_t c = 0; c < expected.mean.size(); ++c) {
    QVERIFY(std::abs(found.mean[c] - expected.mean[c]) < 1e-6 * std::sqrt(expected.variance[c]));
    QVERIFY(std::abs(found.variance[c] / expected.variance[c] - 1) < 1e-4);
  }
}

void TestBatchNormKernel::theSameBitsWithAnyNumberOfThreads() {
  for (const Element element : {Element::float32, Element::bfloat16}) {
    for (const Case& one : {Case{20011, 48, true, true, element},
                            Case{9000, 130, true, false, element},
                            Case{100, 3, false, false, element}}) {
      const Norm norm(one);
      const Statistics statistics = norm.statistics(withThreads(1));
      const ElementMap y = norm.forward(statistics, withThreads(1));
      const Gradients gradients = norm.backward(statistics, y, true, withThreads(1));
      for (const std::int64_t threads : {2, 5}) {
        QVERIFY(norm.statistics(withThreads(threads)) == statistics);
        QVERIFY(norm.forward(statistics, withThreads(threads)) == y);
        QVERIFY(norm.backward(statistics, y, true, withThreads(threads)) == gradients);
      }
    }
  }
}

// A run detects divergence by values that are not finite, so the kernel must not hide them.
void TestBatchNormKernel::nothingThatIsNotFiniteIsHidden() {
  for (const Element element : {Element::float32, Element::bfloat16}) {
    Norm norm({300, 16, true, false, element});
    std::vector<float> values = norm.x.values();
    values[16 * 200 + 5] = std::numeric_limits<float>::quiet_NaN();
    values[16 * 100 + 6] = std::numeric_limits<float>::infinity();
    norm.x = ElementMap(values, element);
    const Statistics statistics = norm.statistics(withThreads(1));
    QVERIFY(std::isnan(statistics.mean[5]) && std::isnan(statistics.variance[5]));
    QVERIFY(!std::isfinite(statistics.mean[6]) && std::isnan(statistics.variance[6]));
    QVERIFY(std::isfinite(statistics.mean[4]) && std::isfinite(statistics.variance[4]));
    const std::vector<float> y = norm.forward(statistics, withThreads(1)).values();
    for (std::size_t row = 0; row < 300; ++row) {
      QVERIFY(std::isnan(y[row * 16 + 5]) && std::isnan(y[row * 16 + 6]));
      QVERIFY(std::isfinite(y[row * 16 + 4]));
    }
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestBatchNormKernel)
#include "tst_batch_norm_kernel.moc"
