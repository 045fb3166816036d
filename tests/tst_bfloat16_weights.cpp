#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/layers/convolution/bfloat16_weights.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/step/training_step.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

constexpr int kSteps = 5;

const ComputeDevice kCpu{.kind = DeviceKind::cpu, .name = "cpu", .reason = "", .threads = 1};

/// In bfloat16, with every kind of convolution and everything that goes by gradients.
RunConfig mixedRun(OptimizerKind kind) {
  RunConfig config = tinyRun();
  config.recipe.precision = Precision::bfloat16;
  config.recipe.optimizer.kind = kind;
  config.recipe.optimizer.gradientClip = 0.5;
  config.recipe.emaDecay = 0.9;
  config.architecture.stem.width = 24;
  config.architecture.stem.patchSize = 2;
  config.architecture.stem.whitened = true;
  config.architecture.stages[1].blocks[0].squeezeExcitation = true;
  return config;
}

/// A state that autocast casts its weights for, step by step.
std::unique_ptr<TrainingState> castingState(const RunConfig& config) {
  auto state = std::make_unique<TrainingState>(config, kCpu);
  state->optimizer = Optimizer(config.recipe.optimizer, *state->network);
  state->bfloat16Weights.reset();
  return state;
}

StepOutcome train(TrainingState& state, const RunConfig& config, RunData& data) {
  const auto step = static_cast<int>(state.progress.step);
  const StepOutcome outcome =
      trainOnBatch(state, config.recipe, data.batch(0, step), 0.05 / (1 + step));
  ++state.progress.step;
  return outcome;
}

/// Weights, buffers, moments and averages.
std::vector<at::Tensor> allOf(const TrainingState& state) {
  std::vector<at::Tensor> all = state.network->parameters();
  for (const at::Tensor& buffer : state.network->buffers()) all.push_back(buffer);
  for (const NamedTensor& each : state.optimizer.state()) all.push_back(each.tensor);
  for (const NamedTensor& each : state.average->state()) all.push_back(each.tensor);
  return all;
}

bool haveSameBits(const TrainingState& a, const TrainingState& b) {
  return std::ranges::equal(
      allOf(a), allOf(b), [](const at::Tensor& left, const at::Tensor& right) {
        return left.equal(right);
      });
}

/// How many copies there are, each its master rounded; -1 if one is not.
int roundedCopies(const TrainingState& state) {
  int count = 0;
  for (const at::Tensor& master : state.network->parameters()) {
    const at::Tensor copy = state.bfloat16Weights->copyOf(master);
    if (!copy.defined()) continue;
    if (!copy.equal(master.to(at::kBFloat16))) return -1;
    ++count;
  }
  return count;
}

}  // namespace

class TestBfloat16Weights : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void trainWithTheBitsOfAutocast_data();
  void trainWithTheBitsOfAutocast();
  void followACheckpoint();
  void followWhoeverWritesTheMasters();
  void areInUseInTheirScopeAlone();
  void gradientsAreTheCopies();
  void float32HasNone();
};

void TestBfloat16Weights::trainWithTheBitsOfAutocast_data() {
  QTest::addColumn<OptimizerKind>("kind");
  QTest::addColumn<bool>("fuses");
  for (const bool fuses : {true, false}) {
    const char* by = fuses ? "fused" : "ATen";
    QTest::addRow("sgd, %s", by) << OptimizerKind::sgd << fuses;
    QTest::addRow("adamw, %s", by) << OptimizerKind::adamw << fuses;
    QTest::addRow("muon, %s", by) << OptimizerKind::muon << fuses;
  }
}

void TestBfloat16Weights::trainWithTheBitsOfAutocast() {
  QFETCH(OptimizerKind, kind);
  QFETCH(bool, fuses);
  const RunConfig config = mixedRun(kind);
  RunData data(config, at::kCPU);
  TrainingState state(config, kCpu);
  const auto casting = castingState(config);
  for (TrainingState* each : {&state, casting.get()}) each->optimizer.fusesUpdate = fuses;
  for (int step = 0; step < kSteps; ++step) {
    const StepOutcome found = train(state, config, data), expected = train(*casting, config, data);
    QVERIFY(found.finite);
    QVERIFY(found.loss == expected.loss);
    QVERIFY(found.gradientNorm == expected.gradientNorm);
    QVERIFY2(haveSameBits(state, *casting), std::to_string(step).c_str());
    // Three convolutions, two of squeeze-and-excitation, three projections.
    QCOMPARE(roundedCopies(state), 8);
  }
}

