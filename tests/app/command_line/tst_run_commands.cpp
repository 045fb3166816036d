#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/formats/inspection/png.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/formats/tensors/safetensors.h"
#include "engine/values/architecture/cost.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

/// The commands on one tiny run, which the first test trains.
class TestRunCommands : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void trainingEndsWithOneObject();
  void infoTellsOfARun();
  void evaluateCountsTestEvaluations();
  void averagesBehindTheScoresAreNamed();
  void exportedWeightsAreTheModuleTensors();
  void exportedMetricsHaveALineAnEpoch();
  void exportReplacesNoFileOfARun();
  void inspectWritesPicturesAndTheProof();
  void inspectCutsPartsOut();
  void theReportIsOnePage();
  void aForkKeepsItsLineage();
  void aRunThatIsNotThereSuggestsTheNearest();
  void aLongerRunNamesItsLearningRate();
  void aRunIsNotResumedToAnEpochThatIsPast();
  void aFolderThatExistsIsNamedAsSuch();
  void unknownKeysAreNamed();
  void hintsHaveLinesAndNoEscapes();
  void theBestOfACurveFollowsItsName_data();
  void theBestOfACurveFollowsItsName();
  void damageOfEventFilesIsNamed();
  void anEventFileAloneHasCurves();
  void whatHasNoCurvesIsNamed_data();
  void whatHasNoCurvesIsNamed();
  void damagedMetricsAreNamedWhereverTheyAreShown();
  void theLatestRunIsTheOneThatWasStartedLast();
  void aListOfPicturesMayComeFromWindows();
  void aListOfPicturesMayHaveANulByteAfterEachName();
  void aNulByteInALineOfAListIsRefusedWithItsLine();
  void aNameWithALineBreakStaysOnItsLine();

 private:
  QStringList quietly(const QString& command) const {
    return {command, QString::fromStdString(run_), u"--json"_s, u"--quiet"_s};
  }

  TemporaryFolder folder_;
  Program program_{folder_.path()};
  std::string run_;
};

