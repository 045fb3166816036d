#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

#include <QDeadlineTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/documents/close_guard.h"
#include "app/session/training/training_session.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runtime/error.h"
#include "tests/support/scripted_engine.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// The requests that a person can make to a training.
enum class Request { start, pauseOrContinue, step, stop, close };

constexpr std::array kRequests{
    Request::start, Request::pauseOrContinue, Request::step, Request::stop, Request::close};
constexpr std::array kRequestNames{"start", "pause", "step", "stop", "close"};
constexpr std::array kStateNames{"idle", "starting", "running", "pausing", "paused", "stopping"};

/// Handles events until `holds` returns true or 10 s have passed. Returns whether it holds.
bool waitFor(const std::function<bool()>& holds) {
  QDeadlineTimer patience(std::chrono::seconds(10));
  QTimer wake;
  wake.start(std::chrono::milliseconds(100));
  while (!holds() && !patience.hasExpired()) {
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  }
  return holds();
}

/// Closes like the window: as soon as the guard allows it.
class Closing {
 public:
  explicit Closing(TrainingSession& session) : guard_(session) {
    QObject::connect(&guard_, &CloseGuard::closable, &guard_, [this] { close(); });
  }

  void close() {
    if (guard_.mayClose()) isClosed_ = true;
  }

  bool isClosed() const { return isClosed_; }

 private:
  CloseGuard guard_;
  bool isClosed_ = false;
};

RunConfig smallConfig(int epochs) {
  RunConfig config;
  config.name = "scripted";
  config.recipe.epochs = epochs;
  Stage stage;
  stage.width = 16;
  stage.blocks = {Block{LambdaMixer{}}};
  config.architecture.family = Family::basic;
  config.architecture.stages = {stage};
  return config;
}

}  // namespace

class TestTrainingSession : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void tellsEveryRecordOnceAndInOrder();
  void pausesStepsAndContinues();
  void aPauseCanBeAskedForBeforeTheRunHasStarted();
  void aSecondStartIsRefusedAndTheFirstContinues();
  void aRefusedStartLeavesItIdleWithTheReason();
  void aFailedRunEndsWithItsReason();
  void aResumedRunKeepsItsEarlierRecords();
  void inspectsTheRunningNetworkAlsoWhilePaused();
  void everyViewGetsItsOwnReply();
  void aViewThatAsksFasterThanItIsAnsweredDoesNotKeepOthersWaiting();
  void everyRequestForAChangeIsAnswered();
  void equalChangesAreAllKept();
  void aViewThatIsGoneOrHasCancelledGetsNoReply();
  void everyOrderOfFourRequestsEndsWellFromEveryState_data();
  void everyOrderOfFourRequestsEndsWellFromEveryState();
  void aCloseDuringAStartThatIsRefusedContinues();
  void endsATrainingWhenItIsDestroyed();

 private:
  void bringInto(TrainingSession& session, SessionState state);
  void apply(TrainingSession& session, Closing& window, Request request);
  void closesAfter(TrainingSession& session, std::size_t order);

  std::filesystem::path runs() const { return folder_->path().toStdString(); }

  std::shared_ptr<ScriptedEngine> engine_;
  std::unique_ptr<QTemporaryDir> folder_;
};

void TestTrainingSession::init() {
  engine_ = std::make_shared<ScriptedEngine>();
  folder_ = std::make_unique<QTemporaryDir>();
}

