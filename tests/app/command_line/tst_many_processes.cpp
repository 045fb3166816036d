#include <filesystem>
#include <fstream>
#include <memory>
#include <signal.h>
#include <string>
#include <vector>

#include <QtCore/QElapsedTimer>
#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "tests/support/free_port.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

/// What a launcher starts: a process for each rank.
struct Started {
  std::vector<std::unique_ptr<QProcess>> ranks;

  pid_t pid(int rank) const {
    return static_cast<pid_t>(ranks[static_cast<std::size_t>(rank)]->processId());
  }

  ProgramOutcome end(int rank, int timeoutMs = 60000) {
    return Program::end(*ranks[static_cast<std::size_t>(rank)], timeoutMs);
  }
};

}  // namespace

/// Trainings by many processes, started as torchrun starts them, that lose some of them.
class TestManyProcesses : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void theProgramStartsThemItself();
  void aLauncherStartsThem();
  void anotherNumberThanTheLaunchersIsRefused();
  void oneThatDiesEndsTheOthers_data();
  void oneThatDiesEndsTheOthers();
  void aSignalToAnyOfThemSavesAndEndsAll();
  void whatRankZeroRefusesEndsTheOthers();

 private:
  Started start(int size, const QStringList& arguments);
  Started startLongRun(const QString& folder);

  QJsonObject recordOf(const QString& folder) {
    const QJsonObject info = program_.run({u"info"_s, u"runs/"_s + folder, u"--json"_s}).json();
    return info[u"record"_s].toObject();
  }

  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

void TestManyProcesses::initTestCase() {
  RunConfig config = tinyRun();
  config.device.threads = 0;
  std::ofstream(folder_.path() / "short.json") << toJson(config);
  config.recipe.epochs = 2000;
  std::ofstream(folder_.path() / "long.json") << toJson(config);
  const ProgramOutcome outcome = program_.run({u"train"_s,
                                               u"short.json"_s,
                                               u"--processes"_s,
                                               u"2"_s,
                                               u"--folder"_s,
                                               u"first"_s,
                                               u"--quiet"_s});
  if (outcome.errors.contains("built without Gloo")) QSKIP("this program was built without Gloo");
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
}

Started TestManyProcesses::start(int size, const QStringList& arguments) {
  Started started;
  const QString port = QString::number(test::freePort());
  for (int rank = 0; rank < size; ++rank) {
    Program program(folder_.path());
    program.set(u"RANK"_s, QString::number(rank));
    program.set(u"WORLD_SIZE"_s, QString::number(size));
    program.set(u"LOCAL_RANK"_s, QString::number(rank));
    program.set(u"LOCAL_WORLD_SIZE"_s, QString::number(size));
    program.set(u"MASTER_ADDR"_s, u"127.0.0.1"_s);
    program.set(u"MASTER_PORT"_s, port);
    started.ranks.push_back(program.start(arguments));
  }
  return started;
}

Started TestManyProcesses::startLongRun(const QString& folder) {
  Started started = start(3, {u"train"_s, u"long.json"_s, u"--folder"_s, folder, u"--quiet"_s});
  const fs::path metrics = folder_.path() / "runs" / folder.toStdString() / "metrics.jsonl";
  const auto hasTrained = [&] {
    std::error_code error;
    return fs::file_size(metrics, error) > 20000 && !error;
  };
  [&] { QTRY_VERIFY_WITH_TIMEOUT(hasTrained(), 30000); }();
  return started;
}

void TestManyProcesses::theProgramStartsThemItself() {
  const QJsonObject run = recordOf(u"first"_s);
  QCOMPARE(run[u"status"_s].toString(), u"finished"_s);
  QCOMPARE(run[u"ranks"_s].toArray().size(), 2);
  const QJsonObject rank = run[u"ranks"_s].toArray()[1].toObject();
  QVERIFY(!rank[u"host"_s].toString().isEmpty());
  QVERIFY(rank[u"imagesPerSecond"_s].toDouble() > 0);
  const ProgramOutcome text = program_.run({u"info"_s, u"runs/first"_s});
  QVERIFY2(text.output.contains("2 processes on 1 host"), text.output.constData());
  QVERIFY2(text.output.contains("waits"), text.output.constData());
}

