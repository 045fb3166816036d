#include <sys/resource.h>

#include <QTest>
#include <cmath>
#include <csignal>
#include <fstream>

#include "engine/formats/metrics_json.h"
#include "engine/formats/run_json.h"
#include "engine/formats/safetensors.h"
#include "engine/runtime/error.h"
#include "engine/training/evaluate_run.h"
#include "engine/training/run_folder.h"
#include "engine/training/trainer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

/// The bytes of everything that a run learnt and would go on with.
std::map<std::string, std::vector<std::byte>> tensorsOf(const std::filesystem::path& run) {
  const SafeTensors file = readSafeTensors(RunFolder::open(run).lastCheckpoint());
  std::map<std::string, std::vector<std::byte>> tensors;
  for (const TensorView& view : file.tensors) {
    tensors[view.name] = {view.bytes.begin(), view.bytes.end()};
  }
  return tensors;
}

std::vector<double> lossesOf(const std::filesystem::path& run) {
  std::vector<double> losses;
  for (const BatchRecord& batch : readMetrics(RunFolder::open(run).metrics()).batches) {
    losses.push_back(batch.loss);
  }
  return losses;
}

RunRecord recordOf(const std::filesystem::path& run) {
  std::vector<Problem> warnings;
  return readRunRecord(RunFolder::open(run).record(), warnings);
}

/// A tiny run in which everything random is switched on.
RunConfig randomRun(OptimizerKind optimizer) {
  RunConfig config = tinyRun();
  config.recipe.optimizer.kind = optimizer;
  if (optimizer != OptimizerKind::sgd) config.recipe.optimizer.learningRate = 0.003;
  config.recipe.emaDecay = 0.9;
  config.recipe.labelSmoothing = 0.1;
  config.recipe.optimizer.gradientClip = 1;
  config.architecture.head.dropout = 0.2;
  config.architecture.stages[1].blocks[1].stochasticDepth = 0.3;
  config.data.augmentation.horizontalFlip = true;
  config.data.augmentation.cutoutSize = 4;
  return config;
}

}  // namespace

class TestTrainer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void overfitsASmallSet();
  void sameSeedSameBits();
  void resumesToTheSameBits_data();
  void resumesToTheSameBits();
  void resumeAfterAnotherResumeIsExactToo();
  void resumedRunRecordsOneCleanLine();
  void continuesAFinishedRun();
  void forksWithChangedSettings();
  void damagedCheckpointFallsBack_data();
  void damagedCheckpointFallsBack();
  void stopsWithinOneBatchInEveryPhase_data();
  void stopsWithinOneBatchInEveryPhase();
  void pauseHoldsTheRunAndInspectionIsServed();
  void trainingAndValidationAreScoredAlike();
  void testSetIsScoredOnce();
  void nonFiniteValueStopsTheRun();
  void fullDiskKeepsTheLastCheckpoint();
  void keepsWhatThePolicySays();
  void secondProcessIsRefused();
  void impossibleConfigurationLeavesNoFolder();
  void inspectionChangesNothing();
};

void TestTrainer::overfitsASmallSet() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.architecture.stem.width = 16;
  config.architecture.stages[0].width = 16;
  config.architecture.stages[1].width = 32;
  config.data.generatedTrainCount = 80;
  config.data.validationCount = 20;
  config.data.augmentation = {.cropPadding = 0, .horizontalFlip = false};
  config.recipe.batchSize = 20;
  config.recipe.epochs = 120;
  config.recipe.optimizer.kind = OptimizerKind::adam;
  config.recipe.optimizer.learningRate = 0.01;
  config.recipe.optimizer.weightDecay = 0;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(config, folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::finished);
  QVERIFY2(observer.epochs.back().train.accuracy > 0.97,
           qPrintable(QString::number(observer.epochs.back().train.accuracy)));
}

