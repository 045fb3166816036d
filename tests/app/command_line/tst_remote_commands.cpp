#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/formats/json/remote_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/remote/run_mirror.h"
#include "engine/runs/run_folder.h"
#include "tests/support/program.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

/// The tiny run with so many epochs that it does not end before it is stopped, and so many batches
/// in each that it is not paused at the end of one, where a step is one of the scoring.
RunConfig longRun() {
  RunConfig config = tinyRun();
  config.name = "far";
  config.recipe.epochs = 10'000;
  shapes10Of(config).trainCount = 30'060;
  return config;
}

RunRecord recordOf(const fs::path& run) {
  std::vector<Problem> ignored;
  return readRunRecord(run / "run.json", ignored);
}

bool hasEvent(const fs::path& run, EventKind kind) {
  for (const EventRecord& event : readMetrics(run / "metrics.jsonl").events) {
    if (event.kind == kind) return true;
  }
  return false;
}

std::int64_t batchesOf(const fs::path& run) {
  return static_cast<std::int64_t>(readMetrics(run / "metrics.jsonl").batches.size());
}

}  // namespace

/// `lambda control` on a training of another process, and `lambda follow` with its reader.
class TestRemoteCommands : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aRunIsPausedSteppedChangedAndStopped();
  void requestsThatCannotBeMetSayWhy_data();
  void requestsThatCannotBeMetSayWhy();
  void aRequestToADeadProcessIsWithdrawn();
  void aTrainingIsStartedFollowedAndOutlivesTheConnection();
  void aPersonIsToldWhatTheCommandIsFor();

 private:
  std::unique_ptr<QProcess> startTraining(const QString& out);
  ProgramOutcome control(const fs::path& run, const QStringList& rest) const;

  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

void TestRemoteCommands::initTestCase() {
  std::ofstream(folder_.path() / "long.json") << toJson(longRun());
}

std::unique_ptr<QProcess> TestRemoteCommands::startTraining(const QString& out) {
  auto training = program_.start(
      {u"train"_s, u"long.json"_s, u"--out"_s, out, u"--folder"_s, u"run"_s, u"--quiet"_s});
  const fs::path run = folder_.path() / out.toStdString() / "run";
  if (!QTest::qWaitFor([&] { return batchesOf(run) > 2; }, 60000)) return nullptr;
  return training;
}

ProgramOutcome TestRemoteCommands::control(const fs::path& run, const QStringList& rest) const {
  return program_.run(QStringList{u"control"_s, QString::fromStdString(run.string())} + rest);
}

void TestRemoteCommands::aRunIsPausedSteppedChangedAndStopped() {
  const auto training = startTraining(u"controlled"_s);
  QVERIFY(training);
  const fs::path run = folder_.path() / "controlled" / "run";
  QCOMPARE(control(run, {u"pause"_s}).status, 0);
  QTRY_COMPARE(recordOf(run).status, RunStatus::paused);
  const std::int64_t paused = batchesOf(run);
  QCOMPARE(control(run, {u"step"_s}).status, 0);
  QTRY_COMPARE(batchesOf(run), paused + 1);
  // While it is paused.
  const ProgramOutcome changed = control(run,
                                         {u"change"_s,
                                          u"--set"_s,
                                          u"recipe.epochs=20000"_s,
                                          u"--set"_s,
                                          u"recipe.learningRateFactor=0.5"_s});
  QCOMPARE(changed.status, 0);
  QVERIFY2(changed.output.contains("epochs from 10000 to 20000"), changed.output.constData());
  QCOMPARE(recordOf(run).config.recipe.epochs, 20000);
  QTest::qWait(700);
  QCOMPARE(batchesOf(run), paused + 1);
  QCOMPARE(control(run, {u"resume"_s}).status, 0);
  QTRY_VERIFY(batchesOf(run) > paused + 2);
  QVERIFY(hasEvent(run, EventKind::continued));
  QCOMPARE(control(run, {u"stop"_s}).status, 0);
  QVERIFY(training->waitForFinished(60000));
  QCOMPARE(recordOf(run).status, RunStatus::stopped);
  QVERIFY(fs::exists(run / "checkpoints" / "last.safetensors"));
}

void TestRemoteCommands::requestsThatCannotBeMetSayWhy_data() {
  QTest::addColumn<QStringList>("rest");
  QTest::addColumn<int>("status");
  QTest::addColumn<QByteArray>("reason");
  QTest::newRow("a fixed setting") << QStringList{u"change"_s, u"--set"_s, u"recipe.batchSize=7"_s}
                                   << 2 << QByteArray("fixed while the run trains");
  QTest::newRow("no setting") << QStringList{u"change"_s} << 2 << QByteArray("needs a setting");
  QTest::newRow("settings of a pause") << QStringList{u"pause"_s, u"--set"_s, u"recipe.epochs=7"_s}
                                       << 2 << QByteArray("only a change");
  QTest::newRow("unknown") << QStringList{u"dance"_s} << 2 << QByteArray("dance");
  QTest::newRow("an ended run") << QStringList{u"pause"_s} << 1 << QByteArray("lambda resume");
}

