#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/formats/tensors/safetensors.h"
#include "engine/networks/inspection/first_nonfinite.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/run/live_inspection.h"
#include "engine/training/scoring.h"
#include "engine/training/step/training_step.h"
#include "engine/training/update/master_weights.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

constexpr int kSteps = 5;

/// In bfloat16, with every kind of convolution and everything that goes by gradients.
RunConfig mixedRun(OptimizerKind kind) {
  RunConfig config = tinyRun();
  config.recipe.precision = Precision::bfloat16;
  config.recipe.optimizer.kind = kind;
  config.recipe.optimizer.gradientClip = 0.5;
  config.recipe.emaDecay = 0.9;
  config.architecture.stem.width = 24;
  config.architecture.stem.whitened = true;
  config.architecture.stages[1].blocks[0].squeezeExcitation = true;
  return config;
}

/// A state with float32 weights, which autocast rounds in each step of a mixed-precision run.
std::unique_ptr<TrainingState> castingState(const RunConfig& mixed, bool byAten = false) {
  return std::make_unique<TrainingState>(test::onCpu(mixed), UpdateOptions{.byAten = byAten});
}

StepOutcome train(TrainingState& state, RunData& data) {
  const auto step = static_cast<int>(state.progress.step);
  const StepOutcome outcome = trainOnBatch(state, data.batch(0, step), 0.05 / (1 + step));
  ++state.progress.step;
  return outcome;
}

/// Master weights, buffers, moments and averages.
std::vector<at::Tensor> allOf(const TrainingState& state) {
  std::vector<at::Tensor> all;
  for (const UpdatedParameter& each : state.optimizer.parameters()) all.push_back(each.master);
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

/// The number of bfloat16 parameters of the network; -1 if one is not its rounded master.
int roundedWeights(const TrainingState& state) {
  int count = 0;
  for (const UpdatedParameter& each : state.optimizer.parameters()) {
    if (each.parameter.scalar_type() != at::kBFloat16) continue;
    if (!each.parameter.equal(each.master.to(at::kBFloat16))) return -1;
    ++count;
  }
  return count;
}

/// The tensors of a checkpoint by name.
std::map<std::string, std::pair<DType, std::vector<std::byte>>> storedIn(
    const std::filesystem::path& path) {
  const SafeTensors file = readSafeTensors(path);
  std::map<std::string, std::pair<DType, std::vector<std::byte>>> stored;
  for (const TensorView& view : file.tensors) {
    stored[view.name] = {view.dtype, {view.bytes.begin(), view.bytes.end()}};
  }
  return stored;
}

}  // namespace

class TestBfloat16Weights : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void trainWithTheBitsOfAutocast_data();
  void trainWithTheBitsOfAutocast();
  void followACheckpoint();
  void aCheckpointIsThatOfFloat32();
  void mastersAreInPlaceForAScope();
  void scoresAndPicturesAreThoseOfAutocast();
  void gradientsAreThoseOfTheRoundedWeights();
  void aGradientThatIsNotFiniteIsFound();
  void oneOptimizerAtATimeKeepsTheMasters();
  void float32HasNone();
};

void TestBfloat16Weights::trainWithTheBitsOfAutocast_data() {
  QTest::addColumn<OptimizerKind>("kind");
  QTest::addColumn<bool>("byAten");
  for (const bool byAten : {false, true}) {
    const char* by = byAten ? "ATen" : "kernels";
    QTest::addRow("sgd, %s", by) << OptimizerKind(Sgd{}) << byAten;
    QTest::addRow("adamw, %s", by) << OptimizerKind(AdamW{}) << byAten;
    QTest::addRow("muon, %s", by) << OptimizerKind(Muon{}) << byAten;
  }
}

void TestBfloat16Weights::trainWithTheBitsOfAutocast() {
  QFETCH(OptimizerKind, kind);
  QFETCH(bool, byAten);
  const RunConfig config = mixedRun(kind);
  RunData data(test::onCpu(config));
  TrainingState state(test::onCpu(config),
                      UpdateOptions{.precision = config.recipe.precision, .byAten = byAten});
  const auto casting = castingState(config, byAten);
  for (int step = 0; step < kSteps; ++step) {
    const StepOutcome found = train(state, data), expected = train(*casting, data);
    QVERIFY(found.finite);
    QVERIFY(found.loss == expected.loss);
    QVERIFY(found.gradientNorm == expected.gradientNorm);
    QVERIFY2(haveSameBits(state, *casting), std::to_string(step).c_str());
    // Three convolutions, two layers of squeeze-and-excitation and three projections.
    QCOMPARE(roundedWeights(state), 8);
  }
}

void TestBfloat16Weights::followACheckpoint() {
  const RunConfig config = mixedRun(Sgd{});
  RunData data(test::onCpu(config));
  const TemporaryFolder folder;
  const auto path = folder.path() / "state.safetensors";
  TrainingState whole(test::onCpu(config)), resumed(test::onCpu(config));
  for (int step = 0; step < 2; ++step) train(whole, data);
  whole.save(path, config, {}, {});
  resumed.load(path);
  QVERIFY(train(resumed, data).loss == train(whole, data).loss);
  QVERIFY(haveSameBits(resumed, whole));
  QCOMPARE(roundedWeights(resumed), 8);
}

