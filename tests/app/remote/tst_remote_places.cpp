#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

#include "app/remote/remote_runs.h"
#include "app/session/training/training_session.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/remote/mirrored_from.h"
#include "engine/runs/requests/run_requests.h"
#include "engine/runs/run_folder.h"
#include "tests/support/free_port.h"
#include "tests/support/program.h"
#include "tests/support/scripted_engine.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "tests/support/written_runs.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kPatience = 60000;

/// A run that does not end before it is stopped, in small batches and long epochs.
RunConfig longRun() {
  RunConfig config = tinyRun();
  config.name = "far";
  config.recipe.epochs = 10'000;
  shapes10Of(config).trainCount = 30'060;
  return config;
}

std::int64_t batchesOf(const fs::path& run) {
  return static_cast<std::int64_t>(readMetrics(run / "metrics.jsonl").batches.size());
}

RunStatus statusOf(const fs::path& run) {
  std::vector<Problem> ignored;
  return readRunRecord(run / "run.json", ignored).status;
}

/// What became of a request to another machine.
struct Answered {
  std::optional<fs::path> run;
  QString refusal;

  RemoteRuns::Answer answer() {
    return [this](const fs::path& path, const QString& reason) {
      run = path;
      refusal = reason;
    };
  }
};

}  // namespace

/// Two folders, with `lambda follow` as a process of this machine in the place of ssh.
class TestRemotePlaces : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void namesOfPlacesAreChecked();
  void theCommandIsQuotedForTheOtherShell();
  void aTrainingIsStartedWatchedControlledAndFetched();
  void leavingLetsTheTrainingGoOn();
  void aLostConnectionComesBack();
  void whyThereIsNoConnectionIsSaid_data();
  void whyThereIsNoConnectionIsSaid();
  void aPlaceThatIsNoLongerFollowedLeavesItsRuns();
  void placesAreKeptBetweenStarts();
  void aRealSshConnects();

 private:
  /// Follows `there` as the machine "far".
  std::unique_ptr<RemoteRuns> followed();
  QStringList localCommand(const RemotePlace& place) const;

  std::unique_ptr<TemporaryFolder> folder_;
  fs::path there_;
  fs::path copies_;
  const RemotePlace place_{u"far"_s, u"there"_s};
};

void TestRemotePlaces::init() {
  folder_ = std::make_unique<TemporaryFolder>();
  there_ = folder_->path() / "there";
  fs::create_directory(there_);
  copies_ = folder_->path() / "library" / "remote" / "far-there";
}

/// A training outlives its connection, and a failed test too.
void TestRemotePlaces::cleanup() {
  for (const auto& entry : fs::directory_iterator(there_)) {
    const RunFolder run = RunFolder::open(entry.path());
    if (RunLock::isHeld(run)) leaveRequest(run, {.kind = RequestKind::stop});
    QTRY_VERIFY_WITH_TIMEOUT(!RunLock::isHeld(run), kPatience);
  }
}

QStringList TestRemotePlaces::localCommand(const RemotePlace& place) const {
  return {QStringLiteral(LAMBDA_PROGRAM),
          u"follow"_s,
          QString::fromStdString((folder_->path() / place.folder.toStdString()).string())};
}

std::unique_ptr<RemoteRuns> TestRemotePlaces::followed() {
  auto remote = std::make_unique<RemoteRuns>(
      [this](const RemotePlace& place) { return localCommand(place); });
  remote->setLibrary(folder_->path() / "library");
  remote->add(place_);
  return remote;
}

void TestRemotePlaces::namesOfPlacesAreChecked() {
  RemoteRuns remote([this](const RemotePlace& place) { return localCommand(place); });
  remote.setLibrary(folder_->path() / "library");
  for (const RemotePlace& place : {RemotePlace{u""_s, u"runs"_s},
                                   RemotePlace{u"far"_s, u""_s},
                                   RemotePlace{u"far"_s, u"runs"_s, u""_s},
                                   RemotePlace{u"-oProxyCommand=sh"_s, u"runs"_s},
                                   RemotePlace{u"far away"_s, u"runs"_s}}) {
    QVERIFY(!remote.add(place).isEmpty());
  }
  QVERIFY(remote.places().empty());
  QCOMPARE(remote.add(place_), QString());
  QVERIFY(remote.add(place_).contains(u"already"_s));
  QVERIFY(remote.add({place_.host, place_.folder, u"other"_s}).contains(u"already"_s));
}

