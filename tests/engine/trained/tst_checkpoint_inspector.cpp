#include <cmath>

#include <QTest>

#include "engine/data/dataset_cache.h"
#include "engine/formats/inspection/probe_snapshot.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/runs/evaluations.h"
#include "engine/runtime/error.h"
#include "engine/trained/checkpoint_inspector.h"
#include "engine/trained/evaluate_run.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/run_content.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace {

const auto kGoOn = [](std::int64_t, std::int64_t) { return true; };

double accuracyOf(const Predictions& predictions) {
  int right = 0;
  for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
    right += predictions.labels[i] == predictions.predicted[i] ? 1 : 0;
  }
  return right / static_cast<double>(predictions.labels.size());
}

int looksAt(const std::string& run) {
  return testEvaluationsOf(RunFolder::open(run), recordOf(run));
}

std::string errorOf(CheckpointInspector& inspector, const InspectionRequest& request) {
  try {
    inspector.inspect(request);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

class TestCheckpointInspector : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void knowsItsCheckpoint();
  void readsTheDataAtTheFirstImage();
  void everyAnswerIsThatOfANewInspection();
  void aPictureIsSeenAsTheImagesAre();
  void aPictureOfAnotherSizeIsRefused();
  void predictsAsItIsScored();
  void predictsAsItIsInspected();
  void stopsPredictingWhenToldTo();
  void predictingTheTestSetIsATestEvaluation();
  void inspectorsShareTheirData();
  void aTrainingBesideItIsNotDisturbed();
  void probesHoldWhatInspectionShows();

 private:
  TemporaryFolder folder_;
  std::string run_;
};

void TestCheckpointInspector::initTestCase() {
  RunConfig config = tinyRun();
  // A second lambda layer, so that there are two to choose from.
  config.architecture.stages[1].blocks.push_back(config.architecture.stages[1].blocks[1]);
  shapes10Of(config).trainCount = 600;
  config.data.validationCount = 300;  // More than one batch of the evaluation.
  RunControl control;
  RecordingObserver observer;
  run_ = trainRun(config, folder_.path(), control, observer).run;
}

void TestCheckpointInspector::knowsItsCheckpoint() {
  const CheckpointInspector best(run_);
  QVERIFY(best.checkpoint() == RunFolder::open(run_).bestCheckpoint());
  QCOMPARE(best.header().config.name, std::string("tiny"));
  const std::filesystem::path first = RunFolder::open(run_).epochCheckpoint(1);
  const CheckpointInspector chosen(first);
  QVERIFY(chosen.checkpoint() == first);
  QCOMPARE(chosen.header().progress.epoch, 1);
  QVERIFY_THROWS_EXCEPTION(Error, CheckpointInspector(folder_.path() / "nowhere"));
}

void TestCheckpointInspector::readsTheDataAtTheFirstImage() {
  const std::string nowhere = (folder_.path() / "nowhere").string();
  CheckpointInspector inspector(run_, {.data = nowhere});
  QVERIFY(std::holds_alternative<Shapes10Source>(inspector.header().config.data.source));
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string error = errorOf(inspector, {});
    QVERIFY2(error.find(nowhere) != std::string::npos, error.c_str());
  }
}

void TestCheckpointInspector::everyAnswerIsThatOfANewInspection() {
  CheckpointInspector inspector(run_);
  InspectionRequest request;
  const auto verify = [&] {
    ++request.id;
    const InspectionSnapshot seen = inspector.inspect(request);
    QVERIFY(seen == CheckpointInspector(run_).inspect(request));
    QVERIFY(seen.request == request);
  };
  verify();
  request.queryRow = 0;
  request.queryColumn = 5;
  verify();
  request.image = 7;
  verify();
  request.layer = "stage2.block3.mixer";
  verify();
  request.split = Split::train;
  verify();
  request.split = Split::test;
  verify();
  request.picture = inspector.inspect(request).image;
  verify();
  request.picture->rgb[40] ^= 0xff;
  verify();
  request.queryColumn = 2;
  verify();
}

