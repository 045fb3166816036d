#include <fstream>

#include <QtCore/QJsonArray>
#include <QtCore/QRegularExpression>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/values/architecture/cost.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

constexpr char kCore[] = "bench core --batch 2 --repetitions 3 --threads 1";
constexpr char kWkv[] = "bench wkv --batch 2 --repetitions 3 --threads 1 --only d=128";
constexpr char kStep[] =
    "bench step tiny.json --device cpu --batch 4 --repetitions 3 --threads 1,2";

}  // namespace

/// Runs `lambda bench` as a process, with the smallest workloads.
class TestBenchCommands : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void reportsHaveTheSameKeys_data();
  void reportsHaveTheSameKeys();
  void coreCoversEveryMap();
  void coreReportsACaseThatCantBeTimed();
  void coreSaysWhichOrderRan_data();
  void coreSaysWhichOrderRan();
  void wkvTellsOfItsBandwidth();
  void stepTellsOfBothNetworks();
  void networksAreMeasuredAndCounted();
  void evaluationsAreTimed();
  void theStepsOfManyNodesAreSimulated();
  void anAutomaticPrecisionIsDecided();
  void stepsAreRecorded();
  void textNamesTheMachine();

 private:
  /// The report of a command, which runs only once for all tests.
  QJsonObject reportOf(const QString& arguments) {
    if (!reports_.contains(arguments)) {
      const ProgramOutcome outcome =
          program_.run(arguments.split(u' ') + QStringList{u"--json"_s, u"-q"_s});
      [&] { QVERIFY2(outcome.status == 0, outcome.errors.constData()); }();
      reports_[arguments] = outcome.json();
    }
    return reports_[arguments];
  }

  QMap<QString, QJsonObject> reports_;
  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

void TestBenchCommands::initTestCase() {
  std::ofstream(folder_.path() / "tiny.json") << toJson(tinyRun());
}

void TestBenchCommands::reportsHaveTheSameKeys_data() {
  QTest::addColumn<QString>("arguments");
  QTest::addColumn<QStringList>("rivals");
  const auto add = [](const char* arguments, const QStringList& rivals) {
    QTest::newRow(arguments) << QString::fromLatin1(arguments) << rivals;
  };
  add(kCore, {u"einsum"_s, u"lambdas by GEMM"_s, u"attention order"_s});
  add("bench layer --batch 2 --repetitions 3 --threads 1 --only 2x2",
      {u"convolution 3x3"_s,
       u"lambda layer, einsum"_s,
       u"lambda layer, attention order"_s,
       u"self-attention"_s,
       u"self-attention, PyTorch's SDPA"_s,
       u"local attention 7x7"_s,
       u"local attention 7x7, unfolded"_s,
       u"axial attention"_s,
       u"axial attention, PyTorch's SDPA"_s,
       u"linear attention"_s});
  add(kWkv, {u"loop over tokens"_s});
  add(kStep, {u"conv twin"_s});
  add("bench data tiny.json --device cpu --batch 4 --repetitions 3 --threads 1",
      {u"ATen, image by image"_s});
}