void TestTrainer::sameSeedSameBits() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunConfig config = randomRun(OptimizerKind::sgd);
  const RunResult first = trainRun(config, folder.path(), control, observer);
  const RunResult second = trainRun(config, folder.path(), control, observer);
  QVERIFY(tensorsOf(first.run) == tensorsOf(second.run));
  RunConfig other = config;
  other.seed = 4;
  const RunResult third = trainRun(other, folder.path(), control, observer);
  QVERIFY(tensorsOf(first.run) != tensorsOf(third.run));
}

void TestTrainer::resumesToTheSameBits_data() {
  QTest::addColumn<int>("optimizer");
  QTest::addColumn<int>("stopStep");
  QTest::addColumn<bool>("inEvaluation");
  QTest::newRow("sgd, first batch") << 0 << 1 << false;
  QTest::newRow("sgd, middle of an epoch") << 0 << 9 << false;
  QTest::newRow("sgd, last batch of an epoch") << 0 << 12 << false;
  QTest::newRow("sgd, in evaluation") << 0 << 6 << true;
  QTest::newRow("adam, middle of an epoch") << 1 << 10 << false;
  QTest::newRow("adamw, in evaluation") << 2 << 12 << true;
  QTest::newRow("adamw, last batch") << 2 << 18 << false;
}

void TestTrainer::resumesToTheSameBits() {
  QFETCH(int, optimizer);
  QFETCH(int, stopStep);
  QFETCH(bool, inEvaluation);
  const TemporaryFolder folder;
  const RunConfig config = randomRun(static_cast<OptimizerKind>(optimizer));
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);

  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (!inEvaluation && batch.step == stopStep) control.requestStop();
  };
  observer.onEvaluated = [&](const EvaluationProgress&) {
    if (inEvaluation && observer.batches.size() == static_cast<std::size_t>(stopStep)) {
      control.requestStop();
    }
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  QCOMPARE(stopped.status, RunStatus::stopped);
  QCOMPARE(observer.batches.size(), static_cast<std::size_t>(stopStep));
  const bool allTrained = stopStep == observer.batchesPerEpoch * config.recipe.epochs;
  QCOMPARE(tensorsOf(stopped.run) == tensorsOf(uninterrupted.run), allTrained);

  RunControl again;
  const RunResult resumed = resumeRun(stopped.run, {}, again, silent);
  QCOMPARE(resumed.status, RunStatus::finished);
  QVERIFY(tensorsOf(resumed.run) == tensorsOf(uninterrupted.run));
  QVERIFY(lossesOf(resumed.run) == lossesOf(uninterrupted.run));
  QCOMPARE(resumed.testAccuracy, uninterrupted.testAccuracy);
  QCOMPARE(resumed.bestValidationAccuracy, uninterrupted.bestValidationAccuracy);
}

void TestTrainer::resumeAfterAnotherResumeIsExactToo() {
  const TemporaryFolder folder;
  const RunConfig config = randomRun(OptimizerKind::sgd);
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
  std::string run;
  for (const std::int64_t stopStep : {2, 5, 13}) {
    RunControl control;
    RecordingObserver observer;
    observer.onBatch = [&](const BatchRecord& batch) {
      if (batch.step == stopStep) control.requestStop();
    };
    run = run.empty() ? trainRun(config, folder.path(), control, observer).run
                      : resumeRun(run, {}, control, observer).run;
  }
  RunControl control;
  resumeRun(run, {}, control, silent);
  QVERIFY(tensorsOf(run) == tensorsOf(uninterrupted.run));
}

