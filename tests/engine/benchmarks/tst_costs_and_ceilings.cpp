// The work of a row, which is counted, and the ceilings of the machine that it is compared with.

#include <cmath>
#include <set>
#include <string>

#include <QtTest/QtTest>

#include "engine/benchmarks/core/core_case.h"
#include "engine/benchmarks/device/machine_ceilings.h"
#include "engine/benchmarks/layer/layer_benchmark.h"
#include "engine/kernels/products/bfloat16_products.h"
#include "engine/runtime/device.h"

namespace lambda {

class TestCostsAndCeilings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void costsAreThoseOfTheLoops();
  void layersCostTheirProjectionsAndMaps();
  void peaksAreThoseOfTheRowsPrecision();
  void ceilingsAreTheHighestOfTheirMeasurements();
  void ceilingsInBfloat16AreThoseOfTheCpusUnits();
};

void TestCostsAndCeilings::costsAreThoseOfTheLoops() {
  const CoreCase window{5, 32, 3, 16, 4};
  double pairs = 0;
  for (int n = 0; n < 25; ++n) {
    for (int m = 0; m < 25; ++m)
      pairs += std::abs(n / 5 - m / 5) <= 1 && std::abs(n % 5 - m % 5) <= 1 ? 1 : 0;
  }
  QCOMPARE(pairsOf(window), pairs);
  QCOMPARE(pairsOf({8, 64}), 64.0 * 64);
  const double k = 16, v = 8, h = 4, b = 3, n = 25;
  const double forward = 2 * b * (pairs * h * (k + v) + n * k * v + n * h * k * v);
  QCOMPARE(costOf(window, 3, CorePass::forward).flops, forward);
  QCOMPARE(costOf(window, 3, CorePass::both).flops, 3 * forward);
  const double inputs = b * n * (h * k + k + v) + 9 * k, outputs = b * n * h * v;
  QCOMPARE(costOf(window, 3, CorePass::forward).bytes, 4 * (inputs + outputs));
  QCOMPARE(costOf(window, 3, CorePass::backward).bytes, 4 * (2 * inputs + outputs));
  QCOMPARE(costOf(window, 3, CorePass::both).bytes, 8 * (inputs + outputs));
}

void TestCostsAndCeilings::layersCostTheirProjectionsAndMaps() {
  const LayerCase shape{5, 32, 2};
  const double b = 3, d = 32, n = 25, projected = 4 * 16 + 16 + 8, after = 9;
  const double projections = 2 * b * n * d * projected;
  const CoreCost core = costOf(shape.core(), 3, CorePass::forward);
  for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
    const double bytes = precision == Precision::float32 ? 4 : 2;
    const CoreCost forward = costOf(shape, 3, CorePass::forward, precision);
    // Means of scores and queries meet the values and the content lambda: 9 rows instead of 25.
    const double unpooled = 2 * b * (n - after) * 4 * 8 * (n + 16);
    QCOMPARE(forward.flops, core.flops - unpooled + projections);
    QCOMPARE(forward.bytes, bytes * b * d * (n + after));
    const CoreCost stride1 = costOf(LayerCase{5, 32, 1}, 3, CorePass::forward, precision);
    QCOMPARE(stride1.flops, core.flops + projections);
    const CoreCost both = costOf(shape, 3, CorePass::both, precision);
    QCOMPARE(both.flops, 3 * forward.flops);
    QCOMPARE(both.bytes, 2 * forward.bytes);
  }
}

void TestCostsAndCeilings::peaksAreThoseOfTheRowsPrecision() {
  MachineCeilings ceilings;
  ceilings.multiplyAdd = {{"AVX2", 7}};
  ceilings.gemmFloat32 = 5;
  ceilings.gemmBfloat16 = 3;
  QCOMPARE(ceilings.peakOf(Precision::float32), 7.0);
  // A CPU without products in bfloat16 computes in float32.
  QCOMPARE(ceilings.peakOf(Precision::bfloat16), 7.0);
  ceilings.bfloat16 = {{"AVX-512 BF16", 6}};
  QCOMPARE(ceilings.peakOf(Precision::bfloat16), 7.0);
  ceilings.bfloat16.push_back({"AMX", 50});
  QCOMPARE(ceilings.peakOf(Precision::bfloat16), 50.0);
  QCOMPARE(ceilings.peakOf(Precision::float32), 7.0);
  ceilings.device.kind = DeviceKind::cuda;
  QCOMPARE(ceilings.peakOf(Precision::float32), 5.0);
  QCOMPARE(ceilings.peakOf(Precision::bfloat16), 3.0);
}

void TestCostsAndCeilings::ceilingsAreTheHighestOfTheirMeasurements() {
  const auto measured = [](double rate) {
    MachineCeilings ceilings;
    ceilings.multiplyAdd = {{"AVX3", rate}, {"AVX2", rate / 2}};
    ceilings.bfloat16 = {{"AMX", 2 * rate}};
    ceilings.gemmFloat32 = ceilings.gemmBfloat16 = ceilings.copyBandwidth = rate;
    ceilings.lowest = {rate, 2 * rate, rate, rate, rate};
    return ceilings;
  };
  MachineCeilings ceilings = measured(8);
  ceilings.add(measured(10));
  ceilings.add(measured(7));
  QCOMPARE(ceilings.measurements, 3);
  QCOMPARE(ceilings.multiplyAddPeak(), 10.0);
  QCOMPARE(ceilings.multiplyAdd[1].flopsPerSecond, 5.0);
  QCOMPARE(ceilings.bfloat16[0].flopsPerSecond, 20.0);
  QCOMPARE(ceilings.gemmFloat32, 10.0);
  QCOMPARE(ceilings.gemmBfloat16, 10.0);
  QCOMPARE(ceilings.copyBandwidth, 10.0);
  QVERIFY(ceilings.lowest == (LowestCeilings{7, 14, 7, 7, 7}));
}

void TestCostsAndCeilings::ceilingsInBfloat16AreThoseOfTheCpusUnits() {
  const MachineCeilings ceilings = measureCeilings(selectDevice({DeviceKind::cpu}));
  std::set<std::string> names;
  for (const InstructionSetPeak& peak : ceilings.bfloat16) {
    names.insert(peak.name);
    QVERIFY2(peak.flopsPerSecond > 1e9 && peak.flopsPerSecond < 1e14, peak.name.c_str());
  }
  QCOMPARE(names.contains("AVX-512 BF16"), hasPairUnit(PairUnit::vectors));
  QCOMPARE(names.contains("AMX"), hasPairUnit(PairUnit::matrices));
  // LibTorch's product takes seconds on other CPUs.
  QCOMPARE(ceilings.gemmBfloat16 > 0, hasPairUnit(PairUnit::vectors));
  // Between registers, work is faster than with operands in memory; twice for other programs on the
  // machine.
  QVERIFY(ceilings.gemmBfloat16 < 2 * ceilings.peakOf(Precision::bfloat16));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestCostsAndCeilings)
#include "tst_costs_and_ceilings.moc"