void TestBenchCommands::reportsHaveTheSameKeys() {
  QFETCH(QString, arguments);
  QFETCH(QStringList, rivals);
  const QJsonObject report = reportOf(arguments);
  const QJsonObject machine = report[u"machine"_s].toObject();
  QVERIFY(machine[u"cores"_s].toInt() >= 1);
  QCOMPARE(machine[u"device"_s].toString(), u"cpu"_s);
  QVERIFY(machine[u"torch"_s].toString().startsWith(u"2."));
  QVERIFY(machine[u"started"_s].toString().endsWith(u'Z'));
  QVERIFY(machine[u"warnings"_s].isArray());
  QVERIFY(machine[u"load"_s].isObject() || machine[u"load"_s].isNull());
  const QJsonObject ceilings = machine[u"ceilings"_s][0].toObject();
  QCOMPARE(ceilings[u"device"_s].toString(), u"cpu"_s);
  QCOMPARE(ceilings[u"threads"_s].toInt(), 1);
  QVERIFY(!ceilings[u"multiplyAddFlops"_s].toObject().isEmpty());
  QVERIFY(ceilings[u"gemmFlops"_s][u"float32"_s].toDouble() > 0);
  QVERIFY(ceilings[u"bfloat16Flops"_s].isObject());
  const bool hasBfloat16 = !ceilings[u"bfloat16Flops"_s].toObject().isEmpty();
  QCOMPARE(ceilings[u"gemmFlops"_s][u"bfloat16"_s].isNull(), !hasBfloat16);
  QVERIFY(ceilings[u"copyBytes"_s].toDouble() > 0);
  QVERIFY(ceilings[u"measurements"_s].toInt() >= 1);
  const QJsonObject lowest = ceilings[u"lowest"_s].toObject();
  QVERIFY(lowest[u"multiplyAddFlops"_s].toDouble() > 0);
  QCOMPARE(lowest[u"bfloat16Flops"_s].isNull(), !hasBfloat16);
  QVERIFY(lowest[u"copyBytes"_s].toDouble() <= ceilings[u"copyBytes"_s].toDouble());

  const QJsonArray rows = report[u"rows"_s].toArray();
  QVERIFY(!rows.isEmpty());
  for (const QJsonValue& row : rows) {
    QVERIFY(!row[u"case"_s].toString().isEmpty());
    const double ours = row[u"ours"_s].toDouble();
    QVERIFY(ours > 0);
    QVERIFY(row[u"threads"_s].toInt() >= 1);
    QVERIFY(row[u"batch"_s].toInt() >= 1);
    QCOMPARE(row[u"precision"_s].toString(), u"float32"_s);
    QVERIFY(row[u"repetitions"_s].toInt() >= 3);
    for (const QString& rival : rivals) {
      const double ms = row[u"rivals"_s][rival].toDouble();
      QVERIFY2(ms > 0, qPrintable(rival));
      QVERIFY(qFuzzyCompare(row[u"ratio"_s][rival].toDouble(), ms / ours));
    }
  }
}

void TestBenchCommands::coreCoversEveryMap() {
  const QJsonObject report = reportOf(QString::fromLatin1(kCore));
  QVERIFY(report[u"failures"_s].isArray() && report[u"failures"_s].toArray().isEmpty());
  QStringList cases;
  for (const QJsonValue& row : report[u"rows"_s].toArray()) {
    cases << row[u"case"_s].toString();
    const QString path = row[u"path"_s].toString();
    QVERIFY2(path.startsWith(u"own kernel"_s), qPrintable(path));
    if (path.contains(u"window"_s)) QVERIFY(cases.back().contains(u" r="_s));
    if (cases.back().startsWith(u"8x8 d=64 r=7"_s)) QVERIFY(path.contains(u"window"_s));
    QVERIFY(row[u"flops"_s].toDouble() > 0);
    QVERIFY(row[u"bytes"_s].toDouble() > 0);
    QVERIFY(row[u"shareOfMultiplyAddPeak"_s].toDouble() > 0);
    QVERIFY(row[u"shareOfCopyBandwidth"_s].toDouble() > 0);
    QCOMPARE(row[u"shareOfFloor"_s].toDouble(),
             std::max(row[u"shareOfMultiplyAddPeak"_s].toDouble(),
                      row[u"shareOfCopyBandwidth"_s].toDouble()));
    for (const QJsonValue& error : row[u"relativeError"_s].toObject())
      QVERIFY(error.toDouble() > 0 && error.toDouble() < 1e-5);
  }
  for (const char* map : {"8x8 d=64",
                          "8x8 d=128",
                          "8x8 d=256",
                          "4x4 d=128",
                          "4x4 d=256",
                          "2x2 d=256",
                          "2x2 d=512",
                          "1x1 d=512",
                          "16x16 d=64",
                          "4x4 d=64 r=3",
                          "8x8 d=64 r=7",
                          "14x14 d=64 r=15",
                          "16x16 d=64 r=3",
                          "16x16 d=64 r=5",
                          "28x28 d=64 r=23",
                          "32x32 d=64 r=7"}) {
    for (const char* pass : {" forward", " backward", " forward+backward"})
      QVERIFY2(cases.contains(QString::fromLatin1(map) + QString::fromLatin1(pass)), map);
  }
}

