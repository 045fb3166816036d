#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/formats/metrics/histograms_json.h"
#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/runtime/device.h"
#include "engine/runtime/plugin.h"
#include "engine/training/input/run_data.h"
#include "engine/training/loop/conductor.h"
#include "engine/training/step/cuda_graph_plugin.h"
#include "engine/training/step/step_runner.h"
#include "tests/support/emulated_recorder.h"
#include "tests/support/open_test_run.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace lambda::test {

namespace {

constexpr int kSteps = 9;

/// A state that steps on the emulated device.
std::unique_ptr<TrainingState> emulatedState(const RunConfig& config) {
  return std::make_unique<TrainingState>(
      test::onCpu(config),
      UpdateOptions{.precision = config.recipe.precision, .kernels = &EmulatedRecorder::kernels()});
}

/// Copies of all tensors that training changes.
std::vector<at::Tensor> copiesOf(const TrainingState& state) {
  std::vector<at::Tensor> copies;
  const auto add = [&](const at::Tensor& tensor) { copies.push_back(tensor.detach().clone()); };
  for (const at::Tensor& each : state.network->parameters()) add(each);
  for (const at::Tensor& each : state.network->buffers()) add(each);
  for (const NamedTensor& each : state.optimizer.state()) add(each.tensor);
  if (state.average) {
    for (const NamedTensor& each : state.average->state()) add(each.tensor);
  }
  for (const UpdatedParameter& each : state.optimizer.parameters()) add(each.master);
  add(state.network->random()->get_state());
  return copies;
}

bool areEqual(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return std::ranges::equal(
      a, b, [](const at::Tensor& left, const at::Tensor& right) { return left.equal(right); });
}

bool areEqual(const StepOutcome& a, const StepOutcome& b) {
  return a.loss == b.loss && a.score == b.score && a.gradientNorm == b.gradientNorm;
}

double learningRateAt(int step) {
  return 0.01 / (1 + step);
}

/// A training whose steps have different learning rates.
class Training {
 public:
  Training(const RunConfig& config,
           TrainingState& state,
           WorkRecorder* recorder,
           const ComputeDevice& device = {})
      : data_(ResolvedConfig(config, device)),
        state_(state),
        runner_(state, recorder, [this](const std::string& obstacle) {
          warnings.push_back(obstacle);
        }) {}

  std::vector<StepOutcome> train(int from, int to) {
    std::vector<StepOutcome> outcomes;
    for (int step = from; step < to; ++step) {
      const TensorBatch batch =
          data_.batch(step / data_.batchesPerEpoch(), step % data_.batchesPerEpoch());
      outcomes.push_back(runner_.start(batch, learningRateAt(step)).outcome());
      ++state_.progress.step;
    }
    return outcomes;
  }

  StepRunner& runner() { return runner_; }

  RunData& data() { return data_; }

  std::vector<std::string> warnings;

