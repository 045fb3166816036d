// The images that are left over when an epoch is cut into batches, and the choice of the best
// epoch.

#include <QTest>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/run/run_writer.h"
#include "engine/values/config/epoch_batches.h"
#include "tests/support/open_test_run.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

Recipe batchesOf(int size, LastBatch last = LastBatch::automatic) {
  Recipe recipe;
  recipe.batchSize = size;
  recipe.lastBatch = last;
  return recipe;
}

/// 107 training images in batches of 64.
RunConfig smallRun(LastBatch last) {
  RunConfig config = tinyRun();
  shapes10Of(config).trainCount = 167;
  config.recipe.batchSize = 64;
  config.recipe.lastBatch = last;
  return config;
}

}  // namespace

class TestLastBatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void smallSetsKeepTheirLastBatch();
  void whatIsLeftOverIsSaid();
  void stepsAreThoseOfTheImagesThatAreTrainedOn();
  void aRunTrainsOnTheSmallerBatch();
  void aRunWithASmallerBatchResumesToTheSameBits();
  void anEarlierRunDropsItsLastBatch();
  void equalAccuraciesGoToTheLowerLoss();
  void theBestMayBeChosenByTheLoss();
};

void TestLastBatch::smallSetsKeepTheirLastBatch() {
  QCOMPARE(batchesOfEpoch(batchesOf(64), 107), (EpochBatches{2, 107, 0}));
  QCOMPARE(batchesOfEpoch(batchesOf(128), 368), (EpochBatches{3, 368, 0}));
  QCOMPARE(batchesOfEpoch(batchesOf(128), 45000), (EpochBatches{351, 44928, 72}));
  QCOMPARE(batchesOfEpoch(batchesOf(128), 6000), (EpochBatches{46, 5888, 112}));
  QCOMPARE(batchesOfEpoch(batchesOf(10), 99), (EpochBatches{10, 99, 0}));
  QCOMPARE(batchesOfEpoch(batchesOf(10), 105), (EpochBatches{10, 100, 5}));
  QCOMPARE(batchesOfEpoch(batchesOf(64, LastBatch::drop), 107), (EpochBatches{1, 64, 43}));
  QCOMPARE(batchesOfEpoch(batchesOf(128, LastBatch::keep), 45000), (EpochBatches{352, 45000, 0}));
  // A batch norm needs two values.
  QCOMPARE(batchesOfEpoch(batchesOf(10, LastBatch::keep), 21), (EpochBatches{2, 20, 1}));
  QCOMPARE(batchesOfEpoch(batchesOf(1), 5), (EpochBatches{5, 5, 0}));
}

void TestLastBatch::whatIsLeftOverIsSaid() {
  using std::string;
  QCOMPARE(batchesText(batchesOf(30), 180), string("6 batches of 30 per epoch"));
  QCOMPARE(batchesText(batchesOf(64), 107), string("1 batch of 64 and one of 43 per epoch"));
  QCOMPARE(batchesText(batchesOf(128), 45000),
           string("351 batches of 128 per epoch, 72 images unused"));
}

void TestLastBatch::stepsAreThoseOfTheImagesThatAreTrainedOn() {
  DataConfig data;
  data.source = Cifar10Source{};
  QCOMPARE(trainingImagesOf(data), std::optional<std::int64_t>(45000));
  data.labelledPerClass = 600;
  QCOMPARE(trainingImagesOf(data), std::optional<std::int64_t>(6000));
  data.pseudoLabels = "labels.csv";
  QVERIFY(!trainingImagesOf(data));
}

void TestLastBatch::aRunTrainsOnTheSmallerBatch() {
  for (const bool isKept : {true, false}) {
    const TemporaryFolder folder;
    const RunConfig config = smallRun(isKept ? LastBatch::automatic : LastBatch::drop);
    RunControl control;
    RecordingObserver observer;
    const RunResult result = trainRun(config, folder.path(), control, observer);
    QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
    QCOMPARE(observer.batchesPerEpoch, isKept ? 2 : 1);
    QCOMPARE(observer.batches.size(), std::size_t(isKept ? 6 : 3));
    const std::filesystem::path last = RunFolder::open(result.run).lastCheckpoint();
    const TrainingProgress at = readVerifiedHeader(last).progress;
    QCOMPARE(at.images, std::int64_t{3} * (isKept ? 107 : 64));
    const std::string said = isKept ? "and one of 43 per epoch" : "43 images unused";
    const std::string& text = observer.events.front().text;
    QVERIFY2(text.find(said) != std::string::npos, text.c_str());
  }
}