void TestCheckpointInspector::aPictureIsSeenAsTheImagesAre() {
  CheckpointInspector inspector(run_);
  const InspectionSnapshot image = inspector.inspect({.image = 3});
  InspectionRequest request{.image = 9999};
  request.picture = image.image;
  InspectionSnapshot picture = inspector.inspect(request);
  QCOMPARE(picture.label, -1);
  QVERIFY(picture.image == image.image);
  QVERIFY(picture.classNames == image.classNames);
  picture.label = image.label;
  picture.request = image.request;
  QVERIFY(picture == image);
}

void TestCheckpointInspector::aPictureOfAnotherSizeIsRefused() {
  CheckpointInspector inspector(run_);
  InspectionRequest request;
  request.picture = Image{31, 32, std::vector<std::uint8_t>(31 * 32 * 3)};
  const std::string narrow = errorOf(inspector, request);
  QVERIFY2(narrow.find("31x32") != std::string::npos, narrow.c_str());
  QVERIFY2(narrow.find("32x32") != std::string::npos, narrow.c_str());
  request.picture = Image{32, 32, std::vector<std::uint8_t>(32 * 32)};
  const std::string grey = errorOf(inspector, request);
  QVERIFY2(grey.find("RGB") != std::string::npos, grey.c_str());
}

void TestCheckpointInspector::predictsAsItIsScored() {
  RunControl control;
  RecordingObserver observer;
  const auto scored = evaluateRun({.run = run_, .split = Split::validation}, control, observer);
  CheckpointInspector inspector(run_);
  std::vector<std::int64_t> steps;
  const auto predictions =
      inspector.predict(Split::validation, [&](std::int64_t done, std::int64_t total) {
        steps.push_back(done);
        return total == 300;
      });
  QVERIFY(predictions);
  QCOMPARE(accuracyOf(*predictions), scored->scores.score);
  double loss = 0;
  for (const float truth : predictions->truthProbability) loss -= std::log(truth) / 300;
  QVERIFY(std::abs(loss - scored->scores.loss) < 1e-5);
  QVERIFY(predictions->split == Split::validation);
  QCOMPARE(predictions->step, scored->step);
  QCOMPARE(predictions->epoch, scored->epoch);
  QCOMPARE(predictions->classNames.size(), std::size_t{10});
  QVERIFY(steps == (std::vector<std::int64_t>{0, 250, 300}));
}

void TestCheckpointInspector::predictsAsItIsInspected() {
  CheckpointInspector inspector(run_);
  const auto predictions = inspector.predict(Split::validation, kGoOn);
  QCOMPARE(predictions->labels.size(), std::size_t{300});
  for (int i = 0; i < 300; i += 7) {
    const auto index = static_cast<std::size_t>(i);
    const InspectionSnapshot seen = inspector.inspect({.image = i});
    QCOMPARE(predictions->labels[index], seen.label);
    QCOMPARE(predictions->predicted[index], seen.predicted);
    const auto near = [&](float probability, int label) {
      return std::abs(probability - seen.probabilities[static_cast<std::size_t>(label)]) < 1e-5;
    };
    QVERIFY(near(predictions->confidence[index], seen.predicted));
    QVERIFY(near(predictions->truthProbability[index], seen.label));
  }
}

void TestCheckpointInspector::stopsPredictingWhenToldTo() {
  CheckpointInspector inspector(run_);
  const int looks = looksAt(run_);
  for (const std::int64_t last : {0, 20}) {
    const auto untilLast = [&](std::int64_t done, std::int64_t) { return done < last; };
    QVERIFY(!inspector.predict(Split::test, untilLast));
  }
  QCOMPARE(looksAt(run_), looks);
}

