#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <QtTest/QtTest>

#include <malloc.h>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"
#include "tests/support/element_map.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

constexpr double kEpsilon = 1e-5;

struct Case {
  std::int64_t images, positions, inputDepth, queries, values, keys;
  bool hasNorms = true;
  bool isTraining = true;
  Element element = Element::float32;
  float mean = 0;  ///< Of x, in standard deviations.
};

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Operand {
  Floats weight, scale, shift, upstream;
  std::int64_t columns = 0;
};

struct Found {
  Floats z, queries, values, keys;
  Doubles mean, variance;
  ElementMap dx;
  Floats dQueryWeight, dValueWeight, dKeyWeight;
  Floats dQueryScale, dQueryShift, dValueScale, dValueShift;

  bool operator==(const Found&) const = default;
};

/// An operand and its gradients, computed with loops in double.
struct Expected {
  Doubles y, dz, dWeight, dScale, dShift, mean, variance;
};

std::size_t at(std::int64_t row, std::int64_t columns, std::int64_t column) {
  return static_cast<std::size_t>(row * columns + column);
}

class Layer {
 public:
  explicit Layer(const Case& sizes) : one(sizes) {
    shape = {
        one.images, one.positions, one.inputDepth, one.queries, one.values, one.keys, one.element};
    rows = one.images * one.positions;
    x = ElementMap(random(rows * one.inputDepth, one.mean, 1), one.element);
    queries = operand(one.queries);
    values = operand(one.values);
    keys = operand(one.keys);
  }

  Found run(const ParallelFor& parallelFor) const {
    const auto columns = static_cast<std::size_t>(columnsOf(shape));
    Found found;
    found.z = nothing(rows * columnsOf(shape));
    found.mean.resize(columns);
    found.variance.resize(columns);
    const OperandData<const float> weights{
        queries.weight.data(), values.weight.data(), pointer(keys.weight)};
    projectOperands(shape,
                    x.data(),
                    weights,
                    found.z.data(),
                    {found.mean.data(), found.variance.data()},
                    parallelFor);
    Doubles inverse;
    for (const double variance : found.variance)
      inverse.push_back(1 / std::sqrt(variance + kEpsilon));
    const auto norm = [&](const Operand& of, std::int64_t first) -> OperandNorm {
      if (!one.hasNorms) return {};
      return {{found.mean.data() + first, inverse.data() + first},
              {of.scale.data(), of.shift.data()}};
    };
    const OperandNorms norms{norm(queries, 0), norm(values, paddedColumns(one.queries))};
    const ColumnScales scales(shape, norms);
    found.queries = nothing(rows * one.queries);
    found.values = nothing(rows * one.values);
    found.keys = nothing(rows * one.keys);
    parallelFor(one.images, [&](std::int64_t begin, std::int64_t end) {
      normalizeOperands(
          shape,
          found.z.data(),
          scales,
          {found.queries.data() + begin * shape.positions * one.queries,
           found.values.data() + begin * shape.positions * one.values,
           one.keys > 0 ? found.keys.data() + begin * shape.positions * one.keys : nullptr},
          begin,
          end - begin);
    });
    const OperandData<const float> upstream{
        queries.upstream.data(), values.upstream.data(), pointer(keys.upstream)};
    OperandSums sums(shape);
    parallelFor(one.images, [&](std::int64_t begin, std::int64_t end) {
      sumOperandGradients(
          shape, found.z.data(), scales, found.keys.data(), upstream, begin, end - begin, sums);
    });
    found.dx = ElementMap(nothing(rows * one.inputDepth), one.element);
    found.dQueryWeight = nothing(one.queries * one.inputDepth);
    found.dValueWeight = nothing(one.values * one.inputDepth);
    found.dKeyWeight = nothing(one.keys * one.inputDepth);
    for (Floats* each : {&found.dQueryScale, &found.dQueryShift})
      *each = one.hasNorms ? nothing(one.queries) : Floats();
    for (Floats* each : {&found.dValueScale, &found.dValueShift})
      *each = one.hasNorms ? nothing(one.values) : Floats();
    operandGradients(
        shape,
        x.data(),
        weights,
        found.z.data(),
        found.keys.data(),
        norms,
        one.isTraining,
        upstream,
        sums,
        {found.dx.data(),
         {found.dQueryWeight.data(), found.dValueWeight.data(), pointer(found.dKeyWeight)},
         pointer(found.dQueryScale),
         pointer(found.dQueryShift),
         pointer(found.dValueScale),
         pointer(found.dValueShift)},
        parallelFor);
    return found;
  }

