// A trained network meets other data than that of its run, and data that has changed.

#include <algorithm>
#include <functional>

#include <QTest>

#include "engine/data/dataset.h"
#include "engine/data/image_export.h"
#include "engine/data/sources/data_sources.h"
#include "engine/formats/inspection/png.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/formats/tensors/weights_file.h"
#include "engine/runs/run_comparison.h"
#include "engine/runs/run_export.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/trained/checkpoint_inspector.h"
#include "engine/trained/evaluate_run.h"
#include "engine/training/loop/trainer.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

using namespace lambda;

namespace fs = std::filesystem;

namespace {

/// Writes the images of tinyRun()'s data as a folder of pictures.
void writePictures(const fs::path& place, Split split) {
  RunConfig config = tinyRun();
  config.data.validationCount = 0;
  exportImages({.config = config, .split = split, .out = place / std::string(nameOf(split))},
               [](std::int64_t, std::int64_t) { return true; });
}

void writePictureSet(const fs::path& place) {
  fs::create_directories(place);
  writePictures(place, Split::train);
  writePictures(place, Split::test);
}

/// Makes every picture below a folder black.
void darken(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    writePng(entry.path(), Image{32, 32, std::vector<std::uint8_t>(3 * 32 * 32, 7)});
  }
}

std::string reasonOf(const std::function<void()>& call) {
  try {
    call();
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

RunConfig runOn(const fs::path& pictures) {
  RunConfig config = tinyRun();
  config.recipe.epochs = 2;
  config.data.source = ImageFolderSource{.path = pictures.string(), .size = 32};
  return config;
}

}  // namespace

class TestOtherData : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void classesAreMatchedByName();
  void imagesAreNormalisedAsThoseOfTheRun();
  void otherClassesAreRefusedWithBothLists();
  void whatOnlyATrainingNeedsIsNotDemanded();
  void otherDataNeedsNoValidationFolder();
  void otherDataValidatesWithItsOwnFolder();
  void aScoreOnOtherDataIsNoneOfTheRunsTestSet();
  void dataThatMovedIsThatOfTheRun();
  void dataThatChangedInItsPlaceIsNoticed();
  void weightsOutsideOfARunKnowItsData();
  void dataThatCanNotBeComparedIsNamed();
  void aResumedRunStopsOrWarnsWhereItsDataHasChanged_data();
  void aResumedRunStopsOrWarnsWhereItsDataHasChanged();
  void aRepeatedRunStopsOrWarnsWhereItsDataHasChanged();
  void aRunWhoseDataChangedWhileItTrainedIsNotRepeatedUnasked();
  void aNewRunMayBeHeldToTheDataOfAnother();

 private:
  std::optional<Evaluation> scored(const EvaluationRequest& request) {
    RunControl control;
    Observer observer;
    return evaluateRun(request, control, observer);
  }

  /// A run on pictures that are stopped after an epoch.
  fs::path stoppedRun(const fs::path& pictures) {
    RunControl control;
    RecordingObserver observer;
    observer.onEpoch = [&](const EpochRecord&) { control.requestStop(); };
    return trainRun(runOn(pictures), folder_.path() / "runs", control, observer).run;
  }

  /// A folder with a data set "flowers", a run on it, and its exported weights.
  struct Trained {
    fs::path place;
    fs::path run;
    fs::path weights;
  };

  Trained trainedOnFlowers(const std::string& name) {
    Trained trained;
    trained.place = folder_.path() / name;
    fs::create_directories(trained.place);
    fs::copy(pictures_, trained.place / "flowers", fs::copy_options::recursive);
    RunControl control;
    Observer observer;
    trained.run =
        trainRun(runOn(trained.place / "flowers"), folder_.path() / "runs", control, observer).run;
    trained.weights = trained.place / "weights.safetensors";
    exportWeights({.run = trained.run, .out = trained.weights});
    return trained;
  }

  TemporaryFolder folder_;
  fs::path run_;       ///< On the built-in images.
  fs::path pictures_;  ///< The same images as files; their classes are in another order.
  RunResult result_;
};

