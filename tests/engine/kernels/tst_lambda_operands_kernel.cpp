#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include <malloc.h>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"
#include "tests/support/kernel_checks.h"
#include "tests/support/operands_reference.h"

namespace lambda::test {

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// The kernels write these results for a sample.
struct Found {
  Floats z, queries, values, keys;
  Doubles mean, variance;
  ElementMap dx;
  Floats dQueryWeight, dValueWeight, dKeyWeight;
  Floats dQueryScale, dQueryShift, dValueScale, dValueShift;

  bool operator==(const Found&) const = default;
};

OperandsShape shapeOf(const OperandsSample& one) {
  return {
      one.images, one.positions, one.inputDepth, one.queries, one.values, one.keys, one.element};
}

float* pointer(Floats& all) {
  return all.empty() ? nullptr : all.data();
}

const float* pointer(const Floats& all) {
  return all.empty() ? nullptr : all.data();
}

/// Memory in which nothing is written yet.
Floats nothing(std::int64_t size) {
  return Floats(static_cast<std::size_t>(size), std::numeric_limits<float>::quiet_NaN());
}

/// Calls all kernels for the inputs of a reference.
Found resultsOf(const OperandsReference& reference, const ParallelFor& parallelFor) {
  const OperandsSample& one = reference.one;
  const OperandsShape shape = shapeOf(one);
  const std::int64_t rows = reference.rows;
  const auto columns = static_cast<std::size_t>(columnsOf(shape));
  Found found;
  found.z = nothing(rows * columnsOf(shape));
  found.mean.resize(columns);
  found.variance.resize(columns);
  const OperandData<const float> weights{reference.queries.weight.data(),
                                         reference.values.weight.data(),
                                         pointer(reference.keys.weight)};
  projectOperands(shape,
                  reference.x.data(),
                  weights,
                  found.z.data(),
                  {found.mean.data(), found.variance.data()},
                  parallelFor);
  Doubles inverse;
  for (const double variance : found.variance)
    inverse.push_back(1 / std::sqrt(variance + OperandsReference::kEpsilon));
  const auto norm = [&](const ReferenceOperand& of, std::int64_t first) -> OperandNorm {
    if (!one.hasNorms) return {};
    return {{found.mean.data() + first, inverse.data() + first},
            {of.scale.data(), of.shift.data()}};
  };
  const OperandNorms norms{norm(reference.queries, 0),
                           norm(reference.values, paddedColumns(one.queries))};
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
  const OperandData<const float> upstream{reference.queries.upstream.data(),
                                          reference.values.upstream.data(),
                                          pointer(reference.keys.upstream)};
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
      reference.x.data(),
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
  QTest::addColumn<OperandsSample>("one");
  QTest::newRow("8x8 d=64") << OperandsSample{5, 64, 64, 64, 16, 16};
  QTest::newRow("many images") << OperandsSample{70, 16, 32, 64, 16, 16};
  QTest::newRow("odd columns") << OperandsSample{3, 35, 16, 21, 11, 7};
  QTest::newRow("a column each") << OperandsSample{4, 9, 16, 1, 1, 1};
  QTest::newRow("more pixels than a chunk") << OperandsSample{2, 150, 48, 32, 24, 8};
  QTest::newRow("one pixel an image") << OperandsSample{130, 1, 32, 32, 16, 16};
  QTest::newRow("no keys") << OperandsSample{5, 25, 32, 32, 16, 0};
  QTest::newRow("no norms") << OperandsSample{5, 25, 32, 32, 16, 16, false};
  QTest::newRow("running statistics") << OperandsSample{5, 25, 32, 32, 16, 16, true, false};
  QTest::newRow("bfloat16") << OperandsSample{5, 64, 64, 64, 16, 16, true, true, Element::bfloat16};
  QTest::newRow("bfloat16, more pixels than a chunk")
      << OperandsSample{3, 150, 48, 32, 24, 8, true, true, Element::bfloat16};
  QTest::newRow("bfloat16, odd rows and columns")
      << OperandsSample{3, 35, 48, 21, 11, 7, true, true, Element::bfloat16};
}

void TestLambdaOperandsKernel::equalsLoopsInDouble() {
  QFETCH(OperandsSample, one);
  const OperandsReference reference(one);
  const Found found = resultsOf(reference, withThreads(1));
  const OperandResults queries = reference.normalized(reference.queries);
  const OperandResults values = reference.normalized(reference.values);
  const OperandResults keys = reference.softmax(reference.keys);
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
  const Doubles dx = reference.inputGradient(
      {{&reference.queries, &queries}, {&reference.values, &values}, {&reference.keys, &keys}});
  QVERIFY2(distance(found.dx.values(), dx) < tolerance, "x");
}

void TestLambdaOperandsKernel::aLargeMeanCostsNoAccuracy() {
  const OperandsReference reference({4, 64, 32, 32, 16, 16, true, true, Element::float32, 1000});
  const Found found = resultsOf(reference, withThreads(1));
  const OperandResults queries = reference.normalized(reference.queries);
  // A value of z is rounded to its own size, some hundreds of deviations; the moments add nothing.
  for (std::size_t c = 0; c < queries.mean.size(); ++c) {
    const double size = std::abs(queries.mean[c]) + 1;
    QVERIFY(std::abs(found.mean[c] - queries.mean[c]) < 1e-6 * size);
    QVERIFY(std::abs(found.variance[c] - queries.variance[c]) < 1e-6 * size * queries.variance[c]);
  }
}

void TestLambdaOperandsKernel::gradientsThatAreNotWantedChangeNoOther() {
  const OperandsReference reference({5, 25, 32, 32, 16, 16});
  const OperandsShape shape = shapeOf(reference.one);
  const Found found = resultsOf(reference, withThreads(1));
  const OperandData<const float> weights{reference.queries.weight.data(),
                                         reference.values.weight.data(),
                                         reference.keys.weight.data()};
  const OperandData<const float> upstream{reference.queries.upstream.data(),
                                          reference.values.upstream.data(),
                                          reference.keys.upstream.data()};
  const auto gradients = [&](const OperandGradients& wanted) {
    OperandSums sums(shape);
    const ColumnScales scales(shape, {});
    sumOperandGradients(
        shape, found.z.data(), scales, found.keys.data(), upstream, 0, reference.one.images, sums);
    operandGradients(shape,
                     reference.x.data(),
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
  Floats dx(static_cast<std::size_t>(reference.rows * 32)), dxAlone = dx;
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
  const OperandsReference reference({0, 64, 32, 32, 16, 16, false, true, element});
  const Found found = resultsOf(reference, withThreads(2));
  for (const Floats* gradient : {&found.dQueryWeight, &found.dValueWeight, &found.dKeyWeight})
    QVERIFY(std::ranges::all_of(*gradient, [](float each) { return each == 0; }));
}

void TestLambdaOperandsKernel::theSameBitsWithAnyNumberOfThreads() {
  for (const OperandsSample& one :
       {OperandsSample{37, 64, 64, 64, 16, 16},
        OperandsSample{3, 150, 16, 21, 11, 7},
        OperandsSample{7, 35, 64, 64, 16, 16, true, true, Element::bfloat16}}) {
    const OperandsReference reference(one);
    const Found expected = resultsOf(reference, withThreads(1));
    for (const std::int64_t threads : {2, 5})
      QVERIFY(resultsOf(reference, withThreads(threads)) == expected);
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaOperandsKernel)
#include "tst_lambda_operands_kernel.moc"
