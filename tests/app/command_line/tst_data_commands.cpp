#include <fstream>

#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/values/config/usual_augmentation.h"
#include "tests/support/mixer_variants.h"
#include "tests/support/program.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

/// The commands of the program on data sets of every kind.
class TestDataCommands : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void checkTellsWhatLiesThere();
  void allValidationSequencesOfATextAreUsed();
  void describeTellsWhetherTheNetworkFits();
  void greyImagesAreTrainedOnScoredAndInspected();
  void picturesWithoutATestSetEndWithoutATestAccuracy();
  void whatIsNotReadOfPicturesIsSaid();
  void corruptPicturesThatAreLeftOutAreSaidByEveryTraining();
  void realPhotographsAreCheckedTrainedAndPredicted();

 private:
  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

void TestDataCommands::initTestCase() {
  qputenv("XDG_CACHE_HOME", QByteArray::fromStdString((folder_.path() / "cache").string()));
  writeSmallIdx(folder_.path() / "mnist");
  writePictures(folder_.path() / "pictures", 20);
  RunConfig config = tinyRun();
  config.recipe.epochs = 1;
  config.recipe.batchSize = 10;
  config.data.validationCount = 10;
  config.data.augmentation.cropPadding = 1;
  std::ofstream(folder_.path() / "tiny.json") << toJson(config);
}

void TestDataCommands::checkTellsWhatLiesThere() {
  const ProgramOutcome grey = program_.run({u"data"_s, u"check"_s, u"mnist"_s, u"--json"_s});
  QCOMPARE(grey.status, 0);
  const QJsonObject info = grey.json()[u"info"_s].toObject();
  QCOMPARE(info[u"shape"_s].toArray(), (QJsonArray{1, 12, 10}));
  QCOMPARE(info[u"classes"_s].toInt(), 10);
  QCOMPARE(info[u"trainCount"_s].toInt(), 60);
  QCOMPARE(info[u"testCount"_s].toInt(), 20);
  const ProgramOutcome pictures = program_.run(
      {u"data"_s, u"check"_s, u"pictures"_s, u"--set"_s, u"data.source.size=24"_s, u"--json"_s});
  QCOMPARE(pictures.status, 0);
  QCOMPARE(pictures.json()[u"info"_s][u"shape"_s].toArray(), (QJsonArray{3, 24, 24}));
  QCOMPARE(pictures.json()[u"info"_s][u"classNames"_s].toArray(),
           (QJsonArray{u"blue"_s, u"red"_s}));
  std::ofstream(folder_.path() / "book.txt") << std::string(3000, 'a') + "\r\n";
  const QStringList ofText{
      u"data"_s, u"check"_s, u"book.txt"_s, u"--set"_s, u"data.source.length=50"_s};
  const ProgramOutcome text = program_.run(ofText);
  QCOMPARE(text.status, 0);
  QVERIFY2(text.output.contains("sequences of 50 tokens, vocabulary 256, 56 for training and "
                                "validation (2 of them the validation set), 2 for the test"),
           text.output.constData());
  QVERIFY(text.output.contains("warning"));
  const QJsonObject ofBook =
      program_.run(ofText + QStringList{u"--json"_s}).json()[u"info"_s].toObject();
  QCOMPARE(ofBook[u"tokens"_s].toInt(), 256);
  QCOMPARE(ofBook[u"validationCount"_s].toInt(), 2);
  const ProgramOutcome unknown = program_.run({u"data"_s, u"check"_s, u"tiny.json"_s, u"--json"_s});
  QCOMPARE(unknown.status, 1);
  QVERIFY(unknown.output.contains("train-images-idx3-ubyte"));
}

