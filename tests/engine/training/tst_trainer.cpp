#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

#include <QTest>

#include "engine/formats/metrics/evaluations_json.h"
#include "engine/runs/evaluations.h"
#include "engine/runtime/error.h"
#include "engine/trained/evaluate_run.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/held_run.h"
#include "tests/support/run_content.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

class TestTrainer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void overfitsASmallSet();
  void sameSeedSameBits();
  void aWhitenedStemComesFromTheTrainingImagesAndStays();
  void stopsWithinOneBatchInEveryPhase_data();
  void stopsWithinOneBatchInEveryPhase();
  void pauseHoldsTheRunAndInspectionIsServed();
  void aPictureIsInspectedInTheRunningNetwork();
  void anEvaluationScoresAsTheRunDid();
  void testSetIsScoredOnce();
  void anEvaluationLeavesTheRunsResultAlone();
  void aScoreIsReportedWhereTheRunCantKeepIt();
  void scoringACheckpointWaitsWhilePaused();
  void nonFiniteValueStopsTheRun();
  void fullDiskKeepsTheLastCheckpoint();
  void outOfMemorySaysWhatToDo();
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
  shapes10Of(config).trainCount = 80;
  config.data.validationCount = 20;
  config.data.augmentation = {.cropPadding = 0, .horizontalFlip = false};
  config.recipe.batchSize = 20;
  config.recipe.epochs = 120;
  config.recipe.optimizer.kind = Adam{};
  config.recipe.optimizer.learningRate = 0.01;
  config.recipe.optimizer.weightDecay = 0;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(config, folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::finished);
  QVERIFY2(observer.epochs.back().train.score > 0.97,
           qPrintable(QString::number(observer.epochs.back().train.score)));
}

void TestTrainer::sameSeedSameBits() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunConfig config = randomRun(Sgd{});
  const RunResult first = trainRun(config, folder.path(), control, observer);
  const RunResult second = trainRun(config, folder.path(), control, observer);
  QVERIFY(tensorsOf(first.run) == tensorsOf(second.run));
  RunConfig other = config;
  other.seed = 4;
  const RunResult third = trainRun(other, folder.path(), control, observer);
  QVERIFY(tensorsOf(first.run) != tensorsOf(third.run));
}

void TestTrainer::aWhitenedStemComesFromTheTrainingImagesAndStays() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  RunConfig config = randomRun(Sgd{});
  config.recipe.epochs = 1;
  const auto filtersOf = [&](const RunConfig& each, const char* name) {
    return tensorsOf(trainRun(each, folder.path(), control, observer).run).at(name);
  };
  constexpr const char* kFilters = "model.stem.conv.weight";
  const auto filters = filtersOf(config, kFilters);
  QVERIFY(filtersOf(config, "average.stem.conv.weight") == filters);
  RunConfig longer = config;
  longer.recipe.epochs = 2;
  longer.seed += 1;
  QVERIFY(filtersOf(longer, kFilters) == filters);
  RunConfig otherImages = config;
  shapes10Of(otherImages).trainCount += 20;
  QVERIFY(filtersOf(otherImages, kFilters) != filters);
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
    if (asked || (progress.split && phase.toStdString() == nameOf(*progress.split))) ask();
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
  // A training does not wait for decompositions that nobody asked for.
  QVERIFY(!observer.snapshots[0]->embeddings.change.empty());
  QVERIFY(observer.snapshots[0]->embeddings.patterns.patterns.empty());
  QVERIFY(observer.snapshots[0]->embeddings.changePatterns.patterns.empty());
}

void TestTrainer::aPictureIsInspectedInTheRunningNetwork() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    InspectionRequest request;
    request.id = static_cast<std::uint64_t>(batch.step);
    const int side = batch.step == 1 ? 32 : 24;
    request.picture = Image{side, side, std::vector<std::uint8_t>(3 * side * side, 128)};
    if (batch.step <= 2) control.requestInspection(request);
  };
  trainRun(config, folder.path(), control, observer);
  QCOMPARE(observer.snapshots.size(), std::size_t{1});
  QCOMPARE(observer.snapshots[0]->request.id, std::uint64_t{1});
  QCOMPARE(observer.snapshots[0]->label, -1);
  QVERIFY(observer.snapshots[0]->image == *observer.snapshots[0]->request.picture);
  QCOMPARE(observer.inspectionFailures.size(), std::size_t{1});
  QVERIFY(observer.inspectionFailures[0].find("24x24") != std::string::npos);
}

void TestTrainer::anEvaluationScoresAsTheRunDid() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  EvaluationRequest request;
  request.run = RunFolder::open(result.run).epochCheckpoint(3);
  request.split = Split::validation;
  const std::optional<Evaluation> evaluation = evaluateRun(request, control, observer);
  QVERIFY(evaluation);
  QCOMPARE(evaluation->scores.score, observer.epochs[2].validation->score);
  QVERIFY(std::abs(evaluation->scores.loss - observer.epochs[2].validation->loss) < 1e-9);
}

