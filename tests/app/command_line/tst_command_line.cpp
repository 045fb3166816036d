#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <QtCore/QJsonArray>
#include <QtCore/QRegularExpression>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/formats/json/presets.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/fields.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

/// The behaviour of the program for people and scripts, without training.
class TestCommandLine : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void helpTeachesByExample_data();
  void helpTeachesByExample();
  void versionNamesBothVersions();
  void mistakesAreUsageErrors_data();
  void mistakesAreUsageErrors();
  void allProblemsOfAConfigurationAreReportedAtOnce();
  void errorsAreOneJsonObjectToo();
  void presetsPrintAFileThatDescribesTheSame();
  void aBuiltSourceTreeCanBeMoved();
  void describeGivesTheCostModelsTotals_data();
  void describeGivesTheCostModelsTotals();
  void describeNamesThePathOfEveryLayer();
  void anExperimentIsRefusedByName();
  void layersListEveryMixerWithItsSettings();
  void infoTellsOfTheMachine();
  void infoListsTheGpusOfTheDriver();
  void missingDataIsReportedWithWhatToDo();
  void textThatIsNoUtf8IsRefused_data();
  void textThatIsNoUtf8IsRefused();
  void aPresetFolderThatIsMissingIsReported();
  void memoryThatIsNotThereIsReportedBeforeItIsTaken_data();
  void memoryThatIsNotThereIsReportedBeforeItIsTaken();
  void closedStandardStreamsStopNothing();
  void aLimitOnTheSizeOfFilesIsAnError();

 private:
  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

void TestCommandLine::initTestCase() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 2;
  std::ofstream(folder_.path() / "tiny.json") << toJson(config);
  config.data.augmentation.cropPadding = 0;
  std::get<LambdaMixer>(config.architecture.stages[1].blocks[1].mixer).heads = 5;
  config.recipe.batchSize = 1000;
  std::ofstream(folder_.path() / "invalid.json") << toJson(config);
  std::ofstream(folder_.path() / "type.json")
      << R"({"schema": 1, "architecture": {}, "recipe": {"epochs": "many"}})";
  std::ofstream(folder_.path() / "torn.json") << R"({"schema": 1, "architecture")";
  std::ofstream(folder_.path() / "newer.json") << R"({"schema": 99, "architecture": {}})";
}

void TestCommandLine::helpTeachesByExample_data() {
  QTest::addColumn<QStringList>("command");
  QTest::newRow("program") << QStringList{};
  for (const char* name : {"train",
                           "resume",
                           "fork",
                           "repeat",
                           "report",
                           "predict",
                           "settings",
                           "evaluate",
                           "inspect",
                           "export",
                           "presets",
                           "layers",
                           "describe",
                           "data",
                           "info",
                           "verify",
                           "experiment",
                           "bench"}) {
    QTest::newRow(name) << QStringList{QString::fromLatin1(name)};
  }
  QTest::newRow("data get") << QStringList{u"data"_s, u"get"_s};
  QTest::newRow("data export") << QStringList{u"data"_s, u"export"_s};
  for (const char* name : {"list", "run", "show", "report"}) {
    QTest::addRow("experiment %s", name) << QStringList{u"experiment"_s, QString::fromLatin1(name)};
  }
  for (const char* name : {"core", "layer", "step", "data", "gui"}) {
    QTest::addRow("bench %s", name) << QStringList{u"bench"_s, QString::fromLatin1(name)};
  }
}

void TestCommandLine::helpTeachesByExample() {
  QFETCH(QStringList, command);
  const ProgramOutcome outcome = program_.run(command + QStringList{u"--help"_s});
  QCOMPARE(outcome.status, 0);
  QVERIFY(outcome.errors.isEmpty());
  const QString usage = u"Usage: lambda "_s + command.join(u' ');
  QVERIFY2(QString::fromUtf8(outcome.output).contains(usage.trimmed()), outcome.output.constData());
  QVERIFY(outcome.output.contains("Examples:\n  lambda "));
  for (const QByteArray& line : outcome.output.split('\n'))
    QVERIFY2(line.isEmpty() || !line.trimmed().isEmpty(), "a description has a blank line");
  const QRegularExpression checkOfAnOption(u":(\\{|INT|UINT|FLOAT|POSITIVE|NONNEGATIVE|NUMBER)"_s);
  QVERIFY2(!QString::fromUtf8(outcome.output).contains(checkOfAnOption),
           outcome.output.constData());
}