void TestTrainingSession::tellsEveryRecordOnceAndInOrder() {
  TrainingSession session(engine_);
  std::vector<std::int64_t> steps;
  std::size_t epochs = 0;
  connect(&session, &TrainingSession::metricsArrived, this, [&](const MetricsUpdate& update) {
    for (const BatchRecord& batch : update.batches) steps.push_back(batch.step);
    epochs += update.epochs.size();
  });
  QSignalSpy ended(&session, &TrainingSession::ended);
  session.start(smallConfig(3), runs());
  QCOMPARE(session.state(), SessionState::starting);
  QVERIFY(ended.wait());
  QCOMPARE(steps.size(), std::size_t{60});
  for (std::size_t i = 0; i < steps.size(); ++i)
    QCOMPARE(steps[i], static_cast<std::int64_t>(i + 1));
  QCOMPARE(epochs, std::size_t{3});
  QCOMPARE(session.metrics().batches.size(), std::size_t{60});
  QCOMPARE(session.state(), SessionState::idle);
  QCOMPARE(session.lastResult()->status, RunStatus::finished);
  QCOMPARE(readMetrics(std::filesystem::path(session.lastResult()->run) / "metrics.jsonl").events,
           session.metrics().events);
}

void TestTrainingSession::pausesStepsAndContinues() {
  TrainingSession session(engine_);
  session.start(smallConfig(1000), runs());
  QTRY_COMPARE(session.state(), SessionState::running);
  session.pause();
  QCOMPARE(session.state(), SessionState::pausing);
  QTRY_COMPARE(session.state(), SessionState::paused);
  QTRY_VERIFY(session.metrics().batches.size() > 0);
  const std::size_t before = session.metrics().batches.size();
  session.stepOnce();
  QCOMPARE(session.state(), SessionState::pausing);
  QTRY_COMPARE(session.state(), SessionState::paused);
  QTRY_COMPARE(session.metrics().batches.size(), before + 1);
  session.resume();
  QCOMPARE(session.state(), SessionState::running);
  QTRY_VERIFY(session.metrics().batches.size() > before + 5);
  session.stop();
  QCOMPARE(session.state(), SessionState::stopping);
  QTRY_COMPARE(session.state(), SessionState::idle);
  QCOMPARE(session.lastResult()->status, RunStatus::stopped);
}

void TestTrainingSession::aPauseCanBeAskedForBeforeTheRunHasStarted() {
  engine_->startTime = std::chrono::milliseconds(50);
  TrainingSession session(engine_);
  session.start(smallConfig(1000), runs());
  session.pause();
  QCOMPARE(session.state(), SessionState::pausing);
  QTRY_COMPARE(session.state(), SessionState::paused);
  QVERIFY(session.metrics().batches.empty());
  session.stop();
  QTRY_COMPARE(session.state(), SessionState::idle);
}

void TestTrainingSession::aSecondStartIsRefusedAndTheFirstContinues() {
  TrainingSession session(engine_);
  QSignalSpy refused(&session, &TrainingSession::startRefused);
  session.start(smallConfig(1000), runs());
  session.start(smallConfig(1), runs());
  QCOMPARE(refused.count(), 1);
  QTRY_COMPARE(session.state(), SessionState::running);
  QCOMPARE(engine_->trainings(), 1);
}

void TestTrainingSession::aRefusedStartLeavesItIdleWithTheReason() {
  engine_->refusal = "the folder holds no CIFAR-10";
  TrainingSession session(engine_);
  QSignalSpy refused(&session, &TrainingSession::startRefused);
  session.start(smallConfig(1), runs());
  QVERIFY(refused.wait());
  QVERIFY(refused.front().front().toString().contains(QStringLiteral("no CIFAR-10")));
  QCOMPARE(session.state(), SessionState::idle);
  engine_->refusal.reset();
  session.start(smallConfig(1), runs());
  QTRY_VERIFY(session.lastResult().has_value());
}

void TestTrainingSession::aFailedRunEndsWithItsReason() {
  engine_->failAt = 7;
  TrainingSession session(engine_);
  QSignalSpy ended(&session, &TrainingSession::ended);
  session.start(smallConfig(2), runs());
  QVERIFY(ended.wait());
  QCOMPARE(session.lastResult()->status, RunStatus::failed);
  QCOMPARE(session.lastResult()->failure, engine_->failure);
  QCOMPARE(session.metrics().batches.size(), std::size_t{7});
}

