#include <chrono>
#include <string>
#include <thread>

#include <QtTest/QtTest>

#include "engine/benchmarks/core/core_benchmark.h"
#include "engine/benchmarks/data_benchmark.h"
#include "engine/benchmarks/device/device_clock.h"
#include "engine/benchmarks/device/machine_ceilings.h"
#include "engine/benchmarks/exactness.h"
#include "engine/benchmarks/layer/layer_benchmark.h"
#include "engine/benchmarks/step_benchmark.h"
#include "engine/runtime/device.h"
#include "engine/runtime/torch_device.h"
#include "engine/values/config/enum_names.h"
#include "tests/support/tiny_run.h"

namespace lambda {

/// The benchmarks on a GPU. Skipped where none is.
class TestGpuBenchmarks : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() {
    if (gpu_.kind != DeviceKind::cuda) QSKIP(("no GPU: " + gpu_.reason).c_str());
  }

  void hasCeilings();
  void timesLeaveTheHostOut();
  void coreRowsHaveBothTimes_data();
  void coreRowsHaveBothTimes();
  void layersAreCompared_data();
  void layersAreCompared();
  void stepsTellTheirLaunches();
  void batchesAreThoseOfAten();

 private:
  ComputeDevice gpu_ = selectDevice({});
};

void TestGpuBenchmarks::hasCeilings() {
  const MachineCeilings ceilings = measureCeilings(gpu_);
  QVERIFY(ceilings.multiplyAdd.empty());
  QVERIFY(ceilings.gemmFloat32 > 1e12 && ceilings.gemmBfloat16 > ceilings.gemmFloat32);
  QVERIFY(ceilings.copyBandwidth > 1e11);
}

void TestGpuBenchmarks::timesLeaveTheHostOut() {
  const at::Device device = torchDevice(gpu_);
  const at::Tensor tensor = at::zeros({1024}, device);
  const NextCall next = [&]() -> TimedCall {
    return [&](const EndPart& endPart) {
      for (int i = 0; i < 5; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        tensor.add_(1);
      }
      endPart();
    };
  };
  const TimesInTurns times = timeInTurns(device, {next}, {.warmUps = 1, .repetitions = 5});
  QVERIFY(times.called[0].total().median > 1e-3);
  QVERIFY(times.measured[0].total().median > 0);
  QVERIFY(times.measured[0].total().median < 2e-4);
}

void TestGpuBenchmarks::coreRowsHaveBothTimes_data() {
  QTest::addColumn<int>("side");
  QTest::addColumn<int>("scope");
  QTest::addColumn<int>("precision");
  for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
    const std::string type(nameOf(precision));
    QTest::newRow(("global, " + type).c_str()) << 5 << 0 << static_cast<int>(precision);
    QTest::newRow(("window, " + type).c_str()) << 6 << 3 << static_cast<int>(precision);
  }
}

void TestGpuBenchmarks::coreRowsHaveBothTimes() {
  QFETCH(int, side);
  QFETCH(int, scope);
  QFETCH(int, precision);
  const auto rows = runCoreBenchmark({side, 32, scope},
                                     {.batch = 3,
                                      .repetitions = 3,
                                      .device = gpu_,
                                      .precision = static_cast<Precision>(precision),
                                      .seed = 7});
  QCOMPARE(rows.size(), std::size_t{3});
  for (const BenchmarkRow& row : rows) {
    QVERIFY(!row.order);
    for (const TimedForm& form : row.forms) {
      QVERIFY(form.time.median > 0);
      QCOMPARE(form.called.has_value(), &row != &rows[1]);
      if (form.called) QVERIFY(form.called->median > form.time.median);
    }
  }
  for (const TimedForm& form : rows[2].forms) QVERIFY(form.extraBytes.has_value());
}

void TestGpuBenchmarks::layersAreCompared_data() {
  QTest::addColumn<int>("side");
  QTest::addColumn<int>("stride");
  QTest::addColumn<int>("precision");
  const int exact = static_cast<int>(Precision::float32);
  QTest::newRow("map") << 3 << 1 << exact;
  QTest::newRow("stride") << 4 << 2 << exact;
  QTest::newRow("one pixel") << 1 << 1 << exact;
  QTest::newRow("bfloat16") << 4 << 1 << static_cast<int>(Precision::bfloat16);
}

void TestGpuBenchmarks::layersAreCompared() {
  QFETCH(int, side);
  QFETCH(int, stride);
  QFETCH(int, precision);
  const auto rows = runLayerBenchmark({side, 32, stride},
                                      {.batch = 2,
                                       .repetitions = 3,
                                       .device = gpu_,
                                       .precision = static_cast<Precision>(precision),
                                       .seed = 7});
  QCOMPARE(rows.size(), std::size_t{2});
  for (const BenchmarkRow& row : rows) {
    QCOMPARE(row.forms.size(), std::size_t{13});
    for (const TimedForm& form : row.forms) QVERIFY(form.time.median > 0 && form.called);
  }
}

void TestGpuBenchmarks::stepsTellTheirLaunches() {
  RunConfig config = tinyRun();
  config.device.kind = gpu_.kind;
  const StepBenchmark seen = runStepBenchmark(config, {.repetitions = 5});
  for (const NetworkSteps& network : seen.networks) {
    QVERIFY(network.peakBytes && *network.peakBytes > 0);
    QVERIFY(network.inARun && network.inARun->launches);
    QVERIFY(network.inARun->launches->kernels > 10);
    QVERIFY(network.inARun->host.median > 0);
    QVERIFY(network.inARun->host.median < network.inARun->step.median);
  }
  config.device.cudaGraphs = false;
  const StepBenchmark anew = runStepBenchmark(config, {.repetitions = 3, .withTwin = false});
  QVERIFY(anew.networks[0].inARun && !anew.networks[0].inARun->launches);
}

void TestGpuBenchmarks::batchesAreThoseOfAten() {
  for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
    RunConfig config = tinyRun();
    config.device.kind = gpu_.kind;
    config.recipe.precision = precision;
    const DataBenchmark seen = runDataBenchmark(config, {.repetitions = 3});
    QCOMPARE(seen.row.precision, precision);
    for (const TimedForm& form : seen.row.forms)
      QVERIFY(*form.relativeError < toleranceOf(precision));
  }
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestGpuBenchmarks)
#include "tst_gpu_benchmarks.moc"
