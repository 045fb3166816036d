#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/lambda_core/core_order.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"
#include "tests/support/core_on_cpu.h"

namespace lambda::test {

namespace {

/// The allowed relative distance in float32: some hundred roundings.
constexpr double kTolerance = 3e-6;

struct Case {
  CoreSample sample;
  CoreOrder order = CoreOrder::automatic;
  bool isPooled = false;
};

/// A sample and the kernel's results for it.
class Core {
 public:
  explicit Core(const Case& one) : reference(one.sample) { reference.shape.order = one.order; }

  /// The same with means as outputs.
  Core pooled() const {
    Core core = *this;
    core.reference.pool();
    return core;
  }

  bool poolsOutputs() const {
    return lambda::poolsOutputs(reference.shape, reference.tableRowOf.data());
  }

  /// The same with the window in place of the rows of the table.
  Core byWindow() const {
    Core core = *this;
    core.reference.shape.window = reference.window;
    core.reference.tableRowOf.clear();
    return core;
  }

  std::vector<float> forward(const ParallelFor& parallelFor) const {
    std::vector<float> y(reference.dy.size(), WrittenGradients::kNaN);
    lambdaCoreForward(reference.shape, inputsOf(reference), y.data(), parallelFor);
    return y;
  }

  WrittenGradients backward(const ParallelFor& parallelFor) const {
    WrittenGradients found(reference);
    lambdaCoreBackward(
        reference.shape, inputsOf(reference), reference.dy.data(), found.targets(), parallelFor);
    return found;
  }

  CoreReference reference;
};

}  // namespace

class TestLambdaCoreKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsLoopsInDouble_data();
  void equalsLoopsInDouble();
  void poolsAsLoopsInDouble_data();
  void poolsAsLoopsInDouble();
  void poolsOnlyWhatItCan();
  void theSameBitsWithAnyNumberOfThreads();
  void leavesOutWhatIsMasked();
  void oneImageMoreChangesNoOtherImage();
  void theSameBitsFromOperandsThatAreMade();
};