void TestOtherData::initTestCase() {
  qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((folder_.path() / "cache").string()));
  RunControl control;
  Observer observer;
  RunConfig config = tinyRun();
  config.recipe.epochs = 4;
  result_ = trainRun(config, folder_.path() / "runs", control, observer);
  QVERIFY2(result_.status == RunStatus::finished, result_.failure.c_str());
  run_ = result_.run;
  pictures_ = folder_.path() / "pictures";
  writePictureSet(pictures_);
}

void TestOtherData::classesAreMatchedByName() {
  const auto own = scored({.run = run_});
  const auto other = scored({.run = run_, .data = pictures_.string()});
  QVERIFY(own && other);
  QCOMPARE(other->images, own->images);
  QCOMPARE(other->scores.score, own->scores.score);
  QVERIFY(std::abs(other->scores.loss - own->scores.loss) < 1e-5);
  QVERIFY(other->majority.has_value());

  CheckpointInspector inspector(run_, {.data = pictures_.string()});
  const InspectionSnapshot seen = inspector.inspect({.split = Split::test, .image = 0});
  const RunRecord trained = recordOf(run_);
  QCOMPARE(seen.classNames, trained.input.classNames);
  // The first folder by name has the first picture.
  std::vector<std::string> names = trained.input.classNames;
  std::ranges::sort(names);
  QCOMPARE(seen.classNames[static_cast<std::size_t>(seen.label)], names.front());
}

void TestOtherData::imagesAreNormalisedAsThoseOfTheRun() {
  const auto plain = scored({.run = run_, .data = pictures_.string()});
  const fs::path dark = folder_.path() / "dark";
  fs::copy(pictures_, dark, fs::copy_options::recursive);
  darken(dark / "train");
  const auto other = scored({.run = run_, .data = dark.string()});
  QCOMPARE(other->scores, plain->scores);

  const InspectionRequest request{.split = Split::test, .image = 3};
  const auto probabilities = [&](const fs::path& data) {
    return CheckpointInspector(run_, {.data = data.string()}).inspect(request).probabilities;
  };
  QVERIFY(probabilities(dark) == probabilities(pictures_));

  RunControl control;
  Observer observer;
  const auto written = writePredictions(
      {.run = run_, .data = dark.string()}, folder_.path() / "predictions.csv", control, observer);
  QVERIFY(std::abs(written->evaluation.scores.loss - plain->scores.loss) < 1e-5);
}

void TestOtherData::otherClassesAreRefusedWithBothLists() {
  const fs::path renamed = folder_.path() / "renamed";
  fs::copy(pictures_, renamed, fs::copy_options::recursive);
  const std::string name = recordOf(run_).input.classNames.front();
  for (const char* part : {"train", "test"}) {
    fs::rename(renamed / part / name, renamed / part / "zebra");
  }
  const std::string reason = reasonOf([&] { scored({.run = run_, .data = renamed.string()}); });
  QVERIFY2(reason.find("The data has 10: ") != std::string::npos, reason.c_str());
  QVERIFY2(reason.find("The network has 10: " + name) != std::string::npos, reason.c_str());
  QVERIFY2(reason.find("zebra") != std::string::npos, reason.c_str());
  QVERIFY(reasonOf([&] {
            CheckpointInspector(run_, {.data = renamed.string()}).inspect({.split = Split::test});
          }).find("zebra") != std::string::npos);
}

void TestOtherData::whatOnlyATrainingNeedsIsNotDemanded() {
  // One picture of each class: fewer than a batch, and than the run's validation images.
  const fs::path few = folder_.path() / "few";
  fs::copy(pictures_, few, fs::copy_options::recursive);
  for (const fs::directory_entry& folder : fs::directory_iterator(few / "train")) {
    bool isFirst = true;
    for (const fs::directory_entry& picture : fs::directory_iterator(folder)) {
      if (!std::exchange(isFirst, false)) fs::remove(picture);
    }
  }
  const auto plain = scored({.run = run_, .data = pictures_.string()});
  QCOMPARE(scored({.run = run_, .data = few.string()})->scores, plain->scores);
  QCOMPARE(scored({.run = run_, .split = Split::train, .data = few.string()})->images,
           std::int64_t{10});
  const std::string reason =
      reasonOf([&] { scored({.run = run_, .split = Split::validation, .data = few.string()}); });
  QVERIFY2(reason.find("no validation images") != std::string::npos, reason.c_str());
  QCOMPARE(
      CheckpointInspector(run_, {.data = few.string()}).inspect({.split = Split::train}).classNames,
      recordOf(run_).input.classNames);
}