void TestRemotePlaces::theCommandIsQuotedForTheOtherShell() {
  const auto last = [](const RemotePlace& place) { return followCommand(place).back(); };
  QCOMPARE(last({u"far"_s, u"runs"_s}), u"lambda follow runs"_s);
  // ssh begins in the home folder; a quoted ~ is no name of it.
  QCOMPARE(last({u"far"_s, u"~/my runs"_s}), u"lambda follow 'my runs'"_s);
  QCOMPARE(last({u"far"_s, u"$(reboot)"_s}), u"lambda follow '$(reboot)'"_s);
  QCOMPARE(last({u"far"_s, u"-x"_s}), u"lambda follow ./-x"_s);
  QCOMPARE(last({u"far"_s, u"/data"_s, u"/opt/a b/lambda"_s}), u"'/opt/a b/lambda' follow /data"_s);
  QCOMPARE(last({u"far"_s, u"runs"_s, u"~/my bin/lambda"_s}),
           u"\"$HOME\"/'my bin/lambda' follow runs"_s);
  QVERIFY(followCommand(place_).contains(u"--"_s));
}

void TestRemotePlaces::aTrainingIsStartedWatchedControlledAndFetched() {
  const auto remote = followed();
  QTRY_COMPARE_WITH_TIMEOUT(remote->stateOf(place_), RemoteState::connected, kPatience);
  Answered impossible;
  RunConfig config = longRun();
  config.data.source = Cifar10Source{"/nowhere/cifar10"};
  remote->start(place_, config, impossible.answer());
  Answered started;
  remote->start(place_, longRun(), started.answer());
  QTRY_VERIFY_WITH_TIMEOUT(impossible.run && started.run, kPatience);
  QVERIFY2(impossible.refusal.contains(u"/nowhere/cifar10"_s), qPrintable(impossible.refusal));
  QCOMPARE(started.refusal, QString());
  const fs::path copy = *started.run;
  const fs::path run = there_ / copy.filename();
  QCOMPARE(copy.parent_path(), copies_);
  QVERIFY(remote->isRemote(copy));
  QVERIFY(!remote->isRemote(folder_->path() / "library" / "other"));
  // What the answer brings is enough to watch the run.
  QVERIFY(fs::exists(copy / "run.json"));

  TrainingSession session{std::make_shared<ScriptedEngine>()};
  QSignalSpy begun(&session, &TrainingSession::started);
  QSignalSpy granted(&session, &TrainingSession::changeGranted);
  QSignalSpy refused(&session, &TrainingSession::changeRefused);
  QSignalSpy ended(&session, &TrainingSession::ended);
  session.watch(copy, remote->requestsTo(copy));
  QTRY_COMPARE(begun.count(), 1);
  QVERIFY(session.isWatching());
  QCOMPARE(session.status().record.config.name, std::string("far"));
  QVERIFY(session.status().record.batchesPerEpoch > 900);
  // What the far machine records is here within two seconds.
  QTRY_VERIFY_WITH_TIMEOUT(batchesOf(run) > 5, kPatience);
  const auto recorded = static_cast<std::size_t>(batchesOf(run));
  QTRY_VERIFY_WITH_TIMEOUT(session.metrics().batches.size() >= recorded, 2000);

  session.pause();
  QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::paused, 10000);
  QCOMPARE(statusOf(run), RunStatus::paused);
  const auto paused = session.metrics().batches.size();
  QCOMPARE(static_cast<std::size_t>(batchesOf(run)), paused);
  session.stepOnce();
  QTRY_COMPARE_WITH_TIMEOUT(session.metrics().batches.size(), paused + 1, 10000);
  const quint64 change = session.requestChange({.epochs = 20'000});
  QTRY_COMPARE_WITH_TIMEOUT(granted.count(), 1, 10000);
  QCOMPARE(granted.front().front().toULongLong(), change);
  QCOMPARE(session.status().record.config.recipe.epochs, 20'000);
  // A change that changes nothing is granted without a word of the other machine.
  session.requestChange({.epochs = 20'000});
  QTRY_COMPARE(granted.count(), 2);
  session.requestChange({.learningRateFactor = -1.0});
  QTRY_COMPARE_WITH_TIMEOUT(refused.count(), 1, 10000);
  session.resume();
  QTRY_VERIFY_WITH_TIMEOUT(session.metrics().batches.size() > paused + 2, 10000);
  QCOMPARE(session.state(), SessionState::running);
  // A pause right after a continuation holds.
  session.pause();
  QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::paused, 10000);
  session.resume();
  session.pause();
  QTest::qWait(3000);
  QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::paused, 10000);
  QCOMPARE(statusOf(run), RunStatus::paused);
  session.resume();
  QTRY_COMPARE_WITH_TIMEOUT(statusOf(run), RunStatus::running, 10000);
  QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::running, 10000);
  // Somebody else pauses and continues it.
  const Program program(folder_->path());
  const QString path = QString::fromStdString(run.string());
  QCOMPARE(program.run({u"control"_s, path, u"pause"_s}).status, 0);
  QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::paused, 10000);
  QCOMPARE(program.run({u"control"_s, path, u"resume"_s}).status, 0);
  QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::running, 10000);
  session.stop();
  QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, kPatience);
  QCOMPARE(session.lastResult()->status, RunStatus::stopped);
  QCOMPARE(session.metrics().batches.size(), static_cast<std::size_t>(batchesOf(run)));
  QCOMPARE(statusOf(run), RunStatus::stopped);

  QVERIFY(!fs::exists(copy / "checkpoints"));
  Answered fetched;
  remote->fetch(copy, RemoteFiles::inspections, fetched.answer());
  QTRY_VERIFY_WITH_TIMEOUT(fetched.run.has_value(), kPatience);
  QVERIFY(!fs::is_empty(copy / "inspection"));
  QVERIFY(!fs::exists(copy / "checkpoints"));
  fetched.run.reset();
  remote->fetch(copy, RemoteFiles::toInspect, fetched.answer());
  QTRY_VERIFY_WITH_TIMEOUT(fetched.run.has_value(), kPatience);
  QCOMPARE(fetched.refusal, QString());
  QVERIFY(fs::exists(RunFolder::open(copy).representativeCheckpoint()));
}