void TestLambdaCoreKernel::equalsLoopsInDouble_data() {
  QTest::addColumn<Case>("one");
  const auto row = [](const CoreSample& sample, CoreOrder order) {
    QTest::newRow(sample.name) << Case{sample, order};
  };
  for (const CoreSample& sample : coreSamples()) row(sample, CoreOrder::automatic);
  for (const CoreSample& sample : std::initializer_list<CoreSample>{
           {"more context rows than stand together, odd depths",
            2,
            9,
            9,
            1,
            3,
            7,
            11,
            0,
            true,
            true},
           {"content alone, keys met", 3, 3, 5, 1, 4, 16, 24, 0, true, false},
           {"window of 3, keys met", 9, 4, 4, 1, 4, 16, 40, 3, true, true},
           {"window of 5 on 11x13, one head", 3, 11, 13, 1, 1, 16, 16, 5, true, true},
           {"window of 5 on 9x8, one head, many images", 29, 9, 8, 1, 1, 16, 16, 5, true, true},
           {"one head, many images", 29, 5, 6, 1, 1, 16, 16, 0, true, true},
           {"2 heads, many images, odd depths", 29, 5, 6, 1, 2, 7, 11, 0, true, true},
           {"window of 7 on 12x12", 9, 12, 12, 1, 4, 16, 16, 7, true, true},
           {"window of 11 on 17x18, 2 heads", 2, 17, 18, 1, 2, 16, 32, 11, true, true},
           {"window of 3, 3 heads, odd depths", 3, 7, 9, 1, 3, 7, 11, 3, true, true},
           {"window of 5, intra-depth 4", 3, 6, 7, 4, 4, 16, 16, 5, true, true},
           {"window of 7, positions alone", 3, 9, 9, 1, 4, 16, 16, 7, false, true},
           {"window as wide as the map", 3, 9, 3, 1, 4, 16, 16, 7, true, true},
           {"window on a column", 3, 12, 1, 1, 4, 16, 16, 3, true, true},
           {"window on a row", 3, 1, 40, 1, 4, 16, 16, 9, true, true},
           {"window of 5 on 4x24, 2 heads", 2, 4, 24, 1, 2, 16, 16, 5, true, true},
           {"window of 49 on a row, 8 heads", 1, 3, 25, 1, 8, 16, 16, 49, true, true},
           {"window of 11 on 3x7, intra-depth 5", 2, 3, 7, 5, 16, 16, 16, 11, true, true},
           {"window of one position", 3, 5, 6, 1, 4, 16, 16, 1, true, true},
           {"window of 21 on 23x12, many panels", 1, 23, 12, 1, 4, 16, 16, 21, true, true},
           {"window of 21 on 20x4, many short runs", 2, 20, 4, 1, 6, 16, 16, 21, true, true},
           {"window of 9 on 6x12, intra-depth 5", 2, 6, 12, 5, 5, 16, 16, 9, true, true},
           {"window of 5, 40 heads", 2, 6, 7, 1, 40, 16, 8, 5, true, true},
           {"window of 5 on 9x8, v 12", 2, 9, 8, 1, 4, 16, 12, 5, true, true},
           {"window of 7, k 32, v 64", 2, 9, 10, 1, 4, 32, 64, 7, true, true},
           {"3 heads, keys met", 9, 4, 4, 1, 3, 16, 40, 0, true, true},
           {"intra-depth 4, keys met", 3, 2, 3, 4, 4, 16, 40, 0, true, true},
           {"9x9, keys met", 3, 9, 9, 1, 4, 16, 104, 0, true, true},
           {"window of 3 on 9x9, keys met", 3, 9, 9, 1, 4, 16, 104, 3, true, true},
           {"more images than stay in the caches", 200, 8, 8, 1, 4, 16, 40, 0, true, true},
           {"4x16, rows of whole vectors, odd depths", 5, 4, 16, 1, 3, 7, 11, 0, true, true},
           {"3x16, intra-depth 4", 2, 3, 16, 4, 2, 16, 16, 0, true, true},
           {"3x16, 8 heads, positions alone", 11, 3, 16, 1, 8, 16, 16, 0, false, true},
           {"no image", 0, 4, 5, 1, 4, 16, 16, 0, true, true},
           {"k 16", 2, 4, 5, 1, 4, 16, 16, 0, true, true},
           {"h 4", 3, 4, 5, 1, 4, 16, 8, 0, true, true}}) {
    row(sample, CoreOrder::automatic);
  }
  for (const CoreSample& sample : std::initializer_list<CoreSample>{
           {"lambdas first, 8x8", 17, 8, 8, 1, 8, 16, 16, 0, true, true},
           {"lambdas first, 9x9", 3, 9, 9, 1, 8, 16, 16, 0, true, true},
           {"lambdas first, odd depths", 9, 5, 7, 1, 3, 7, 11, 0, true, true},
           {"lambdas first, intra-depth 4", 3, 4, 5, 4, 4, 16, 24, 0, true, true},
           {"lambdas first, positions alone", 3, 4, 5, 1, 16, 8, 8, 0, false, true},
           {"lambdas first, content alone", 3, 4, 5, 1, 16, 8, 8, 0, true, false},
           {"lambdas first, but a window", 2, 7, 6, 1, 16, 8, 8, 3, true, true}}) {
    row(sample, CoreOrder::lambdasFirst);
  }
}

void TestLambdaCoreKernel::equalsLoopsInDouble() {
  QFETCH(Case, one);
  const Core byRows(one);
  const CoreResults expected = byRows.reference.results();
  std::vector<Core> cores{byRows};
  if (byRows.reference.window) cores.push_back(byRows.byWindow());
  for (const Core& core : cores) {
    QVERIFY2(distance(core.forward(withThreads(1)), expected.y) < kTolerance, "y");
    const WrittenGradients found = core.backward(withThreads(1));
    QCOMPARE(found.differsIn(expected, kTolerance), std::string());
  }
}