void TestBfloat16Weights::followACheckpoint() {
  const RunConfig config = mixedRun(OptimizerKind::sgd);
  RunData data(config, at::kCPU);
  const TemporaryFolder folder;
  const auto path = folder.path() / "state.safetensors";
  TrainingState whole(config, kCpu), resumed(config, kCpu);
  for (int step = 0; step < 2; ++step) train(whole, config, data);
  whole.save(path, config, {});
  resumed.load(path);
  QVERIFY(train(resumed, config, data).loss == train(whole, config, data).loss);
  QVERIFY(haveSameBits(resumed, whole));
  QCOMPARE(roundedCopies(resumed), 8);
}

void TestBfloat16Weights::followWhoeverWritesTheMasters() {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(3, 4, 1));
  Bfloat16Weights weights(*conv);
  {
    const at::NoGradGuard noGradient;
    conv->weight.fill_(1.5);
  }
  QVERIFY(!weights.copyOf(conv->weight).eq(1.5).all().item<bool>());
  weights.follow();
  QVERIFY(weights.copyOf(conv->weight).eq(1.5).all().item<bool>());
}

void TestBfloat16Weights::areInUseInTheirScopeAlone() {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(3, 4, 1)),
      other(torch::nn::Conv2dOptions(3, 4, 1));
  const Bfloat16Weights weights(*conv);
  const at::Tensor master = conv->weight;
  const auto isMaster = [&] { return Bfloat16Weights::inUseFor(master).is_same(master); };
  QVERIFY(isMaster());
  {
    const Bfloat16Weights::InUse use(&weights);
    QVERIFY(Bfloat16Weights::inUseFor(master).is_same(weights.copyOf(master)));
    QVERIFY(Bfloat16Weights::inUseFor(other->weight).is_same(other->weight));
    {
      const Bfloat16Weights::InUse none(nullptr);
      QVERIFY(isMaster());
    }
    QVERIFY(!isMaster());
    bool isMasterElsewhere = false;
    std::thread([&] { isMasterElsewhere = isMaster(); }).join();
    QVERIFY(isMasterElsewhere);
  }
  QVERIFY(isMaster());
}

void TestBfloat16Weights::gradientsAreTheCopies() {
  const RunConfig config = mixedRun(OptimizerKind::sgd);
  RunData data(config, at::kCPU);
  TrainingState state(config, kCpu);
  computeGradients(state, config.recipe, data.batch(0, 0));
  for (const auto& item : state.network->named_parameters()) {
    const at::Tensor copy = state.bfloat16Weights->copyOf(item.value());
    const bool hasCopy = item.value().dim() == 4;
    QVERIFY2(copy.defined() == hasCopy, item.key().c_str());
    if (!hasCopy) continue;
    QVERIFY2(!item.value().grad().defined(), item.key().c_str());
    // The filters of a whitened stem are not learnt.
    QVERIFY2(copy.grad().defined() == item.value().requires_grad(), item.key().c_str());
  }
  state.optimizer.zeroGrad();
  for (const at::Tensor& master : state.network->parameters()) {
    const at::Tensor copy = state.bfloat16Weights->copyOf(master);
    QVERIFY(!copy.defined() || !copy.grad().defined());
  }
}

void TestBfloat16Weights::float32HasNone() {
  RunConfig config = mixedRun(OptimizerKind::sgd);
  config.recipe.precision = Precision::float32;
  QVERIFY(TrainingState(config, kCpu).bfloat16Weights == nullptr);
}

QTEST_GUILESS_MAIN(TestBfloat16Weights)

#include "tst_bfloat16_weights.moc"
