#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/lambda_core/lambda_core_kernel.h"
#include "tests/support/core_on_cpu.h"

namespace lambda::test {

namespace {

/// The allowed relative distance in float32: some hundred roundings.
constexpr double kTolerance = 3e-6;

struct Case {
  CoreSample sample;
  CoreOrder order = CoreOrder::automatic;
};

/// A sample and the kernel's results for it.
class Core {
 public:
  explicit Core(const Case& one) : reference(one.sample) { reference.shape.order = one.order; }

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
  void theSameBitsWithAnyNumberOfThreads();
  void whatIsOutsideMayBeCounted();
  void oneImageMoreChangesNoOtherImage();
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
           {"3 heads, keys met", 9, 4, 4, 1, 3, 16, 40, 0, true, true},
           {"intra-depth 4, keys met", 3, 2, 3, 4, 4, 16, 40, 0, true, true},
           {"9x9, keys met", 3, 9, 9, 1, 4, 16, 104, 0, true, true},
           {"window of 3 on 9x9, keys met", 3, 9, 9, 1, 4, 16, 104, 3, true, true},
           {"more images than stay in the caches", 200, 8, 8, 1, 4, 16, 40, 0, true, true},
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
  const Core core(one);
  const CoreResults expected = core.reference.results();
  QVERIFY2(distance(core.forward(withThreads(1)), expected.y) < kTolerance, "y");
  const WrittenGradients found = core.backward(withThreads(1));
  QCOMPARE(found.differsIn(expected, kTolerance), std::string());
}

void TestLambdaCoreKernel::theSameBitsWithAnyNumberOfThreads() {
  for (const Case& one :
       {Case{{"global", 37, 8, 8, 1, 4, 16, 16, 0, true, true}},
        Case{{"window", 5, 6, 7, 2, 2, 16, 20, 3, true, true}},
        Case{{"many images", 200, 8, 8, 1, 4, 16, 40, 0, true, true}},
        Case{{"lambdas first", 37, 8, 8, 1, 16, 8, 4, 0, true, true}, CoreOrder::lambdasFirst}}) {
    QVERIFY2(hasTheSameBitsWithAnyNumberOfThreads(Core(one)), one.sample.name);
  }
}

void TestLambdaCoreKernel::whatIsOutsideMayBeCounted() {
  for (const CoreSample& sample : std::initializer_list<CoreSample>{
           {"window of 3 on 9x40", 2, 9, 40, 1, 4, 16, 16, 3, true, true},
           {"window of 5 on 40x9, intra-depth 2", 2, 40, 9, 2, 1, 16, 16, 5, true, true}}) {
    Core core(Case{sample});
    const std::vector<float> y = core.forward(withThreads(1));
    const WrittenGradients gradients = core.backward(withThreads(1));
    std::vector<std::int32_t>& rows = core.reference.tableRowOf;
    const auto positions = static_cast<std::size_t>(core.reference.shape.positions);
    for (std::size_t pair = rows.size() - 1; pair-- > 0;) {
      const bool isLast = (pair + 1) % positions == 0;
      if (rows[pair] < 0 && rows[pair + 1] < 0 && !isLast) rows[pair] += rows[pair + 1];
    }
    QVERIFY(*std::ranges::min_element(rows) < -100);
    QVERIFY2(core.forward(withThreads(1)) == y, sample.name);
    QVERIFY2(core.backward(withThreads(1)) == gradients, sample.name);
  }
}

void TestLambdaCoreKernel::oneImageMoreChangesNoOtherImage() {
  const Core core(Case{{"20 images", 20, 5, 5, 1, 4, 16, 16, 0, true, true}});
  const std::vector<float> all = core.forward(withThreads(1));
  CoreShape fewer = core.reference.shape;
  fewer.images = 19;
  std::vector<float> y(all.size() / 20 * 19);
  lambdaCoreForward(fewer, inputsOf(core.reference), y.data(), withThreads(1));
  QVERIFY(std::equal(y.begin(), y.end(), all.begin()));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaCoreKernel)

#include "tst_lambda_core_kernel.moc"