void TestTrainingSession::aResumedRunKeepsItsEarlierRecords() {
  TrainingSession session(engine_);
  session.start(smallConfig(2), runs());
  QTRY_VERIFY(session.lastResult().has_value());
  const std::filesystem::path run = session.lastResult()->run;
  QSignalSpy ended(&session, &TrainingSession::ended);
  session.resumeRun(run, {.epochs = 3, .device = {}});
  QVERIFY(ended.wait());
  const Metrics& metrics = session.metrics();
  QCOMPARE(metrics.batches.size(), std::size_t{60});
  for (std::size_t i = 0; i < metrics.batches.size(); ++i) {
    QCOMPARE(metrics.batches[i].step, static_cast<std::int64_t>(i + 1));
  }
  QCOMPARE(metrics.epochs.size(), std::size_t{3});
}

void TestTrainingSession::inspectsTheRunningNetworkAlsoWhilePaused() {
  TrainingSession session(engine_);
  session.start(smallConfig(1000), runs());
  QTRY_COMPARE(session.state(), SessionState::running);
  QObject view;
  int image = 0;
  Work work(view);
  const auto inspect = [&](int asked) {
    work.followNewest(session.inspect({.image = asked}, view),
                      [&](const SnapshotPointer& snapshot) { image = snapshot->request.image; });
  };
  inspect(3);
  QTRY_COMPARE(image, 3);
  session.pause();
  QTRY_COMPARE(session.state(), SessionState::paused);
  inspect(4);
  QTRY_COMPARE(image, 4);
  QCOMPARE(session.state(), SessionState::paused);
}

void TestTrainingSession::everyViewGetsItsOwnReply() {
  const auto usual = engine_->snapshot;
  const auto restored = qScopeGuard([&] { engine_->snapshot = usual; });
  constexpr int kSlow = 19;
  std::atomic<bool> isAnswering = false;
  engine_->snapshot = [&](const auto& config, const auto& request, auto step, int epoch) {
    if (request.image == kSlow) {
      isAnswering = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (request.image == 13) throw Error("image 13", "it is missing", "choose another one");
    return usual(config, request, step, epoch);
  };
  TrainingSession session(engine_);
  QObject views[3];
  Work works[3] = {Work(views[0]), Work(views[1]), Work(views[2])};
  std::array<std::vector<int>, 3> answers;
  std::array<QStringList, 3> failures;
  const auto ask = [&](std::size_t view, int image) {
    works[view].followNewest(
        session.inspect({.image = image}, views[view]),
        [&, view](const SnapshotPointer& snapshot) {
          answers[view].push_back(snapshot->request.image);
        },
        [&, view](const QString& reason) { failures[view] << reason; });
  };
  session.start(smallConfig(100000), runs());
  // Requests before the run exists wait for it.
  ask(0, 1);
  QTRY_COMPARE(answers[0], std::vector<int>{1});
  session.pause();
  QTRY_COMPARE(session.state(), SessionState::paused);
  // The answer that is under way belongs to a request that newer ones replace.
  ask(0, kSlow);
  while (!isAnswering) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    ask(0, 20 + round);
    ask(1, 13);
    ask(2, 50 + round);
  }
  QTRY_VERIFY(!answers[2].empty() && answers[2].back() == 69);
  QTRY_COMPARE(answers[0].back(), 39);
  QTRY_VERIFY(!failures[1].isEmpty());
  QVERIFY(failures[1].back().contains(u"image 13"_s));
  QVERIFY(answers[1].empty());
  QVERIFY(failures[0].isEmpty() && failures[2].isEmpty());
  QVERIFY(!std::ranges::count(answers[0], kSlow));
}