void TestLambdaCoreKernel::poolsAsLoopsInDouble_data() {
  QTest::addColumn<CoreSample>("sample");
  for (const CoreSample& sample : std::initializer_list<CoreSample>{
           {"8x8, v 32", 17, 8, 8, 1, 4, 16, 32, 0, true, true},
           {"8x8, v 16", 5, 8, 8, 1, 4, 16, 16, 0, true, true},
           {"8x8, keys met", 9, 8, 8, 1, 4, 16, 80, 0, true, true},
           {"4x4, keys met", 9, 4, 4, 1, 4, 16, 64, 0, true, true},
           {"2x2", 5, 2, 2, 1, 4, 16, 128, 0, true, true},
           {"one position", 3, 1, 1, 1, 4, 16, 128, 0, true, true},
           {"one row", 3, 1, 9, 1, 4, 16, 16, 0, true, true},
           {"one column", 3, 9, 1, 1, 4, 16, 16, 0, true, true},
           {"7x7, v 24", 3, 7, 7, 1, 4, 16, 24, 0, true, true},
           {"9x6, odd depths", 3, 9, 6, 1, 3, 7, 11, 0, true, true},
           {"6x9, positions alone", 3, 6, 9, 1, 4, 16, 16, 0, false, true},
           {"6x9, content alone", 3, 6, 9, 1, 4, 16, 16, 0, true, false},
           {"3x5, content alone, keys met", 3, 3, 5, 1, 4, 16, 24, 0, true, false},
           {"5x4, intra-depth 4", 3, 5, 4, 4, 4, 16, 16, 0, true, true},
           {"5x4, intra-depth 4, keys met", 3, 5, 4, 4, 4, 16, 96, 0, true, true},
           {"9x3, 3 heads", 3, 9, 3, 1, 3, 16, 16, 0, true, true},
           {"20x17, content alone", 2, 20, 17, 1, 2, 16, 8, 0, true, false},
           {"5x3, many heads", 3, 5, 3, 1, 40, 16, 8, 0, true, true},
           {"7x5, one head", 3, 7, 5, 1, 1, 16, 8, 0, true, true},
           {"many images", 200, 8, 8, 1, 2, 16, 40, 0, true, true},
           {"no image", 0, 4, 5, 1, 4, 16, 16, 0, true, true}}) {
    QTest::newRow(sample.name) << sample;
  }
}

void TestLambdaCoreKernel::poolsAsLoopsInDouble() {
  QFETCH(CoreSample, sample);
  const Core core = Core(Case{sample, CoreOrder::queriesFirst}).pooled();
  QVERIFY(core.poolsOutputs());
  const CoreResults expected = core.reference.results();
  QVERIFY2(distance(core.forward(withThreads(1)), expected.y) < kTolerance, "y");
  QCOMPARE(core.backward(withThreads(1)).differsIn(expected, kTolerance), std::string());
}

void TestLambdaCoreKernel::poolsOnlyWhatItCan() {
  const auto pooled = [](const CoreSample& sample, CoreOrder order = CoreOrder::automatic) {
    return Core(Case{sample, order}).pooled();
  };
  QVERIFY(pooled({"8x8", 1, 8, 8, 1, 4, 16, 16, 0, true, true}).poolsOutputs());
  const Core window = pooled({"window", 1, 8, 8, 1, 4, 16, 16, 5, true, true});
  QVERIFY(!window.poolsOutputs());
  QVERIFY(!window.byWindow().poolsOutputs());
  QVERIFY(!pooled({"large", 1, 32, 32, 1, 4, 16, 16, 0, true, true}).poolsOutputs());
  QVERIFY(!pooled({"many heads", 8, 8, 8, 1, 64, 16, 16, 0, true, true}, CoreOrder::queriesFirst)
               .poolsOutputs());
  QVERIFY(!pooled({"no query", 1, 0, 0, 1, 4, 16, 16, 0, true, false}).poolsOutputs());
  QVERIFY(!pooled({"lambdas first", 1, 8, 8, 1, 4, 16, 16, 0, true, true}, CoreOrder::lambdasFirst)
               .poolsOutputs());
}

void TestLambdaCoreKernel::theSameBitsWithAnyNumberOfThreads() {
  for (const Case& one :
       {Case{{"global", 37, 8, 8, 1, 4, 16, 16, 0, true, true}},
        Case{{"window, four heads", 5, 7, 9, 1, 4, 16, 16, 5, true, true}},
        Case{{"window", 5, 6, 7, 2, 2, 16, 20, 3, true, true}},
        Case{{"many images", 200, 8, 8, 1, 4, 16, 40, 0, true, true}},
        Case{{"lambdas first", 37, 8, 8, 1, 16, 8, 4, 0, true, true}, CoreOrder::lambdasFirst}}) {
    const Core core(one);
    QVERIFY2(hasTheSameBitsWithAnyNumberOfThreads(core), one.sample.name);
    if (core.reference.window)
      QVERIFY2(hasTheSameBitsWithAnyNumberOfThreads(core.byWindow()), one.sample.name);
    if (const Core means = core.pooled(); means.poolsOutputs())
      QVERIFY2(hasTheSameBitsWithAnyNumberOfThreads(means), one.sample.name);
  }
}