void TestRemotePlaces::leavingLetsTheTrainingGoOn() {
  const auto remote = followed();
  QTRY_COMPARE_WITH_TIMEOUT(remote->stateOf(place_), RemoteState::connected, kPatience);
  Answered started;
  remote->start(place_, longRun(), started.answer());
  QTRY_VERIFY_WITH_TIMEOUT(started.run.has_value(), kPatience);
  const fs::path copy = *started.run;
  const fs::path run = there_ / copy.filename();
  {
    TrainingSession session{std::make_shared<ScriptedEngine>()};
    QSignalSpy ended(&session, &TrainingSession::ended);
    session.watch(copy, remote->requestsTo(copy));
    QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::running, kPatience);
    session.leave();
    QTRY_COMPARE(ended.count(), 1);
    QCOMPARE(session.lastResult()->status, RunStatus::running);
    session.watch(copy, remote->requestsTo(copy));
    QTRY_COMPARE_WITH_TIMEOUT(session.state(), SessionState::running, kPatience);
  }
  // The window was closed.
  const std::int64_t left = batchesOf(run);
  QTRY_VERIFY_WITH_TIMEOUT(batchesOf(run) > left + 3, kPatience);
  QCOMPARE(statusOf(run), RunStatus::running);
  remote->requestsTo(copy)({.kind = RequestKind::stop});
  QTRY_COMPARE_WITH_TIMEOUT(statusOf(run), RunStatus::stopped, kPatience);
}

