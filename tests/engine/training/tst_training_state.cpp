#include <ATen/Context.h>

#include <QTest>

#include "engine/training/checkpoint/training_state.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

at::Tensor randomState() {
  return at::globalContext().defaultGenerator(at::kCPU).get_state();
}

}  // namespace

class TestTrainingState : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void leavesLibTorchsGeneratorAsItWas();
  void weightsAndRandomNumbersComeFromTheSeed();
};

void TestTrainingState::leavesLibTorchsGeneratorAsItWas() {
  at::manual_seed(5);
  const at::Tensor before = randomState();
  const TemporaryFolder folder;
  const RunConfig config = tinyRun();
  const TrainingState state(test::onCpu(config));
  QVERIFY(randomState().equal(before));
  const auto path = folder.path() / "state.safetensors";
  state.save(path, config, {}, {});
  loadNetwork(path, at::kCPU);
  QVERIFY(randomState().equal(before));
}

void TestTrainingState::weightsAndRandomNumbersComeFromTheSeed() {
  RunConfig config = tinyRun();
  const TrainingState first(test::onCpu(config));
  at::manual_seed(6);
  const TrainingState same(test::onCpu(config));
  config.seed += 1;
  const TrainingState other(test::onCpu(config));
  const auto weight = [](const TrainingState& state) { return state.network->parameters()[0]; };
  QVERIFY(weight(first).equal(weight(same)));
  QVERIFY(!weight(first).equal(weight(other)));
  const auto next = [](const TrainingState& state) {
    return at::empty({8}).uniform_(0, 1, state.network->random());
  };
  const at::Tensor drawn = next(first);
  QVERIFY(drawn.equal(next(same)));
  QVERIFY(!drawn.equal(next(other)));
}

QTEST_GUILESS_MAIN(TestTrainingState)
#include "tst_training_state.moc"
