#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/data/dataset.h"
#include "engine/data/sources/data_sources.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/tensors/safetensors.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "tests/support/torch_file.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda {

namespace {

RunConfig trainedConfig() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 2;
  config.recipe.emaDecay = 0.9;
  config.checkpoints.keepInitial = true;
  config.data.augmentation.horizontalFlip = true;
  return config;
}

std::vector<QByteArrayList> csvLines(const QByteArray& text) {
  std::vector<QByteArrayList> lines;
  for (const QByteArray& line : text.trimmed().split('\n')) lines.push_back(line.split(','));
  return lines;
}

}  // namespace

/// What the commands write for other programs, and what they read of it again. The first test
/// trains one tiny run.
class TestExportCommands : public QObject {
  Q_OBJECT

 private:
  ProgramOutcome run(const QStringList& arguments) const { return program_.run(arguments); }

  ProgramOutcome exportTo(const char* format, const QString& out, const QStringList& more = {}) {
    return run(QStringList{u"export"_s, run_, u"--to"_s, QString::fromLatin1(format)} +
               QStringList{u"--out"_s, out, u"--quiet"_s} + more);
  }

  QByteArray content(const QString& name) const {
    QFile file(QString::fromStdString((folder_.path() / name.toStdString()).string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  QJsonObject evaluated(const QString& what, const QStringList& more = {}) const {
    return run(QStringList{u"evaluate"_s, what, u"--json"_s, u"--quiet"_s} + more).json();
  }

  TemporaryFolder folder_;
  Program program_{folder_.path()};
  QString run_;

 private Q_SLOTS:

  void initTestCase() {
    std::ofstream(folder_.path() / "tiny.json") << toJson(trainedConfig());
    const ProgramOutcome outcome =
        run({u"train"_s, u"tiny.json"_s, u"--json"_s, u"--quiet"_s, u"--threads"_s, u"1"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    run_ = outcome.json()[u"run"_s].toString();
  }

  void theRecordHasWhatAStrangerNeeds() {
    const QJsonObject record = run({u"info"_s, run_, u"--json"_s}).json()[u"record"_s].toObject();
    const Dataset dataset = loadDataset(trainedConfig().data);
    const QJsonObject input = record[u"input"_s].toObject();
    for (int c = 0; c < 3; ++c) {
      const auto channel = static_cast<std::size_t>(c);
      QCOMPARE(input[u"mean"_s][c].toDouble(), dataset.normalization.mean[channel]);
      QCOMPARE(input[u"deviation"_s][c].toDouble(), dataset.normalization.deviation[channel]);
    }
    QCOMPARE(input[u"classNames"_s][9].toString().toStdString(), dataset.train.classNames[9]);
    QVERIFY(record[u"testLoss"_s].toDouble() > 0);
    QCOMPARE(record[u"license"_s].toString(), QString());
  }

  void weightsDescribeThemselves() {
    const ProgramOutcome outcome =
        exportTo("safetensors", u"w.safetensors"_s, {u"--license"_s, u"CC0-1.0"_s, u"--json"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QVERIFY(outcome.json()[u"checkpoint"_s].toString().endsWith(u"checkpoints/best.safetensors"_s));
    const SafeTensors weights = readSafeTensors(folder_.path() / "w.safetensors");
    const auto json = [&](const char* key) {
      return QJsonDocument::fromJson(QByteArray::fromStdString(weights.metadata.at(key)));
    };
    QCOMPARE(weights.metadata.at("license"), std::string("CC0-1.0"));
    QCOMPARE(json("input")[u"height"_s].toInt(), 32);
    QCOMPARE(json("input")[u"mean"_s].toArray().size(), 3);
    QVERIFY(json("input")[u"pictures"_s].toString().contains(u"of 16 bits the high byte"_s));
    QCOMPARE(json("classes").array().size(), 10);
    QCOMPARE(json("training")[u"seed"_s].toInt(), 3);
    QCOMPARE(json("training")[u"validationCount"_s].toInt(), 60);
    QCOMPARE(json("training")[u"weights"_s].toString(), u"moving average"_s);
    const QJsonObject record = run({u"info"_s, run_, u"--json"_s}).json()[u"record"_s].toObject();
    QCOMPARE(json("scores")[u"test"_s][u"accuracy"_s], record[u"testAccuracy"_s]);
    QCOMPARE(json("scores")[u"validation"_s][u"accuracy"_s], record[u"bestValidationAccuracy"_s]);
    // Weights that were never scored claim nothing.
    QCOMPARE(exportTo("safetensors", u"raw.safetensors"_s, {u"--raw"_s}).status, 0);
    QCOMPARE(readSafeTensors(folder_.path() / "raw.safetensors").metadata.at("scores"),
             std::string("{}"));
    // A file that is given to others names no machine.
    for (const auto& [key, text] : weights.metadata) {
      QVERIFY2(text.find(QSysInfo::machineHostName().toStdString()) == std::string::npos,
               key.c_str());
    }
  }

  void predictionsGoToStandardOutput() {
    QCOMPARE(exportTo("predictions", u"printed.csv"_s).status, 0);
    const ProgramOutcome printed = exportTo("predictions", u"-"_s);
    QVERIFY2(printed.status == 0, printed.errors.constData());
    QCOMPARE(printed.output, content(u"printed.csv"_s));
    const ProgramOutcome images = exportTo("images", u"-"_s);
    QCOMPARE(images.status, 2);
    QVERIFY2(images.errors.contains("--to images writes no text"), images.errors.constData());
    const ProgramOutcome both = exportTo("csv", u"-"_s, {u"--json"_s});
    QCOMPARE(both.status, 2);
    QVERIFY2(both.errors.contains("the report of --json"), both.errors.constData());
  }

  void nonsenseForAnImportIsRefused_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("mean of bytes")
        << QStringList{u"--mean"_s, u"127,127,127"_s, u"--deviation"_s, u"0.2,0.2,0.2"_s}
        << QByteArray("a mean is within 0..1");
    QTest::newRow("deviation of bytes")
        << QStringList{u"--mean"_s, u"0.5,0.5,0.5"_s, u"--deviation"_s, u"60,60,60"_s}
        << QByteArray("a deviation is above 0 and at most 1");
    QTest::newRow("a class twice") << QStringList{u"--classes"_s, u"twice.txt"_s}
                                   << QByteArray("lines 1 and 3 name the same class, cat");
  }

  void nonsenseForAnImportIsRefused() {
    QFETCH(QStringList, options);
    QFETCH(QByteArray, reason);
    std::ofstream(folder_.path() / "twice.txt") << "cat\ndog\ncat\n";
    const ProgramOutcome outcome =
        run(QStringList{u"import"_s, u"any.pth"_s, u"--out"_s, u"no.safetensors"_s} + options);
    QVERIFY(outcome.status != 0);
    QVERIFY2(outcome.errors.contains(reason), outcome.errors.constData());
  }

  void aRandomHeadOfAnImportIsSaid() {
    QCOMPARE(exportTo("safetensors", u"whole.safetensors"_s).status, 0);
    std::ofstream(folder_.path() / "two.txt") << "cat\ndog\n";
    const ProgramOutcome outcome = run({u"import"_s,
                                        u"whole.safetensors"_s,
                                        u"--into"_s,
                                        u"tiny.json"_s,
                                        u"--classes"_s,
                                        u"two.txt"_s,
                                        u"--out"_s,
                                        u"two.safetensors"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QVERIFY2(outcome.errors.contains("the head has random values"), outcome.errors.constData());
  }

  void aPublishedRwkvIsDescribedAndScored() {
    test::writeTorchFile(folder_.path() / "rwkv.pth", test::torchRwkv(256, 8, 2));
    const ProgramOutcome outcome =
        run({u"import"_s, u"rwkv.pth"_s, u"--out"_s, u"rwkv.safetensors"_s, u"--json"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QCOMPARE(outcome.json()[u"taken"_s][u"stage1.block2.mixer.layer.time_decay"_s].toString(),
             u"blocks.1.att.time_decay"_s);
    QVERIFY(outcome.json()[u"missing"_s].toArray().isEmpty());
    qint64 parameters = 0;
    for (const auto& [name, shape] : test::torchRwkv(256, 8, 2)) {
      parameters += std::accumulate(shape.begin(), shape.end(), qint64{1}, std::multiplies());
    }
    const ProgramOutcome described = run({u"describe"_s, u"rwkv.safetensors"_s, u"--json"_s});
    QVERIFY2(described.status == 0, described.errors.constData());
    QCOMPARE(described.json()[u"parameters"_s].toInteger(), parameters);
    const QStringList step{u"--to"_s, u"onnx-step"_s, u"--out"_s, u"step.onnx"_s};
    const ProgramOutcome stepped = run(QStringList{u"export"_s, u"rwkv.safetensors"_s} + step);
    QVERIFY2(stepped.status == 0, stepped.errors.constData());
    QVERIFY(content(u"step.onnx"_s).contains("stage1.block2.mixer.maximum.next"));
    const ProgramOutcome ofImages = run(QStringList{u"export"_s, run_} + step);
    QCOMPARE(ofImages.status, 1);
    QVERIFY2(ofImages.errors.contains("takes images"), ofImages.errors.constData());
    // With weights of 0 all bytes are as probable as each other.
    std::ofstream(folder_.path() / "text.txt") << std::string(20000, 'a');
    const QStringList onText{u"--data"_s, u"text.txt"_s};
    const double bits = evaluated(u"rwkv.safetensors"_s, onText)[u"bitsPerToken"_s].toDouble();
    QVERIFY2(std::abs(bits - 8) < 1e-4, std::to_string(bits).c_str());
    QCOMPARE(run(QStringList{u"import"_s, u"rwkv.pth"_s, u"--out"_s, u"no.safetensors"_s} +
                 QStringList{u"--into"_s, u"rwkv.safetensors"_s, u"--size"_s, u"32"_s})
                 .status,
             2);
    test::writeTorchFile(folder_.path() / "words.pth", test::torchRwkv(50277, 8, 1));
    QCOMPARE(run({u"import"_s, u"words.pth"_s, u"--out"_s, u"words.safetensors"_s}).status, 0);
    const ProgramOutcome words = run(QStringList{u"evaluate"_s, u"words.safetensors"_s} + onText);
    QVERIFY2(words.errors.contains("the network takes 256 out of 50277"), words.errors.constData());
  }

  void theFileThatIsReadIsNeverReplaced() {
    QVERIFY(fs::create_directories(folder_.path() / "net"));
    QCOMPARE(exportTo("safetensors", u"net/model.safetensors"_s).status, 0);
    const QByteArray before = content(u"net/model.safetensors"_s);
    for (const auto& [format, out] : {std::pair{u"safetensors"_s, u"net/model.safetensors"_s},
                                      {u"onnx"_s, u"./net/model.safetensors"_s},
                                      {u"pytorch"_s, u"net"_s}}) {
      const ProgramOutcome outcome =
          run({u"export"_s, u"net/model.safetensors"_s, u"--to"_s, format, u"--out"_s, out});
      QCOMPARE(outcome.status, 1);
      QVERIFY2(outcome.errors.contains("this is the file that is read"),
               outcome.errors.constData());
    }
    QCOMPARE(content(u"net/model.safetensors"_s), before);
  }

  void exportedWeightsAreEvaluatedAndInspected() {
    QCOMPARE(exportTo("safetensors", u"w.safetensors"_s).status, 0);
    const QJsonObject own = evaluated(run_, {u"--split"_s, u"validation"_s});
    const ProgramOutcome other = run({u"evaluate"_s,
                                      u"w.safetensors"_s,
                                      u"--split"_s,
                                      u"validation"_s,
                                      u"--json"_s,
                                      u"--quiet"_s});
    QVERIFY2(other.status == 0, other.errors.constData());
    QCOMPARE(other.json()[u"loss"_s], own[u"loss"_s]);
    QVERIFY2(other.errors.contains("no digest"), other.errors.constData());
    QVERIFY(!run({u"evaluate"_s, run_, u"--quiet"_s}).errors.contains("no digest"));
    const ProgramOutcome inspected =
        run({u"inspect"_s, u"w.safetensors"_s, u"--out"_s, u"look"_s, u"--json"_s});
    QVERIFY2(inspected.status == 0, inspected.errors.constData());
    QVERIFY(inspected.json()[u"residual"_s][u"relative"_s].toDouble() < 1e-4);
    // What is exported again has the same tensors.
    QCOMPARE(run({u"export"_s,
                  u"w.safetensors"_s,
                  u"--to"_s,
                  u"safetensors"_s,
                  u"--out"_s,
                  u"again.safetensors"_s})
                 .status,
             0);
    const SafeTensors first = readSafeTensors(folder_.path() / "w.safetensors");
    const SafeTensors again = readSafeTensors(folder_.path() / "again.safetensors");
    QCOMPARE(again.tensors.size(), first.tensors.size());
    for (std::size_t i = 0; i < first.tensors.size(); ++i) {
      QVERIFY(std::ranges::equal(again.tensors[i].bytes, first.tensors[i].bytes));
    }
  }

  void pythonGetsAProgramAndItsWeights() {
    const ProgramOutcome outcome = exportTo("pytorch", u"python/net"_s, {u"--json"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QCOMPARE(outcome.json()[u"files"_s].toArray().size(), 2);
    QVERIFY(content(u"python/net/model.py"_s).startsWith("#!/usr/bin/env python3"));
    QVERIFY(readSafeTensors(folder_.path() / "python/net/model.safetensors")
                .metadata.contains("architecture"));
  }

  void onnxIsWritten() {
    const ProgramOutcome outcome = exportTo("onnx", u"net.onnx"_s, {u"--license"_s, u"CC0"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    const QByteArray model = content(u"net.onnx"_s);
    QVERIFY(model.contains("Lambda Studio") && model.contains("stage2.block2.mixer"));
    QVERIFY(model.contains("dot left of square") && model.contains("CC0"));
  }

  void predictionsAreThoseOfTheEvaluation() {
    QCOMPARE(exportTo("predictions", u"p.csv"_s, {u"--split"_s, u"validation"_s}).status, 0);
    const QJsonObject scores = evaluated(run_, {u"--split"_s, u"validation"_s});
    const auto lines = csvLines(content(u"p.csv"_s));
    QCOMPARE(lines.size(), std::size_t(1 + 60));
    QCOMPARE(lines[0][0] + lines[0][1] + lines[0][2] + lines[0][3],
             QByteArray("indexlabelpredictionloss"));
    double right = 0, loss = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      QCOMPARE(lines[i][0].toInt(), static_cast<int>(i) - 1);
      double sum = 0;
      int best = 4;
      for (int c = 4; c < lines[i].size(); ++c) {
        sum += lines[i][c].toDouble();
        if (lines[i][c].toDouble() > lines[i][best].toDouble()) best = c;
      }
      QVERIFY(std::abs(sum - 1) < 1e-5);
      QCOMPARE(lines[i][2].toInt(), best - 4);
      const double truth = lines[i][4 + lines[i][1].toInt()].toDouble();
      QVERIFY(std::abs(lines[i][3].toDouble() + std::log(truth)) < 1e-4);
      right += lines[i][1] == lines[i][2] ? 1 : 0;
      loss += lines[i][3].toDouble();
    }
    QCOMPARE(right / 60, scores[u"accuracy"_s].toDouble());
    QVERIFY(std::abs(loss / 60 - scores[u"loss"_s].toDouble()) < 1e-5);
  }

  void numpyGetsTheSamePredictions() {
    QCOMPARE(exportTo("predictions", u"p.csv"_s, {u"--split"_s, u"train"_s}).status, 0);
    QCOMPARE(exportTo("predictions", u"p.npy"_s, {u"--split"_s, u"train"_s}).status, 0);
    const auto lines = csvLines(content(u"p.csv"_s));
    const QByteArray array = content(u"p.npy"_s);
    const qsizetype record = 3 * 8 + 4 + 10 * 4;
    const qsizetype head = array.size() - 180 * record;
    QVERIFY(head > 0 && head % 64 == 0);
    QVERIFY(array.left(head).contains("('probabilities', '<f4', (10,))"));
    for (qsizetype i = 0; i < 180; ++i) {
      std::int64_t label = 0;
      float last = 0;
      std::memcpy(&label, array.constData() + head + i * record + 8, sizeof label);
      std::memcpy(&last, array.constData() + head + (i + 1) * record - 4, sizeof last);
      const QByteArrayList& line = lines[static_cast<std::size_t>(i + 1)];
      QCOMPARE(line[1].toLongLong(), label);
      QCOMPARE(line.last().toFloat(), last);
    }
  }

  void scoringTheTestSetCounts() {
    const int before = evaluated(run_)[u"testEvaluations"_s].toInt();
    QCOMPARE(exportTo("predictions", u"t.csv"_s).status, 0);
    QCOMPARE(evaluated(run_)[u"testEvaluations"_s].toInt(), before + 2);
  }

  void picturesAreADataSetAgain() {
    QCOMPARE(exportTo("images", u"set/train"_s).status, 0);
    QCOMPARE(exportTo("images", u"set/test"_s, {u"--split"_s, u"test"_s}).status, 0);
    const fs::path set = folder_.path() / "set";
    DataSource source = recognizeDataSource(set.string());
    std::get<ImageFolderSource>(source).size = 32;
    const LabeledImages read = readTrainingImages(source).train;
    const LabeledImages train = loadDataset(trainedConfig().data).train;
    QCOMPARE(read.count(), train.count());
    // Folders are read class by class, and classes by name.
    const std::size_t imageBytes = 3 * 32 * 32;
    std::map<std::string, std::multiset<std::string>> written, found;
    for (const auto& [images, sets] : {std::pair{&read, &found}, std::pair{&train, &written}}) {
      for (std::size_t i = 0; i < images->count(); ++i) {
        (*sets)[images->classNames[images->labels[i]]].insert(std::string(
            reinterpret_cast<const char*>(&images->pixels[i * imageBytes]), imageBytes));
      }
    }
    QVERIFY(found == written);
    const ProgramOutcome again = exportTo("images", u"set/train"_s);
    QCOMPARE(again.status, 1);
    QVERIFY2(again.errors.contains("exists already"), again.errors.constData());
  }

  void numpyGetsTheImages() {
    QCOMPARE(exportTo("images", u"i.npz"_s).status, 0);
    const LabeledImages train = loadDataset(trainedConfig().data).train;
    const QByteArray archive = content(u"i.npz"_s);
    QVERIFY(archive.contains("labels.npy") && archive.contains("classes.npy"));
    QVERIFY(archive.contains("'descr': '|u1', 'fortran_order': False, 'shape': (180, 32, 32, 3)"));
    QByteArray first(3 * 32 * 32, 0);
    for (int p = 0; p < 32 * 32; ++p) {
      for (int c = 0; c < 3; ++c) {
        first[3 * p + c] = static_cast<char>(train.pixels[static_cast<std::size_t>(c * 1024 + p)]);
      }
    }
    QVERIFY(archive.contains(first));
    // The same export gives the same bytes.
    QCOMPARE(exportTo("images", u"j.npz"_s).status, 0);
    QVERIFY(content(u"j.npz"_s) == archive);
    // Some images are mirrored in an epoch, and others in another.
    QCOMPARE(exportTo("images", u"a.npz"_s, {u"--augmented"_s, u"1"_s}).status, 0);
    QCOMPARE(exportTo("images", u"b.npz"_s, {u"--augmented"_s, u"2"_s}).status, 0);
    QVERIFY(content(u"a.npz"_s) != archive && content(u"a.npz"_s) != content(u"b.npz"_s));
    const ProgramOutcome test =
        exportTo("images", u"c.npz"_s, {u"--augmented"_s, u"1"_s, u"--split"_s, u"test"_s});
    QVERIFY2(test.status == 1 && test.errors.contains("only training images"),
             test.errors.constData());
  }

  void aDataSetIsExportedWithoutARun() {
    const QStringList command{u"data"_s,
                              u"export"_s,
                              u"shapes10"_s,
                              u"--set"_s,
                              u"data.source.trainCount=40"_s,
                              u"--set"_s,
                              u"data.source.testCount=10"_s,
                              u"--json"_s,
                              u"--out"_s};
    ProgramOutcome outcome = run(command + QStringList{u"drawn/train"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QCOMPARE(outcome.json()[u"images"_s].toInt(), 40);
    outcome = run(command + QStringList{u"drawn/test"_s, u"--split"_s, u"test"_s});
    QCOMPARE(outcome.json()[u"images"_s].toInt(), 10);
    Shapes10Source shapes;
    shapes.trainCount = 40;
    const LabeledImages drawn = readTrainingImages(shapes).train;
    DataSource source = recognizeDataSource((folder_.path() / "drawn").string());
    std::get<ImageFolderSource>(source).size = 32;
    const LabeledImages read = readTrainingImages(source).train;
    std::multiset<std::string> names, found;
    for (const std::uint16_t label : drawn.labels) names.insert(drawn.classNames[label]);
    for (const std::uint16_t label : read.labels) found.insert(read.classNames[label]);
    QVERIFY(names == found);
    QCOMPARE(run(command + QStringList{u"drawn.npz"_s, u"--split"_s, u"validation"_s}).status, 2);
  }

  void optionsOfOtherFormatsAreRefused() {
    for (const QStringList& options : {QStringList{u"--split"_s, u"test"_s},
                                       {u"--raw"_s},
                                       {u"--license"_s, u"x"_s},
                                       {u"--augmented"_s, u"1"_s},
                                       {u"--data"_s, u"shapes10"_s}}) {
      const ProgramOutcome outcome = exportTo("csv", u"no.csv"_s, options);
      QCOMPARE(outcome.status, 2);
      QVERIFY2(outcome.errors.contains(options.first().toUtf8()), outcome.errors.constData());
    }
  }

  void initialWeightsAreKeptOnRequest() {
    const QString initial = run_ + u"/checkpoints/initial.safetensors"_s;
    QVERIFY(QFile::exists(initial));
    QCOMPARE(evaluated(initial)[u"epochs"_s].toInt(-1), 0);
    QCOMPARE(run({u"inspect"_s, initial, u"--out"_s, u"start"_s, u"--json"_s})
                 .json()[u"step"_s]
                 .toInt(-1),
             0);
  }

  void picturesArePredictedAsInTheEvaluation() {
    QCOMPARE(exportTo("images", u"pictures"_s, {u"--split"_s, u"test"_s}).status, 0);
    QCOMPARE(exportTo("predictions", u"p.csv"_s).status, 0);
    const auto lines = csvLines(content(u"p.csv"_s));
    const ProgramOutcome outcome = program_.runScript(
        u"find pictures -name '*.png' | $LAMBDA predict '%1' --list - --json --top 10"_s.arg(run_));
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    const QJsonArray predictions = outcome.json()[u"predictions"_s].toArray();
    QCOMPARE(predictions.size(), 20);
    for (const QJsonValue& each : predictions) {
      const int index = each[u"image"_s].toString().section(u'/', -1).section(u'.', 0, 0).toInt();
      const QByteArrayList& line = lines[static_cast<std::size_t>(index + 1)];
      const QJsonArray top = each[u"top"_s].toArray();
      QCOMPARE(top.size(), 10);
      QCOMPARE(top[0][u"index"_s].toInt(), line[2].toInt());
      for (const QJsonValue& one : top) {
        const double expected = line[4 + one[u"index"_s].toInt()].toDouble();
        QVERIFY(std::abs(one[u"probability"_s].toDouble() - expected) < 1e-5);
      }
    }
  }

  void aPictureThatCanNotBeReadIsNamedAndTheOthersAreClassified() {
    std::ofstream(folder_.path() / "bad.png") << "no picture";
    const ProgramOutcome outcome = program_.runScript(
        u"find pictures -name 000001.png | $LAMBDA predict '%1' bad.png missing.png --list -"_s.arg(
            run_));
    QCOMPARE(outcome.status, 1);
    QVERIFY(outcome.errors.contains("bad.png") && outcome.errors.contains("missing.png"));
    QVERIFY2(outcome.output.contains("000001.png: "), outcome.output.constData());
    const ProgramOutcome none = run({u"predict"_s, run_});
    QCOMPARE(none.status, 2);
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestExportCommands)
#include "tst_export_commands.moc"