void TestTrainingSession::aViewThatAsksFasterThanItIsAnsweredDoesNotKeepOthersWaiting() {
  const auto usual = engine_->snapshot;
  const auto restored = qScopeGuard([&] { engine_->snapshot = usual; });
  engine_->snapshot = [&](const auto& config, const auto& request, auto step, int epoch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return usual(config, request, step, epoch);
  };
  TrainingSession session(engine_);
  session.start(smallConfig(100000), runs());
  QTRY_COMPARE(session.state(), SessionState::running);
  QObject hasty, patient;
  Work hastyWork(hasty), patientWork(patient);
  QTimer often;
  connect(&often, &QTimer::timeout, this, [&] {
    hastyWork.followNewest(session.inspect({}, hasty), [](const SnapshotPointer&) {});
  });
  often.start(2);
  QTest::qWait(30);
  bool isAnswered = false;
  patientWork.follow(session.inspect({}, patient),
                     [&](const SnapshotPointer&) { isAnswered = true; });
  QTRY_VERIFY_WITH_TIMEOUT(isAnswered, 2000);
}

void TestTrainingSession::everyRequestForAChangeIsAnswered() {
  TrainingSession session(engine_);
  QCOMPARE(session.requestChange({.epochs = 7}), quint64{0});
  QSignalSpy changed(&session, &TrainingSession::settingsChanged);
  QSignalSpy granted(&session, &TrainingSession::changeGranted);
  QSignalSpy refused(&session, &TrainingSession::changeRefused);
  session.start(smallConfig(100000), runs());
  QTRY_COMPARE(session.state(), SessionState::running);
  const quint64 nothing = session.requestChange({.epochs = 100000});
  const quint64 impossible = session.requestChange({.epochs = 0});
  QTRY_COMPARE(granted.count(), 1);
  QTRY_COMPARE(refused.count(), 1);
  QCOMPARE(granted[0][0].value<quint64>(), nothing);
  QCOMPARE(refused[0][0].value<quint64>(), impossible);
  QCOMPARE(changed.count(), 0);
  // The end answers those that the training has not taken.
  connect(&session, &TrainingSession::stateChanged, this, [&](SessionState state) {
    if (state == SessionState::stopping) session.requestChange({.epochs = 5});
  });
  session.stop();
  QTRY_COMPARE(session.state(), SessionState::idle);
  QCOMPARE(refused.count(), 2);
  QVERIFY(refused[1][1].toString().contains(u"has ended"_s));
}

void TestTrainingSession::equalChangesAreAllKept() {
  TrainingSession session(engine_);
  QSignalSpy changed(&session, &TrainingSession::settingsChanged);
  session.start(smallConfig(100000), runs());
  session.pause();
  QTRY_COMPARE(session.state(), SessionState::paused);
  for (const double factor : {0.5, 1.0, 0.5}) session.requestChange({.learningRateFactor = factor});
  QTRY_COMPARE(changed.count(), 3);
  QCOMPARE(session.status().record.changes.size(), std::size_t{3});
  QVERIFY(session.status().record.changes[0] == session.status().record.changes[2]);
}

void TestTrainingSession::aViewThatIsGoneOrHasCancelledGetsNoReply() {
  TrainingSession session(engine_);
  session.start(smallConfig(100000), runs());
  QTRY_COMPARE(session.state(), SessionState::running);
  auto gone = std::make_unique<QObject>();
  QObject cancelled, other;
  int wrong = 0;
  bool isAnswered = false;
  give(session.inspect({}, *gone), *gone, [&](const SnapshotPointer&) { ++wrong; });
  Work cancelledWork(cancelled), otherWork(other);
  cancelledWork.follow(session.inspect({}, cancelled), [&](const SnapshotPointer&) { ++wrong; });
  otherWork.follow(session.inspect({}, other), [&](const SnapshotPointer&) { isAnswered = true; });
  gone.reset();
  cancelledWork.cancel();
  QTRY_VERIFY(isAnswered);
  QCOMPARE(wrong, 0);
}