void TestBenchCommands::coreReportsACaseThatCantBeTimed() {
  const ProgramOutcome outcome = program_.runScript(
      u"ulimit -v 2100000 && \"$LAMBDA\" bench core --batch 2048 --repetitions 3 --threads 1 "
      "--only d=128 --seconds 0.01 --json -q"_s);
  QCOMPARE(outcome.status, 1);
  const QJsonArray failures = outcome.json()[u"failures"_s].toArray();
  const QJsonArray rows = outcome.json()[u"rows"_s].toArray();
  QVERIFY2(!failures.isEmpty() && !rows.isEmpty(), outcome.errors.constData());
  QCOMPARE(failures[0][u"case"_s].toString(), u"8x8 d=128"_s);
  QVERIFY(failures[0][u"error"_s].toString().contains(u"not enough memory for a batch of 2048"_s));
  QVERIFY2(outcome.errors.contains("could not time 8x8 d=128: "), outcome.errors.constData());
}

void TestBenchCommands::coreSaysWhichOrderRan_data() {
  QTest::addColumn<QString>("map");
  QTest::addColumn<QString>("asked");
  QTest::addColumn<QStringList>("ran");
  const QStringList queriesFirst{u"queriesFirst"_s}, lambdasFirst{u"lambdasFirst"_s};
  QTest::newRow("automatic") << u"4x4 d=128"_s << u"automatic"_s << queriesFirst + lambdasFirst;
  QTest::newRow("queries") << u"4x4 d=128"_s << u"queriesFirst"_s << queriesFirst;
  QTest::newRow("lambdas") << u"4x4 d=128"_s << u"lambdasFirst"_s << lambdasFirst;
  QTest::newRow("a window") << u"32x32"_s << u"lambdasFirst"_s << queriesFirst;
}

