#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensors/safetensors.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/runtime/processes/rank_device.h"
#include "engine/training/input/training_data.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/processes/follower.h"
#include "engine/training/processes/team.h"
#include "tests/support/ranks_in_threads.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text_run.h"
#include "tests/support/tiny_run.h"

using namespace lambda;
using test::inThreads;

namespace {

/// The state of one process after the gradients of its first batch.
struct Step {
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> buffers;
  double loss = 0;
  double score = 0;
};

Step stepOf(const RunConfig& config, Processes* processes) {
  const ResolvedConfig resolved =
      config.device.kind == DeviceKind::cpu ? test::onCpu(config) : resolvedFor(config, processes);
  if (processes != nullptr) connectDevices(*processes, resolved.device());
  TrainingState state(resolved);
  // In float64, where there is arithmetic in it, the rounding of sums does not hide a mistake.
  const bool isExact = config.architecture.task != Task::tokens;
  if (isExact) state.network->to(at::kDouble);
  const auto data = trainingDataOf(resolved);
  std::optional<Team> team;
  if (processes != nullptr) {
    data->choosePart({processes->rank(), processes->size()});
    team.emplace(*processes, state, config);
    team->beginStep(0);
  }
  TensorBatch batch = data->batch(0, 0);
  if (isExact) batch.images = batch.images.to(at::kDouble);
  const StepMeasures measures =
      computeGradients(state, batch, {}, nullptr, team ? &*team : nullptr);
  Step step;
  for (const UpdatedParameter& each : state.optimizer.parameters()) {
    step.gradients.push_back(each.parameter.grad().clone());
  }
  for (const at::Tensor& each : state.network->buffers()) step.buffers.push_back(each.clone());
  step.loss = measures.loss.item<double>();
  step.score = measures.score.item<double>();
  return step;
}

/// The largest difference, relative to the largest value.
double differenceOf(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const at::Tensor x = a[i].to(at::kDouble), y = b[i].to(at::kDouble);
    difference = std::max(difference, (x - y).abs().max().item<double>());
    size = std::max(size, y.abs().max().item<double>());
  }
  return difference / size;
}

RunConfig jointRun() {
  RunConfig config = tinyRun();
  config.recipe.synchronizedNorm = true;
  // Rounding can't turn a slope of this activation from 0 to 1, as it can one of ReLU.
  config.architecture.activation = Activation::gelu;
  return config;
}

RunConfig recallRun() {
  const RecallSource recall{.vocabulary = 16,
                            .pairs = 3,
                            .length = kTextLength,
                            .minimumDistance = 4,
                            .trainCount = 100,
                            .validationCount = 20,
                            .testCount = 20};
  return tokensRun(recall, 16, 20);
}

/// Trains with rank 0 in this library; returns the failures of all ranks.
std::vector<std::string> train(const RunConfig& config,
                               const std::filesystem::path& runs,
                               int ranks,
                               int untilEpoch = 0) {
  return inThreads(ranks, [&](Processes& processes) {
    if (!processes.isFirst()) return followTraining(processes);
    RunControl control;
    control.stopAfter({.epoch = untilEpoch});
    RecordingObserver observer;
    const RunResult result =
        trainRun(config, NewRunPlace(runs, "run"), control, observer, {}, &processes);
    if (result.status == RunStatus::failed) throw std::runtime_error(result.failure);
  });
}

std::vector<std::string> resume(const std::filesystem::path& runs, int ranks) {
  return inThreads(ranks, [&](Processes& processes) {
    if (!processes.isFirst()) return followTraining(processes);
    RunControl control;
    RecordingObserver observer;
    resumeRun(runs / "run", {}, control, observer, &processes);
  });
}

bool succeeded(const std::vector<std::string>& failures) {
  for (const std::string& each : failures) {
    if (!each.empty()) qWarning("%s", each.c_str());
  }
  return std::ranges::all_of(failures, &std::string::empty);
}

std::vector<at::Tensor> weightsIn(const std::filesystem::path& runs) {
  const SafeTensors file = readSafeTensors(RunFolder::open(runs / "run").lastCheckpoint());
  std::vector<at::Tensor> weights;
  for (const TensorView& view : file.tensors) {
    if (view.name.starts_with("model.") && view.dtype == DType::F32) {
      weights.push_back(at::from_blob(const_cast<std::byte*>(view.bytes.data()),
                                      {static_cast<std::int64_t>(view.bytes.size() / 4)},
                                      at::kFloat)
                            .clone());
    }
  }
  return weights;
}

RunRecord recordIn(const std::filesystem::path& runs) {
  std::vector<Problem> warnings;
  return readRunRecord(RunFolder::open(runs / "run").record(), warnings);
}

}  // namespace