void TestBfloat16Weights::aCheckpointIsThatOfFloat32() {
  const RunConfig config = mixedRun(AdamW{});
  RunData data(test::onCpu(config));
  const TemporaryFolder folder;
  const auto path = folder.path() / "mixed.safetensors";
  TrainingState state(test::onCpu(config));
  const auto casting = castingState(config);
  for (TrainingState* each : {&state, casting.get()}) train(*each, data);
  state.save(path, config, {}, {});
  casting->save(folder.path() / "casting.safetensors", config, {}, {});
  QVERIFY(storedIn(path) == storedIn(folder.path() / "casting.safetensors"));
  // A state of the other precision can load it.
  const auto resumed = castingState(config);
  resumed->load(path);
  QVERIFY(haveSameBits(*resumed, state));
  LoadedNetwork loaded = loadNetwork(path, at::kCPU);
  QCOMPARE(loaded.network->parameters().front().scalar_type(), at::kFloat);
}

void TestBfloat16Weights::mastersAreInPlaceForAScope() {
  const RunConfig config = mixedRun(Sgd{});
  TrainingState state(test::onCpu(config));
  const UpdatedParameter& first = state.optimizer.parameters().front();
  QCOMPARE(first.parameter.scalar_type(), at::kBFloat16);
  const void* rounded = first.parameter.const_data_ptr();
  {
    const MasterWeights masters(state.optimizer);
    QCOMPARE(first.parameter.const_data_ptr(), first.master.const_data_ptr());
    QCOMPARE(first.parameter.scalar_type(), at::kFloat);
    const MasterWeights again(state.optimizer);
    const at::NoGradGuard noGradient;
    first.parameter.fill_(1.0F + 0x1p-20F);
  }
  // The master keeps the value in full precision; the network's copy is rounded.
  QVERIFY(first.master.eq(1.0F + 0x1p-20F).all().item<bool>());
  QVERIFY(first.parameter.eq(1).all().item<bool>());
  QCOMPARE(first.parameter.const_data_ptr(), rounded);
  QCOMPARE(first.parameter.scalar_type(), at::kBFloat16);
  const AveragedWeights averaged(state.average.get());
  const MasterWeights none(state.optimizer);
  QVERIFY(first.parameter.ne(1).any().item<bool>());
}

void TestBfloat16Weights::scoresAndPicturesAreThoseOfAutocast() {
  const RunConfig config = mixedRun(Muon{});
  RunData data(test::onCpu(config));
  TrainingState state(test::onCpu(config));
  const auto casting = castingState(config);
  for (TrainingState* each : {&state, casting.get()}) train(*each, data);
  const auto scoresOf = [&](TrainingState& of) {
    return *evaluate(*of.network, data.validation(), [](auto) { return true; });
  };
  QVERIFY(scoresOf(state) == scoresOf(*casting));
  for (const bool averages : {false, true}) {
    const AveragedWeights ours(averages ? state.average.get() : nullptr);
    const AveragedWeights theirs(averages ? casting->average.get() : nullptr);
    QVERIFY(scoresOf(state) == scoresOf(*casting));
    const InspectionRequest request{.layer = "stage2.block2.mixer"};
    QVERIFY(inspectLive(state, data, request) == inspectLive(*casting, data, request));
  }
  QCOMPARE(roundedWeights(state), 8);
}

void TestBfloat16Weights::gradientsAreThoseOfTheRoundedWeights() {
  const RunConfig config = mixedRun(Sgd{});
  RunData data(test::onCpu(config));
  TrainingState state(test::onCpu(config));
  computeGradients(state, data.batch(0, 0));
  for (const auto& item : state.network->named_parameters()) {
    const at::Tensor& weight = item.value();
    const bool isRounded = weight.dim() == 4;
    QVERIFY2((weight.scalar_type() == at::kBFloat16) == isRounded, item.key().c_str());
    // The filters of a whitened stem are not trained.
    QVERIFY2(weight.grad().defined() == weight.requires_grad(), item.key().c_str());
    if (weight.grad().defined())
      QVERIFY2(weight.grad().scalar_type() == weight.scalar_type(), item.key().c_str());
  }
  state.optimizer.zeroGrad();
  for (const at::Tensor& each : state.network->parameters()) QVERIFY(!each.grad().defined());
}

void TestBfloat16Weights::aGradientThatIsNotFiniteIsFound() {
  const RunConfig config = mixedRun(Sgd{});
  RunData data(test::onCpu(config));
  TrainingState state(test::onCpu(config));
  const TensorBatch batch = data.batch(0, 0);
  computeGradients(state, batch);
  at::Tensor filters = state.network->named_parameters()["stage2.block1.mixer.conv.weight"];
  filters.mutable_grad()[1][2][0][1] = std::numeric_limits<float>::infinity();
  const MasterWeights masters(state.optimizer);
  const std::optional<NonFinite> found = firstNonFinite(state.network, batch.images);
  QVERIFY(found.has_value());
  QCOMPARE(found->layer, std::string("stage2.block1.mixer"));
  QVERIFY2(found->what.starts_with("1 of 1152 gradients of stage2.block1.mixer.conv.weight"),
           found->what.c_str());
}

void TestBfloat16Weights::oneOptimizerAtATimeKeepsTheMasters() {
  const RunConfig config = mixedRun(Sgd{});
  const TrainingState state(test::onCpu(config));
  QVERIFY_THROWS_EXCEPTION(
      c10::Error,
      Optimizer(config.recipe.optimizer, *state.network, {.precision = config.recipe.precision}));
}

void TestBfloat16Weights::float32HasNone() {
  RunConfig config = mixedRun(Sgd{});
  config.recipe.precision = Precision::float32;
  const TrainingState state(test::onCpu(config));
  QCOMPARE(roundedWeights(state), 0);
  for (const UpdatedParameter& each : state.optimizer.parameters()) QVERIFY(!each.isRounded());
}

QTEST_GUILESS_MAIN(TestBfloat16Weights)

#include "tst_bfloat16_weights.moc"
