#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/runtime/device.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/step/training_step.h"
#include "engine/training/update/optimizer.h"
#include "engine/training/update/weight_average.h"
#include "tests/support/exact_optimizer.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/several_parameters.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

namespace {

constexpr double kLearningRate = 0.02;
constexpr double kAverageDecay = 0.9;
constexpr int kUpdates = 4;

/// Parameters, an optimiser with kernels and an average.
struct Trained {
  Trained(const OptimizerConfig& config,
          bool averages,
          const UpdateOptions& options,
          const at::Device& device = at::kCPU) {
    module.to(device);
    optimizer = std::make_unique<Optimizer>(config, module, options);
    if (averages) average = std::make_unique<WeightAverage>(kAverageDecay, module);
    loss = at::ones({}, at::TensorOptions(device).dtype(at::kFloat));
  }

  /// Updates the parameters; `step` counts from 0. Returns the norm of the gradients.
  double apply(int step) {
    return optimizer
        ->apply({.learningRate = kLearningRate,
                 .loss = loss,
                 .average = average.get(),
                 .step = step + 1})
        .item<double>();
  }

  std::vector<NamedTensor> tensors() const {
    std::vector<NamedTensor> all = optimizer->state();
    for (const auto& item : module.named_parameters())
      all.push_back({item.key(), item.value().detach()});
    if (average) {
      for (const NamedTensor& each : average->state()) all.push_back(each);
    }
    return all;
  }

  /// Copies of the weights only.
  std::vector<at::Tensor> copies() const {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& each : module.parameters()) copies.push_back(each.detach().clone());
    return copies;
  }

  SeveralParameters module;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<WeightAverage> average;
  at::Tensor loss;
};

std::vector<at::Tensor> copiesOf(const std::vector<NamedTensor>& tensors) {
  std::vector<at::Tensor> copies;
  for (const NamedTensor& each : tensors) copies.push_back(each.tensor.detach().clone());
  return copies;
}

bool areEqual(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return std::ranges::equal(
      a, b, [](const at::Tensor& left, const at::Tensor& right) { return left.equal(right); });
}

void compareAll(const Trained& found, const Trained& expected, double tolerance) {
  const std::vector<NamedTensor> ours = found.tensors(), others = expected.tensors();
  QCOMPARE(ours.size(), others.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    QCOMPARE(ours[i].name, others[i].name);
    const at::Tensor exact = others[i].tensor.to(at::kDouble);
    const double distance = (ours[i].tensor.cpu().to(at::kDouble) - exact).norm().item<double>();
    QVERIFY2(distance <= tolerance * exact.norm().item<double>(), ours[i].name.c_str());
  }
}

/// Compares the updates of the kernels on a device with those of the CPU and of the reference.
void compare(const OptimizerConfig& config,
             bool averages,
             const CudaKernels& kernels,
             const at::Device& device) {
  Trained onDevice(config, averages, {.kernels = &kernels}, device);
  Trained onCpu(config, averages, {});
  ExactOptimizer exact(
      config, onDevice.module, averages ? std::optional(kAverageDecay) : std::nullopt);
  QVERIFY(onDevice.optimizer->onDevice() != nullptr);
  QVERIFY(onCpu.optimizer->onDevice() == nullptr);
  for (int step = 0; step < kUpdates; ++step) {
    for (Trained* each : {&onDevice, &onCpu}) each->module.setGradients(step);
    const double expected = exact.step(kLearningRate, step + 1);
    const double norm = onDevice.apply(step);
    QVERIFY(std::abs(norm / onCpu.apply(step) - 1) < 1e-14);
    QVERIFY(std::abs(norm / expected - 1) < 1e-12);
  }
  compareAll(onDevice, onCpu, 1e-6);
  exact.compare(onDevice.average.get(), traitsOf(config.kind).orthogonalizesFilters ? 1e-5 : 1e-6);
}

/// A tiny run whose weights are updated on the emulated device.
struct EmulatedRun {
  explicit EmulatedRun(const RunConfig& of)
      : config(of),
        state(test::onCpu(config), {.precision = config.recipe.precision, .kernels = &counting}) {
    updates = 0;
    counting.updateWeights = [](const CudaWeightUpdate& update, const CudaQueue& queue) {
      ++updates;
      return lambdaCudaKernels()->updateWeights(update, queue);
    };
  }