void TestOtherData::otherDataNeedsNoValidationFolder() {
  const fs::path own = folder_.path() / "validated";
  fs::copy(pictures_, own, fs::copy_options::recursive);
  fs::copy(pictures_ / "test", own / "val", fs::copy_options::recursive);
  RunConfig config = runOn(own);
  std::get<ImageFolderSource>(config.data.source).validation = ValidationPictures::folder;
  config.data.validationCount = static_cast<int>(probeDataset(config.data.source).validationCount);
  RunControl control;
  Observer observer;
  const RunResult result = trainRun(config, folder_.path() / "runs", control, observer);
  QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());

  const fs::path& run = result.run;
  const std::string other = pictures_.string();
  const auto expected = scored({.run = run});
  QCOMPARE(scored({.run = run, .data = other})->scores, expected->scores);
  QCOMPARE(scored({.run = run, .split = Split::train, .data = other})->images, std::int64_t{240});
  QVERIFY(!CheckpointInspector(run, {.data = other})
               .inspect({.split = Split::train})
               .classNames.empty());
  QVERIFY(!CheckpointInspector(run, {.data = other})
               .inspect({.split = Split::test})
               .classNames.empty());
  QVERIFY(
      writePredictions({.run = run, .data = other}, folder_.path() / "other.csv", control, observer)
          .has_value());
  const std::string reason =
      reasonOf([&] { scored({.run = run, .split = Split::validation, .data = other}); });
  QVERIFY2(reason.find("no validation images") != std::string::npos, reason.c_str());
}

void TestOtherData::otherDataValidatesWithItsOwnFolder() {
  // The run draws its validation images, 60, from data that may have a folder for them: 20.
  const fs::path own = folder_.path() / "drawn", moved = folder_.path() / "drawn moved";
  fs::copy(pictures_, own, fs::copy_options::recursive);
  fs::copy(pictures_ / "test", own / "val", fs::copy_options::recursive);
  RunControl control;
  Observer observer;
  const fs::path run = trainRun(runOn(own), folder_.path() / "runs", control, observer).run;
  fs::rename(own, moved);
  const auto validated = [&](const fs::path& data) {
    return scored({.run = run, .split = Split::validation, .data = data.string()});
  };
  QCOMPARE(validated(moved)->images, std::int64_t{60});
  QVERIFY(validated(moved)->otherData.empty());
  darken(moved / "train");
  QCOMPARE(validated(moved)->images, std::int64_t{20});
  QCOMPARE(validated(moved)->otherData, moved.string());
}

void TestOtherData::aScoreOnOtherDataIsNoneOfTheRunsTestSet() {
  const auto before = scored({.run = run_});
  const auto other = scored({.run = run_, .data = pictures_.string()});
  QCOMPARE(other->otherData, pictures_.string());
  QCOMPARE(other->testEvaluations, before->testEvaluations);
  QCOMPARE(scored({.run = run_})->testEvaluations, before->testEvaluations + 1);
  const Evaluations kept = readEvaluations(RunFolder::open(run_).evaluations());
  const EvaluationRecord& own = kept.records.back();
  const EvaluationRecord& otherOne = kept.records[kept.records.size() - 2];
  QCOMPARE(otherOne.data, pictures_.string());
  QVERIFY(own.data.empty());
  QCOMPARE(own.dataSha256, recordOf(run_).dataSha256.test);
  QVERIFY(otherOne.dataSha256.size() == 64 && otherOne.dataSha256 != own.dataSha256);
}