 private:
  RunData data_;
  TrainingState& state_;
  StepRunner runner_;
};

/// A run with everything that differs from step to step: counts of updates, an average whose decay
/// grows, clipping, and random numbers.
RunConfig variedRun(OptimizerKind kind, Precision precision = Precision::float32) {
  RunConfig config = tinyRun();
  config.recipe.optimizer.kind = kind;
  config.recipe.precision = precision;
  config.recipe.optimizer.gradientClip = 1;
  config.recipe.emaDecay = 0.9;
  config.recipe.labelSmoothing = 0.1;
  config.architecture.head.dropout = 0.3;
  config.architecture.stages[1].blocks[1].stochasticDepth = 0.2;
  return config;
}

/// A run whose batches are mixed by shares that differ from batch to batch.
RunConfig mixingRun() {
  RunConfig config = variedRun(Sgd{});
  config.data.augmentation.mixupAlpha = 0.4;
  config.data.augmentation.cutmixAlpha = 1;
  return config;
}

void addRuns() {
  QTest::addColumn<RunConfig>("config");
  QTest::newRow("sgd") << variedRun(Sgd{});
  QTest::newRow("adam") << variedRun(Adam{});
  QTest::newRow("adamw") << variedRun(AdamW{});
  QTest::newRow("muon") << variedRun(Muon{});
  QTest::newRow("lion") << variedRun(Lion{});
  QTest::newRow("sgd, mixed images") << mixingRun();
  QTest::newRow("adamw, bfloat16") << variedRun(AdamW{}, Precision::bfloat16);
  QTest::newRow("muon, bfloat16") << variedRun(Muon{}, Precision::bfloat16);
}

/// A run on the emulated device whose steps are recorded if `records`. Tests act in it through the
/// callbacks of `observer`.
struct EmulatedRun {
  explicit EmulatedRun(const RunConfig& config, bool records = true)
      : opened(openTestRun(config, emulatedState(config), folder.path(), observer)),
        state(*opened.prepared.state),
        recorder(state) {
    if (records) opened.graphs.recorder = &recorder;
  }

  RunResult run() {
    Conductor conductor(std::move(opened), control, observer);
    return conductor.run(EventKind::started, "");
  }

  TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  OpenRun opened;
  TrainingState& state;  ///< Ends with the run.
  EmulatedRecorder recorder;
};

}  // namespace

class TestRecordedStep : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void hasTheBitsOfStepsQueuedAnew_data() { addRuns(); }

  void hasTheBitsOfStepsQueuedAnew();

  void hasTheBitsOfStepsQueuedAnewOnAGpu_data() { addRuns(); }

  void hasTheBitsOfStepsQueuedAnewOnAGpu();
  void goesOnFromACheckpointWithTheSameBits();
  void whatCantBeRecordedIsQueuedAnewAndSaidOnce();
  void anotherShapeIsQueuedAnew();
  void whatIsNotFiniteMovesNothing();
  void withoutKernelsNothingIsRecorded();
  void aRunTellsTheSameWithAndWithout();
  void aPauseHasAllStepsBeforeItReported();
  void aRunThatIsNotFiniteNamesItsStep();
  void aPluginThatCantBeOpenedSaysWhy();
};

void TestRecordedStep::hasTheBitsOfStepsQueuedAnew() {
  QFETCH(RunConfig, config);
  const auto plain = emulatedState(config), recorded = emulatedState(config);
  EmulatedRecorder recorder(*recorded);
  Training usual(config, *plain, nullptr), faster(config, *recorded, &recorder);
  for (int step = 0; step < kSteps; ++step) {
    QVERIFY(areEqual(usual.train(step, step + 1)[0], faster.train(step, step + 1)[0]));
    QVERIFY2(areEqual(copiesOf(*plain), copiesOf(*recorded)), std::to_string(step).c_str());
  }
  QCOMPARE(recorder.records, 1);
  QCOMPARE(recorder.replays, kSteps - kStepsBeforeRecord);
  QVERIFY(faster.warnings.empty());
  QVERIFY(faster.runner().recordCounts() == WorkCounts{.kernels = 1});
  QVERIFY(!usual.runner().recordCounts());
}

void TestRecordedStep::hasTheBitsOfStepsQueuedAnewOnAGpu() {
  const ComputeDevice device = selectDevice({});
  if (device.kind != DeviceKind::cuda) QSKIP(("no GPU: " + device.reason).c_str());
  QFETCH(RunConfig, config);
  config.device = {};
  const ResolvedConfig resolved(config, device);
  TrainingState plain(resolved), recorded(resolved);
  QVERIFY2(plain.kernelObstacle.empty(), plain.kernelObstacle.c_str());
  const CudaGraphPlugin graphs = cudaGraphsFor(config.device, recorded);
  QVERIFY2(graphs.recorder != nullptr, graphs.obstacle.c_str());
  Training usual(config, plain, nullptr, device);
  Training faster(config, recorded, graphs.recorder, device);
  for (int step = 0; step < kSteps; ++step) {
    QVERIFY(areEqual(usual.train(step, step + 1)[0], faster.train(step, step + 1)[0]));
    QVERIFY2(areEqual(copiesOf(plain), copiesOf(recorded)), std::to_string(step).c_str());
  }
  QVERIFY2(faster.warnings.empty(), faster.warnings.empty() ? "" : faster.warnings[0].c_str());
  QVERIFY(faster.runner().recordCounts()->kernels > 0);
}