void TestTrainer::resumedRunRecordsOneCleanLine() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.checkpoints.everyMinutes = 0;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 8) control.requestStop();
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  // As after a kill: the checkpoint is of the end of epoch 1, the metrics go on for two batches.
  const RunFolder run = RunFolder::open(stopped.run);
  std::filesystem::copy_file(run.epochCheckpoint(1), run.lastCheckpoint(),
                             std::filesystem::copy_options::overwrite_existing);
  RunControl again;
  RecordingObserver silent;
  resumeRun(stopped.run, {}, again, silent);
  const Metrics metrics = readMetrics(run.metrics());
  QCOMPARE(metrics.batches.size(), std::size_t{18});
  for (std::size_t i = 0; i < metrics.batches.size(); ++i) {
    QCOMPARE(metrics.batches[i].step, static_cast<std::int64_t>(i + 1));
  }
  QCOMPARE(metrics.epochs.size(), std::size_t{3});
  const auto hasEvent = [&](EventKind kind) {
    return std::any_of(metrics.events.begin(), metrics.events.end(),
                       [&](const EventRecord& event) { return event.kind == kind; });
  };
  QVERIFY(hasEvent(EventKind::stopped));
  QVERIFY(hasEvent(EventKind::resumed));
}

void TestTrainer::continuesAFinishedRun() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult finished = trainRun(tinyRun(), folder.path(), control, observer);
  QVERIFY_THROWS_EXCEPTION(Error, resumeRun(finished.run, {}, control, observer));
  ResumeOptions options;
  options.epochs = 5;
  const RunResult more = resumeRun(finished.run, options, control, observer);
  QCOMPARE(more.status, RunStatus::finished);
  QCOMPARE(more.epochs, 5);
  const RunRecord record = recordOf(more.run);
  QCOMPARE(record.config.recipe.epochs, 5);
  QCOMPARE(record.testLooks, 2);
}

void TestTrainer::forksWithChangedSettings() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult parent = trainRun(tinyRun(), folder.path(), control, observer);
  const auto before = tensorsOf(parent.run);
  RunConfig changed = tinyRun();
  changed.recipe.optimizer.learningRate = 0.01;
  changed.recipe.batchSize = 45;
  changed.recipe.epochs = 4;
  const std::filesystem::path checkpoint = RunFolder::open(parent.run).epochCheckpoint(2);
  RecordingObserver child;
  const RunResult forked = forkRun(checkpoint, changed, folder.path(), control, child);
  QCOMPARE(forked.status, RunStatus::finished);
  QCOMPARE(child.epochs.front().epoch, 3);
  QCOMPARE(child.batches.front().step, std::int64_t{13});
  const RunRecord record = recordOf(forked.run);
  QCOMPARE(record.lineage.parentRun, RunFolder::open(parent.run).name());
  QCOMPARE(record.lineage.parentCheckpoint, std::string("epoch-0002.safetensors"));
  QCOMPARE(record.lineage.parentStep, std::int64_t{12});
  QVERIFY(tensorsOf(parent.run) == before);
  changed.architecture.stages[0].width = 12;
  QVERIFY_THROWS_EXCEPTION(Error, forkRun(checkpoint, changed, folder.path(), control, child));
}

void TestTrainer::damagedCheckpointFallsBack_data() {
  QTest::addColumn<QString>("damage");
  for (const char* damage : {"cut", "bit", "empty", "missing"}) {
    QTest::newRow(damage) << QString::fromLatin1(damage);
  }
}

void TestTrainer::damagedCheckpointFallsBack() {
  QFETCH(QString, damage);
  const TemporaryFolder folder;
  const RunConfig config = randomRun(OptimizerKind::sgd);
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 9) control.requestStop();
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  const std::filesystem::path last = RunFolder::open(stopped.run).lastCheckpoint();
  const auto size = std::filesystem::file_size(last);
  if (damage == QStringLiteral("cut")) std::filesystem::resize_file(last, size - 100);
  if (damage == QStringLiteral("empty")) std::filesystem::resize_file(last, 0);
  if (damage == QStringLiteral("missing")) std::filesystem::remove(last);
  if (damage == QStringLiteral("bit")) {
    std::fstream file(last, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(size - 1000));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(size - 1000));
    file.put(byte);
  }
  RunControl again;
  RecordingObserver resumed;
  resumeRun(stopped.run, {}, again, resumed);
  QCOMPARE(resumed.batches.front().step, std::int64_t{7});
  const bool isTold = resumed.events.front().text.find("damaged") != std::string::npos;
  QCOMPARE(isTold, damage != QStringLiteral("missing"));
  QVERIFY(tensorsOf(stopped.run) == tensorsOf(uninterrupted.run));
}