/// Each query sees the positions up to its own, but the fifth and those of some blocks see none.
void TestLambdaCoreKernel::leavesOutWhatIsMasked() {
  for (const CoreSample& sample : std::initializer_list<CoreSample>{
           {"10x12", 3, 10, 12, 1, 4, 16, 16, 0, true, true},
           {"intra-depth 3, odd depths", 3, 7, 8, 3, 3, 7, 11, 0, true, true},
           {"positions alone", 3, 10, 12, 1, 2, 16, 16, 0, false, true},
           {"window of 5 on 12x12", 3, 12, 12, 1, 4, 16, 16, 5, true, true}}) {
    Core core(Case{sample});
    const std::int64_t positions = core.reference.shape.positions;
    for (std::int64_t query = 0; query < positions; ++query) {
      const auto rows = core.reference.tableRowOf.begin() + query * positions;
      const bool seesNone = query == 4 || (query >= 16 && query < 32);
      std::fill(rows + (seesNone ? 0 : query + 1), rows + positions, -1);
    }
    const CoreResults expected = core.reference.results();
    QVERIFY2(distance(core.forward(withThreads(1)), expected.y) < kTolerance, sample.name);
    QCOMPARE(core.backward(withThreads(1)).differsIn(expected, kTolerance), std::string());
    QVERIFY2(hasTheSameBitsWithAnyNumberOfThreads(core), sample.name);
  }
}

void TestLambdaCoreKernel::oneImageMoreChangesNoOtherImage() {
  const Core plain(Case{{"20 images", 20, 5, 5, 1, 4, 16, 16, 0, true, true}});
  for (const Core& core : {plain, plain.pooled()}) {
    const std::vector<float> all = core.forward(withThreads(1));
    CoreShape fewer = core.reference.shape;
    fewer.images = 19;
    std::vector<float> y(all.size() / 20 * 19);
    lambdaCoreForward(fewer, inputsOf(core.reference), y.data(), withThreads(1));
    QVERIFY(std::equal(y.begin(), y.end(), all.begin()));
  }
}

/// Queries and values by images, into the kernel's memory; keys into memory that has no values yet.
void TestLambdaCoreKernel::theSameBitsFromOperandsThatAreMade() {
  for (const Case& one :
       {Case{{"many images", 200, 8, 8, 1, 4, 16, 40, 0, true, true}},
        Case{{"means", 37, 8, 8, 1, 4, 16, 32, 0, true, true}, CoreOrder::queriesFirst, true},
        Case{{"keys met", 37, 4, 4, 1, 4, 16, 40, 0, true, true}},
        Case{{"positions alone, odd depths", 9, 5, 6, 2, 3, 7, 11, 0, false, true}},
        Case{{"window", 5, 6, 7, 1, 4, 16, 16, 3, true, true}},
        Case{{"lambdas first", 37, 8, 8, 1, 16, 8, 4, 0, true, true}, CoreOrder::lambdasFirst}}) {
    Core core(one);
    if (core.reference.window) core = core.byWindow();
    if (one.isPooled) core = core.pooled();
    const CoreReference& reference = core.reference;
    std::vector<float> keys(reference.keys.size(), WrittenGradients::kNaN);
    CoreInputs inputs = inputsOf(reference);
    inputs.queries = inputs.values = nullptr;
    inputs.keys = keys.data();
    std::vector<std::atomic<int>> made(static_cast<std::size_t>(reference.shape.images));
    const auto make = [&](std::int64_t first, std::int64_t count, float* queries, float* values) {
      const auto copy = [&](const std::vector<float>& from, float* to, std::int64_t at) {
        const auto size = static_cast<std::int64_t>(from.size()) / reference.shape.images;
        std::copy_n(from.data() + first * size, count * size, to + at * size);
      };
      copy(reference.queries, queries, 0);
      copy(reference.values, values, 0);
      copy(reference.keys, keys.data(), first);
      for (std::int64_t i = first; i < first + count; ++i) ++made[static_cast<std::size_t>(i)];
    };
    std::vector<float> y(reference.dy.size(), WrittenGradients::kNaN);
    lambdaCoreForward(reference.shape, inputs, y.data(), withThreads(2), make);
    QVERIFY2(y == core.forward(withThreads(1)), one.sample.name);
    WrittenGradients found(reference);
    lambdaCoreBackward(
        reference.shape, inputs, reference.dy.data(), found.targets(), withThreads(2), make);
    QVERIFY2(found == core.backward(withThreads(1)), one.sample.name);
    QVERIFY2(std::ranges::all_of(made, [](int times) { return times == 2; }), one.sample.name);
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaCoreKernel)

#include "tst_lambda_core_kernel.moc"
