#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/causal_lambda/causal_lambda_kernel.h"
#include "engine/kernels/causal_lambda/reference.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Doubles wide(const Floats& values) {
  return {values.begin(), values.end()};
}

/// Operands of a shape, and a gradient of its outputs.
struct Operands {
  explicit Operands(const CausalLambdaShape& shape_, float keySize = 1) : shape(shape_) {
    const std::int64_t rows = shape.images * shape.positions;
    queries = normalValues(rows * shape.heads * shape.queryDepth, 1);
    keys = normalValues(rows * shape.intraDepth * shape.queryDepth, 2);
    values = normalValues(rows * shape.intraDepth * shape.valueDepth, 3);
    dy = normalValues(rows * shape.heads * shape.valueDepth, 4);
    for (float& key : keys) key *= keySize;
  }

  CausalLambdaInputs inputs() const { return {queries.data(), keys.data(), values.data()}; }

  Floats outputs(const ParallelFor& parallelFor = withThreads(1)) const {
    Floats y(dy.size());
    causalLambdaForward(shape, inputs(), {}, y.data(), parallelFor);
    return y;
  }

  /// The same in pieces of `count` positions, for one image.
  Floats outputsInPieces(std::int64_t count) const {
    Floats y(dy.size()), lambdas(of(shape.queryDepth * shape.intraDepth * shape.valueDepth));
    const double nothing = shape.keys == SeenKeys::softmax ? -HUGE_VAL : 0;
    Doubles seen(of(shape.intraDepth * shape.queryDepth), nothing);
    CausalLambdaShape piece = shape;
    for (std::int64_t first = 0; first < shape.positions; first += count) {
      piece.positions = std::min(count, shape.positions - first);
      const CausalLambdaInputs from{queries.data() + first * shape.heads * shape.queryDepth,
                                    keys.data() + first * shape.intraDepth * shape.queryDepth,
                                    values.data() + first * shape.intraDepth * shape.valueDepth};
      causalLambdaForward(piece,
                          from,
                          {lambdas.data(), seen.data()},
                          y.data() + first * shape.heads * shape.valueDepth,
                          withThreads(2));
    }
    return y;
  }

  /// Those of the queries, keys and values.
  std::array<Floats, 3> gradients(const ParallelFor& parallelFor = withThreads(1)) const {
    std::array<Floats, 3> all{Floats(queries.size()), Floats(keys.size()), Floats(values.size())};
    causalLambdaBackward(
        shape, inputs(), dy.data(), {all[0].data(), all[1].data(), all[2].data()}, parallelFor);
    return all;
  }

  ReferenceCausalOperands<double> exact() const {
    return {wide(queries), wide(keys), wide(values)};
  }

  Doubles expectedOutputs() const { return referenceCausalLambda(shape, exact()); }

  /// By central differences of dy . y.
  std::array<Doubles, 3> expectedGradients(double step = 1e-5) const {
    ReferenceCausalOperands<double> in = exact();
    const auto loss = [&] {
      const Doubles y = referenceCausalLambda(shape, in);
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * static_cast<double>(dy[i]);
      return sum;
    };
    const auto differences = [&](Doubles& operand) {
      Doubles all;
      for (double& value : operand) {
        const double original = value;
        value = original + step;
        const double above = loss();
        value = original - step;
        all.push_back((above - loss()) / (2 * step));
        value = original;
      }
      return all;
    };
    return {differences(in.queries), differences(in.keys), differences(in.values)};
  }

  static std::size_t of(std::int64_t count) { return static_cast<std::size_t>(count); }

  CausalLambdaShape shape;
  Floats queries, keys, values, dy;
};

