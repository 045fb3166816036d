#include <fstream>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <QTest>

#include "engine/formats/json/precision_cache.h"
#include "engine/trained/checkpoint_inspector.h"
#include "engine/trained/evaluate_run.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/step/autocast.h"
#include "engine/training/step/precision.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

ComputeDevice cpuWithThreads(int threads) {
  return {.kind = DeviceKind::cpu, .name = "cpu", .reason = "", .threads = threads};
}

RunConfig undecidedRun() {
  RunConfig config = tinyRun();
  config.recipe.precision = Precision::automatic;
  return config;
}

}  // namespace

class TestPrecision : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsLeftToTheDeviceIsMeasured();
  void whatWasChosenIsNotMeasured();
  void measuringLeavesNoTrace();
  void aMachineIsMeasuredOnce();
  void aDamagedCacheIsMeasuredAnew();
  void noStepMeetsAnUndecidedPrecision();
  void aForeignCheckpointIsDecidedForWhenItIsScored();
  void castWeightsAreKeptForOneScope();
};

void TestPrecision::castWeightsAreKeptForOneScope() {
  at::Tensor weight = at::ones({2, 2});
  weight.requires_grad_();
  const at::NoGradGuard noGrad;
  const auto cast = [&] {
    const Autocast autocast(Precision::bfloat16, at::kCPU);
    return at::autocast::cached_cast(at::kBFloat16, weight, at::kCPU);
  };
  {
    const CastWeights castWeights;
    QVERIFY2(cast().is_same(cast()), "each weight is cast once");
  }
  weight.fill_(2);
  const CastWeights castWeights;
  QCOMPARE(cast().sum().item<double>(), 8.0);
}

void TestPrecision::whatIsLeftToTheDeviceIsMeasured() {
  for (const PrecisionRates& rates : {PrecisionRates{100e9, 50e9}, PrecisionRates{100e9, 200e9}}) {
    Recipe recipe;
    recipe.precision = Precision::automatic;
    int threads = 0;
    const auto measure = [&](const ComputeDevice& device) {
      threads = device.threads;
      return rates;
    };
    QVERIFY(resolvePrecision(recipe, cpuWithThreads(3), measure) == rates);
    QCOMPARE(threads, 3);
    QVERIFY(recipe.precision == fasterPrecision(rates));
  }
}

void TestPrecision::whatWasChosenIsNotMeasured() {
  for (const Precision chosen : {Precision::float32, Precision::bfloat16}) {
    Recipe recipe;
    recipe.precision = chosen;
    bool measured = false;
    const auto measure = [&](const ComputeDevice&) {
      measured = true;
      return PrecisionRates{1, 1};
    };
    QVERIFY(!resolvePrecision(recipe, cpuWithThreads(1), measure).wereMeasured());
    QVERIFY(recipe.precision == chosen && !measured);
  }
}

void TestPrecision::measuringLeavesNoTrace() {
  const auto randomState = [] {
    return at::globalContext().defaultGenerator(at::kCPU).get_state();
  };
  at::manual_seed(5);
  const at::Tensor before = randomState();
  const PrecisionRates rates = measurePrecisions(cpuWithThreads(2));
  QVERIFY(randomState().equal(before));
  QCOMPARE(at::get_num_threads(), 2);
  QVERIFY(at::GradMode::is_enabled());
  QVERIFY(!at::autocast::is_autocast_enabled(at::kCPU));
  QVERIFY(rates.wereMeasured());
  // A core computes at least some GFLOP/s, and never 100 TFLOP/s.
  QVERIFY2(rates.float32 > 1e8 && rates.float32 < 1e14, qPrintable(QString::number(rates.float32)));
  QVERIFY(rates.bfloat16 >= 0 && rates.bfloat16 < 1e14);
}

void TestPrecision::aMachineIsMeasuredOnce() {
  const TemporaryFolder folder;
  const QByteArray before = qgetenv("XDG_CACHE_HOME");
  qputenv("XDG_CACHE_HOME", QByteArray::fromStdString(folder.path().string()));
  const PrecisionRates first = machinePrecisions(cpuWithThreads(1));
  // A second measurement would differ in some digit.
  QVERIFY(machinePrecisions(cpuWithThreads(2)) == first);
  const std::filesystem::path file = folder.path() / "lambda-studio" / "precision.json";
  const MeasuredMachine other{.device = "cpu", .cpu = "another", .torch = "2", .program = "1"};
  QVERIFY(!keptRates(file, other));
  // Who measured at the same time, but is the second to write, takes the rates of the first.
  QVERIFY(keepRates(file, other, {3e9, 4e9}) == (PrecisionRates{3e9, 4e9}));
  QVERIFY(keepRates(file, other, {5e9, 6e9}) == (PrecisionRates{3e9, 4e9}));
  QVERIFY(machinePrecisions(cpuWithThreads(1)) == first);
  qputenv("XDG_CACHE_HOME", before);
}

void TestPrecision::aDamagedCacheIsMeasuredAnew() {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "precision.json";
  const MeasuredMachine machine{.device = "cpu", .cpu = "a", .torch = "2", .program = "1"};
  for (const char* text : {"", "{", "{\"schema\": 2, \"machines\": 7}", "\xff"}) {
    std::ofstream(file, std::ios::trunc) << text;
    QVERIFY(!keptRates(file, machine));
    keepRates(file, machine, {1e9, 2e9});
    QVERIFY(keptRates(file, machine) == (PrecisionRates{1e9, 2e9}));
  }
}

void TestPrecision::noStepMeetsAnUndecidedPrecision() {
  QVERIFY_THROWS_EXCEPTION(c10::Error, Autocast(Precision::automatic, at::kCPU));
  QVERIFY(!at::autocast::is_autocast_enabled(at::kCPU));
  // Images and state of a run are made from a configuration that is resolved, and from no other.
  static_assert(!std::is_constructible_v<RunData, RunConfig>);
  static_assert(!std::is_constructible_v<TrainingState, RunConfig>);
  static_assert(!std::is_constructible_v<TrainingState, RunConfig, UpdateOptions>);
  const ResolvedConfig resolved(undecidedRun(), cpuWithThreads(1));
  QVERIFY(resolved.config().recipe.precision == fasterPrecision(resolved.precisionRates()));
  QVERIFY(RunData(resolved).maker().precision() == resolved.config().recipe.precision);
}

void TestPrecision::aForeignCheckpointIsDecidedForWhenItIsScored() {
  const TemporaryFolder folder;
  const RunConfig config = undecidedRun();
  const auto path = folder.path() / "foreign.safetensors";
  TrainingState(ResolvedConfig(config, cpuWithThreads(1))).save(path, config, {}, {});
  RunControl control;
  RecordingObserver observer;
  const auto evaluation = evaluateRun({.run = path, .split = Split::validation}, control, observer);
  QVERIFY(evaluation);
  QVERIFY(evaluation->scores.score >= 0);
  CheckpointInspector inspector(path, {});
  const auto proceed = [](std::int64_t, std::int64_t) { return true; };
  QCOMPARE(inspector.predict(Split::validation, proceed)->labels.size(), std::size_t{60});
}

QTEST_GUILESS_MAIN(TestPrecision)
#include "tst_precision.moc"