void TestTrainer::stopsWithinOneBatchInEveryPhase_data() {
  QTest::addColumn<QString>("phase");
  for (const char* phase : {"start", "batch", "train", "validation", "test"}) {
    QTest::newRow(phase) << QString::fromLatin1(phase);
  }
}

void TestTrainer::stopsWithinOneBatchInEveryPhase() {
  QFETCH(QString, phase);
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  RunControl control;
  RecordingObserver observer;
  int after = 0;
  bool asked = false;
  const auto ask = [&] {
    if (asked) ++after;
    asked = true;
    control.requestStop();
  };
  observer.onStarted = [&](const RunRecord&) {
    if (phase == QStringLiteral("start")) ask();
  };
  observer.onBatch = [&](const BatchRecord&) {
    if (asked || phase == QStringLiteral("batch")) ask();
  };
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    if (asked || phase == QString::fromStdString(progress.phase)) ask();
  };
  const RunResult result = trainRun(config, folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::stopped);
  QCOMPARE(after, 0);
  RunControl again;
  RecordingObserver silent;
  QCOMPARE(resumeRun(result.run, {}, again, silent).status, RunStatus::finished);
}

void TestTrainer::pauseHoldsTheRunAndInspectionIsServed() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 4) control.pause();
  };
  observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::paused) return;
    InspectionRequest request;
    request.id = 11;
    control.requestInspection(request);
  };
  std::size_t batchesWhenServed = 0;
  observer.onInspected = [&] {
    batchesWhenServed = observer.batches.size();
    control.resume();
  };
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::finished);
  QCOMPARE(batchesWhenServed, std::size_t{4});
  QCOMPARE(observer.snapshots.size(), std::size_t{1});
  QCOMPARE(observer.snapshots[0]->request.id, std::uint64_t{11});
  QCOMPARE(observer.snapshots[0]->step, std::int64_t{4});
  QVERIFY(observer.snapshots[0]->residual.relative < 1e-5);
}

void TestTrainer::trainingAndValidationAreScoredAlike() {
  // With the validation images as the training images, both scores must be the same number: there
  // is one function for both. Here the sample of the training images is scored again through
  // evaluateRun() on the validation split of a run with the same weights.
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  EvaluationRequest request;
  request.run = RunFolder::open(result.run).epochCheckpoint(3);
  request.test = false;
  const std::optional<Evaluation> evaluation = evaluateRun(request, control, observer);
  QVERIFY(evaluation);
  QCOMPARE(evaluation->scores.accuracy, observer.epochs[2].validation->accuracy);
  QVERIFY(std::abs(evaluation->scores.loss - observer.epochs[2].validation->loss) < 1e-9);
}

void TestTrainer::testSetIsScoredOnce() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  std::int64_t testStarts = 0;
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    if (progress.phase == "test" && progress.done == 0) ++testStarts;
  };
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(testStarts, std::int64_t{1});
  QCOMPARE(recordOf(result.run).testLooks, 1);
  const auto evaluation = evaluateRun({.run = result.run}, control, observer);
  QCOMPARE(evaluation->testLooks, 2);
  QCOMPARE(evaluation->scores.accuracy, *result.testAccuracy);
  QCOMPARE(recordOf(result.run).testLooks, 2);
}