  EmulatedRun(const EmulatedRun&) = delete;
  EmulatedRun& operator=(const EmulatedRun&) = delete;

  StepOutcome train(RunData& data) { return trainNext(state, config, data); }

  static StepOutcome trainNext(TrainingState& state, const RunConfig& config, RunData& data) {
    const auto step = static_cast<int>(state.progress.step);
    const StepOutcome outcome =
        trainOnBatch(state, data.batch(0, step), config.recipe.optimizer.learningRate);
    ++state.progress.step;
    return outcome;
  }

  std::vector<at::Tensor> copies() const {
    std::vector<NamedTensor> all = state.optimizer.state();
    for (const auto& item : state.network->named_parameters())
      all.push_back({item.key(), item.value()});
    for (const NamedTensor& each : state.average->state()) all.push_back(each);
    return copiesOf(all);
  }

  static inline int updates = 0;  ///< Updates by the kernels since the newest run was made.

  RunConfig config;
  CudaKernels counting = *lambdaCudaKernels();
  TrainingState state;
};

RunConfig adaptiveRun() {
  RunConfig config = tinyRun();
  config.recipe.optimizer.kind = AdamW{};
  config.recipe.optimizer.learningRate = 0.001;
  config.recipe.optimizer.gradientClip = 1;
  config.recipe.emaDecay = 0.9;
  config.recipe.labelSmoothing = 0.1;
  return config;
}

}  // namespace

class TestDeviceUpdate : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void equalsTheUpdatesOnTheCpu_data() { addUpdateRows(); }

  void equalsTheUpdatesOnTheCpu();

  void equalsTheUpdatesOnTheCpuOnAGpu_data() { addUpdateRows(); }

  void equalsTheUpdatesOnTheCpuOnAGpu();
  void countsTheUpdatesOfEachParameter();
  void gradientsInAnotherOrderAreReordered();
  void whatIsNotFiniteMovesNothing_data();
  void whatIsNotFiniteMovesNothing();
  void whatDoesNotFitIsLeftToAten();
  void trainsAsTheCpuDoes();
  void goesOnFromACheckpointWithTheSameBits();
  void aStepThatIsNotFiniteIsFound();
};

void TestDeviceUpdate::equalsTheUpdatesOnTheCpu() {
  QFETCH(OptimizerConfig, config);
  QFETCH(bool, averages);
  compare(config, averages, *lambdaCudaKernels(), at::kCPU);
}

void TestDeviceUpdate::equalsTheUpdatesOnTheCpuOnAGpu() {
  const ComputeDevice device = selectDevice({});
  if (device.kind != DeviceKind::cuda) QSKIP(("no GPU: " + device.reason).c_str());
  QFETCH(OptimizerConfig, config);
  QFETCH(bool, averages);
  const at::Device gpu(at::kCUDA, 0);
  const CudaKernels* kernels = cudaKernelsFor(gpu);
  QVERIFY2(kernels != nullptr, "the plugin can't be used");
  compare(config, averages, *kernels, gpu);
}

void TestDeviceUpdate::countsTheUpdatesOfEachParameter() {
  OptimizerConfig config;
  config.kind = Adam{};
  Trained onDevice(config, false, {.kernels = lambdaCudaKernels()});
  Trained onCpu(config, false, {});
  for (int step = 0; step < kUpdates; ++step) {
    for (Trained* each : {&onDevice, &onCpu}) {
      each->module.setGradients(step);
      if (step == 1) each->module.named_parameters()["bias"].mutable_grad().reset();
    }
    onDevice.apply(step);
    onCpu.apply(step);
  }
  compareAll(onDevice, onCpu, 1e-6);
}

void TestDeviceUpdate::gradientsInAnotherOrderAreReordered() {
  OptimizerConfig config;
  const UpdateOptions options{.kernels = lambdaCudaKernels()};
  Trained usual(config, false, options), other(config, false, options);
  for (Trained* each : {&usual, &other}) each->module.setGradients(0);
  at::Tensor filter = other.module.named_parameters()["filter"];
  filter.mutable_grad() = filter.grad().contiguous();
  QVERIFY(filter.grad().strides() != filter.strides());
  usual.apply(0);
  other.apply(0);
  QVERIFY(areEqual(copiesOf(usual.tensors()), copiesOf(other.tensors())));
}