bool areFinite(const Floats& values) {
  for (const float value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

void addShapes(std::initializer_list<std::pair<const char*, CausalLambdaShape>> shapes) {
  QTest::addColumn<CausalLambdaShape>("shape");
  for (auto [name, shape] : shapes) {
    shape.keys = SeenKeys::softmax;
    QTest::addRow("%s, softmax", name) << shape;
    shape.keys = SeenKeys::l2;
    QTest::addRow("%s, L2", name) << shape;
    shape.keys = SeenKeys::asTheyAre;
    QTest::addRow("%s, as they are", name) << shape;
  }
}

}  // namespace

class TestCausalLambdaKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void outputsEqualTheDefinition_data();
  void outputsEqualTheDefinition();
  void gradientsEqualCentralDifferences_data();
  void gradientsEqualCentralDifferences();

  void laterPositionsChangeNothing_data() { outputsEqualTheDefinition_data(); }

  void laterPositionsChangeNothing();

  void theSameBitsWithAnyNumberOfThreads_data() { outputsEqualTheDefinition_data(); }

  void theSameBitsWithAnyNumberOfThreads();
  void keysOfAnySizeAreNormalised_data();
  void keysOfAnySizeAreNormalised();

  void keysThatStartWithZeros_data() { keysOfAnySizeAreNormalised_data(); }

  void keysThatStartWithZeros();
  void piecesGiveTheWhole_data();
  void piecesGiveTheWhole();
  void onePositionSeesItself();
  void nothingIsNothing();
};

void TestCausalLambdaKernel::outputsEqualTheDefinition_data() {
  addShapes({{"usual", {4, 40, 1, 4, 16, 16}},
             {"odd sizes", {3, 17, 1, 3, 5, 7}},
             {"intra-depth", {2, 19, 3, 2, 4, 9}},
             {"one position", {2, 1, 2, 3, 4, 5}},
             {"one of all", {1, 1, 1, 1, 1, 1}},
             {"deep queries", {1, 23, 1, 5, 37, 21}},
             {"many heads", {2, 11, 2, 9, 6, 33}},
             {"several blocks of values", {2, 13, 1, 2, 8, 201}},
             {"long", {1, 500, 1, 1, 5, 8}}});
}

void TestCausalLambdaKernel::outputsEqualTheDefinition() {
  QFETCH(CausalLambdaShape, shape);
  const Operands operands(shape);
  QVERIFY(distance(operands.outputs(), operands.expectedOutputs()) < 1e-6);
}

void TestCausalLambdaKernel::gradientsEqualCentralDifferences_data() {
  addShapes({{"usual", {1, 10, 1, 4, 16, 16}},
             {"odd sizes", {3, 9, 1, 3, 5, 7}},
             {"intra-depth", {1, 10, 3, 2, 4, 9}},
             {"one position", {2, 1, 2, 3, 4, 5}},
             {"deep queries", {1, 6, 1, 5, 37, 3}},
             {"many heads", {1, 5, 2, 9, 3, 6}},
             {"several blocks of values", {1, 4, 1, 2, 3, 201}}});
}

void TestCausalLambdaKernel::gradientsEqualCentralDifferences() {
  QFETCH(CausalLambdaShape, shape);
  const Operands operands(shape);
  const std::array<Floats, 3> found = operands.gradients();
  const std::array<Doubles, 3> expected = operands.expectedGradients();
  const bool isConstant = shape.positions == 1 && shape.keys != SeenKeys::asTheyAre;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // The normalised key of one position is 1 or -1, whatever its key is.
    if (i == 1 && isConstant) continue;
    QVERIFY2(distance(found[i], expected[i]) < 1e-5, qPrintable(QString::number(i)));
  }
  if (isConstant) {
    for (const float gradient : found[1]) QVERIFY(std::abs(gradient) < 1e-4F);
  }
}

void TestCausalLambdaKernel::laterPositionsChangeNothing() {
  QFETCH(CausalLambdaShape, shape);
  const Operands operands(shape);
  const Floats y = operands.outputs();
  for (const std::int64_t from : {std::int64_t{1}, shape.positions / 2, shape.positions - 1}) {
    Operands changed = operands;
    const auto changeLater = [&](Floats& all) {
      const std::size_t image = all.size() / static_cast<std::size_t>(shape.images);
      const std::size_t position = image / static_cast<std::size_t>(shape.positions);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % image >= position * static_cast<std::size_t>(from)) all[i] = 1000 - all[i];
      }
    };
    changeLater(changed.queries);
    changeLater(changed.keys);
    changeLater(changed.values);
    const Floats other = changed.outputs();
    const std::size_t image = y.size() / static_cast<std::size_t>(shape.images);
    const std::size_t position = image / static_cast<std::size_t>(shape.positions);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (i % image < position * static_cast<std::size_t>(from)) QCOMPARE(other[i], y[i]);
    }
  }
}