void TestRecordedStep::goesOnFromACheckpointWithTheSameBits() {
  const RunConfig config = variedRun(AdamW{});
  const TemporaryFolder folder;
  const auto path = folder.path() / "state.safetensors";
  const auto whole = emulatedState(config), resumed = emulatedState(config);
  EmulatedRecorder first(*whole), second(*resumed);
  Training training(config, *whole, &first);
  training.train(0, 5);
  whole->save(path, config, {}, {});
  training.train(5, kSteps + 2);
  resumed->load(path);
  Training(config, *resumed, &second).train(5, kSteps + 2);
  QVERIFY(second.replays > 0);
  QVERIFY(areEqual(copiesOf(*whole), copiesOf(*resumed)));
}

void TestRecordedStep::whatCantBeRecordedIsQueuedAnewAndSaidOnce() {
  const RunConfig config = variedRun(Sgd{});
  const auto plain = emulatedState(config), refused = emulatedState(config);
  EmulatedRecorder recorder(*refused);
  recorder.fails = true;
  Training usual(config, *plain, nullptr), other(config, *refused, &recorder);
  usual.train(0, kSteps);
  other.train(0, kSteps);
  QCOMPARE(recorder.records, 1);
  QCOMPARE(other.warnings.size(), std::size_t{1});
  QVERIFY(other.warnings.front().starts_with("the device is out of graphs"));
  QVERIFY(areEqual(copiesOf(*plain), copiesOf(*refused)));
}

void TestRecordedStep::anotherShapeIsQueuedAnew() {
  const RunConfig config = tinyRun();
  const auto plain = emulatedState(config), recorded = emulatedState(config);
  EmulatedRecorder recorder(*recorded);
  Training usual(config, *plain, nullptr), faster(config, *recorded, &recorder);
  for (Training* each : {&usual, &faster}) {
    each->train(0, 5);
    const TensorBatch batch = each->data().batch(0, 5);
    each->runner()
        .start({batch.images.narrow(0, 0, 7), batch.labels.narrow(0, 0, 7)}, 0.01)
        .outcome();
  }
  QCOMPARE(recorder.replays, 2);
  QVERIFY(areEqual(copiesOf(*plain), copiesOf(*recorded)));
}

void TestRecordedStep::whatIsNotFiniteMovesNothing() {
  const RunConfig config = tinyRun();
  const auto state = emulatedState(config);
  EmulatedRecorder recorder(*state);
  Training training(config, *state, &recorder);
  training.train(0, 5);
  const at::Tensor weights = state->network->parameters().front().detach().clone();
  TensorBatch batch = training.data().batch(0, 5);
  batch.images.fill_(std::numeric_limits<float>::quiet_NaN());
  const StepOutcome outcome = training.runner().start(batch, 0.1).outcome();
  QCOMPARE(recorder.replays, 3);
  QVERIFY(!outcome.finite);
  QVERIFY(state->network->parameters().front().equal(weights));
}

void TestRecordedStep::withoutKernelsNothingIsRecorded() {
  const RunConfig config = tinyRun();
  TrainingState state(test::onCpu(config));
  EmulatedRecorder recorder(state);
  Training training(config, state, &recorder);
  training.train(0, 5);
  QCOMPARE(recorder.records, 0);
  QVERIFY(training.warnings.empty());
  QVERIFY(cudaGraphsFor(config.device, state).obstacle.empty());
}

