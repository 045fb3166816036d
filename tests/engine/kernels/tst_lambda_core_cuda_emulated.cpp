#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "tests/support/core_reference.h"
#include "tests/support/cuda_emulation/block_emulator.h"
#include "tests/support/device_core.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

namespace {

using Spoil = void (*)(CudaCoreInputs&);

/// Its images, queries and heads exceed one group of the kernel, and its context exceeds one tile.
constexpr CoreSample kSmall{"", 9, 5, 5, 1, 5, 16, 16, 0, true, true};

const CudaKernels& kernels() {
  return *lambdaCudaKernels();
}

}  // namespace

class TestLambdaCoreCudaEmulated : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup();
  void equalsLoopsInDouble_data();
  void equalsLoopsInDouble();
  void takesOperandsThatLieAnywhere();
  void noThreadRunsAheadOfABarrier_data();
  void noThreadRunsAheadOfABarrier();
  void theSameBitsWhereverOperandsLie();
  void oneImageMoreChangesNoOtherImage();
  void noImagesGiveATableGradientOfZeros();
  void kernelsAreQueuedOnTheGpuOfTheQueue();
  void refusesWhatDoesNotFit_data();
  void refusesWhatDoesNotFit();
};

void TestLambdaCoreCudaEmulated::cleanup() {
  emulation::setOrder(emulation::Order::forward);
}

void TestLambdaCoreCudaEmulated::equalsLoopsInDouble_data() {
  QTest::addColumn<CoreSample>("sample");
  QTest::addColumn<Element>("element");
  std::vector<CoreSample> samples = coreSamples();
  samples.push_back({"k 36, v 72", 5, 3, 3, 1, 5, 36, 72, 0, true, true});
  samples.push_back({"k 64, v 40, window, u 4", 2, 4, 5, 4, 4, 64, 40, 3, true, true});
  samples.push_back({"several shares of images, h 20", 5, 9, 9, 1, 20, 8, 8, 0, true, true});
  samples.push_back({"k 33, v 17", 2, 5, 5, 1, 6, 33, 17, 0, true, true});
  samples.push_back({"content alone, k 20, v 33", 6, 2, 3, 2, 2, 20, 33, 0, true, false});
  for (const CoreSample& sample : samples) {
    QTest::addRow("%s, float32", sample.name) << sample << Element::float32;
    QTest::addRow("%s, bfloat16", sample.name) << sample << Element::bfloat16;
  }
}

void TestLambdaCoreCudaEmulated::equalsLoopsInDouble() {
  QFETCH(CoreSample, sample);
  QFETCH(Element, element);
  CoreReference reference(sample);
  if (element == Element::bfloat16) reference.round();
  DeviceCore core(kernels(), reference, element);
  QCOMPARE(core.forward().text, nullptr);
  QCOMPARE(core.backward().text, nullptr);
  const Furthest most = furthest(core, reference.results());
  QVERIFY2(most.distance < toleranceOf(element),
           (std::to_string(most.distance) + " of " + most.of).c_str());
}

void TestLambdaCoreCudaEmulated::takesOperandsThatLieAnywhere() {
  for (const Element element : {Element::float32, Element::bfloat16}) {
    CoreReference reference(kSmall);
    if (element == Element::bfloat16) reference.round();
    for (const std::size_t offset : {1, 2, 3}) {
      DeviceCore core(kernels(), reference, element, offset);
      QCOMPARE(core.forward().text, nullptr);
      QCOMPARE(core.backward().text, nullptr);
      QVERIFY(furthest(core, reference.results()).distance < toleranceOf(element));
    }
  }
}

void TestLambdaCoreCudaEmulated::noThreadRunsAheadOfABarrier_data() {
  QTest::addColumn<CoreSample>("sample");
  QTest::newRow("k 16, v 16") << kSmall;
  QTest::newRow("k 16, v 40") << CoreSample{"", 9, 5, 5, 1, 4, 16, 40, 3, true, true};
  QTest::newRow("k 48, v 40") << CoreSample{"", 9, 5, 5, 1, 4, 48, 40, 0, true, true};
  QTest::newRow("k 15, v 9") << CoreSample{"", 9, 5, 5, 2, 4, 15, 9, 0, true, true};
}

void TestLambdaCoreCudaEmulated::noThreadRunsAheadOfABarrier() {
  QFETCH(CoreSample, sample);
  const CoreReference reference(sample);
  DeviceCore forward(kernels(), reference, Element::bfloat16);
  DeviceCore backward(kernels(), reference, Element::bfloat16);
  for (DeviceCore* core : {&forward, &backward}) {
    emulation::setOrder(core == &forward ? emulation::Order::forward : emulation::Order::backward);
    QCOMPARE(core->forward().text, nullptr);
    QCOMPARE(core->backward().text, nullptr);
  }
  QVERIFY(backward.hasSameResults(forward));
}