class TestJointTraining : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() {
    if (!canJoinProcesses()) QSKIP("this program was built without Gloo");
  }

  void aBatchIsSharedOutOnce() {
    for (const std::int64_t examples : {1, 5, 30, 31}) {
      for (const int ranks : {1, 2, 3, 7}) {
        std::int64_t next = 0;
        double share = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const BatchPart::Range range = BatchPart{rank, ranks}.of(examples);
          QVERIFY(range.count >= 1 && range.first + range.count <= examples);
          share += range.share;
          if (range.share == 0) continue;
          QCOMPARE(range.first, next);
          next += range.count;
        }
        QCOMPARE(next, examples);
        QVERIFY(std::abs(share - 1) < 1e-12);
      }
    }
  }

  void gradientsAreThoseOfTheJointBatch_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("batchSize");
    QTest::addColumn<QString>("kind");
    QTest::newRow("two") << 2 << 30 << QString();
    QTest::newRow("unequal parts") << 4 << 30 << QString();
    QTest::newRow("mixed across the parts") << 3 << 31 << QStringLiteral("mixed");
    QTest::newRow("more ranks than images") << 4 << 3 << QString();
    QTest::newRow("tokens") << 3 << 10 << QStringLiteral("tokens");
  }

  void gradientsAreThoseOfTheJointBatch() {
    QFETCH(int, ranks);
    QFETCH(int, batchSize);
    QFETCH(QString, kind);
    RunConfig config = kind == QLatin1String("tokens") ? recallRun() : jointRun();
    config.recipe.batchSize = batchSize;
    if (kind == QLatin1String("mixed")) {
      config.data.augmentation.mixupAlpha = 1;
      config.data.augmentation.cutmixAlpha = 1;
    }
    const Step one = stepOf(config, nullptr);
    std::vector<Step> steps(static_cast<std::size_t>(ranks));
    QVERIFY(succeeded(inThreads(ranks, [&](Processes& processes) {
      steps[static_cast<std::size_t>(processes.rank())] = stepOf(config, &processes);
    })));
    for (const Step& each : steps) {
      QVERIFY2(differenceOf(each.gradients, one.gradients) < 1e-6,
               std::to_string(differenceOf(each.gradients, one.gradients)).c_str());
      if (!one.buffers.empty()) QVERIFY(differenceOf(each.buffers, one.buffers) < 1e-6);
      QVERIFY(std::abs(each.loss - one.loss) < 1e-6 * one.loss);
      QVERIFY(std::abs(each.score - one.score) < 1e-12);
      // All ranks have the same bits, without which their weights would drift apart.
      QCOMPARE(differenceOf(each.gradients, steps.front().gradients), 0.0);
    }
  }

  /// tests/gpu/ranks.py has two ranks, which need two GPUs.
  void oneRankTrainsThroughNcclOnAGpu() {
    const ComputeDevice device = selectDevice({});
    if (device.kind != DeviceKind::cuda) QSKIP(("no GPU: " + device.reason).c_str());
    RunConfig config = jointRun();
    config.device.kind = DeviceKind::cuda;
    const Step one = stepOf(config, nullptr);
    Step joint;
    QVERIFY(
        succeeded(inThreads(1, [&](Processes& processes) { joint = stepOf(config, &processes); })));
    QVERIFY(joint.gradients.front().is_cuda());
    QVERIFY(differenceOf(joint.gradients, one.gradients) < 1e-6);
    QVERIFY(differenceOf(joint.buffers, one.buffers) < 1e-6);

    const TemporaryFolder folder;
    QVERIFY(succeeded(train(config, folder.path(), 1)));
    const RunRecord record = recordIn(folder.path());
    QCOMPARE(record.status, RunStatus::finished);
    QCOMPARE(record.ranks.front().device, device.name);
  }

  void aRunOfManyIsThatOfOneWithinRounding() {
    const TemporaryFolder folder;
    QVERIFY(succeeded(train(jointRun(), folder.path() / "two", 2)));
    RunControl control;
    RecordingObserver observer;
    trainRun(jointRun(), NewRunPlace(folder.path() / "one", "run"), control, observer);
    const double difference =
        differenceOf(weightsIn(folder.path() / "two"), weightsIn(folder.path() / "one"));
    QVERIFY2(difference < 1e-3, std::to_string(difference).c_str());
    const RunRecord two = recordIn(folder.path() / "two"), one = recordIn(folder.path() / "one");
    QCOMPARE(two.status, RunStatus::finished);
    QCOMPARE(two.environment.ranks, 2);
    QCOMPARE(two.ranks.size(), 2U);
    QVERIFY(two.ranks[1].imagesPerSecond > 0 && two.ranks[1].waitShare < 1);
    QVERIFY(one.ranks.empty());
    QVERIFY(std::abs(*two.testLoss - *one.testLoss) < 1e-3);
  }

  void metricsHaveTheTimeOfTheSum() {
    const TemporaryFolder folder;
    QVERIFY(succeeded(train(tinyRun(), folder.path(), 2)));
    const Metrics metrics =
        metricsFromText(readFile(RunFolder::open(folder.path() / "run").metrics(), 1 << 20));
    QCOMPARE(metrics.batches.size(), 18U);
    for (const BatchRecord& each : metrics.batches) {
      QVERIFY(each.allReduceSeconds && *each.allReduceSeconds > 0);
    }
  }

  void aResumedRunHasTheSameBits_data() {
    QTest::addColumn<bool>("isJoint");
    QTest::newRow("each rank with the norms of its part") << false;
    QTest::newRow("joint norms, in bfloat16") << true;
  }

  void aResumedRunHasTheSameBits() {
    QFETCH(bool, isJoint);
    RunConfig config = isJoint ? jointRun() : tinyRun();
    config.recipe.emaDecay = 0.9;
    if (isJoint) config.recipe.precision = Precision::bfloat16;
    const TemporaryFolder folder;
    QVERIFY(succeeded(train(config, folder.path() / "whole", 2)));
    QVERIFY(succeeded(train(config, folder.path() / "parts", 2, /*untilEpoch=*/1)));
    QCOMPARE(recordIn(folder.path() / "parts").status, RunStatus::stopped);
    QVERIFY(succeeded(resume(folder.path() / "parts", 2)));
    QCOMPARE(differenceOf(weightsIn(folder.path() / "parts"), weightsIn(folder.path() / "whole")),
             0.0);
    const RunRecord parts = recordIn(folder.path() / "parts");
    const RunRecord whole = recordIn(folder.path() / "whole");
    QCOMPARE(*parts.testLoss, *whole.testLoss);
    QCOMPARE(*parts.bestValidationLoss, *whole.bestValidationLoss);
  }

  void anotherNumberOfProcessesGoesOnAndSaysSo() {
    const TemporaryFolder folder;
    QVERIFY(succeeded(train(jointRun(), folder.path() / "whole", 2)));
    QVERIFY(succeeded(train(jointRun(), folder.path() / "parts", 2, /*untilEpoch=*/1)));
    QVERIFY(succeeded(resume(folder.path() / "parts", 3)));
    const RunRecord record = recordIn(folder.path() / "parts");
    QCOMPARE(record.status, RunStatus::finished);
    QCOMPARE(record.environment.ranks, 3);
    QVERIFY(differenceOf(weightsIn(folder.path() / "parts"), weightsIn(folder.path() / "whole")) <
            1e-3);
    const std::string metrics =
        readFile(RunFolder::open(folder.path() / "parts" / "run").metrics(), 1 << 20);
    QVERIFY(metrics.find("trained by 3 instead of 2 processes") != std::string::npos);
  }

  void aRunOfManyIsNotRepeatedByOne() {
    const TemporaryFolder folder;
    RunConfig config = tinyRun();
    config.recipe.epochs = 1;
    QVERIFY(succeeded(train(config, folder.path(), 2)));
    RunControl control;
    RecordingObserver observer;
    try {
      repeatRun(folder.path() / "run", folder.path(), control, observer);
      QFAIL("it claims to give the same bits");
    } catch (const Error& error) {
      QVERIFY(error.reason().starts_with("2 processes trained it"));
    }
  }

  void aBatchThatIsTooSmallIsRefused() {
    const TemporaryFolder folder;
    RunConfig config = tinyRun();
    config.recipe.batchSize = 2;
    const auto failures = train(config, folder.path(), 3);
    QVERIFY2(failures[0].find("a batch of 2 can't be shared by 3 processes") != std::string::npos,
             failures[0].c_str());
    QVERIFY(!failures[1].empty() && !failures[2].empty());
    QVERIFY(!std::filesystem::exists(folder.path() / "run"));
  }

  void otherDataIsRefused() {
    const auto failures = inThreads(3, [](Processes& processes) {
      requireSameDigests(processes, "test", processes.rank() == 2 ? "b" : "a");
    });
    for (const std::string& each : failures) {
      QVERIFY2(each.find("rank 2") != std::string::npos, each.c_str());
      QVERIFY(each.find("test data") != std::string::npos);
    }
  }
};

QTEST_GUILESS_MAIN(TestJointTraining)
#include "tst_joint_training.moc"