void TestRecordedStep::aRunTellsTheSameWithAndWithout() {
  const RunConfig config = variedRun(Sgd{});
  EmulatedRun usual(config, false), recorded(config);
  const RunResult expected = usual.run(), found = recorded.run();
  QVERIFY2(found.status == RunStatus::finished, found.failure.c_str());
  const int batches = config.recipe.epochs * usual.observer.batchesPerEpoch;
  // Steps with histograms are queued anew.
  const auto histograms = readHistograms(RunFolder::open(found.run).histograms());
  const auto observed = std::ranges::count_if(
      histograms, [](const HistogramRecord& each) { return each.step > kStepsBeforeRecord; });
  QCOMPARE(recorded.recorder.replays, batches - kStepsBeforeRecord - static_cast<int>(observed));
  QCOMPARE(static_cast<int>(recorded.observer.batches.size()), batches);
  for (int i = 0; i < batches; ++i) {
    const BatchRecord &ours = recorded.observer.batches[i], &theirs = usual.observer.batches[i];
    QCOMPARE(ours.step, std::int64_t{i} + 1);
    QCOMPARE(ours.epoch, theirs.epoch);
    QCOMPARE(ours.loss, theirs.loss);
    QCOMPARE(ours.learningRate, theirs.learningRate);
    QVERIFY(i == 0 || ours.seconds > recorded.observer.batches[i - 1].seconds);
  }
  QCOMPARE(recorded.observer.epochs.back().validation->loss,
           usual.observer.epochs.back().validation->loss);
  QCOMPARE(*found.testScore, *expected.testScore);
}

void TestRecordedStep::aPauseHasAllStepsBeforeItReported() {
  EmulatedRun recorded(tinyRun());
  RecordingObserver& observer = recorded.observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 7) recorded.control.pause();
  };
  std::size_t told = 0;
  std::int64_t queued = 0;
  observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::paused) return;
    told = observer.batches.size();
    queued = recorded.state.progress.step;
    recorded.control.requestStop();
  };
  QCOMPARE(recorded.run().status, RunStatus::stopped);
  // The seventh step is reported while the eighth is computed.
  QCOMPARE(queued, std::int64_t{8});
  QCOMPARE(told, std::size_t{8});
}

void TestRecordedStep::aRunThatIsNotFiniteNamesItsStep() {
  EmulatedRun recorded(tinyRun());
  recorded.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step != 7) return;
    const at::NoGradGuard noGrad;
    recorded.state.network->parameters().front().fill_(std::numeric_limits<float>::infinity());
  };
  const RunResult result = recorded.run();
  QCOMPARE(result.status, RunStatus::failed);
  // The eighth step was queued before the weights changed, and on the CPU it was already computed.
  QVERIFY2(result.failure.starts_with("step 9: a value is not finite: it began in stem"),
           result.failure.c_str());
  QCOMPARE(recorded.observer.batches.back().step, std::int64_t{8});
}

void TestRecordedStep::aPluginThatCantBeOpenedSaysWhy() {
  const TemporaryFolder folder;
  const CudaGraphPlugin none = openCudaGraphPlugin(folder.path() / "none.so");
  QVERIFY(none.recorder == nullptr);
  QVERIFY(none.obstacle.find("none.so") != std::string::npos);
  if (selectDevice({}).kind == DeviceKind::cuda) return;
  const std::filesystem::path built = pluginFile("lambda-graphs-cuda.so");
  if (!exists(built)) QSKIP("the plugin is not built, because there was no nvcc");
  // The CPU's LibTorch does not have the plugin's undefined symbols.
  const CudaGraphPlugin refused = openCudaGraphPlugin(built);
  QVERIFY(refused.recorder == nullptr);
  QVERIFY2(refused.obstacle.find("undefined symbol") != std::string::npos,
           refused.obstacle.c_str());
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRecordedStep)

#include "tst_recorded_step.moc"
