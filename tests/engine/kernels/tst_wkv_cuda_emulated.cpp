#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "tests/support/device_core.h"
#include "tests/support/wkv_sequences.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

namespace {

/// Some roundings of float32.
constexpr double kTolerance = 2e-6;

float* floatsOf(const DeviceMemory& memory) {
  return static_cast<float*>(memory.get());
}

std::vector<float> valuesOf(const DeviceMemory& memory) {
  const std::vector<char> bytes = memory.read();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Sequences in device memory, and the results of the kernels.
struct DeviceSequences {
  explicit DeviceSequences(const WkvSequences& of)
      : shape(of.shape),
        keys(of.keys),
        values(of.values),
        decay(of.decay),
        bonus(of.bonus),
        dOut(of.dOut),
        before(of.before),
        out(bytesOf(of.values)),
        after(stateBytes()),
        chunks(stateBytes() * static_cast<std::size_t>(of.shape.chunks())),
        dKeys(bytesOf(of.keys)),
        dValues(bytesOf(of.values)),
        dDecay(bytesOf(of.decay)),
        dBonus(bytesOf(of.bonus)),
        workspace(static_cast<std::size_t>(shape.batch * 2 * shape.channels) * sizeof(double)) {}

  static std::size_t bytesOf(const std::vector<float>& values) {
    return values.size() * sizeof(float);
  }

  std::size_t stateBytes() const {
    return static_cast<std::size_t>(shape.batch * kWkvStateRows * shape.channels) * sizeof(float);
  }

  WkvInputs inputs() const {
    return {floatsOf(keys), floatsOf(values), floatsOf(decay), floatsOf(bonus)};
  }

  CudaOutcome forward() const {
    return lambdaCudaKernels()->wkvForward(
        shape, inputs(), {floatsOf(before), floatsOf(after), floatsOf(chunks)}, floatsOf(out), {});
  }

  CudaOutcome backward() const {
    return lambdaCudaKernels()->wkvBackward(
        shape,
        inputs(),
        floatsOf(chunks),
        floatsOf(dOut),
        {floatsOf(dKeys), floatsOf(dValues), floatsOf(dDecay), floatsOf(dBonus)},
        static_cast<double*>(workspace.get()),
        {});
  }

  WkvShape shape;
  DeviceMemory keys, values, decay, bonus, dOut, before;
  DeviceMemory out, after, chunks, dKeys, dValues, dDecay, dBonus, workspace;
};

WkvResults resultsOf(const WkvSequences& of) {
  const DeviceSequences device(of);
  requireCuda(device.forward());
  requireCuda(device.backward());
  return {valuesOf(device.out),
          valuesOf(device.after),
          valuesOf(device.dKeys),
          valuesOf(device.dValues),
          valuesOf(device.dDecay),
          valuesOf(device.dBonus)};
}

}  // namespace

class TestWkvCudaEmulated : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsTheDefinition_data();
  void equalsTheDefinition();
  void keysOfAnySizeAreStable();
  void slowRatesArePreciseBesideLargeKeys();
  void piecesEqualTheWhole();
  void refusesWhatIsMissing();
};

void TestWkvCudaEmulated::equalsTheDefinition_data() {
  QTest::addColumn<std::int64_t>("length");
  QTest::addColumn<std::int64_t>("channels");
  for (const std::int64_t length : {std::int64_t{1},
                                    std::int64_t{2},
                                    kWkvChunk - 1,
                                    kWkvChunk,
                                    kWkvChunk + 1,
                                    3 * kWkvChunk + 5}) {
    for (const std::int64_t channels : {1, 7, 64, 67}) {
      QTest::addRow("%d tokens, %d channels", static_cast<int>(length), static_cast<int>(channels))
          << length << channels;
    }
  }
}

void TestWkvCudaEmulated::equalsTheDefinition() {
  QFETCH(std::int64_t, length);
  QFETCH(std::int64_t, channels);
  for (const bool hasState : {false, true}) {
    const WkvSequences sequences({3, length, channels}, hasState);
    QVERIFY(furthest(resultsOf(sequences), sequences) < kTolerance);
  }
}

void TestWkvCudaEmulated::keysOfAnySizeAreStable() {
  for (const float size : {100.0F, 1000.0F}) {
    WkvSequences sequences({2, 70, 19});
    for (float& key : sequences.keys) key *= size;
    QVERIFY(furthest(resultsOf(sequences), sequences) < kTolerance);
  }
}

void TestWkvCudaEmulated::slowRatesArePreciseBesideLargeKeys() {
  WkvSequences sequences({1, 700, 5});
  for (float& key : sequences.keys) key = std::round(key * 1024) / 1024 + 1000;
  sequences.decay = {-12, -10, -8, -6, -4};
  QVERIFY(furthest(resultsOf(sequences), sequences) < 1e-5);
}

void TestWkvCudaEmulated::piecesEqualTheWhole() {
  const WkvSequences sequences({2, 50, 19}, true);
  const WkvResults whole = resultsOf(sequences);
  const WkvResults first = resultsOf(sequences.piece(0, 33));
  WkvSequences rest = sequences.piece(33, 17);
  rest.before = first.after;
  const WkvResults last = resultsOf(rest);
  QVERIFY(last.after == whole.after);
  for (std::int64_t b = 0; b < 2; ++b) {
    const auto of = whole.out.begin() + b * 50 * 19, border = of + 33 * 19;
    QVERIFY(std::equal(of, border, first.out.begin() + b * 33 * 19));
    QVERIFY(std::equal(border, of + 50 * 19, last.out.begin() + b * 17 * 19));
  }
}

void TestWkvCudaEmulated::refusesWhatIsMissing() {
  DeviceSequences empty(WkvSequences({1, 1, 1}));
  empty.shape.length = 0;
  QCOMPARE(empty.forward().code, -1);
  QCOMPARE(empty.backward().code, -1);
  const DeviceSequences device(WkvSequences({1, 1, 1}));
  const CudaKernels& kernels = *lambdaCudaKernels();
  float* some = floatsOf(device.out);
  QCOMPARE(kernels.wkvForward(device.shape, {}, {}, some, {}).code, -1);
  QCOMPARE(kernels.wkvForward(device.shape, device.inputs(), {}, nullptr, {}).code, -1);
  QCOMPARE(kernels.wkvBackward(device.shape, device.inputs(), some, some, {}, nullptr, {}).code,
           -1);
  double* workspace = static_cast<double*>(device.workspace.get());
  QCOMPARE(kernels.wkvBackward(device.shape, device.inputs(), some, some, {}, workspace, {}).code,
           -1);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestWkvCudaEmulated)
#include "tst_wkv_cuda_emulated.moc"