/// Brings an idle session into a state; a transient state lasts for some milliseconds.
void TestTrainingSession::bringInto(TrainingSession& session, SessionState state) {
  constexpr std::chrono::milliseconds kWhile{3};
  engine_->startTime = state == SessionState::starting ? kWhile : std::chrono::milliseconds(0);
  engine_->batchTime = std::chrono::microseconds(50);
  if (state == SessionState::pausing || state == SessionState::stopping) {
    engine_->batchTime = kWhile;
  }
  if (state == SessionState::idle) return;
  session.start(smallConfig(100000), runs());
  if (state == SessionState::starting) return;
  waitFor([&] { return session.state() == SessionState::running; });
  if (state == SessionState::pausing || state == SessionState::paused) session.pause();
  if (state == SessionState::paused) {
    waitFor([&] { return session.state() == SessionState::paused; });
  }
  if (state == SessionState::stopping) session.stop();
}

void TestTrainingSession::apply(TrainingSession& session, Closing& window, Request request) {
  switch (request) {
    case Request::start:
      session.start(smallConfig(1000), runs());
      return;
    case Request::pauseOrContinue:
      if (session.state() == SessionState::pausing || session.state() == SessionState::paused) {
        session.resume();
      } else {
        session.pause();
      }
      return;
    case Request::step:
      session.stepOnce();
      return;
    case Request::stop:
      session.stop();
      return;
    case Request::close:
      window.close();
      return;
  }
}

void TestTrainingSession::everyOrderOfFourRequestsEndsWellFromEveryState_data() {
  QTest::addColumn<int>("state");
  for (std::size_t i = 0; i < kStateNames.size(); ++i)
    QTest::newRow(kStateNames[i]) << static_cast<int>(i);
}

void TestTrainingSession::everyOrderOfFourRequestsEndsWellFromEveryState() {
  QFETCH(int, state);
  constexpr std::size_t kCount = kRequests.size();
  for (std::size_t order = 0; order < kCount * kCount * kCount * kCount; ++order) {
    TrainingSession session(engine_);
    bringInto(session, static_cast<SessionState>(state));
    closesAfter(session, order);
  }
}

/// Makes four requests, which are the digits of `order`, and then closes if none of them did.
void TestTrainingSession::closesAfter(TrainingSession& session, std::size_t order) {
  Closing window(session);
  QByteArray told;
  // A closed window stays closed, so it can't get more requests. Events are handled after every
  // second request, so that requests come both at once and after the previous ones had an effect.
  for (int i = 0; i < 4 && !window.isClosed(); ++i, order /= kRequests.size()) {
    const std::size_t request = order % kRequests.size();
    told += QByteArray(kRequestNames[request]) + ' ';
    apply(session, window, kRequests[request]);
    if (i % 2 == 1) QCoreApplication::processEvents();
  }
  if (!window.isClosed()) window.close();
  QVERIFY2(waitFor([&] { return window.isClosed(); }), told.constData());
  QVERIFY2(!session.isBusy(), told.constData());
  if (session.lastResult()) QCOMPARE(session.lastResult()->status, RunStatus::stopped);
}

void TestTrainingSession::aCloseDuringAStartThatIsRefusedContinues() {
  engine_->refusal = "There is no data.";
  TrainingSession session(engine_);
  Closing window(session);
  session.start(smallConfig(2), runs());
  window.close();
  QVERIFY(!window.isClosed());
  QVERIFY(waitFor([&] { return window.isClosed(); }));
}

void TestTrainingSession::endsATrainingWhenItIsDestroyed() {
  std::filesystem::path run;
  {
    TrainingSession session(engine_);
    session.start(smallConfig(100000), runs());
    QTRY_COMPARE(session.state(), SessionState::running);
    run = session.status().run;
  }
  const Metrics metrics = readMetrics(run / "metrics.jsonl");
  QCOMPARE(metrics.events.back().kind, EventKind::stopped);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestTrainingSession)

#include "tst_training_session.moc"