void TestRemoteCommands::requestsThatCannotBeMetSayWhy() {
  QFETCH(QStringList, rest);
  QFETCH(int, status);
  QFETCH(QByteArray, reason);
  // The run of the test before has been stopped.
  const ProgramOutcome outcome = control(folder_.path() / "controlled" / "run", rest);
  QCOMPARE(outcome.status, status);
  QVERIFY2(outcome.errors.contains(reason), outcome.errors.constData());
}

void TestRemoteCommands::aRequestToADeadProcessIsWithdrawn() {
  const auto training = startTraining(u"killed"_s);
  QVERIFY(training);
  const fs::path run = folder_.path() / "killed" / "run";
  training->kill();
  QVERIFY(training->waitForFinished());
  const ProgramOutcome outcome = control(run, {u"stop"_s});
  QCOMPARE(outcome.status, 1);
  QVERIFY2(outcome.errors.contains("has died"), outcome.errors.constData());
  QVERIFY(fs::is_empty(run / "requests"));
}

void TestRemoteCommands::aTrainingIsStartedFollowedAndOutlivesTheConnection() {
  fs::create_directory(folder_.path() / "there");
  std::map<std::uint64_t, std::pair<std::string, std::string>> answers;
  RunMirror mirror(folder_.path() / "here",
                   "far:there",
                   {.connected = [](const RemoteNews&) {},
                    .changed = [](const std::string&) {},
                    .answered =
                        [&](std::uint64_t id, const std::string& run, const std::string& refusal) {
                          answers[id] = {run, refusal};
                        }});
  auto follow = program_.start({u"follow"_s, u"there"_s});
  const auto connect = [&] {
    QObject::connect(follow.get(), &QProcess::readyReadStandardOutput, [&] {
      const QByteArray bytes = follow->readAllStandardOutput();
      mirror.feed({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    });
    follow->write(QByteArray::fromStdString(mirror.greeting()));
  };
  const auto wish = [&](const RemoteWish& wish) {
    follow->write(QByteArray::fromStdString(toJson(wish) + "\n"));
  };
  connect();
  RunConfig impossible = longRun();
  impossible.data.source = Cifar10Source{"/nowhere/cifar10"};
  wish({.kind = WishKind::start, .id = 1, .config = impossible});
  wish({.kind = WishKind::start, .id = 2, .config = longRun()});
  QTRY_COMPARE_WITH_TIMEOUT(answers.size(), std::size_t{2}, 60000);
  QVERIFY2(answers[1].second.find("/nowhere/cifar10") != std::string::npos,
           answers[1].second.c_str());
  QCOMPARE(answers[2].second, std::string());
  const std::string name = answers[2].first;
  QVERIFY(name.ends_with("far"));

  // A record of the far machine is here within two seconds.
  const fs::path copy = folder_.path() / "here" / name;
  const fs::path run = folder_.path() / "there" / name;
  QTRY_VERIFY_WITH_TIMEOUT(batchesOf(copy) > 0, 10000);
  const std::int64_t before = batchesOf(run);
  QTRY_VERIFY_WITH_TIMEOUT(batchesOf(copy) >= before, 2000);

  // The connection is cut; the training goes on, and the next connection goes on with the copy.
  follow->kill();
  QVERIFY(follow->waitForFinished());
  const std::int64_t cut = batchesOf(run);
  QTRY_VERIFY_WITH_TIMEOUT(batchesOf(run) > cut + 2, 30000);
  follow = program_.start({u"follow"_s, u"there"_s});
  connect();
  QTRY_VERIFY_WITH_TIMEOUT(batchesOf(copy) > cut + 2, 10000);

  wish({.kind = WishKind::ask,
        .id = 3,
        .run = name,
        .request = RunRequest{.kind = RequestKind::stop}});
  QTRY_COMPARE_WITH_TIMEOUT(recordOf(copy).status, RunStatus::stopped, 30000);
  QCOMPARE(batchesOf(copy), batchesOf(run));
  QVERIFY(!mirror.filesOf(name).empty());
  wish({.kind = WishKind::resume, .id = 4, .run = name});
  QTRY_VERIFY_WITH_TIMEOUT(answers.contains(4), 60000);
  QCOMPARE(answers[4].second, std::string());
  // The copy says what a reader needs to go on at once.
  QCOMPARE(recordOf(copy).status, RunStatus::running);
  wish({.kind = WishKind::ask,
        .id = 5,
        .run = name,
        .request = RunRequest{.kind = RequestKind::stop}});
  QTRY_VERIFY_WITH_TIMEOUT(answers.contains(5), 10000);
  QCOMPARE(answers[5].second, std::string());
  QTRY_COMPARE_WITH_TIMEOUT(recordOf(run).status, RunStatus::stopped, 30000);
  follow->closeWriteChannel();
  QVERIFY(follow->waitForFinished(10000));
  QCOMPARE(follow->exitCode(), 0);
}

void TestRemoteCommands::aPersonIsToldWhatTheCommandIsFor() {
  const ProgramOutcome missing = program_.runScript(u"\"$LAMBDA\" follow nowhere </dev/null"_s);
  QCOMPARE(missing.status, 1);
  QVERIFY(missing.errors.contains("no such folder"));
  const ProgramOutcome noReader = program_.runScript(u"echo hello | \"$LAMBDA\" follow there"_s);
  QCOMPARE(noReader.status, 1);
  QVERIFY2(noReader.errors.contains("the reader"), noReader.errors.constData());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestRemoteCommands)
#include "tst_remote_commands.moc"