void TestBenchCommands::coreSaysWhichOrderRan() {
  QFETCH(QString, map);
  QFETCH(QString, asked);
  QFETCH(QStringList, ran);
  const ProgramOutcome outcome = program_.run(QString::fromLatin1(kCore).split(u' ') +
                                              QStringList{u"--only"_s, map, u"--order"_s, asked} +
                                              QStringList{u"--json"_s, u"-q"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  const QJsonArray rows = outcome.json()[u"rows"_s].toArray();
  QCOMPARE(rows.size(), 3);
  for (const QJsonValue& row : rows) {
    const QString order = row[u"order"_s].toString();
    QVERIFY2(ran.contains(order), qPrintable(order));
  }
}

void TestBenchCommands::wkvTellsOfItsBandwidth() {
  const QJsonObject report = reportOf(QString::fromLatin1(kWkv));
  const QJsonArray rows = report[u"rows"_s].toArray();
  const double copyBytes = report[u"machine"_s][u"ceilings"_s][0][u"copyBytes"_s].toDouble();
  const std::pair<QString, double> passes[] = {{u"n=128 d=128 forward"_s, 3},
                                               {u"n=128 d=128 backward"_s, 5},
                                               {u"n=128 d=128 forward+backward"_s, 6}};
  QCOMPARE(rows.size(), 3);
  for (int i = 0; i < 3; ++i) {
    const auto& [name, tensors] = passes[i];
    QCOMPARE(rows[i][u"case"_s].toString(), name);
    QVERIFY(rows[i][u"path"_s].toString().startsWith(u"own kernel"_s));
    const double bytes = tensors * 2 * 128 * 128 * 4;
    QCOMPARE(rows[i][u"bytes"_s].toDouble(), bytes);
    const double seconds = rows[i][u"ours"_s].toDouble() / 1e3;
    QVERIFY(std::abs(rows[i][u"shareOfCopyBandwidth"_s].toDouble() * copyBytes * seconds / bytes -
                     1) < 1e-6);
    for (const QJsonValue& error : rows[i][u"relativeError"_s].toObject())
      QVERIFY(error.toDouble() > 0 && error.toDouble() < 1e-5);
  }
  const ProgramOutcome table =
      program_.run(QString::fromLatin1(kWkv).split(u' ') + QStringList{u"-q"_s});
  QCOMPARE(table.status, 0);
  QVERIFY2(table.output.contains("of copying"), table.output.constData());
}

void TestBenchCommands::stepTellsOfBothNetworks() {
  const QJsonObject report = reportOf(QString::fromLatin1(kStep));
  const QJsonArray rows = report[u"rows"_s].toArray();
  QCOMPARE(rows.size(), 2);
  for (int i : {0, 1}) QCOMPARE(rows[i][u"threads"_s].toInt(), i + 1);
  for (const QJsonValue& row : rows) {
    const QJsonArray networks = row[u"networks"_s].toArray();
    QCOMPARE(networks.size(), 2);
    for (const QJsonValue& network : networks) {
      QVERIFY(network[u"parameters"_s].toInt() > 0);
      QVERIFY(network[u"imagesPerSecond"_s].toDouble() > 0);
      QVERIFY(!network[u"paths"_s][u"stem"_s].toString().isEmpty());
      const double p50 = network[u"stepMs"_s][u"p50"_s].toDouble();
      QVERIFY(p50 > 0 && network[u"stepMs"_s][u"p95"_s].toDouble() >= p50);
      for (const char* part : {"data", "forward", "backward", "measures", "update"})
        QVERIFY(network[u"partsMs"_s][QString::fromLatin1(part)].toDouble() > 0);
    }
  }
}

void TestBenchCommands::networksAreMeasuredAndCounted() {
  const QJsonObject report = reportOf(
      u"bench networks tiny.json tiny.json --batch 4 --repetitions 3 --threads 1 --csv it.csv"_s);
  const QJsonArray rows = report[u"rows"_s].toArray();
  QCOMPARE(rows.size(), 2);
  const NetworkCost cost = costOf(tinyRun().architecture);
  for (const QJsonValue& row : rows) {
    QCOMPARE(row[u"parameters"_s].toInteger(), qint64(cost.parameters));
    QCOMPARE(row[u"flops"_s].toInteger(), qint64(cost.flops));
    QCOMPARE(row[u"batch"_s].toInt(), 4);
    const double forward = row[u"forwardImagesPerSecond"_s].toDouble();
    QVERIFY(forward > row[u"trainingImagesPerSecond"_s].toDouble());
    QVERIFY(row[u"trainingImagesPerSecond"_s].toDouble() > 0);
  }
  QFile file(QString::fromStdString((folder_.path() / "it.csv").string()));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArrayList lines = file.readAll().trimmed().split('\n');
  QCOMPARE(lines.size(), 3);
  QVERIFY(lines[0].startsWith("network,pattern,height,width,parameters,flops,activationBytes,"));
  for (const QByteArray& line : lines) QCOMPARE(line.count(','), lines[0].count(','));
}

void TestBenchCommands::evaluationsAreTimed() {
  const QJsonObject report =
      reportOf(u"bench evaluation tiny.json --repetitions 3 --threads 1 --precision float32"_s);
  const QJsonArray rows = report[u"rows"_s].toArray();
  QCOMPARE(rows.size(), 1);
  const QJsonArray range = rows[0][u"imagesPerSecondRange"_s].toArray();
  const double median = rows[0][u"imagesPerSecond"_s].toDouble();
  QVERIFY(range[0].toDouble() > 0 && range[0].toDouble() <= median);
  QVERIFY(median <= range[1].toDouble());
  QVERIFY(rows[0][u"images"_s].toInt() > 0);
}

void TestBenchCommands::theStepsOfManyNodesAreSimulated() {
  const QJsonObject report = reportOf(
      u"bench scaling tiny.json --repetitions 3 --threads 1 --precision float32 --nodes 2 --nodes "
      u"8 "
      "--gbits 10 --faster 1"_s);
  const QJsonArray rows = report[u"rows"_s].toArray();
  if (rows.isEmpty()) QSKIP("this program was built without Gloo");
  qint64 bytes = 0;
  double ready = 0;
  for (const QJsonValue& bucket : rows[0][u"buckets"_s].toArray()) {
    bytes += bucket[u"bytes"_s].toInteger();
    QVERIFY(bucket[u"readySeconds"_s].toDouble() > ready);
    ready = bucket[u"readySeconds"_s].toDouble();
  }
  const double step = rows[0][u"stepSeconds"_s].toDouble();
  QVERIFY(ready < step);
  QCOMPARE(bytes, 4 * rows[0][u"parameters"_s].toInteger());
  const QJsonArray nodes = rows[0][u"rows"_s].toArray();
  QCOMPARE(nodes.size(), 2);
  QCOMPARE(nodes[0][u"sentBytes"_s].toDouble(), double(bytes));
  QVERIFY(nodes[1][u"stepSeconds"_s].toDouble() >= step);
  QVERIFY(nodes[1][u"efficiency"_s].toDouble() <= 1);
}

void TestBenchCommands::anAutomaticPrecisionIsDecided() {
  const QJsonObject report = reportOf(
      u"bench step tiny.json --batch 4 --repetitions 3 --threads 1 --precision automatic"_s);
  const QString precision = report[u"rows"_s][0][u"precision"_s].toString();
  QVERIFY2(precision == u"float32"_s || precision == u"bfloat16"_s, qPrintable(precision));
  reportOf(
      u"bench step tiny.json --batch 4 --repetitions 3 --threads 1 --precision automatic"
      " --record decided.safetensors"_s);
  QFile recording(QString::fromStdString((folder_.path() / "decided.safetensors").string()));
  QVERIFY(recording.open(QIODevice::ReadOnly));
  const QRegularExpression undecided(u"precision\\W+automatic"_s);
  QVERIFY(!QString::fromLatin1(recording.readAll()).contains(undecided));
}

void TestBenchCommands::stepsAreRecorded() {
  const QJsonObject report = reportOf(
      u"bench step tiny.json --batch 4 --repetitions 3 --threads 1 --record steps.safetensors"_s);
  QCOMPARE(report[u"steps"_s].toInt(), 3);
  QVERIFY(std::filesystem::file_size(folder_.path() / "steps.safetensors") > 1000);
}

void TestBenchCommands::textNamesTheMachine() {
  const ProgramOutcome outcome = program_.run({u"bench"_s,
                                               u"layer"_s,
                                               u"--batch"_s,
                                               u"2"_s,
                                               u"--repetitions"_s,
                                               u"3"_s,
                                               u"--threads"_s,
                                               u"1"_s,
                                               u"--only"_s,
                                               u"4x4 d=128"_s,
                                               u"--precision"_s,
                                               u"bfloat16"_s});
  QCOMPARE(outcome.status, 0);
  for (const char* told :
       {"bfloat16", "4x4 d=128 forward+backward", "convolution 3x3", "machine", "GEMM", "copy"})
    QVERIFY2(outcome.output.contains(told), told);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestBenchCommands)
#include "tst_bench_commands.moc"