void TestCommandLine::versionNamesBothVersions() {
  const ProgramOutcome outcome = program_.run({u"--version"_s});
  QCOMPARE(outcome.status, 0);
  QVERIFY(outcome.output.startsWith("lambda 0."));
  QVERIFY(outcome.output.contains("LibTorch 2."));
}

void TestCommandLine::mistakesAreUsageErrors_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<QByteArray>("told");
  const auto add = [](const char* name, const char* arguments, const char* told) {
    QTest::newRow(name) << QString::fromLatin1(arguments).split(u' ') << QByteArray(told);
  };
  add("command", "trian quickstart", "Did you mean train?");
  add("option", "train tiny.json --epoch 3", "Did you mean --epochs?");
  add("no preset given", "train", "required");
  add("preset", "train resnet50-cifer", "Did you mean resnet50-cifar?");
  add("file", "describe nowhere/mine.json", "nowhere/mine.json");
  add("torn file", "train torn.json", "torn.json: line 1");
  add("wrong type", "train type.json", "recipe.epochs");
  add("newer schema", "describe newer.json", "schema");
  add("setting", "train tiny.json --set recipe.batchsize=3", "Did you mean batchSize?");
  add("no whole number",
      "train tiny.json --epochs 1e9",
      "--epochs = 1e9: the option takes no such");
  add("none of the top classes", "predict RUN a.png --top 0", "0 is not a whole number from 1 to");
  add("half a class", "predict RUN a.png --top 1.5", "1.5 is not a whole number from 1 to");
  add("no digest", "train tiny.json --data-sha256 abc", "abc is no SHA-256");
  add("setting out of range", "train tiny.json --epochs 0", "recipe.epochs");
  add("number", "train tiny.json --epochs many", "--epochs");
  add("device", "train tiny.json --device gpu", "device.kind");
  add("number of a GPU", "train tiny.json --device cuda:x", "device.index");
  add("no number of a GPU", "train tiny.json --device cuda:", "device.index");
  add("number beyond any GPU's", "train tiny.json --device cuda:64", "0 .. 63");
  add("negative number of a GPU", "train tiny.json --device cuda:-1", "0 .. 63");
  add("number of a CPU", "train tiny.json --device cpu:1", "device.kind");
  add("invalid network", "describe invalid.json", "");
  add("split", "evaluate runs/x --split all", "--split");
  add("format", "export runs/x --to safetensor", "Did you mean safetensors?");
  add("data set", "data get mnist", "no data set");
  add("negative seed", "train tiny.json --seed -1", "--seed");
  add("seed of an experiment", "experiment run content-position --seed 1", "Did you mean --seeds?");
  add("negative seed as a setting", "train tiny.json --set seed=-1", "-1 is outside 0 .. 1844");
  add("number with a point", "train tiny.json --set recipe.batchSize=64.0", "found 64.0");
}

void TestCommandLine::mistakesAreUsageErrors() {
  QFETCH(QStringList, arguments);
  QFETCH(QByteArray, told);
  const ProgramOutcome outcome = program_.run(arguments);
  QVERIFY2(outcome.status == 2, outcome.errors.constData());
  QVERIFY2(outcome.errors.contains(told), outcome.errors.constData());
  QVERIFY(!fs::exists(folder_.path() / "runs"));
}

void TestCommandLine::allProblemsOfAConfigurationAreReportedAtOnce() {
  const ProgramOutcome outcome = program_.run({u"train"_s, u"invalid.json"_s});
  QCOMPARE(outcome.status, 2);
  QVERIFY(outcome.output.isEmpty());
  for (const char* fix :
       {"--set 'architecture.stages[1].blocks[1].mixer.h=4'", "--set recipe.batchSize=64"}) {
    QVERIFY2(outcome.errors.contains(fix), outcome.errors.constData());
  }
}

void TestCommandLine::errorsAreOneJsonObjectToo() {
  const ProgramOutcome invalid = program_.run({u"train"_s, u"invalid.json"_s, u"--json"_s});
  const QJsonArray problems = invalid.json()[u"error"_s][u"problems"_s].toArray();
  QCOMPARE(problems.size(), 2);
  QVERIFY(problems[0][u"fix"_s][u"value"_s].isString());
  const ProgramOutcome unknown = program_.run({u"train"_s, u"--json"_s, u"--wrong"_s});
  QVERIFY(unknown.json()[u"error"_s][u"reason"_s].isString());
}