void TestLambdaCoreCudaEmulated::theSameBitsWhereverOperandsLie() {
  const CoreReference reference(kSmall);
  DeviceCore aligned(kernels(), reference, Element::float32);
  DeviceCore shifted(kernels(), reference, Element::float32, 4);
  DeviceCore odd(kernels(), reference, Element::float32, 1);
  for (DeviceCore* core : {&aligned, &shifted, &odd}) {
    QCOMPARE(core->forward().text, nullptr);
    QCOMPARE(core->backward().text, nullptr);
  }
  QVERIFY(shifted.hasSameResults(aligned));
  QVERIFY(odd.hasSameResults(aligned));
}

void TestLambdaCoreCudaEmulated::oneImageMoreChangesNoOtherImage() {
  const CoreReference reference(kSmall);
  DeviceCore all(kernels(), reference, Element::float32);
  DeviceCore fewer(kernels(), reference, Element::float32);
  QCOMPARE(all.forward().text, nullptr);
  --fewer.inputs.shape.images;
  QCOMPARE(fewer.forward().text, nullptr);
  const std::vector<float> expected = all.y.read();
  const std::vector<float> found = fewer.y.read();
  const std::size_t last = found.size() / 9 * 8;
  QVERIFY(std::equal(found.begin(), found.begin() + last, expected.begin()));
  for (std::size_t i = last; i < found.size(); ++i) QVERIFY(std::isnan(found[i]));
}

void TestLambdaCoreCudaEmulated::noImagesGiveATableGradientOfZeros() {
  CoreSample none = kSmall;
  none.batch = 0;
  DeviceCore core(kernels(), CoreReference(none), Element::bfloat16);
  QCOMPARE(core.forward().text, nullptr);
  QCOMPARE(core.backward().text, nullptr);
  for (const float value : core.dTable.read()) QCOMPARE(value, 0.0F);
}

/// The emulated machine has one GPU, so nothing can be queued on a second.
void TestLambdaCoreCudaEmulated::kernelsAreQueuedOnTheGpuOfTheQueue() {
  const CoreReference reference(kSmall);
  DeviceCore core(kernels(), reference, Element::float32);
  const CudaQueue second{.device = 1, .stream = nullptr};
  QCOMPARE(core.forward(second).code, static_cast<int>(cudaErrorInvalidValue));
  QCOMPARE(core.backward(second).code, static_cast<int>(cudaErrorInvalidValue));
}

void TestLambdaCoreCudaEmulated::refusesWhatDoesNotFit_data() {
  QTest::addColumn<Spoil>("spoil");
  const auto row = [](const char* name, Spoil spoil) { QTest::newRow(name) << spoil; };
  row("k 65", [](CudaCoreInputs& inputs) { inputs.shape.queryDepth = 65; });
  row("no heads", [](CudaCoreInputs& inputs) { inputs.shape.heads = 0; });
  row("neither content nor positions", [](CudaCoreInputs& inputs) {
    inputs.shape.hasContent = false;
    inputs.shape.tableRows = 0;
  });
  row("pairs beyond 32 bits", [](CudaCoreInputs& inputs) {
    inputs.shape.queries = inputs.shape.positions = std::int64_t{1} << 16;
  });
  row("sizes beyond 64 bits", [](CudaCoreInputs& inputs) {
    inputs.shape.queries = inputs.shape.heads = inputs.shape.valueDepth = std::int64_t{1} << 29;
  });
  row("no values", [](CudaCoreInputs& inputs) { inputs.values = nullptr; });
  row("no table", [](CudaCoreInputs& inputs) { inputs.table = nullptr; });
  row("no keys", [](CudaCoreInputs& inputs) { inputs.keys = nullptr; });
}

void TestLambdaCoreCudaEmulated::refusesWhatDoesNotFit() {
  QFETCH(Spoil, spoil);
  DeviceCore core(kernels(), CoreReference(kSmall), Element::float32);
  spoil(core.inputs);
  for (const CudaOutcome outcome : {core.forward(), core.backward()}) {
    QCOMPARE(outcome.code, -1);
    QVERIFY(outcome.text != nullptr);
  }
  QVERIFY(std::isnan(core.y.read().front()));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaCoreCudaEmulated)

#include "tst_lambda_core_cuda_emulated.moc"