void TestDataCommands::allValidationSequencesOfATextAreUsed() {
  std::ofstream(folder_.path() / "letters.txt") << std::string(3000, 'a');
  RunConfig config;
  config.architecture =
      test::sequenceOf(RwkvMixer{}, ChannelMixing::rwkv, {.length = 50, .vocabulary = 256});
  config.recipe.batchSize = 10;
  config.data.source = TextSource{"letters.txt", 50};
  config.data.augmentation = usualAugmentation(config.data.source);
  std::ofstream(folder_.path() / "letters.json") << toJson(config);
  const auto trained = [&](const QStringList& options) {
    const QStringList usual{u"train"_s, u"letters.json"_s, u"--epochs"_s, u"1"_s, u"--quiet"_s};
    return program_.run(usual + options);
  };
  const auto asked = [&](const QString& count) {
    return trained({u"--set"_s, u"data.validationCount="_s + count});
  };
  for (const ProgramOutcome& fitting : {trained({}), asked(u"2"_s)}) {
    QVERIFY2(fitting.status == 0, fitting.errors.constData());
  }
  for (const QString& count : {u"0"_s, u"1"_s, u"3"_s}) {
    const ProgramOutcome other = asked(count);
    QCOMPARE(other.status, 2);
    QVERIFY2(other.errors.contains("the data's own validation set has 2 sequences, and all of them "
                                   "are used"),
             other.errors.constData());
    QVERIFY2(other.errors.contains("Set to 2"), other.errors.constData());
  }
}

void TestDataCommands::describeTellsWhetherTheNetworkFits() {
  const QStringList describe{u"describe"_s, u"tiny.json"_s, u"--data"_s, u"mnist"_s};
  const ProgramOutcome wrong = program_.run(describe + QStringList{u"--json"_s});
  QCOMPARE(wrong.status, 2);
  QVERIFY(wrong.output.contains("the data's images are 1x12x10, the network takes 3x32x32"));
  const ProgramOutcome fitting = program_.run(
      describe +
      QStringList{u"--set"_s, u"architecture.input={\"channels\":1,\"height\":12,\"width\":10}"_s});
  QCOMPARE(fitting.status, 0);
  QVERIFY(fitting.output.contains("mnist: 1x12x10 images of 10 classes, 60 for training"));
}

void TestDataCommands::greyImagesAreTrainedOnScoredAndInspected() {
  const ProgramOutcome trained =
      program_.run({u"train"_s,
                    u"tiny.json"_s,
                    u"--data"_s,
                    u"mnist"_s,
                    u"--set"_s,
                    u"architecture.input={\"channels\":1,\"height\":12,\"width\":10}"_s,
                    u"--json"_s,
                    u"--quiet"_s});
  QVERIFY2(trained.status == 0, trained.errors.constData());
  const QString run = trained.json()[u"run"_s].toString();
  QVERIFY(trained.json()[u"testAccuracy"_s].isDouble());
  fs::rename(folder_.path() / "mnist", folder_.path() / "moved");
  const ProgramOutcome scored =
      program_.run({u"evaluate"_s, run, u"--data"_s, u"moved"_s, u"--json"_s});
  QVERIFY2(scored.status == 0, scored.errors.constData());
  const ProgramOutcome seen =
      program_.run({u"inspect"_s, run, u"--data"_s, u"moved"_s, u"--out"_s, u"look"_s});
  QVERIFY2(seen.status == 0, seen.errors.constData());
  fs::rename(folder_.path() / "moved", folder_.path() / "mnist");
}

void TestDataCommands::picturesWithoutATestSetEndWithoutATestAccuracy() {
  const ProgramOutcome trained = program_.run({u"train"_s,
                                               u"tiny.json"_s,
                                               u"--data"_s,
                                               u"pictures"_s,
                                               u"--set"_s,
                                               u"data.source.size=32"_s,
                                               u"--set"_s,
                                               u"architecture.classes=2"_s,
                                               u"--json"_s,
                                               u"--quiet"_s});
  QVERIFY2(trained.status == 0, trained.errors.constData());
  QVERIFY(trained.json()[u"testAccuracy"_s].isNull());
  QVERIFY(trained.json()[u"bestValidationAccuracy"_s].isDouble());
  const ProgramOutcome scored =
      program_.run({u"evaluate"_s, trained.json()[u"run"_s].toString(), u"--json"_s});
  QCOMPARE(scored.status, 1);
  QVERIFY((scored.output + scored.errors).contains("no test images"));
}