  Expected normalized(const Operand& of) const {
    Expected expected = projected(of);
    const Doubles z = expected.y;
    const auto count = static_cast<double>(rows);
    for (std::int64_t c = 0; c < of.columns; ++c) {
      const auto column = static_cast<std::size_t>(c);
      double mean = 0, variance = 0;
      for (std::int64_t p = 0; p < rows; ++p) mean += z[at(p, of.columns, c)] / count;
      for (std::int64_t p = 0; p < rows; ++p)
        variance += std::pow(z[at(p, of.columns, c)] - mean, 2) / count;
      expected.mean.push_back(mean);
      expected.variance.push_back(variance);
      if (!one.hasNorms) continue;
      const double inverse = 1 / std::sqrt(variance + kEpsilon);
      const double scale = static_cast<double>(of.scale[column]);
      double sum = 0, product = 0;
      for (std::int64_t p = 0; p < rows; ++p) {
        const std::size_t i = at(p, of.columns, c);
        const double normal = (z[i] - mean) * inverse;
        expected.y[i] = normal * scale + static_cast<double>(of.shift[column]);
        sum += expected.dz[i];
        product += expected.dz[i] * normal;
      }
      expected.dScale.push_back(product);
      expected.dShift.push_back(sum);
      for (std::int64_t p = 0; p < rows; ++p) {
        const std::size_t i = at(p, of.columns, c);
        const double normal = (z[i] - mean) * inverse;
        const double centred =
            one.isTraining ? expected.dz[i] - (sum + normal * product) / count : expected.dz[i];
        expected.dz[i] = centred * inverse * scale;
      }
    }
    multiplyGradient(of, expected);
    return expected;
  }

  Expected softmax(const Operand& of) const {
    Expected expected = projected(of);
    for (std::int64_t image = 0; image < one.images; ++image) {
      for (std::int64_t c = 0; c < of.columns; ++c) {
        const auto index = [&](std::int64_t m) {
          return at(image * one.positions + m, of.columns, c);
        };
        double greatest = -std::numeric_limits<double>::infinity(), sum = 0, product = 0;
        for (std::int64_t m = 0; m < one.positions; ++m)
          greatest = std::max(greatest, expected.y[index(m)]);
        for (std::int64_t m = 0; m < one.positions; ++m)
          sum += std::exp(expected.y[index(m)] - greatest);
        for (std::int64_t m = 0; m < one.positions; ++m) {
          double& y = expected.y[index(m)];
          y = std::exp(y - greatest) / sum;
          product += y * expected.dz[index(m)];
        }
        for (std::int64_t m = 0; m < one.positions; ++m) {
          double& dz = expected.dz[index(m)];
          dz = expected.y[index(m)] * (dz - product);
        }
      }
    }
    multiplyGradient(of, expected);
    return expected;
  }

  /// dx from dz of all operands.
  Doubles inputGradient(const std::vector<std::pair<const Operand*, const Expected*>>& all) const {
    Doubles dx(static_cast<std::size_t>(rows * one.inputDepth));
    for (const auto& [of, expected] : all) {
      for (std::int64_t p = 0; p < rows; ++p) {
        for (std::int64_t c = 0; c < of->columns; ++c) {
          for (std::int64_t i = 0; i < one.inputDepth; ++i) {
            dx[at(p, one.inputDepth, i)] +=
                expected->dz[at(p, of->columns, c)] *
                static_cast<double>(of->weight[at(c, one.inputDepth, i)]);
          }
        }
      }
    }
    return dx;
  }

  Case one;
  OperandsShape shape;
  std::int64_t rows = 0;
  ElementMap x;
  Operand queries, values, keys;

 private:
  static float* pointer(Floats& all) { return all.empty() ? nullptr : all.data(); }

  static const float* pointer(const Floats& all) { return all.empty() ? nullptr : all.data(); }

  static Floats nothing(std::int64_t size) {
    return Floats(static_cast<std::size_t>(size), std::numeric_limits<float>::quiet_NaN());
  }

  Floats random(std::int64_t size, float mean, float deviation) {
    Floats drawn(static_cast<std::size_t>(size));
    for (float& value : drawn) value = mean + deviation * normal_(generator_);
    return drawn;
  }

  Operand operand(std::int64_t columns) {
    const float deviation = 1 / std::sqrt(static_cast<float>(one.inputDepth));
    return {random(columns * one.inputDepth, 0, deviation),
            random(columns, 1, 0.5F),
            random(columns, 0, 0.5F),
            random(rows * columns, 0.1F, 1),
            columns};
  }