void TestLastBatch::aRunWithASmallerBatchResumesToTheSameBits() {
  const TemporaryFolder folder;
  const RunConfig config = smallRun(LastBatch::keep);
  RunControl whole;
  RecordingObserver silent;
  const RunResult uninterrupted = trainRun(config, folder.path(), whole, silent);
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 4) control.requestStop();
  };
  const RunResult stopped = trainRun(config, folder.path(), control, observer);
  RunControl again;
  const RunResult resumed = resumeRun(stopped.run, {}, again, silent);
  QVERIFY(tensorsOf(resumed.run) == tensorsOf(uninterrupted.run));
  QVERIFY(lossesOf(resumed.run) == lossesOf(uninterrupted.run));
}

void TestLastBatch::anEarlierRunDropsItsLastBatch() {
  RunRecord record;
  record.config = smallRun(LastBatch::automatic);
  std::string text = toJson(record);
  std::vector<Problem> warnings;
  QVERIFY(runRecordFromJson(text, "run.json", warnings).config.recipe.lastBatch ==
          LastBatch::automatic);
  const std::string key = "\"lastBatch\": \"automatic\",";
  QVERIFY(text.find(key) != std::string::npos);
  text.erase(text.find(key), key.size());
  QVERIFY(runRecordFromJson(text, "run.json", warnings).config.recipe.lastBatch == LastBatch::drop);
}

void TestLastBatch::equalAccuraciesGoToTheLowerLoss() {
  QVERIFY(isBetter({1.4, 0.5}, {1.7, 0.5}, BestBy::accuracy));
  QVERIFY(!isBetter({1.7, 0.5}, {1.7, 0.5}, BestBy::accuracy));
  QVERIFY(isBetter({1.9, 0.6}, {1.4, 0.5}, BestBy::accuracy));
  const TemporaryFolder folder;
  RecordingObserver observer;
  const RunConfig config = tinyRun();
  OpenRun run = test::openTestRun(
      config, std::make_unique<TrainingState>(test::onCpu(config)), folder.path(), observer);
  RunWriter writer(run);
  for (const double loss : {1.7, 1.4, 1.5}) {
    const TrainingProgress& at = run.progress();
    writer.saveEpochEnd(
        {.step = at.step, .epoch = at.epoch + 1, .train = {}, .validation = Scores{loss, 0.5}});
  }
  QCOMPARE(run.progress().bestEpoch, 2);
  QCOMPARE(run.progress().bestValidationLoss, std::optional(1.4));
  QCOMPARE(readVerifiedHeader(run.folder.bestCheckpoint()).progress.epoch, 2);
}

void TestLastBatch::theBestMayBeChosenByTheLoss() {
  const TemporaryFolder folder;
  RecordingObserver observer;
  RunConfig config = tinyRun();
  config.checkpoints.bestBy = BestBy::loss;
  OpenRun run = test::openTestRun(
      config, std::make_unique<TrainingState>(test::onCpu(config)), folder.path(), observer);
  RunWriter writer(run);
  for (const Scores& scores : {Scores{1.7, 0.5}, Scores{1.4, 0.5}, Scores{1.9, 0.6}}) {
    const TrainingProgress& at = run.progress();
    writer.saveEpochEnd(
        {.step = at.step, .epoch = at.epoch + 1, .train = {}, .validation = scores});
  }
  QCOMPARE(run.progress().bestEpoch, 2);
  QCOMPARE(run.progress().bestValidationScore, std::optional(0.5));
}

QTEST_GUILESS_MAIN(TestLastBatch)
#include "tst_last_batch.moc"