void TestCheckpointInspector::predictingTheTestSetIsATestEvaluation() {
  CheckpointInspector inspector(run_);
  const int looks = looksAt(run_);
  inspector.predict(Split::train, kGoOn);
  inspector.predict(Split::validation, kGoOn);
  QCOMPARE(looksAt(run_), looks);
  const RunRecord before = recordOf(run_);
  const auto predictions = inspector.predict(Split::test, kGoOn);
  QCOMPARE(looksAt(run_), looks + 1);
  QVERIFY(recordOf(run_) == before);
  const EvaluationRecord kept = readEvaluations(RunFolder::open(run_).evaluations()).records.back();
  QCOMPARE(kept.scores.score, accuracyOf(*predictions));
}

void TestCheckpointInspector::inspectorsShareTheirData() {
  const auto datasets = std::make_shared<DatasetCache>();
  CheckpointInspector first(run_, {.datasets = datasets});
  CheckpointInspector second(RunFolder::open(run_).epochCheckpoint(1), {.datasets = datasets});
  first.inspect({});
  const auto data = datasets->training(first.header().config.data);
  const long ofFirst = data.use_count() - 1;  // Without `data` itself.
  QVERIFY(ofFirst > 0);
  second.inspect({});
  QCOMPARE(data.use_count() - 1, 2 * ofFirst);
}

void TestCheckpointInspector::aTrainingBesideItIsNotDisturbed() {
  RunConfig config = randomRun(Sgd{});
  config.recipe.epochs = 1;
  RunControl control;
  RecordingObserver observer;
  const std::string alone = trainRun(config, folder_.path(), control, observer).run;
  observer.onBatch = [&](const BatchRecord& batch) {
    CheckpointInspector inspector(run_);
    inspector.inspect({.image = static_cast<int>(batch.step)});
    inspector.predict(Split::validation, kGoOn);
  };
  const std::string beside = trainRun(config, folder_.path(), control, observer).run;
  QVERIFY(tensorsOf(alone) == tensorsOf(beside));
}

void TestCheckpointInspector::probesHoldWhatInspectionShows() {
  const RunFolder folder = RunFolder::open(run_);
  const auto probes = probeSnapshotsOf(folder.inspection());
  QCOMPARE(probes.size(), std::size_t{4});
  std::vector<Problem> ignored;
  const auto layers =
      inspectableLayers(readRunRecord(folder.record(), ignored).config.architecture);
  const ProbeSnapshot start = readProbeSnapshot(probes.front(), layers);
  QCOMPARE(start.epoch, 0);
  QCOMPARE(start.step, std::int64_t{0});
  for (const ProbeLayer& layer : start.layers) {
    QVERIFY(std::ranges::all_of(layer.embeddingChange.values, [](float x) { return x == 0; }));
  }
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const ProbeSnapshot probe = readProbeSnapshot(probes[static_cast<std::size_t>(epoch)], layers);
    CheckpointInspector inspector(folder.epochCheckpoint(epoch));
    QCOMPARE(probe.epoch, epoch);
    QCOMPARE(probe.step, inspector.header().progress.step);
    QCOMPARE(probe.layers.size(), std::size_t{2});
    for (const ProbeLayer& layer : probe.layers) {
      const InspectionSnapshot seen =
          inspector.inspect({.layer = layer.name, .withPatterns = true});
      QVERIFY(probe.probabilities == seen.probabilities);
      QVERIFY(layer.lambdaContent == seen.lambdas.content);
      QVERIFY(layer.lambdaPosition == seen.lambdas.position);
      QVERIFY(!layer.embeddingChange.empty());
      QVERIFY(layer.embeddingChange == seen.embeddings.change);
      QVERIFY(layer.singularTotal == seen.singularValues.total);
      QVERIFY(layer.changePatterns == seen.embeddings.changePatterns.patterns);
      QVERIFY(layer.changePatternShares.values == seen.embeddings.changePatterns.share);
      QVERIFY(layer.contributionsContent == seen.contributions.content);
      QVERIFY(layer.contributionsPosition == seen.contributions.position);
      QVERIFY(layer.embeddings == seen.embeddings.tiles);
    }
  }
}

QTEST_GUILESS_MAIN(TestCheckpointInspector)
#include "tst_checkpoint_inspector.moc"