  /// y = x W^T, dz = the upstream gradient.
  Expected projected(const Operand& of) const {
    Expected expected;
    const Floats input = x.values();
    for (std::int64_t p = 0; p < rows; ++p) {
      for (std::int64_t c = 0; c < of.columns; ++c) {
        double sum = 0;
        for (std::int64_t i = 0; i < one.inputDepth; ++i) {
          sum += static_cast<double>(input[at(p, one.inputDepth, i)]) *
                 static_cast<double>(of.weight[at(c, one.inputDepth, i)]);
        }
        expected.y.push_back(sum);
      }
    }
    expected.dz.assign(of.upstream.begin(), of.upstream.end());
    return expected;
  }

  void multiplyGradient(const Operand& of, Expected& expected) const {
    const Floats input = x.values();
    expected.dWeight.resize(of.weight.size());
    for (std::int64_t p = 0; p < rows; ++p) {
      for (std::int64_t c = 0; c < of.columns; ++c) {
        for (std::int64_t i = 0; i < one.inputDepth; ++i) {
          expected.dWeight[at(c, one.inputDepth, i)] +=
              expected.dz[at(p, of.columns, c)] *
              static_cast<double>(input[at(p, one.inputDepth, i)]);
        }
      }
    }
  }

  std::mt19937 generator_{1};
  std::normal_distribution<float> normal_;
};

}  // namespace

class TestLambdaOperandsKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void equalsLoopsInDouble_data();
  void equalsLoopsInDouble();
  void aLargeMeanCostsNoAccuracy();
  void gradientsThatAreNotWantedChangeNoOther();
  void noImageGivesWeightGradientsOfZeros_data();
  void noImageGivesWeightGradientsOfZeros();
  void theSameBitsWithAnyNumberOfThreads();
};

void TestLambdaOperandsKernel::initTestCase() {
  // New memory is full of large numbers, so that values which nothing wrote do not pass as zeros.
  mallopt(M_PERTURB, 1);
}

void TestLambdaOperandsKernel::equalsLoopsInDouble_data() {
  QTest::addColumn<Case>("one");
  QTest::newRow("8x8 d=64") << Case{5, 64, 64, 64, 16, 16};
  QTest::newRow("many images") << Case{70, 16, 32, 64, 16, 16};
  QTest::newRow("odd columns") << Case{3, 35, 16, 21, 11, 7};
  QTest::newRow("a column each") << Case{4, 9, 16, 1, 1, 1};
  QTest::newRow("more pixels than a chunk") << Case{2, 150, 48, 32, 24, 8};
  QTest::newRow("one pixel an image") << Case{130, 1, 32, 32, 16, 16};
  QTest::newRow("no keys") << Case{5, 25, 32, 32, 16, 0};
  QTest::newRow("no norms") << Case{5, 25, 32, 32, 16, 16, false};
  QTest::newRow("running statistics") << Case{5, 25, 32, 32, 16, 16, true, false};
  QTest::newRow("bfloat16") << Case{5, 64, 64, 64, 16, 16, true, true, Element::bfloat16};
  QTest::newRow("bfloat16, more pixels than a chunk")
      << Case{3, 150, 48, 32, 24, 8, true, true, Element::bfloat16};
  QTest::newRow("bfloat16, odd rows and columns")
      << Case{3, 35, 48, 21, 11, 7, true, true, Element::bfloat16};
}

void TestLambdaOperandsKernel::equalsLoopsInDouble() {
  QFETCH(Case, one);
  const Layer layer(one);
  const Found found = layer.run(withThreads(1));
  const Expected queries = layer.normalized(layer.queries);
  const Expected values = layer.normalized(layer.values);
  const Expected keys = layer.softmax(layer.keys);
  // CPUs that multiply bfloat16 round the weights and the gradients to it.
  const double tolerance = one.element == Element::float32 ? 2e-6 : 4e-3;
  QVERIFY2(distance(found.queries, queries.y) < tolerance, "queries");
  QVERIFY2(distance(found.values, values.y) < tolerance, "values");
  QVERIFY2(distance(found.keys, keys.y) < tolerance, "keys");
  for (std::size_t c = 0; c < queries.mean.size() && one.element == Element::float32; ++c) {
    QVERIFY(std::abs(found.mean[c] - queries.mean[c]) < 1e-6);
    QVERIFY(std::abs(found.variance[c] - queries.variance[c]) < 3e-6 * queries.variance[c]);
  }
  QVERIFY2(distance(found.dQueryWeight, queries.dWeight) < tolerance, "weight of queries");
  QVERIFY2(distance(found.dValueWeight, values.dWeight) < tolerance, "weight of values");
  QVERIFY2(distance(found.dKeyWeight, keys.dWeight) < tolerance, "weight of keys");
  QVERIFY2(distance(found.dQueryScale, queries.dScale) < tolerance, "scale of queries");
  QVERIFY2(distance(found.dQueryShift, queries.dShift) < tolerance, "shift of queries");
  QVERIFY2(distance(found.dValueScale, values.dScale) < tolerance, "scale of values");
  QVERIFY2(distance(found.dValueShift, values.dShift) < tolerance, "shift of values");
  const Doubles dx = layer.inputGradient(
      {{&layer.queries, &queries}, {&layer.values, &values}, {&layer.keys, &keys}});
  QVERIFY2(distance(found.dx.values(), dx) < tolerance, "x");
}

