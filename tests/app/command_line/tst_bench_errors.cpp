#include <fstream>

#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

using namespace Qt::Literals::StringLiterals;

namespace lambda {

/// What `lambda bench` says where it can't measure: the studio's benchmark is not there, a device
/// is missing, or its arguments are wrong.
class TestBenchErrors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aMissingGpuIsExplained_data();
  void aMissingGpuIsExplained();
  void mistakesAreUsageErrors_data();
  void mistakesAreUsageErrors();
  void aMissingLibrarySaysHowToBuildIt_data();
  void aMissingLibrarySaysHowToBuildIt();
  void librariesAreFoundByAProgramOnThePath();
  void theStudiosBenchmarkSaysHowToBuildIt();
  void theStudiosFiguresArePassedOn();

 private:
  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

void TestBenchErrors::initTestCase() {
  std::ofstream(folder_.path() / "tiny.json") << toJson(tinyRun());
}

void TestBenchErrors::aMissingGpuIsExplained_data() {
  QTest::addColumn<QString>("arguments");
  for (const char* arguments : {"bench core --device cuda --batch 1024",
                                "bench core --device cuda --precision bfloat16 --json",
                                "bench layer --device cuda",
                                "bench step tiny.json --device cuda --batch 4",
                                "bench step tiny.json --device cuda --batch 4 --record x",
                                "bench networks tiny.json --device cuda --batch 4",
                                "bench data tiny.json --device cuda --batch 4"})
    QTest::newRow(arguments) << QString::fromLatin1(arguments);
}

void TestBenchErrors::aMissingGpuIsExplained() {
  const QJsonObject info = program_.run({u"info"_s, u"--json"_s}).json();
  if (info[u"device"_s][u"kind"_s].toString() == u"cuda"_s) QSKIP("there is a GPU");
  QFETCH(QString, arguments);
  const ProgramOutcome outcome = program_.run(arguments.split(u' '));
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("CUDA can't be used: "), outcome.errors.constData());
  QVERIFY2(outcome.errors.contains("--device cpu"), outcome.errors.constData());
}

void TestBenchErrors::mistakesAreUsageErrors_data() {
  QTest::addColumn<QString>("arguments");
  QTest::addColumn<QByteArray>("told");
  const auto add = [](const char* arguments, const char* told) {
    QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(told);
  };
  add("bench", "subcommand");
  add("bench core --batch 0", "--batch");
  add("bench core --repetitions 2", "--repetitions");
  add("bench core --threads 0", "--threads");
  add("bench core --only 9x9", "no case has a name that contains this text");
  add("bench core --precision bf16", "neither float32 nor bfloat16");
  add("bench core --order values", "neither automatic, queriesFirst nor lambdasFirst");
  add("bench core --device gpu", "device.kind");
  add("bench layer --device gpu", "device.kind");
  add("bench layer --order queriesFirst", "there is no option --order");
  add("bench layer --precision half", "neither float32 nor bfloat16");
  add("bench layer --precision automatic", "neither float32 nor bfloat16");
  add("bench step tiny.json --precision half", "none of float32, bfloat16 and automatic");
  add("bench layer --seconds -1", "--seconds");
  add("bench step tudelft-lamda", "Did you mean tudelft-lambda?");
  add("bench step tiny.json --batch 4000", "recipe.batchSize");
  add("bench step tiny.json --device gpu", "device.kind");
  add("bench networks tiny.json --repetitions 1", "--repetitions");
  add("bench step tiny.json --device cuda:64", "device.index");
  add("bench step tiny.json --threads 1,2 --record x", "one number of threads");
  add("bench data tiny.json --set recipe.batchsize=3", "Did you mean batchSize?");
  add("bench gui --batch 3", "there is no option --batch");
}

void TestBenchErrors::mistakesAreUsageErrors() {
  QFETCH(QString, arguments);
  QFETCH(QByteArray, told);
  const ProgramOutcome outcome = program_.run(arguments.split(u' '));
  QVERIFY2(outcome.status == 2, outcome.errors.constData());
  QVERIFY2(outcome.errors.contains(told), outcome.errors.constData());
  QVERIFY(outcome.output.isEmpty());
}

void TestBenchErrors::aMissingLibrarySaysHowToBuildIt_data() {
  QTest::addColumn<QString>("arguments");
  QTest::addColumn<QByteArray>("library");
  QTest::addColumn<QByteArray>("hint");
  QTest::newRow("benchmarks") << u"bench core"_s << "lambda-benchmarks.so"_ba
                              << "app/run bench"_ba;
  QTest::newRow("theory") << u"experiment run kernel-regression"_s << "lambda-theory.so"_ba
                          << "app/run experiment"_ba;
}