void TestCommandLine::presetsPrintAFileThatDescribesTheSame() {
  const ProgramOutcome list = program_.run({u"presets"_s, u"--json"_s});
  QCOMPARE(list.status, 0);
  const QJsonArray presets = list.json()[u"presets"_s].toArray();
  QCOMPARE(static_cast<std::size_t>(presets.size()), presetNames().size());

  const ProgramOutcome file = program_.run({u"presets"_s, u"resnet50-cifar-ccll"_s});
  std::ofstream(folder_.path() / "copy.json") << file.output.toStdString();
  const ProgramOutcome copy = program_.run({u"describe"_s, u"copy.json"_s, u"--json"_s});
  const ProgramOutcome preset =
      program_.run({u"describe"_s, u"resnet50-cifar-ccll"_s, u"--json"_s});
  QCOMPARE(copy.status, 0);
  QCOMPARE(copy.output, preset.output);
}

void TestCommandLine::aBuiltSourceTreeCanBeMoved() {
  const TemporaryFolder folder;
  const fs::path presets = folder.path() / "resources/presets";
  const fs::path programs = folder.path() / "build/release";
  fs::create_directories(presets);
  fs::create_directories(programs);
  std::ofstream(folder.path() / "CMakePresets.json") << "{}";
  fs::copy_file(LAMBDA_RESOURCES "/presets/quickstart.json", presets / "moved.json");
  const fs::path program = LAMBDA_PROGRAM;
  fs::copy_file(program, programs / "lambda");
  fs::create_symlink(program.parent_path() / "torch", programs / "torch");
  const ProgramOutcome outcome =
      Program(folder.path()).runScript(u"build/release/lambda describe moved --json"_s);
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
}

void TestCommandLine::describeGivesTheCostModelsTotals_data() {
  QTest::addColumn<QString>("source");
  QTest::newRow("preset") << u"resnet50-cifar-ccll"_s;
  QTest::newRow("file") << u"tiny.json"_s;
}

void TestCommandLine::describeGivesTheCostModelsTotals() {
  QFETCH(QString, source);
  std::vector<Problem> warnings;
  RunConfig config = tinyRun();
  if (!source.endsWith(u".json")) config = loadPreset(source.toStdString(), warnings);
  const NetworkCost cost = costOf(config.architecture);
  const QJsonObject report = program_.run({u"describe"_s, source, u"--json"_s}).json();
  QCOMPARE(report[u"parameters"_s].toInteger(), qint64(cost.parameters));
  QCOMPARE(report[u"flops"_s].toInteger(), qint64(cost.flops));
  QCOMPARE(report[u"activationBytes"_s].toInteger(), qint64(cost.activationBytes));
  const QJsonArray layers = report[u"layers"_s].toArray();
  QCOMPARE(static_cast<std::size_t>(layers.size()), cost.layers.size());
  qint64 sum = 0;
  for (const QJsonValue& layer : layers) sum += layer[u"parameters"_s].toInteger();
  QCOMPARE(sum, qint64(cost.parameters));
  QCOMPARE(layers[0][u"name"_s].toString().toStdString(), cost.layers[0].name);
}

void TestCommandLine::describeNamesThePathOfEveryLayer() {
  const QStringList command{
      u"describe"_s, u"quickstart"_s, u"--set"_s, u"recipe.precision=float32"_s, u"--paths"_s};
  const QJsonObject report = program_.run(command + QStringList{u"--json"_s}).json();
  const QJsonObject paths = report[u"paths"_s].toObject();
  const QString machine = paths[u"machine"_s].toString();
  QVERIFY(!machine.isEmpty());
  const QJsonArray layers = report[u"layers"_s].toArray();
  const QJsonArray found = paths[u"layers"_s].toArray();
  QCOMPARE(found.size(), layers.size());
  const QString text = QString::fromUtf8(program_.run(command).output);
  QVERIFY2(text.contains(u"this machine: "_s + machine), qPrintable(text));
  for (qsizetype i = 0; i < found.size(); ++i) {
    QCOMPARE(found[i][u"name"_s].toString(), layers[i][u"name"_s].toString());
    QCOMPARE(found[i][u"precision"_s].toString(), u"float32"_s);
    QVERIFY(text.contains(found[i][u"shape"_s].toString()));
    QVERIFY(text.contains(found[i][u"path"_s].toString()));
  }
  QVERIFY(!program_.run({u"describe"_s, u"quickstart"_s, u"--json"_s}).json().contains(u"paths"_s));
}