void TestRemotePlaces::aLostConnectionComesBack() {
  // The process ends by itself after it has sent what there is.
  std::atomic<bool> isCut = true;
  RemoteRuns remote([this, &isCut](const RemotePlace& place) {
    const QString follow = u'\'' + localCommand(place).join(u"' '"_s) + u'\'';
    return QStringList{u"/bin/sh"_s,
                       u"-c"_s,
                       u"if [ -e %1 ]; then exec %2; fi; echo no route >&2; exit 255"_s.arg(
                           QString::fromStdString((folder_->path() / "up").string()), follow)};
  });
  remote.setLibrary(folder_->path() / "library");
  writeRun(there_, "a", finishedRecord("a"));
  remote.add(place_);
  QTRY_COMPARE_WITH_TIMEOUT(remote.stateOf(place_), RemoteState::lost, kPatience);
  QVERIFY(remote.stateTextOf(place_).contains(u"no route"_s));
  Answered refused;
  remote.start(place_, longRun(), refused.answer());
  QTRY_VERIFY(refused.run.has_value());
  QVERIFY(refused.refusal.contains(u"no connection"_s));
  std::ofstream(folder_->path() / "up") << "up";
  QTRY_COMPARE_WITH_TIMEOUT(remote.stateOf(place_), RemoteState::connected, kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(fs::exists(copies_ / "a" / "run.json"), kPatience);
}

void TestRemotePlaces::whyThereIsNoConnectionIsSaid_data() {
  QTest::addColumn<QStringList>("command");
  QTest::addColumn<QString>("reason");
  QTest::newRow("no ssh") << QStringList{u"/nowhere/ssh"_s} << u"/nowhere/ssh"_s;
  QTest::newRow("refused") << QStringList{u"/bin/sh"_s,
                                          u"-c"_s,
                                          u"echo Permission denied >&2; exit 255"_s}
                           << u"Permission denied"_s;
  QTest::newRow("a greeting of the shell")
      << QStringList{u"/bin/sh"_s, u"-c"_s, u"echo Welcome; sleep 60"_s} << u"other machine"_s;
  QTest::newRow("another version")
      << QStringList{u"/bin/sh"_s,
                     u"-c"_s,
                     u"echo '{\"news\": \"hello\", \"version\": 99, \"host\": \"far\"}'; sleep 60"_s}
      << u"version"_s;
  QTest::newRow("silence") << QStringList{u"/bin/sh"_s, u"-c"_s, u"exit 0"_s} << u"has ended"_s;
}

void TestRemotePlaces::whyThereIsNoConnectionIsSaid() {
  QFETCH(QStringList, command);
  QFETCH(QString, reason);
  RemoteRuns remote([command](const RemotePlace&) { return command; });
  remote.setLibrary(folder_->path() / "library");
  remote.add(place_);
  QTRY_COMPARE_WITH_TIMEOUT(remote.stateOf(place_), RemoteState::lost, 10000);
  QVERIFY2(remote.stateTextOf(place_).contains(reason), qPrintable(remote.stateTextOf(place_)));
}

void TestRemotePlaces::aPlaceThatIsNoLongerFollowedLeavesItsRuns() {
  const auto remote = followed();
  writeRun(there_, "a", finishedRecord("a"));
  QTRY_VERIFY_WITH_TIMEOUT(fs::exists(copies_ / "a" / "run.json"), kPatience);
  const auto requests = remote->requestsTo(copies_ / "a");
  QSignalSpy leaving(remote.get(), &RemoteRuns::leaving);
  remote->remove(place_);
  QCOMPARE(leaving.count(), 1);
  QVERIFY(remote->places().empty());
  QVERIFY(fs::exists(copies_ / "a" / "run.json"));
  QCOMPARE(mirroredFrom(copies_ / "a"), std::string());
  QVERIFY_THROWS_EXCEPTION(Error, requests({.kind = RequestKind::stop}));
  QVERIFY(!remote->requestsTo(copies_ / "a"));
  // The same place again has a copy of its own.
  QCOMPARE(remote->add(place_), QString());
  const fs::path second = copies_.parent_path() / "far-there-2";
  QTRY_VERIFY_WITH_TIMEOUT(fs::exists(second / "a" / "run.json"), kPatience);
  QVERIFY(!remote->isRemote(copies_ / "a"));
}

void TestRemotePlaces::placesAreKeptBetweenStarts() {
  QSettings settings(QString::fromStdString((folder_->path() / "settings").string()),
                     QSettings::IniFormat);
  followed()->saveTo(settings);
  RemoteRuns next([this](const RemotePlace& place) { return localCommand(place); });
  next.setLibrary(folder_->path() / "library");
  next.restoreFrom(settings);
  QCOMPARE(next.places().size(), std::size_t{1});
  QVERIFY(next.places().front() == place_);
}

void TestRemotePlaces::aRealSshConnects() {
  const QString sshd = QStandardPaths::findExecutable(u"sshd"_s, {u"/usr/sbin"_s});
  const QString ssh = QStandardPaths::findExecutable(u"ssh"_s);
  if (sshd.isEmpty() || ssh.isEmpty()) QSKIP("openssh-server and openssh-client are not installed");
  const QString at = QString::fromStdString(folder_->path().string());
  const Program program(folder_->path());
  QCOMPARE(program
               .runScript(u"mkdir -m 700 ssh && ssh-keygen -q -t ed25519 -N '' -f ssh/host && "
                          "ssh-keygen -q -t ed25519 -N '' -f ssh/me && cp ssh/me.pub ssh/keys"_s)
               .status,
           0);
  const int port = freePort();
  std::ofstream(folder_->path() / "ssh" / "sshd_config")
      << "ListenAddress 127.0.0.1\nPort " << port << "\nHostKey " << at.toStdString()
      << "/ssh/host\nAuthorizedKeysFile " << at.toStdString()
      << "/ssh/keys\nStrictModes no\nPidFile none\nUsePAM no\n";
  std::ofstream(folder_->path() / "ssh" / "config")
      << "Host far\nHostName 127.0.0.1\nPort " << port << "\nIdentityFile " << at.toStdString()
      << "/ssh/me\nStrictHostKeyChecking no\nUserKnownHostsFile " << at.toStdString()
      << "/ssh/known\nLogLevel ERROR\n";
  std::ofstream(folder_->path() / "ssh" / "ssh")
      << "#!/bin/sh\nexec " << ssh.toStdString() << " -F " << at.toStdString()
      << "/ssh/config \"$@\"\n";
  fs::permissions(folder_->path() / "ssh" / "ssh", fs::perms::owner_all);
  QProcess server;
  server.start(sshd, {u"-D"_s, u"-e"_s, u"-f"_s, at + u"/ssh/sshd_config"_s});
  if (server.waitForFinished(1000)) {
    QSKIP("sshd does not run here: " + server.readAllStandardError());
  }
  qputenv("LAMBDA_SSH", (at + u"/ssh/ssh"_s).toUtf8());
  RemoteRuns remote;
  remote.setLibrary(folder_->path() / "library");
  writeRun(there_, "a", finishedRecord("a"));
  const RemotePlace place{
      u"far"_s, QString::fromStdString(there_.string()), QStringLiteral(LAMBDA_PROGRAM)};
  QCOMPARE(remote.add(place), QString());
  const bool isConnected =
      QTest::qWaitFor([&] { return remote.stateOf(place) == RemoteState::connected; }, 30000);
  QVERIFY2(
      isConnected,
      qPrintable(remote.stateTextOf(place) + QString::fromUtf8(server.readAllStandardError())));
  const fs::path copy =
      folder_->path() / "library" / "remote" / copyNameOf(place).toStdString() / "a";
  QTRY_VERIFY_WITH_TIMEOUT(fs::exists(copy / "run.json"), kPatience);
  Answered started;
  remote.start(place, longRun(), started.answer());
  QTRY_VERIFY_WITH_TIMEOUT(started.run.has_value(), kPatience);
  QCOMPARE(started.refusal, QString());
  // The connection breaks, and the training goes on.
  server.kill();
  server.waitForFinished();
  const fs::path run = there_ / started.run->filename();
  const std::int64_t before = batchesOf(run);
  QTRY_VERIFY_WITH_TIMEOUT(batchesOf(run) > before + 3, kPatience);
  QCOMPARE(program.run({u"control"_s, QString::fromStdString(run.string()), u"stop"_s}).status, 0);
  qunsetenv("LAMBDA_SSH");
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRemotePlaces)
#include "tst_remote_places.moc"