/// The program is built without them, so that a first training does not wait for them.
void TestBenchErrors::aMissingLibrarySaysHowToBuildIt() {
  QFETCH(QString, arguments);
  QFETCH(QByteArray, library);
  QFETCH(QByteArray, hint);
  const ProgramOutcome outcome = program_.runScript(
      u"mkdir -p alone/bin && cp -u \"$LAMBDA\" alone/bin && "
      "ln -sfn \"${LAMBDA%/*}/torch\" alone/bin/torch && alone/bin/lambda "_s +
      arguments);
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains(library), outcome.errors.constData());
  QVERIFY2(outcome.errors.contains(hint), outcome.errors.constData());
  QCOMPARE(program_.runScript(u"alone/bin/lambda experiment list"_s).status, 0);
}

/// The working folder may have been downloaded: nothing in it is code.
void TestBenchErrors::librariesAreFoundByAProgramOnThePath() {
  const ProgramOutcome outcome = program_.runScript(
      u"mkdir -p downloaded/lib/lambda-studio downloaded/lambda-studio && cd downloaded && "
      "for folder in . lib/lambda-studio lambda-studio; do echo >$folder/lambda-benchmarks.so; "
      "done && PATH=\"${LAMBDA%/*}:$PATH\" && lambda bench core --only nothing"_s);
  QCOMPARE(outcome.status, 2);
  QVERIFY2(outcome.errors.contains("no case has a name that contains this text"),
           outcome.errors.constData());
}

void TestBenchErrors::theStudiosBenchmarkSaysHowToBuildIt() {
  const ProgramOutcome outcome = program_.runScript(
      u"cp \"$LAMBDA\" lambda && "
      "ln -sf \"${LAMBDA%/*}/torch\" \"${LAMBDA%/*}/lambda-benchmarks.so\" . && "
      "./lambda bench gui --json"_s);
  QCOMPARE(outcome.status, 1);
  QVERIFY(outcome.errors.contains("--target bench_studio"));
  QVERIFY(outcome.json().contains(u"error"_s));
}

void TestBenchErrors::theStudiosFiguresArePassedOn() {
  const QString standIn =
      u"mkdir -p it\\'s/bench && cd it\\'s && cp \"$LAMBDA\" lambda && "
      "ln -sf \"${LAMBDA%/*}/torch\" \"${LAMBDA%/*}/lambda-benchmarks.so\" . && "
      "cat > bench/bench_studio <<'EOF' && chmod +x bench/bench_studio && ./lambda bench gui %1\n"
      "#!/bin/sh\n"
      "%2\n"
      "EOF"_s;
  const QString figures =
      u"echo '{\"firstPaintSeconds\": 0.4, \"restMegabytes\": 75, \"tickLateMs95\": 1, "
      "\"tickLateMs99\": 3, \"tickLateMsMost\": 9, \"trainingMegabytes\": 300, "
      "\"imagesPerSecond\": 200, \"headlessImagesPerSecond\": 250, \"speedOfHeadless\": 0.8}'"_s;
  const QJsonObject report = program_.runScript(standIn.arg(u"--json"_s, figures)).json();
  const QJsonArray rows = report[u"rows"_s].toArray();
  QCOMPARE(rows[0][u"case"_s].toString(), u"first paint"_s);
  QCOMPARE(rows[0][u"ours"_s].toDouble(), 400.0);
  QCOMPARE(rows.last()[u"ours"_s].toDouble(), 5.0);
  QCOMPARE(rows.last()[u"rivals"_s][u"lambda train"_s].toDouble(), 4.0);
  QCOMPARE(rows.last()[u"ratio"_s][u"lambda train"_s].toDouble(), 0.8);
  QVERIFY(report[u"machine"_s].isObject());
  QCOMPARE(report[u"figures"_s][u"restMegabytes"_s].toInt(), 75);
  QVERIFY(program_.runScript(standIn.arg(u""_s, figures)).output.contains("0.800 of its speed"));
  for (const QString& broken : {u"exit 3"_s, u"echo nothing"_s, u"echo '{}'"_s})
    QCOMPARE(program_.runScript(standIn.arg(u""_s, broken)).status, 1);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestBenchErrors)
#include "tst_bench_errors.moc"