void TestOtherData::dataThatMovedIsThatOfTheRun() {
  const fs::path here = folder_.path() / "here", there = folder_.path() / "there";
  fs::copy(pictures_, here, fs::copy_options::recursive);
  RunControl control;
  Observer observer;
  const fs::path run = trainRun(runOn(here), folder_.path() / "runs", control, observer).run;
  fs::rename(here, there);
  const auto moved = scored({.run = run, .data = there.string()});
  QVERIFY2(moved->otherData.empty(), moved->otherData.c_str());
  QCOMPARE(moved->testEvaluations, 2);

  const fs::path half = folder_.path() / "half";
  fs::copy(there, half, fs::copy_options::recursive);
  darken(half / "train");
  const auto other = scored({.run = run, .data = half.string()});
  QCOMPARE(other->otherData, half.string());  // Although its test images are the same.
  QCOMPARE(other->scores, moved->scores);
  QCOMPARE(other->testEvaluations, 2);

  // A run of an earlier version has no digests; the normalisation tells.
  RunRecord older = recordOf(run);
  older.dataSha256 = {};
  writeRunRecord(run / "run.json", older);
  QVERIFY(scored({.run = run, .data = there.string()})->otherData.empty());
  darken(there / "train");
  QCOMPARE(scored({.run = run, .data = there.string()})->otherData, there.string());
}

void TestOtherData::dataThatChangedInItsPlaceIsNoticed() {
  const fs::path place = folder_.path() / "changing";
  fs::copy(pictures_, place, fs::copy_options::recursive);
  RunControl control;
  Observer observer;
  const fs::path run = trainRun(runOn(place), folder_.path() / "runs", control, observer).run;
  QVERIFY(scored({.run = run})->otherData.empty());
  const std::vector<std::string> names = recordOf(run).input.classNames;
  const auto swap = [&](const char* part) {
    fs::rename(place / part / names[0], place / "kept");
    fs::rename(place / part / names[1], place / part / names[0]);
    fs::rename(place / "kept", place / part / names[1]);
  };
  swap("test");
  QCOMPARE(scored({.run = run})->otherData, place.string());
  const std::string reason =
      reasonOf([&] { scored({.run = run, .changedData = ChangedData::stop}); });
  QVERIFY2(reason.find("have changed since the run was trained") != std::string::npos,
           reason.c_str());
  QVERIFY(scored({.run = run, .split = Split::validation})->otherData.empty());
  swap("train");
  QCOMPARE(scored({.run = run, .split = Split::validation})->otherData, place.string());
}

void TestOtherData::weightsOutsideOfARunKnowItsData() {
  const Trained trained = trainedOnFlowers("known");
  const fs::path checkpoint = trained.place / "checkpoint.safetensors";
  fs::copy_file(RunFolder::open(trained.run).bestCheckpoint(), checkpoint);
  const fs::path before = fs::current_path();
  fs::current_path(trained.place);
  const auto own = scored({.run = trained.weights});
  darken(trained.place / "flowers");
  const auto other = scored({.run = trained.weights});
  const auto otherOfCheckpoint = scored({.run = checkpoint});
  fs::current_path(before);

  QVERIFY2(own->otherData.empty(), own->otherData.c_str());
  QVERIFY(own->isDataCompared);
  QCOMPARE(other->otherData, std::string("flowers"));
  QCOMPARE(otherOfCheckpoint->otherData, (trained.place / "flowers").string());
  QVERIFY(readWeights(trained.weights, WeightsChoice::evaluated).header.dataSha256 ==
          recordOf(trained.run).dataSha256);
}

void TestOtherData::dataThatCanNotBeComparedIsNamed() {
  const Trained trained = trainedOnFlowers("unknown");
  Weights weights = readWeights(trained.weights, WeightsChoice::evaluated);
  weights.header.dataSha256 = {};
  writeWeights(trained.weights, weights, {.header = weights.header});
  const fs::path before = fs::current_path();
  fs::current_path(trained.place);
  const auto score = scored({.run = trained.weights});
  fs::current_path(before);

  QVERIFY(!score->isDataCompared);
  QCOMPARE(score->dataPlace, std::string("flowers"));
}

void TestOtherData::aResumedRunStopsOrWarnsWhereItsDataHasChanged_data() {
  QTest::addColumn<int>("change");
  QTest::newRow("a picture more") << 0;
  QTest::newRow("a picture less") << 1;
  QTest::newRow("two labels swapped") << 2;
}