void TestCausalLambdaKernel::theSameBitsWithAnyNumberOfThreads() {
  QFETCH(CausalLambdaShape, shape);
  const Operands operands(shape);
  const Floats y = operands.outputs();
  const std::array<Floats, 3> gradients = operands.gradients();
  for (const std::int64_t threads : {2, 5}) {
    QVERIFY(operands.outputs(withThreads(threads)) == y);
    QVERIFY(operands.gradients(withThreads(threads)) == gradients);
  }
}

void TestCausalLambdaKernel::keysOfAnySizeAreNormalised_data() {
  QTest::addColumn<SeenKeys>("keys");
  QTest::addColumn<float>("size");
  for (const float size : {1e-30F, 1e-3F, 1000.0F, 1e4F, 1e30F}) {
    QTest::addRow("softmax, %g", static_cast<double>(size)) << SeenKeys::softmax << size;
    QTest::addRow("L2, %g", static_cast<double>(size)) << SeenKeys::l2 << size;
  }
}

void TestCausalLambdaKernel::keysOfAnySizeAreNormalised() {
  QFETCH(SeenKeys, keys);
  QFETCH(float, size);
  const Operands operands({2, 15, 1, 2, 5, 6, keys}, size);
  QVERIFY(distance(operands.outputs(), operands.expectedOutputs()) < 1e-6);
  const std::array<Floats, 3> found = operands.gradients();
  for (const Floats& gradient : found) QVERIFY(areFinite(gradient));
  const bool isRelative = keys == SeenKeys::l2;
  const std::array<Doubles, 3> expected =
      operands.expectedGradients(isRelative ? 1e-5 * static_cast<double>(size) : 1e-5);
  // The norm of a first key near 0 magnifies the rounding of its gradient.
  QVERIFY(distance(found[1], expected[1]) < (isRelative ? 1e-3 : 1e-5));
  if (isRelative) return;  // The step fits the keys alone.
  for (const std::size_t i : {0, 2}) QVERIFY(distance(found[i], expected[i]) < 1e-5);
}

void TestCausalLambdaKernel::keysThatStartWithZeros() {
  QFETCH(SeenKeys, keys);
  QFETCH(float, size);
  Operands operands({1, 9, 1, 2, 3, 4, keys}, size);
  std::fill_n(operands.keys.begin(), 4 * operands.shape.queryDepth, 0.0F);
  QVERIFY(distance(operands.outputs(), operands.expectedOutputs()) < 1e-6);
  for (const Floats& gradient : operands.gradients()) QVERIFY(areFinite(gradient));
}

void TestCausalLambdaKernel::piecesGiveTheWhole_data() {
  addShapes({{"odd sizes", {1, 17, 1, 3, 5, 7}},
             {"intra-depth", {1, 19, 3, 2, 4, 9}},
             {"deep queries", {1, 23, 1, 5, 37, 21}},
             {"several blocks of values", {1, 13, 1, 2, 8, 201}},
             {"long", {1, 1000, 1, 1, 5, 8}}});
}

void TestCausalLambdaKernel::piecesGiveTheWhole() {
  QFETCH(CausalLambdaShape, shape);
  for (const float keySize : {1.0F, 1000.0F}) {
    const Operands operands(shape, keySize);
    const Doubles whole = wide(operands.outputs());
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{5}, shape.positions})
      QVERIFY(distance(operands.outputsInPieces(count), whole) < 1e-6);
  }
  Operands zeros(shape);
  std::fill_n(zeros.keys.begin(), 4 * shape.intraDepth * shape.queryDepth, 0.0F);
  QVERIFY(distance(zeros.outputsInPieces(1), wide(zeros.outputs())) < 1e-6);
}

void TestCausalLambdaKernel::onePositionSeesItself() {
  Operands operands({1, 1, 1, 1, 2, 3, SeenKeys::softmax}, 1000);
  operands.queries = {2, -3};
  operands.values = {1, 0, 5};
  QVERIFY((operands.outputs() == Floats{-1, 0, -5}));
}

void TestCausalLambdaKernel::nothingIsNothing() {
  for (const CausalLambdaShape& shape :
       {CausalLambdaShape{0, 4, 1, 2, 3, 5}, CausalLambdaShape{2, 0, 1, 2, 3, 5}}) {
    const Operands operands(shape);
    QVERIFY(operands.outputs(withThreads(2)).empty());
    for (const Floats& gradient : operands.gradients(withThreads(2))) QVERIFY(gradient.empty());
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestCausalLambdaKernel)
#include "tst_causal_lambda_kernel.moc"