void TestCommandLine::anExperimentIsRefusedByName() {
  const QString file = QStringLiteral(LAMBDA_RESOURCES "/experiments/content-position.json");
  fs::create_directories(folder_.path() / "experiment");
  fs::copy_file(file.toStdString(), folder_.path() / "experiment" / "experiment.json");
  for (const QString& command : {u"describe"_s, u"train"_s}) {
    for (const QString& source : {file, u"experiment"_s}) {
      const ProgramOutcome outcome = program_.run({command, source});
      QCOMPARE(outcome.status, 2);
      QVERIFY2(outcome.errors.contains(".json: this is an experiment, not a network"),
               outcome.errors.constData());
      QVERIFY2(outcome.errors.contains("lambda experiment run"), outcome.errors.constData());
    }
  }
  const ProgramOutcome outcome = program_.run({u"experiment"_s, u"run"_s, u"tiny.json"_s});
  QVERIFY(outcome.status != 0);
  QVERIFY2(outcome.errors.contains("not an experiment"), outcome.errors.constData());
}

void TestCommandLine::layersListEveryMixerWithItsSettings() {
  const QJsonArray mixers = program_.run({u"layers"_s, u"--json"_s}).json()[u"mixers"_s].toArray();
  QCOMPARE(static_cast<std::size_t>(mixers.size()), kMixerKinds.size());
  for (std::size_t kind = 0; kind < kMixerKinds.size(); ++kind) {
    const QJsonValue mixer = mixers[static_cast<qsizetype>(kind)];
    QCOMPARE(mixer[u"name"_s].toString().toStdString(), std::string(kMixerKinds[kind]));
    const bool hasSettings = !mixer[u"settings"_s].toArray().isEmpty();
    QCOMPARE(hasSettings, kMixerKinds[kind] != "rwkv");
  }
  const QJsonObject k = mixers[1][u"settings"_s][0].toObject();
  QCOMPARE(k[u"name"_s].toString(), u"k"_s);
  QCOMPARE(k[u"default"_s].toInt(), LambdaMixer{}.queryDepth);
  QVERIFY(k[u"max"_s].toInt() > 0);
}

void TestCommandLine::infoTellsOfTheMachine() {
  const QJsonObject info = program_.run({u"info"_s, u"--json"_s}).json();
  QVERIFY(info[u"torch"_s].toString().startsWith(u"2."));
  QVERIFY(!info[u"device"_s][u"reason"_s].toString().isEmpty());
  QVERIFY(!info[u"cudaKernels"_s].toString().isEmpty());
  QVERIFY(info[u"cuda"_s][u"gpus"_s].isArray());
  QVERIFY(info[u"threads"_s].toInt() >= 1);
}

/// The driver is a fake, and this LibTorch may lack CUDA: both are told, and the GPUs are listed.
void TestCommandLine::infoListsTheGpusOfTheDriver() {
  const QString fake =
      u"mkdir -p driver && for name in libcuda.so.1 libnvidia-ml.so.1; do"
      " ln -sf \"" LAMBDA_FAKE_DRIVER
      "\" driver/$name; done;"
      " LD_LIBRARY_PATH=\"$PWD/driver:$LD_LIBRARY_PATH\" FAKE_CUDA_VERSION=12020 "_s;
  const ProgramOutcome text = program_.runScript(fake + u"\"$LAMBDA\" info"_s);
  QCOMPARE(text.status, 0);
  QVERIFY2(text.output.contains("Tesla T4, compute capability 7.5, 16.0 GB, 12.0 GB free"),
           text.output.constData());
  QVERIFY(text.output.contains("for CUDA up to 12.2"));
  const QJsonObject info = program_.runScript(fake + u"\"$LAMBDA\" info --json"_s).json();
  const QJsonValue cuda = info[u"cuda"_s];
  QCOMPARE(cuda[u"usable"_s], QJsonValue(false));
  QCOMPARE(cuda[u"gpus"_s].toArray().size(), 2);
  QCOMPARE(cuda[u"gpus"_s][1][u"device"_s].toString(), u"cuda:1"_s);
  QVERIFY(info[u"device"_s][u"reason"_s].toString().endsWith(cuda[u"reason"_s].toString()));
}