void TestRunCommands::trainingEndsWithOneObject() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 2;
  config.recipe.precision = Precision::automatic;
  config.device.index = 5;
  std::ofstream(folder_.path() / "tiny.json") << toJson(config);
  const ProgramOutcome outcome = program_.run({u"train"_s,
                                               u"tiny.json"_s,
                                               u"--device"_s,
                                               u"cpu"_s,
                                               u"--threads"_s,
                                               u"1"_s,
                                               u"--json"_s,
                                               u"--seed"_s,
                                               u"4"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  const QJsonObject report = outcome.json();
  QCOMPARE(report[u"status"_s].toString(), u"finished"_s);
  QCOMPARE(report[u"epochs"_s].toInt(), 2);
  QVERIFY(report[u"bestValidationAccuracy"_s].isDouble());
  QVERIFY(report[u"testAccuracy"_s].isDouble());
  QVERIFY(report[u"imagesPerSecond"_s].toDouble() > 0);
  // Standard error is no terminal: one line per epoch, and no line is redrawn.
  QVERIFY(outcome.errors.contains("1/2") && outcome.errors.contains("2/2"));
  QVERIFY(!outcome.errors.contains('\r') && !outcome.errors.contains('\x1b'));
  QVERIFY2(
      outcome.errors.contains("1 thread, float32") || outcome.errors.contains("1 thread, bfloat16"),
      outcome.errors.constData());
  run_ = report[u"run"_s].toString().toStdString();
  QVERIFY(fs::exists(fs::path(run_) / "checkpoints" / "last.safetensors"));
}

void TestRunCommands::infoTellsOfARun() {
  const QJsonObject info =
      program_.run({u"info"_s, QString::fromStdString(run_), u"--json"_s}).json();
  QCOMPARE(info[u"status"_s].toString(), u"finished"_s);
  QCOMPARE(info[u"record"_s][u"config"_s][u"seed"_s].toInt(), 4);
  // A device without a number is the first.
  QCOMPARE(info[u"record"_s][u"config"_s][u"device"_s][u"index"_s].toInt(-1), 0);
  QVERIFY(!info[u"checkpoints"_s].toArray().isEmpty());
  const QJsonValue rates = info[u"record"_s][u"environment"_s][u"precisionRates"_s];
  QVERIFY(rates[u"float32"_s].toDouble() > 0);
  const QString precision = info[u"record"_s][u"config"_s][u"recipe"_s][u"precision"_s].toString();
  const QByteArray told = program_.run({u"info"_s, QString::fromStdString(run_)}).output;
  QVERIFY2(told.contains("precision") && told.contains(precision.toUtf8()), told.constData());
  QVERIFY(info[u"diskBytes"_s].toInteger() > 0);
  // A run that is marked as running but not locked was killed.
  const fs::path record = fs::path(run_) / "run.json";
  const fs::path killed = folder_.path() / "killed";
  fs::copy(run_, killed, fs::copy_options::recursive);
  QFile file(QString::fromStdString((killed / "run.json").string()));
  QVERIFY(file.open(QIODevice::ReadWrite));
  const QByteArray text = file.readAll().replace("\"finished\"", "\"running\"");
  file.resize(0);
  file.write(text);
  file.close();
  const QJsonObject other = program_.run({u"info"_s, u"killed"_s, u"--json"_s}).json();
  QCOMPARE(other[u"status"_s].toString(), u"interrupted"_s);
}

void TestRunCommands::evaluateCountsTestEvaluations() {
  const ProgramOutcome test = program_.run(quietly(u"evaluate"_s));
  QVERIFY2(test.status == 0, test.errors.constData());
  QCOMPARE(test.json()[u"testEvaluations"_s].toInt(), 2);
  QCOMPARE(test.json()[u"testAccuracy"_s], test.json()[u"accuracy"_s]);
  const ProgramOutcome validation =
      program_.run(quietly(u"evaluate"_s) + QStringList{u"--split"_s, u"validation"_s});
  const QJsonObject report = validation.json();
  QCOMPARE(report[u"accuracy"_s], report[u"bestValidationAccuracy"_s]);
}

void TestRunCommands::averagesBehindTheScoresAreNamed() {
  const QJsonArray both{u"EMA weights"_s, u"flip averaging"_s};
  const QStringList trained{
      u"train"_s, u"tiny.json"_s, u"--device"_s, u"cpu"_s, u"--epochs"_s, u"1"_s};
  const QStringList averages{
      u"--set"_s, u"recipe.emaDecay=0.5"_s, u"--set"_s, u"recipe.flipAveraging=true"_s};
  const ProgramOutcome outcome = program_.run(trained + averages + QStringList{u"--json"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.json()[u"scoring"_s].toArray(), both);
  const QString run = outcome.json()[u"run"_s].toString();
  for (const QString& command : {u"info"_s, u"evaluate"_s}) {
    QCOMPARE(program_.run({command, run, u"--json"_s}).json()[u"scoring"_s].toArray(), both);
    const ProgramOutcome text = program_.run({command, run});
    QVERIFY2(text.output.contains("EMA weights, flip averaging"), text.output.constData());
    const ProgramOutcome plain = program_.run({command, QString::fromStdString(run_), u"--json"_s});
    QCOMPARE(plain.status, 0);
    QVERIFY(!plain.json().contains(u"scoring"_s));
  }
}

void TestRunCommands::exportedWeightsAreTheModuleTensors() {
  const ProgramOutcome outcome = program_.run({u"export"_s,
                                               QString::fromStdString(run_),
                                               u"--to"_s,
                                               u"safetensors"_s,
                                               u"--out"_s,
                                               u"weights.safetensors"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  const SafeTensors weights = readSafeTensors(folder_.path() / "weights.safetensors");
  QCOMPARE(weights.metadata.at("format"), std::string("pt"));
  std::vector<Problem> warnings;
  QVERIFY(architectureFromJson(weights.metadata.at("architecture"), "metadata", warnings) ==
          tinyRun().architecture);
  std::int64_t learned = 0;
  for (const TensorView& tensor : weights.tensors) {
    QVERIFY(!tensor.name.starts_with("model."));
    if (tensor.name.find("running_") != std::string::npos || tensor.dtype != DType::F32) continue;
    learned += static_cast<std::int64_t>(tensor.bytes.size() / sizeof(float));
  }
  QCOMPARE(learned, std::int64_t(costOf(tinyRun().architecture).parameters));
}

void TestRunCommands::exportedMetricsHaveALineAnEpoch() {
  const QStringList command{
      u"export"_s, QString::fromStdString(run_), u"--out"_s, u"-"_s, u"--to"_s};
  const ProgramOutcome epochs = program_.run(command + QStringList{u"csv"_s});
  QCOMPARE(epochs.output.count('\n'), 3);
  QVERIFY(epochs.output.startsWith("epoch,step,"));
  const ProgramOutcome batches = program_.run(command + QStringList{u"batches"_s});
  QCOMPARE(batches.output.count('\n'), 1 + 2 * 6);
  const ProgramOutcome device = program_.run(
      {u"export"_s, QString::fromStdString(run_), u"--to"_s, u"csv"_s, u"--out"_s, u"/dev/null"_s});
  QCOMPARE(device.status, 2);
  QVERIFY(!fs::is_regular_file("/dev/null"));
}

void TestRunCommands::exportReplacesNoFileOfARun() {
  const fs::path run(run_);
  const auto content = [](const fs::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  };
  fs::create_directory_symlink(run / "checkpoints", folder_.path() / "elsewhere");
  for (const fs::path& file : {run / "run.json",
                               run / "metrics.jsonl",
                               run / "run.log",
                               run / "checkpoints" / "best.safetensors",
                               run / "checkpoints" / "epoch-0007.safetensors",
                               run / "checkpoints" / ".." / "run.json",
                               folder_.path() / "elsewhere" / "last.safetensors"}) {
    const QByteArray before = content(file);
    for (const char* format : {"safetensors", "json"}) {
      const ProgramOutcome outcome = program_.run({u"export"_s,
                                                   QString::fromStdString(run_),
                                                   u"--to"_s,
                                                   QString::fromLatin1(format),
                                                   u"--out"_s,
                                                   QString::fromStdString(file.string())});
      QVERIFY2(outcome.status == 2, file.c_str());
      QVERIFY2(outcome.errors.contains("a file of a run"), outcome.errors.constData());
      QCOMPARE(content(file), before);
    }
  }
  QCOMPARE(program_
               .run({u"export"_s,
                     QString::fromStdString(run_),
                     u"--to"_s,
                     u"csv"_s,
                     u"--out"_s,
                     QString::fromStdString((run / "epochs.csv").string())})
               .status,
           0);
}

void TestRunCommands::inspectWritesPicturesAndTheProof() {
  const QString run = QString::fromStdString(run_);
  const QJsonArray layers =
      program_.run({u"inspect"_s, run, u"--list"_s, u"--json"_s}).json()[u"layers"_s].toArray();
  QCOMPARE(layers.size(), 1);
  const ProgramOutcome outcome = program_.run({u"inspect"_s,
                                               run,
                                               u"--layer"_s,
                                               layers[0][u"name"_s].toString(),
                                               u"--image"_s,
                                               u"3"_s,
                                               u"--query"_s,
                                               u"2,5"_s,
                                               u"--out"_s,
                                               u"look"_s,
                                               u"--json"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  const QJsonObject report = outcome.json();
  QCOMPARE(report[u"query"_s], QJsonValue(QJsonArray{2, 5}));
  QVERIFY(report[u"residual"_s][u"relative"_s].toDouble(1) < 1e-4);
  for (const QJsonValue& file : report[u"files"_s].toArray()) {
    QVERIFY(fs::exists(folder_.path() / "look" / file.toString().toStdString()));
  }
  QCOMPARE(program_.run({u"inspect"_s, run, u"--query"_s, u"2"_s, u"--out"_s, u"look"_s}).status,
           2);
}

void TestRunCommands::inspectCutsPartsOut() {
  const QString run = QString::fromStdString(run_);
  const QStringList command{u"inspect"_s, run, u"--lesions"_s, u"--images"_s, u"40"_s};
  const ProgramOutcome table = program_.run(command + QStringList{u"--layer"_s, u"all"_s});
  QVERIFY2(table.status == 0, table.errors.constData());
  QVERIFY2(table.output.startsWith("All lambda layers without a part, on 40 validation images"),
           table.output.constData());
  for (const char* text :
       {"uncut", "no content", "no position", "scope 3x3", "no head 1", "no row 3"}) {
    QVERIFY2(table.output.contains(text), table.output.constData());
  }
  const ProgramOutcome outcome = program_.run(command + QStringList{u"--layer"_s,
                                                                    u"stage2.block2"_s,
                                                                    u"--split"_s,
                                                                    u"train"_s,
                                                                    u"--out"_s,
                                                                    u"cut"_s,
                                                                    u"--json"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  const QJsonObject report = outcome.json();
  QCOMPARE(report[u"layer"_s].toString(), u"stage2.block2.mixer"_s);
  QCOMPARE(report[u"split"_s].toString(), u"train"_s);
  QCOMPARE(report[u"images"_s].toInt(), 40);
  QCOMPARE(report[u"lesions"_s].toArray().size(), 12);
  const QJsonObject first = report[u"lesions"_s][0].toObject();
  QVERIFY(std::abs(report[u"uncut"_s][u"accuracy"_s].toDouble() +
                   first[u"difference"_s].toDouble() - first[u"accuracy"_s].toDouble()) < 1e-9);
  QCOMPARE(report[u"files"_s].toArray(), (QJsonArray{u"lesions.csv"_s, u"summary.json"_s}));
  for (const QJsonValue& file : report[u"files"_s].toArray()) {
    QVERIFY(fs::exists(folder_.path() / "cut" / file.toString().toStdString()));
  }
  QCOMPARE(program_.run(command + QStringList{u"--query"_s, u"2,5"_s}).status, 2);
  QCOMPARE(program_.run({u"inspect"_s, run, u"--images"_s, u"40"_s, u"--out"_s, u"look"_s}).status,
           2);
  const ProgramOutcome unknown = program_.run(command + QStringList{u"--layer"_s, u"stage9"_s});
  QVERIFY(unknown.status == 1 && unknown.errors.contains("stage2.block2.mixer"));
}

void TestRunCommands::theReportIsOnePage() {
  const QString run = QString::fromStdString(run_);
  const ProgramOutcome outcome = program_.run({u"report"_s, run, u"--out"_s, u"report.html"_s});
  if (!fs::exists(fs::path(LAMBDA_PROGRAM).parent_path() / "lambda-studio")) {
    QCOMPARE(outcome.status, 1);
    QVERIFY2(outcome.errors.contains("lambda-studio"), outcome.errors.constData());
    return;
  }
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.output, QByteArray("report.html\n"));
  QFile file(QString::fromStdString((folder_.path() / "report.html").string()));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray page = file.readAll();
  QVERIFY(page.startsWith("<!DOCTYPE html>") && page.contains("data:image/"));
  // No file of a run is replaced, and what is no run is named.
  QCOMPARE(program_.run({u"report"_s, run, u"--out"_s, run + u"/run.json"_s}).status, 2);
  const ProgramOutcome refused =
      program_.run({u"report"_s, u"tiny.json"_s, u"--out"_s, u"no.html"_s});
  QCOMPARE(refused.status, 1);
  QVERIFY2(refused.errors.contains("tiny.json"), refused.errors.constData());
  QVERIFY(!fs::exists(folder_.path() / "no.html"));
}

void TestRunCommands::aForkKeepsItsLineage() {
  const ProgramOutcome outcome = program_.run(
      quietly(u"fork"_s) +
      QStringList{u"--epochs"_s, u"3"_s, u"--set"_s, u"recipe.optimizer.learningRate=0.01"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QVERIFY(outcome.errors.isEmpty());
  QCOMPARE(outcome.json()[u"epochs"_s].toInt(), 3);
  const QJsonObject info =
      program_.run({u"info"_s, outcome.json()[u"run"_s].toString(), u"--json"_s}).json();
  QCOMPARE(info[u"record"_s][u"lineage"_s][u"parentRun"_s].toString().toStdString(),
           fs::path(run_).filename().string());
}

void TestRunCommands::aRunThatIsNotThereSuggestsTheNearest() {
  const std::string name = fs::path(run_).filename().string();
  const QString wrong = QString::fromStdString("runs/" + name.substr(0, name.size() - 1) + "i");
  const ProgramOutcome outcome = program_.run({u"resume"_s, wrong});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("Did you mean runs/"), outcome.errors.constData());
}

void TestRunCommands::aLongerRunNamesItsLearningRate() {
  fs::copy(run_, folder_.path() / "longer", fs::copy_options::recursive);
  const ProgramOutcome same = program_.run({u"resume"_s, u"longer"_s});
  QVERIFY2(!same.errors.contains("learning rate goes"), same.errors.constData());
  const ProgramOutcome longer =
      program_.run({u"resume"_s, u"longer"_s, u"--epochs"_s, u"3"_s, u"--json"_s});
  QVERIFY2(longer.status == 0, longer.errors.constData());
  // A cosine from 0.05 to 0: after 2 of 2 epochs 0, after 2 of 3 a quarter.
  QVERIFY2(longer.errors.contains("the learning rate goes from 0 to 0.0125, that of a run with 3"),
           longer.errors.constData());
}

void TestRunCommands::aRunIsNotResumedToAnEpochThatIsPast() {
  const ProgramOutcome outcome = program_.run({u"resume"_s,
                                               QString::fromStdString(run_),
                                               u"--epochs"_s,
                                               u"9"_s,
                                               u"--until-epoch"_s,
                                               u"1"_s});
  QCOMPARE(outcome.status, 2);
  QVERIFY2(outcome.errors.contains("and is past epoch 1"), outcome.errors.constData());
}

void TestRunCommands::aFolderThatExistsIsNamedAsSuch() {
  fs::create_directories(folder_.path() / "runs" / "taken");
  const ProgramOutcome outcome =
      program_.run({u"train"_s, u"tiny.json"_s, u"--folder"_s, u"taken"_s, u"--quiet"_s});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("there is already something with this name"),
           outcome.errors.constData());
  QVERIFY2(!outcome.errors.contains("may write"), outcome.errors.constData());
}

void TestRunCommands::unknownKeysAreNamed() {
  const QByteArray known = "\"epochs\":";
  const QByteArray both = "\"epcohs\": 7, \"epochs\":";
  fs::copy(run_, folder_.path() / "misspelt", fs::copy_options::recursive);
  QFile record(QString::fromStdString((folder_.path() / "misspelt" / "run.json").string()));
  QVERIFY(record.open(QIODevice::ReadWrite));
  const QByteArray changed = record.readAll().replace(known, both);
  QVERIFY(changed.contains("epcohs"));
  record.resize(0);
  record.write(changed);
  record.close();
  const ProgramOutcome resumed = program_.run({u"resume"_s, u"misspelt"_s});
  QVERIFY2(resumed.errors.contains("recipe.epcohs"), resumed.errors.constData());

  Experiment experiment;
  experiment.question = "Is a misspelt key named?";
  experiment.base = tinyRun();
  experiment.variants = {{"usual", {}}};
  QByteArray text = QByteArray::fromStdString(toJson(experiment));
  text.replace("\"question\":", "\"qestion\": \"\", \"question\":").replace(known, both);
  QFile file(QString::fromStdString((folder_.path() / "experiment.json").string()));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text);
  file.close();
  const ProgramOutcome dry =
      program_.run({u"experiment"_s, u"run"_s, u"experiment.json"_s, u"--dry-run"_s});
  QVERIFY2(dry.errors.contains("qestion") && dry.errors.contains("base.recipe.epcohs"),
           dry.errors.constData());
}

void TestRunCommands::hintsHaveLinesAndNoEscapes() {
  fs::create_directory(folder_.path() / "empty");
  for (const QStringList& command :
       {QStringList{u"data"_s, u"check"_s, u"empty"_s},
        QStringList{u"train"_s, u"tiny.json"_s, u"--data"_s, u"empty"_s}}) {
    const ProgramOutcome outcome = program_.run(command);
    QVERIFY(outcome.status != 0);
    QVERIFY2(!outcome.errors.contains("\\n"), outcome.errors.constData());
    QVERIFY2(!outcome.output.contains("\\n"), outcome.output.constData());
  }
}

void TestRunCommands::theBestOfACurveFollowsItsName_data() {
  QTest::addColumn<bool>("isLow");
  for (const char* name : {"val/Loss",
                           "trainloss",
                           "top1_error",
                           "TestErr",
                           "perplexity",
                           "valRMSE",
                           "mae",
                           "eval/mse",
                           "KL divergence",
                           "nll"}) {
    QTest::newRow(name) << true;
  }
  for (const char* name : {"accuracy", "val/top1", "mAP", "maestro", "learning_rate", "F1"}) {
    QTest::newRow(name) << false;
  }
}

void TestRunCommands::theBestOfACurveFollowsItsName() {
  QFETCH(bool, isLow);
  const TemporaryFolder logs;
  {
    EventWriter writer(logs.path());
    const double values[] = {std::nan(""), 0.5, 0.2, 0.4, INFINITY};
    for (int step = 0; step < 5; ++step)
      writer.add(step, {{QTest::currentDataTag(), values[step]}});
  }
  const QString folder = QString::fromStdString(logs.path().string());
  const QJsonValue curve =
      program_.run({u"curves"_s, folder, u"--json"_s}).json()[u"sources"_s][0][u"curves"_s][0];
  QCOMPARE(curve[u"best"_s][u"step"_s].toInt(), isLow ? 2 : 1);
}

void TestRunCommands::damageOfEventFilesIsNamed() {
  const TemporaryFolder logs;
  EventWriter(logs.path()).add(1, {{"loss", 0.5}});
  std::ofstream(logs.path() / "notes.tfevents") << "this is no event file";
  const QString folder = QString::fromStdString(logs.path().string());
  const ProgramOutcome text = program_.run({u"curves"_s, folder});
  QCOMPARE(text.status, 0);
  QVERIFY2(text.errors.contains("notes.tfevents: left out: does not begin as a TensorBoard event"),
           text.errors.constData());
  const QJsonValue remarks =
      program_.run({u"curves"_s, folder, u"--json"_s}).json()[u"sources"_s][0][u"remarks"_s];
  QCOMPARE(remarks.toArray().size(), 1);
}

void TestRunCommands::anEventFileAloneHasCurves() {
  const TemporaryFolder logs;
  EventWriter(logs.path()).add(1, {{"loss", 0.5}});
  const QString file = QString::fromStdString(fs::directory_iterator(logs.path())->path().string());
  const ProgramOutcome outcome = program_.run({u"curves"_s, file, u"--json"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  const QJsonValue curves = outcome.json()[u"sources"_s][0][u"curves"_s];
  QCOMPARE(curves[0][u"name"_s].toString(), u"loss"_s);
}

void TestRunCommands::whatHasNoCurvesIsNamed_data() {
  QTest::addColumn<QString>("place");
  QTest::addColumn<QByteArray>("message");
  QTest::newRow("nothing") << u"/nonexistent/log"_s << QByteArray("there is no such run");
  QTest::newRow("another file") << u"other.safetensors"_s << QByteArray("this file has no curves");
}

void TestRunCommands::whatHasNoCurvesIsNamed() {
  QFETCH(QString, place);
  QFETCH(QByteArray, message);
  std::ofstream(folder_.path() / "other.safetensors") << "weights";
  const ProgramOutcome outcome = program_.run({u"curves"_s, place});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains(message), outcome.errors.constData());
  QVERIFY2(outcome.errors.contains("or an event file"), outcome.errors.constData());
}

void TestRunCommands::damagedMetricsAreNamedWhereverTheyAreShown() {
  const fs::path copy = folder_.path() / "damaged";
  fs::copy(run_, copy, fs::copy_options::recursive);
  const QString run = QString::fromStdString(copy.string());
  std::ofstream(copy / "metrics.jsonl", std::ios::app) << "{\"kind\": \n";
  const QByteArray damage = "metrics.jsonl: line ";
  for (const QStringList& command : {QStringList{u"curves"_s, run},
                                     {u"export"_s, run, u"--to"_s, u"csv"_s, u"--out"_s, u"-"_s},
                                     {u"export"_s, run, u"--to"_s, u"csv"_s}}) {
    const ProgramOutcome outcome = program_.run(command);
    QCOMPARE(outcome.status, 0);
    QVERIFY2(outcome.errors.contains(damage), outcome.errors.constData());
    QVERIFY2(!outcome.errors.contains("line 1, column"), outcome.errors.constData());
  }
  std::ofstream(copy / "histograms.jsonl", std::ios::app) << "{\"kind\": \n";
  const ProgramOutcome histograms =
      program_.run({u"export"_s, run, u"--to"_s, u"histograms"_s, u"--out"_s, u"-"_s});
  QVERIFY2(histograms.errors.contains("histograms.jsonl: 1 line left out"),
           histograms.errors.constData());
  fs::remove(copy / "metrics.jsonl");
  const ProgramOutcome lost = program_.run({u"curves"_s, run});
  QVERIFY2(lost.errors.contains("metrics.jsonl is missing"), lost.errors.constData());

  const TemporaryFolder logs;
  { const EventWriter empty(logs.path()); }
  const ProgramOutcome empty =
      program_.run({u"curves"_s, QString::fromStdString(logs.path().string())});
  QVERIFY2(empty.errors.contains("there are no scalars in it"), empty.errors.constData());
}

void TestRunCommands::theLatestRunIsTheOneThatWasStartedLast() {
  const TemporaryFolder library;
  for (const auto& [name, start] :
       {std::pair{"a-new", "2026-11-21T10:00:00Z"}, {"b-old", "2026-11-20T10:00:00Z"}}) {
    RunRecord record;
    record.config = tinyRun();
    record.environment.started = start;
    fs::create_directories(library.path() / "runs" / name);
    writeRunRecord(library.path() / "runs" / name / "run.json", record);
  }
  fs::create_directories(library.path() / "runs" / "z-notes");
  const ProgramOutcome outcome = Program(library.path()).run({u"info"_s, u"unknown-name"_s});
  QVERIFY2(outcome.errors.contains("The latest here is runs/a-new."), outcome.errors.constData());
}

void TestRunCommands::aListOfPicturesMayComeFromWindows() {
  Image picture{32, 32, std::vector<std::uint8_t>(3 * 32 * 32, 90)};
  writePng(folder_.path() / "a.png", picture);
  writePng(folder_.path() / "b.png", picture);
  std::ofstream(folder_.path() / "names.txt") << "\xef\xbb\xbf"
                                                 "a.png\r\n\r\nb.png\r\n";
  const ProgramOutcome outcome = program_.run(
      {u"predict"_s, QString::fromStdString(run_), u"--list"_s, u"names.txt"_s, u"--json"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.json()[u"images"_s].toInt(), 2);
}

void TestRunCommands::aListOfPicturesMayHaveANulByteAfterEachName() {
  const Image picture{32, 32, std::vector<std::uint8_t>(3 * 32 * 32, 90)};
  writePng(folder_.path() / "first\npart.png", picture);
  writePng(folder_.path() / "second.png", picture);
  std::ofstream(folder_.path() / "names0.txt")
      << std::string("first\npart.png") << '\0' << "second.png" << '\0';
  const ProgramOutcome outcome = program_.run(
      {u"predict"_s, QString::fromStdString(run_), u"--list"_s, u"names0.txt"_s, u"--json"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.json()[u"predictions"_s][0][u"image"_s].toString(), u"first\npart.png"_s);
  QCOMPARE(outcome.json()[u"images"_s].toInt(), 2);
}

void TestRunCommands::aNulByteInALineOfAListIsRefusedWithItsLine() {
  std::ofstream(folder_.path() / "mixed.txt")
      << std::string(100'000, '\n') << "a.png" << '\0' << "\n";
  const ProgramOutcome outcome =
      program_.run({u"predict"_s, QString::fromStdString(run_), u"--list"_s, u"mixed.txt"_s});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("mixed.txt: line 100001 has a NUL byte"),
           outcome.errors.constData());
}

void TestRunCommands::aNameWithALineBreakStaysOnItsLine() {
  writePng(folder_.path() / "seen\nforged.png",
           Image{32, 32, std::vector<std::uint8_t>(3 * 32 * 32, 90)});
  const ProgramOutcome outcome =
      program_.run({u"predict"_s, QString::fromStdString(run_), u"seen\nforged.png"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(outcome.output.count('\n'), 1);
  QVERIFY2(outcome.output.startsWith("seen\\nforged.png: "), outcome.output.constData());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestRunCommands)
#include "tst_run_commands.moc"