void TestDataCommands::whatIsNotReadOfPicturesIsSaid() {
  const fs::path set = folder_.path() / "mixed";
  writePictures(set / "Training", 20);
  writePictures(set / "Testing", 3);
  writeFileDurably(set / "Training/blue/a.bmp", "x");
  fs::copy_file(LAMBDA_TEST_DATA "/fuzz/pictures/turned.jpg", set / "Training/red/turned.jfif");
  const QString passedOver = u"1 .bmp file is not read: Training/blue/a.bmp"_s;
  const QString turned = u"1 picture is turned, as the orientation in EXIF says"_s;
  const QString sized = u"data.source.size=32"_s;
  const ProgramOutcome text = program_.run({u"data"_s, u"check"_s, u"mixed"_s, u"--set"_s, sized});
  QCOMPARE(text.status, 0);
  for (const QString& part : {passedOver, turned, u"blue"_s}) {
    QVERIFY2(QString::fromUtf8(text.output).contains(part), text.output.constData());
  }
  const ProgramOutcome json =
      program_.run({u"data"_s, u"check"_s, u"mixed"_s, u"--set"_s, sized, u"--json"_s});
  QCOMPARE(json.json()[u"info"_s][u"testCount"_s].toInt(), 6);
  QVERIFY(json.output.contains(passedOver.toUtf8()) && json.output.contains(turned.toUtf8()));
  const ProgramOutcome trained = program_.run({u"train"_s,
                                               u"tiny.json"_s,
                                               u"--data"_s,
                                               u"mixed"_s,
                                               u"--set"_s,
                                               sized,
                                               u"--set"_s,
                                               u"architecture.classes=2"_s});
  QVERIFY2(trained.status == 0, trained.errors.constData());
  for (const QString& part : {passedOver, turned}) {
    QVERIFY2(trained.errors.contains(part.toUtf8()), trained.errors.constData());
  }
}

void TestDataCommands::corruptPicturesThatAreLeftOutAreSaidByEveryTraining() {
  const fs::path set = folder_.path() / "damaged";
  writePictures(set, 20);
  writeFileDurably(set / "blue/broken.png", "no picture");
  const QStringList train{u"train"_s,
                          u"tiny.json"_s,
                          u"--data"_s,
                          u"damaged"_s,
                          u"--set"_s,
                          u"data.source.size=32"_s,
                          u"--set"_s,
                          u"architecture.classes=2"_s};
  const ProgramOutcome refused = program_.run(train);
  QCOMPARE(refused.status, 1);
  QVERIFY2(refused.errors.contains("train with --set data.source.corrupt=skip"),
           refused.errors.constData());
  for (const char* pictures : {"decoded", "from the cache"}) {
    const ProgramOutcome trained =
        program_.run(train + QStringList{u"--set"_s, u"data.source.corrupt=skip"_s});
    QVERIFY2(trained.status == 0, trained.errors.constData());
    QVERIFY2(trained.errors.contains("1 corrupt picture is left out"), pictures);
  }
}

void TestDataCommands::realPhotographsAreCheckedTrainedAndPredicted() {
  const QString photographs = qEnvironmentVariable("LAMBDA_PHOTOGRAPHS");
  if (photographs.isEmpty()) QSKIP("LAMBDA_PHOTOGRAPHS names no folder of make-photographs");
  const ProgramOutcome checked = program_.run({u"data"_s, u"check"_s, photographs});
  QCOMPARE(checked.status, 0);
  QVERIFY(checked.output.contains("the classes are not balanced"));
  const QJsonObject report = program_.run({u"data"_s, u"check"_s, photographs, u"--json"_s}).json();
  const QJsonArray names = report[u"info"_s][u"classNames"_s].toArray();
  QCOMPARE(names, (QJsonArray{u"birds"_s, u"flowers"_s, u"fruit"_s, u"insects"_s, u"mammals"_s}));
  const ProgramOutcome trained = program_.runScript(
      u"$LAMBDA train tiny.json --data '"_s + photographs +
      u"' --name photographs --quiet --json --set architecture.classes=5 --set "
      u"'architecture.input={\"channels\": 3, \"height\": 32, \"width\": 32}' --set "
      u"data.source.size=32"_s);
  QVERIFY2(trained.status == 0, trained.errors.constData());
  const ProgramOutcome predicted =
      program_.runScript(u"$LAMBDA predict runs/*_photographs $(find '"_s + photographs +
                         u"/test' -name '*.jpg') --top 5 --json"_s);
  QVERIFY2(predicted.status == 0, predicted.errors.constData());
  const QJsonArray pictures = predicted.json()[u"predictions"_s].toArray();
  QCOMPARE(pictures.size(), report[u"info"_s][u"testCount"_s].toInt());
  for (const QJsonValue answer : pictures[0][u"top"_s].toArray()) {
    QVERIFY(names.contains(answer[u"class"_s]));
  }
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestDataCommands)
#include "tst_data_commands.moc"