void TestCommandLine::missingDataIsReportedWithWhatToDo() {
  const ProgramOutcome outcome =
      program_.run({u"train"_s, u"tiny.json"_s, u"--data"_s, u"nowhere"_s});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("name its place with --data PATH"), outcome.errors.constData());
  QVERIFY(!outcome.errors.contains("lambda data get cifar10"));
  const ProgramOutcome cifar =
      program_.run({u"train"_s, u"tiny.json"_s, u"--data"_s, u"cifar10"_s});
  QCOMPARE(cifar.status, 1);
  QVERIFY2(cifar.errors.contains("lambda data get cifar10"), cifar.errors.constData());
  const ProgramOutcome check = program_.run({u"data"_s, u"check"_s, u"nowhere"_s, u"--json"_s});
  QCOMPARE(check.status, 1);
  QCOMPARE(check.json()[u"usable"_s], QJsonValue(false));
}

void TestCommandLine::textThatIsNoUtf8IsRefused_data() {
  QTest::addColumn<QString>("option");
  for (const char* option : {"--name", "--out", "--data"}) {
    QTest::newRow(option) << QString::fromLatin1(option);
  }
}

void TestCommandLine::textThatIsNoUtf8IsRefused() {
  QFETCH(const QString, option);
  const ProgramOutcome outcome = program_.runScript(
      u"mkdir -p \"$(printf 'a\\377')\"; \"$LAMBDA\" train tiny.json %1 \"$(printf 'a\\377')\""_s
          .arg(option));
  QCOMPARE(outcome.status, 2);
  QVERIFY2(outcome.errors.contains("lambda: " + option.toLatin1() + ": "),
           outcome.errors.constData());
  QVERIFY2(outcome.errors.contains("a\\xff is not UTF-8 text"), outcome.errors.constData());
  QVERIFY(!fs::exists(folder_.path() / "runs"));
}

void TestCommandLine::aPresetFolderThatIsMissingIsReported() {
  for (const char* command :
       {"presets", "info", "describe quickstart", "train tiny.json --epochs 0"}) {
    const ProgramOutcome outcome =
        program_.runScript(u"LAMBDA_PRESETS=nowhere \"$LAMBDA\" "_s + QString::fromLatin1(command));
    QVERIFY2(outcome.errors.contains("there is no folder nowhere"), outcome.errors.constData());
  }
}

void TestCommandLine::memoryThatIsNotThereIsReportedBeforeItIsTaken_data() {
  QTest::addColumn<QString>("script");
  QTest::addColumn<QByteArray>("told");
  QTest::newRow("training of a huge network")
      << u"\"$LAMBDA\" train huge.json"_s << QByteArray("training with batches of 30 needs ");
  QTest::newRow("images of a file")
      << u"ulimit -v 5000000; \"$LAMBDA\" train tiny.json --set data.source.trainCount=1000000"_s
      << QByteArray("1000000 images needs 6.14 GB of memory, but ");
}

void TestCommandLine::memoryThatIsNotThereIsReportedBeforeItIsTaken() {
  QFETCH(const QString, script);
  QFETCH(const QByteArray, told);
  RunConfig config = tinyRun();
  config.architecture.stages = {Stage{8192, 1, std::vector<Block>(60, {ConvolutionMixer{}})}};
  std::ofstream(folder_.path() / "huge.json") << toJson(config);
  const ProgramOutcome outcome = program_.runScript(script);
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains(told), outcome.errors.constData());
  QVERIFY2(outcome.errors.contains(" are available\n  "), outcome.errors.constData());
}

void TestCommandLine::closedStandardStreamsStopNothing() {
  const ProgramOutcome outcome = program_.runScript(
      u"\"$LAMBDA\" train tiny.json --out closed <&- >&- 2>&-; echo $? >status;"
      " \"$LAMBDA\" info closed/* --json"_s);
  std::ifstream status(folder_.path() / "status");
  int ended = -1;
  QVERIFY(status >> ended);
  QCOMPARE(ended, 0);
  QCOMPARE(outcome.json()[u"status"_s].toString(), u"finished"_s);
  QCOMPARE(outcome.json()[u"record"_s][u"epochsDone"_s].toInt(), 2);
  // Messages must not end up in the run's files when the standard streams are closed.
  std::ifstream record(fs::directory_iterator(folder_.path() / "closed")->path() / "run.json");
  QCOMPARE(static_cast<char>(record.get()), '{');
}

void TestCommandLine::aLimitOnTheSizeOfFilesIsAnError() {
  const ProgramOutcome outcome =
      program_.runScript(u"ulimit -f 20; \"$LAMBDA\" train tiny.json --out small --json"_s);
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("ulimit -f"), outcome.errors.constData());
  QVERIFY(!outcome.json().isEmpty());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestCommandLine)
#include "tst_command_line.moc"