void TestLambdaOperandsKernel::aLargeMeanCostsNoAccuracy() {
  const Layer layer({4, 64, 32, 32, 16, 16, true, true, Element::float32, 1000});
  const Found found = layer.run(withThreads(1));
  const Expected queries = layer.normalized(layer.queries);
  // A value of z is rounded to its own size, some hundreds of deviations; the moments add nothing.
  for (std::size_t c = 0; c < queries.mean.size(); ++c) {
    const double size = std::abs(queries.mean[c]) + 1;
    QVERIFY(std::abs(found.mean[c] - queries.mean[c]) < 1e-6 * size);
    QVERIFY(std::abs(found.variance[c] - queries.variance[c]) < 1e-6 * size * queries.variance[c]);
  }
}

void TestLambdaOperandsKernel::gradientsThatAreNotWantedChangeNoOther() {
  const Layer layer({5, 25, 32, 32, 16, 16});
  const Found found = layer.run(withThreads(1));
  const OperandData<const float> weights{
      layer.queries.weight.data(), layer.values.weight.data(), layer.keys.weight.data()};
  const OperandData<const float> upstream{
      layer.queries.upstream.data(), layer.values.upstream.data(), layer.keys.upstream.data()};
  const auto gradients = [&](const OperandGradients& wanted) {
    OperandSums sums(layer.shape);
    const ColumnScales scales(layer.shape, {});
    sumOperandGradients(layer.shape,
                        found.z.data(),
                        scales,
                        found.keys.data(),
                        upstream,
                        0,
                        layer.one.images,
                        sums);
    operandGradients(layer.shape,
                     layer.x.data(),
                     weights,
                     found.z.data(),
                     found.keys.data(),
                     {},
                     true,
                     upstream,
                     sums,
                     wanted,
                     withThreads(1));
  };
  Floats dx(static_cast<std::size_t>(layer.rows * 32)), dxAlone = dx;
  Floats queries(32 * 32), values(16 * 32), keys(16 * 32);
  gradients({dx.data(), {queries.data(), values.data(), keys.data()}, {}, {}, {}, {}});
  const Floats all = queries;
  gradients({dxAlone.data(), {}, {}, {}, {}, {}});
  QVERIFY(dxAlone == dx);
  std::fill(queries.begin(), queries.end(), 0.0F);
  gradients({nullptr, {queries.data(), values.data(), keys.data()}, {}, {}, {}, {}});
  QVERIFY(queries == all);
}

void TestLambdaOperandsKernel::noImageGivesWeightGradientsOfZeros_data() {
  QTest::addColumn<Element>("element");
  QTest::newRow("float32") << Element::float32;
  QTest::newRow("bfloat16") << Element::bfloat16;
}

void TestLambdaOperandsKernel::noImageGivesWeightGradientsOfZeros() {
  QFETCH(Element, element);
  const Layer layer({0, 64, 32, 32, 16, 16, false, true, element});
  const Found found = layer.run(withThreads(2));
  for (const Floats* gradient : {&found.dQueryWeight, &found.dValueWeight, &found.dKeyWeight})
    QVERIFY(std::ranges::all_of(*gradient, [](float each) { return each == 0; }));
}

void TestLambdaOperandsKernel::theSameBitsWithAnyNumberOfThreads() {
  for (const Case& one : {Case{37, 64, 64, 64, 16, 16},
                          Case{3, 150, 16, 21, 11, 7},
                          Case{7, 35, 64, 64, 16, 16, true, true, Element::bfloat16}}) {
    const Layer layer(one);
    const Found expected = layer.run(withThreads(1));
    for (const std::int64_t threads : {2, 5}) QVERIFY(layer.run(withThreads(threads)) == expected);
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaOperandsKernel)
#include "tst_lambda_operands_kernel.moc"