void TestManyProcesses::aLauncherStartsThem() {
  Started started =
      start(3, {u"train"_s, u"short.json"_s, u"--folder"_s, u"launched"_s, u"--json"_s});
  const ProgramOutcome first = started.end(0);
  QVERIFY2(first.status == 0, first.errors.constData());
  QCOMPARE(first.json()[u"status"_s].toString(), u"finished"_s);
  for (const int rank : {1, 2}) {
    const ProgramOutcome other = started.end(rank);
    QCOMPARE(other.status, 0);
    QCOMPARE(other.output, QByteArray());
    QCOMPARE(other.errors, QByteArray());
  }
  // Rank 0 alone writes: there is the one run.
  QCOMPARE(recordOf(u"launched"_s)[u"ranks"_s].toArray().size(), 3);
  QVERIFY(!fs::exists(folder_.path() / "runs" / "launched-2"));
}

void TestManyProcesses::anotherNumberThanTheLaunchersIsRefused() {
  Started started = start(2, {u"train"_s, u"short.json"_s, u"--processes"_s, u"3"_s});
  for (const int rank : {0, 1}) {
    const ProgramOutcome outcome = started.end(rank);
    QVERIFY(outcome.status > 0);
    QVERIFY2(outcome.errors.contains("torchrun has started 2 processes, not 3"),
             outcome.errors.constData());
  }
}

void TestManyProcesses::oneThatDiesEndsTheOthers_data() {
  QTest::addColumn<int>("rank");
  QTest::addColumn<int>("signal");
  QTest::newRow("another is killed") << 1 << SIGKILL;
  QTest::newRow("another stops answering") << 2 << SIGSTOP;
  QTest::newRow("the first is killed") << 0 << SIGKILL;
  QTest::newRow("the first stops answering") << 0 << SIGSTOP;
}

void TestManyProcesses::oneThatDiesEndsTheOthers() {
  QFETCH(int, rank);
  QFETCH(int, signal);
  const QString folder = QStringLiteral("lost-%1-%2").arg(rank).arg(signal);
  Started started = startLongRun(folder);
  const pid_t lost = started.pid(rank);
  QElapsedTimer timer;
  timer.start();
  QCOMPARE(::kill(lost, signal), 0);
  for (int other = 0; other < 3; ++other) {
    if (other == rank) continue;
    const ProgramOutcome outcome = started.end(other, 15000);
    QVERIFY2(outcome.status > 0, outcome.errors.constData());
    if (rank != 0 && other != 0) continue;  // These see that rank 0 has gone.
    const QByteArray name = "rank " + QByteArray::number(rank) + " on ";
    QVERIFY2(outcome.errors.contains(name), outcome.errors.constData());
  }
  QVERIFY2(timer.elapsed() < 10000, qPrintable(QString::number(timer.elapsed())));
  ::kill(lost, SIGKILL);
  started.end(rank);

  // What is left continues it.
  const int done = recordOf(folder)[u"epochsDone"_s].toInt();
  const ProgramOutcome outcome = program_.run({u"resume"_s,
                                               u"runs/"_s + folder,
                                               u"--until-epoch"_s,
                                               QString::number(done + 2),
                                               u"--quiet"_s});
  QVERIFY2(outcome.status == 0, outcome.errors.constData());
  QCOMPARE(recordOf(folder)[u"ranks"_s].toArray().size(), 0);
}

void TestManyProcesses::aSignalToAnyOfThemSavesAndEndsAll() {
  Started started = startLongRun(u"stopped"_s);
  QCOMPARE(::kill(started.pid(2), SIGTERM), 0);
  QElapsedTimer timer;
  timer.start();
  const ProgramOutcome first = started.end(0, 15000);
  QVERIFY2(first.status == 0, first.errors.constData());
  QCOMPARE(started.end(1, 15000).status, 0);
  QCOMPARE(started.end(2, 15000).status, 128 + SIGTERM);
  QVERIFY(timer.elapsed() < 10000);
  QCOMPARE(recordOf(u"stopped"_s)[u"status"_s].toString(), u"stopped"_s);
}

void TestManyProcesses::whatRankZeroRefusesEndsTheOthers() {
  QElapsedTimer timer;
  timer.start();
  Started started = start(2, {u"train"_s, u"missing.json"_s});
  for (const int rank : {0, 1}) {
    const ProgramOutcome outcome = started.end(rank);
    QVERIFY(outcome.status > 0);
    QVERIFY2(outcome.errors.contains("missing.json"), outcome.errors.constData());
  }
  QVERIFY(timer.elapsed() < 10000);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestManyProcesses)
#include "tst_many_processes.moc"