void TestTrainer::testSetIsScoredOnce() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  std::int64_t testStarts = 0;
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    if (progress.split == Split::test && progress.done == 0) ++testStarts;
  };
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(testStarts, std::int64_t{1});
  QCOMPARE(recordOf(result.run).testEvaluations, 1);
  const auto evaluation = evaluateRun({.run = result.run}, control, observer);
  QCOMPARE(evaluation->testEvaluations, 2);
  QCOMPARE(evaluation->scores.score, *result.testScore);
}

void TestTrainer::anEvaluationLeavesTheRunsResultAlone() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  const RunFolder run = RunFolder::open(result.run);
  const RunRecord before = recordOf(result.run);
  const auto score = [&](const std::filesystem::path& checkpoint, bool test) {
    return *evaluateRun(
        {.run = checkpoint, .split = test ? Split::test : Split::validation}, control, observer);
  };
  const Evaluation first = score(run.epochCheckpoint(1), true);
  {
    // The run is locked, as during its training.
    const RunLock lock(run);
    score(run.epochCheckpoint(2), true);
  }
  score(run.epochCheckpoint(2), false);
  QVERIFY(recordOf(result.run) == before);

  const std::vector<EvaluationRecord> kept = readEvaluations(run.evaluations()).records;
  QCOMPARE(kept.size(), std::size_t{3});
  QCOMPARE(kept[0].checkpoint, std::string("epoch-0001.safetensors"));
  QCOMPARE(kept[0].epoch, 1);
  QCOMPARE(kept[0].step, std::int64_t{6});
  QCOMPARE(kept[0].images, std::int64_t{20});
  QVERIFY(kept[0].split == Split::test && kept[0].scores == first.scores);
  QVERIFY(kept[2].split == Split::validation);
  QCOMPARE(testEvaluationsOf(run, before), 3);
}

void TestTrainer::aScoreIsReportedWhereTheRunCantKeepIt() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  const RunResult result = trainRun(config, folder.path(), control, observer);
  // A folder at the file's path can't be appended to, not even by root.
  std::filesystem::create_directory(RunFolder::open(result.run).evaluations());
  const auto evaluation = evaluateRun({.run = result.run}, control, observer);
  QCOMPARE(evaluation->scores.score, *result.testScore);
  QVERIFY(evaluation->saveProblem.find("evaluations.jsonl") != std::string::npos);
}

void TestTrainer::scoringACheckpointWaitsWhilePaused() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  RunControl control;
  RecordingObserver observer;
  const RunResult result = trainRun(config, folder.path(), control, observer);
  control.pause();
  control.requestInspection({});
  QVERIFY(pausesOnce(control, [&] {
    QVERIFY(evaluateRun({.run = result.run, .split = Split::validation}, control, observer));
  }));
  QCOMPARE(observer.inspectionFailures.size(), std::size_t{1});
}

void TestTrainer::nonFiniteValueStopsTheRun() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.architecture.head.scale = 1e4;
  config.recipe.optimizer.learningRate = 1000;
  config.recipe.optimizer.kind = Sgd{.momentum = 0, .nesterov = false};
  config.recipe.optimizer.weightDecay = 10;
  config.recipe.optimizer.decayAllParameters = true;
  config.recipe.schedule.kind = ConstantSchedule{};
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
    // From this step on, writes beyond this size fail, as on a full disk.
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

void TestTrainer::outOfMemorySaysWhatToDo() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  // The maps of a batch are far larger than the blocks that the heap keeps for reuse.
  config.architecture.stem.width = 32;
  shapes10Of(config).trainCount = 1300;
  config.data.validationCount = 100;
  config.recipe.batchSize = 600;
  rlimit old{};
  getrlimit(RLIMIT_AS, &old);
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step != 1) return;
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit small{static_cast<rlim_t>(pages) * static_cast<rlim_t>(getpagesize()) + (8 << 20),
                       old.rlim_max};
    setrlimit(RLIMIT_AS, &small);
  };
  const RunResult result = trainRun(config, folder.path(), control, observer);
  setrlimit(RLIMIT_AS, &old);
  QCOMPARE(result.status, RunStatus::failed);
  QVERIFY2(result.failure.find("out of memory") != std::string::npos, result.failure.c_str());
  QVERIFY2(result.failure.find("recipe.batchSize=300") != std::string::npos,
           result.failure.c_str());
  RunControl again;
  RecordingObserver resumed;
  QCOMPARE(resumeRun(result.run, {}, again, resumed).status, RunStatus::finished);
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
  config.data.source = Cifar10Source{(folder.path() / "nowhere").string()};
  QVERIFY_THROWS_EXCEPTION(Error, trainRun(config, folder.path(), control, observer));
  QCOMPARE(folder.entryCount(), std::ptrdiff_t{0});
}

void TestTrainer::inspectionChangesNothing() {
  const TemporaryFolder folder;
  const RunConfig config = randomRun(Sgd{});
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