void TestDeviceUpdate::whatIsNotFiniteMovesNothing_data() {
  QTest::addColumn<OptimizerKind>("kind");
  QTest::addColumn<QByteArray>("spoilt");
  for (const char* spoilt : {"loss", "table", "conv.weight"}) {
    QTest::addRow("sgd, %s", spoilt) << OptimizerKind(Sgd{}) << QByteArray(spoilt);
    QTest::addRow("muon, %s", spoilt) << OptimizerKind(Muon{}) << QByteArray(spoilt);
  }
}

void TestDeviceUpdate::whatIsNotFiniteMovesNothing() {
  QFETCH(OptimizerKind, kind);
  QFETCH(QByteArray, spoilt);
  OptimizerConfig config;
  config.kind = kind;
  config.gradientClip = 1;
  Trained trained(config, true, {.kernels = lambdaCudaKernels()});
  trained.module.setGradients(0);
  trained.apply(0);
  trained.module.setGradients(1);
  const bool inLoss = spoilt == "loss";
  at::Tensor tensor =
      inLoss ? trained.loss : trained.module.named_parameters()[spoilt.constData()].mutable_grad();
  tensor.fill_(std::numeric_limits<float>::infinity());
  const std::vector<at::Tensor> before = copiesOf(trained.optimizer->state());
  const std::vector<at::Tensor> weights = trained.copies();
  const at::Tensor average = trained.average->tensors().front().average.clone();
  QCOMPARE(std::isfinite(trained.apply(1)), inLoss);
  QVERIFY(areEqual(copiesOf(trained.optimizer->state()), before));
  QVERIFY(areEqual(trained.copies(), weights));
  QVERIFY(trained.average->tensors().front().average.equal(average));
}

void TestDeviceUpdate::whatDoesNotFitIsLeftToAten() {
  OneParameter module(at::zeros({3}, at::kDouble));
  const at::Tensor& weight = module.weight;
  OptimizerConfig config;
  config.kind = Adam{};
  Optimizer optimizer(config, module, {.kernels = lambdaCudaKernels()});
  QVERIFY(optimizer.onDevice() == nullptr);
  weight.mutable_grad() = at::ones({3}, at::kDouble);
  optimizer.apply({.learningRate = 0.5});
  QVERIFY(at::allclose(weight.detach(), at::full({3}, -0.5, at::kDouble)));
}

void TestDeviceUpdate::trainsAsTheCpuDoes() {
  const RunConfig config = adaptiveRun();
  RunData data(test::onCpu(config));
  EmulatedRun run(config);
  TrainingState usual(test::onCpu(config));
  for (int step = 0; step < data.batchesPerEpoch(); ++step) {
    const StepOutcome found = run.train(data);
    const StepOutcome expected = EmulatedRun::trainNext(usual, config, data);
    QVERIFY(found.finite);
    QVERIFY(std::abs(found.loss / expected.loss - 1) < 1e-4);
    QVERIFY(std::abs(found.gradientNorm / expected.gradientNorm - 1) < 1e-3);
    QVERIFY(std::abs(found.score - expected.score) <= 1.0 / config.recipe.batchSize + 1e-9);
    QCOMPARE(EmulatedRun::updates, step + 1);
  }
}

void TestDeviceUpdate::goesOnFromACheckpointWithTheSameBits() {
  const RunConfig config = adaptiveRun();
  RunData data(test::onCpu(config));
  const TemporaryFolder folder;
  const auto path = folder.path() / "state.safetensors";
  EmulatedRun run(config);
  for (int step = 0; step < 3; ++step) run.train(data);
  run.state.save(path, config, {}, {});
  EmulatedRun resumed(config);
  resumed.state.load(path);
  for (int step = 0; step < 2; ++step)
    QVERIFY(run.train(data).gradientNorm == resumed.train(data).gradientNorm);
  QVERIFY(areEqual(run.copies(), resumed.copies()));
}

void TestDeviceUpdate::aStepThatIsNotFiniteIsFound() {
  const RunConfig config = adaptiveRun();
  RunData data(test::onCpu(config));
  EmulatedRun run(config);
  TensorBatch batch = data.batch(0, 0);
  batch.images.fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor weights = run.state.network->parameters().front().detach().clone();
  QVERIFY(!trainOnBatch(run.state, batch, 0.1).finite);
  QVERIFY(run.state.network->parameters().front().equal(weights));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestDeviceUpdate)

#include "tst_device_update.moc"