void TestOtherData::aResumedRunStopsOrWarnsWhereItsDataHasChanged() {
  QFETCH(int, change);
  const fs::path place = folder_.path() / ("resumed" + std::to_string(change));
  fs::copy(pictures_, place, fs::copy_options::recursive);
  const fs::path run = stoppedRun(place);
  const RunRecord before = recordOf(run);
  QCOMPARE(before.dataSha256.train.size(), std::size_t{64});
  const auto pictureOf = [&](std::size_t label) {
    return fs::directory_iterator(place / "train" / before.input.classNames[label])->path();
  };
  const fs::path first = pictureOf(0), second = pictureOf(1);
  if (change == 0) fs::copy(first, first.parent_path() / "more.png");
  if (change == 1) fs::remove(first);
  if (change == 2) {
    fs::rename(first, place / "kept.png");
    fs::rename(second, first);
    fs::rename(place / "kept.png", second);
  }
  RunControl control;
  RecordingObserver observer;
  const std::string reason = reasonOf([&] { resumeRun(run, {}, control, observer); });
  QVERIFY2(reason.find("has changed") != std::string::npos, reason.c_str());
  QCOMPARE(recordOf(run), before);

  const ResumeOptions options{.changedData = ChangedData::warn};
  const RunResult result = resumeRun(run, options, control, observer);
  QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
  QVERIFY(observer.events.front().text.find("warning: the data for training") != std::string::npos);
  const RunRecord after = recordOf(run);
  QVERIFY(after.dataSha256.train != before.dataSha256.train);
  QCOMPARE(after.input, before.input);  // The network still gets what it was trained on.
  QCOMPARE(after.dataChanges.size(), std::size_t{1});
  QCOMPARE(after.dataChanges.front().before, before.dataSha256.train);
  QCOMPARE(after.dataChanges.front().after, after.dataSha256.train);
  QVERIFY(after.dataChanges.front().step > 0);
}

void TestOtherData::aRepeatedRunStopsOrWarnsWhereItsDataHasChanged() {
  const fs::path place = folder_.path() / "repeated";
  fs::copy(pictures_, place, fs::copy_options::recursive);
  const fs::path run = stoppedRun(place);
  const fs::path runs = folder_.path() / "repetitions";
  RunControl control;
  Observer observer;
  QVERIFY(repeatRun(run, runs, control, observer).status != RunStatus::failed);
  const std::string name = recordOf(run).input.classNames.front();
  fs::remove(fs::directory_iterator(place / "train" / name)->path());
  QVERIFY(reasonOf([&] { repeatRun(run, runs, control, observer); }).find("has changed") !=
          std::string::npos);
  RunControl other;
  const RunResult result = repeatRun(run, runs, other, observer, ChangedData::warn);
  QVERIFY(result.status != RunStatus::failed);
}

void TestOtherData::aRunWhoseDataChangedWhileItTrainedIsNotRepeatedUnasked() {
  const fs::path place = folder_.path() / "exchanged";
  fs::copy(pictures_, place, fs::copy_options::recursive);
  const fs::path run = stoppedRun(place);
  const std::string name = recordOf(run).input.classNames.front();
  fs::remove(fs::directory_iterator(place / "train" / name)->path());
  RunControl control;
  RecordingObserver observer;
  resumeRun(run, {.changedData = ChangedData::warn}, control, observer);

  const fs::path runs = folder_.path() / "exchanged-repetitions";
  const std::string change = textOf(recordOf(run).dataChanges.front());
  const std::string reason = reasonOf([&] { repeatRun(run, runs, control, observer); });
  QVERIFY2(reason.find(change) != std::string::npos, reason.c_str());
  RecordingObserver warned;
  const RunResult result = repeatRun(run, runs, control, warned, ChangedData::warn);
  QVERIFY2(result.status == RunStatus::finished, result.failure.c_str());
  QVERIFY(warned.events.front().text.find(change) != std::string::npos);
  const std::vector<std::string> differences = compareRuns(run, result.run).environment;
  QVERIFY(std::ranges::find(differences, run.filename().string() + ": " + change) !=
          differences.end());
}

void TestOtherData::aNewRunMayBeHeldToTheDataOfAnother() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  RunControl control;
  Observer observer;
  const fs::path runs = folder_.path() / "others";
  const std::string digest = recordOf(run_).dataSha256.train;
  QVERIFY(trainRun(config, runs, control, observer, {digest}).status == RunStatus::finished);
  std::get<Shapes10Source>(config.data.source).trainCount += 10;
  QVERIFY(reasonOf([&] {
            trainRun(config, runs, control, observer, {digest});
          }).find("has changed") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestOtherData)
#include "tst_other_data.moc"