void TestTrainer::nonFiniteValueStopsTheRun() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.architecture.head.scale = 1e4;
  config.recipe.optimizer.learningRate = 1000;
  config.recipe.optimizer.nesterov = false;
  config.recipe.optimizer.momentum = 0;
  config.recipe.optimizer.weightDecay = 10;
  config.recipe.optimizer.decayAllParameters = true;
  config.recipe.schedule.kind = ScheduleKind::constant;
  config.recipe.epochs = 50;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(config, folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::failed);
  QVERIFY2(result.failure.find("not finite") != std::string::npos, result.failure.c_str());
  QVERIFY2(result.failure.find("it began in") != std::string::npos, result.failure.c_str());
  QCOMPARE(recordOf(result.run).status, RunStatus::failed);
  for (const auto& [name, bytes] : tensorsOf(result.run)) {
    if (!name.starts_with("model.") || name.ends_with("num_batches_tracked")) continue;
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      float value;
      std::memcpy(&value, bytes.data() + i, 4);
      QVERIFY2(std::isfinite(value), name.c_str());
    }
  }
}

void TestTrainer::fullDiskKeepsTheLastCheckpoint() {
  const TemporaryFolder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    // Writes beyond this size fail from here on, as on a disk without room.
    if (batch.step != 9) return;
    const rlimit small{16 << 10, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  };
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  setrlimit(RLIMIT_FSIZE, &old);
  QCOMPARE(result.status, RunStatus::failed);
  QVERIFY(!result.failure.empty());
  RunControl again;
  RecordingObserver resumed;
  QCOMPARE(resumeRun(result.run, {}, again, resumed).status, RunStatus::finished);
  QCOMPARE(resumed.batches.front().step, std::int64_t{7});
}

void TestTrainer::keepsWhatThePolicySays() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.recipe.epochs = 6;
  config.checkpoints.everyEpochs = 2;
  config.checkpoints.keepEpochs = 2;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(config, folder.path(), control, observer);
  const RunFolder run = RunFolder::open(result.run);
  std::vector<std::filesystem::path> expected{run.epochCheckpoint(4), run.epochCheckpoint(6)};
  QVERIFY(run.epochCheckpoints() == expected);
  QVERIFY(std::filesystem::exists(run.bestCheckpoint()));
  QVERIFY(std::filesystem::exists(run.lastCheckpoint()));
  const auto files = std::distance(std::filesystem::directory_iterator(run.checkpoints()),
                                   std::filesystem::directory_iterator());
  QCOMPARE(files, std::ptrdiff_t{4});
}

void TestTrainer::secondProcessIsRefused() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  bool refused = false;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step != 2) return;
    RunControl other;
    RecordingObserver otherObserver;
    try {
      resumeRun(observer.run, {}, other, otherObserver);
    } catch (const Error& error) {
      refused = std::string(error.what()).find("another process") != std::string::npos;
    }
  };
  trainRun(tinyRun(), folder.path(), control, observer);
  QVERIFY(refused);
}

void TestTrainer::impossibleConfigurationLeavesNoFolder() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  RunConfig config = tinyRun();
  std::get<LambdaMixer>(config.architecture.stages[1].blocks[1].mixer).heads = 3;
  QVERIFY_THROWS_EXCEPTION(Error, trainRun(config, folder.path(), control, observer));
  config = tinyRun();
  config.data.source = (folder.path() / "nowhere").string();
  QVERIFY_THROWS_EXCEPTION(Error, trainRun(config, folder.path(), control, observer));
  QCOMPARE(folder.entryCount(), std::ptrdiff_t{0});
}

void TestTrainer::inspectionChangesNothing() {
  const TemporaryFolder folder;
  const RunConfig config = randomRun(OptimizerKind::sgd);
  RunControl whole;
  RecordingObserver silent;
  const RunResult plain = trainRun(config, folder.path(), whole, silent);
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    InspectionRequest request;
    request.image = static_cast<int>(batch.step);
    control.requestInspection(request);
  };
  const RunResult inspected = trainRun(config, folder.path(), control, observer);
  QCOMPARE(observer.snapshots.size(), std::size_t{18});
  QVERIFY(tensorsOf(plain.run) == tensorsOf(inspected.run));
}

QTEST_GUILESS_MAIN(TestTrainer)
#include "tst_trainer.moc"
