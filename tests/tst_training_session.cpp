#include <cmath>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/training_session.h"
#include "engine/formats/metrics_json.h"
#include "tests/support/scripted_engine.h"

namespace lambda::test {

namespace {

/// What a person can do to a training.
enum class Wish { start, pause, resume, step, stop };

constexpr std::array kWishes{Wish::start, Wish::pause, Wish::resume, Wish::step, Wish::stop};
constexpr std::array kWishNames{"start", "pause", "resume", "step", "stop"};

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
  void aSecondStartIsRefusedAndTheFirstGoesOn();
  void aRefusedStartLeavesItIdleWithTheReason();
  void aFailedRunEndsWithItsReason();
  void aResumedRunKeepsItsEarlierRecords();
  void inspectsTheRunningNetworkAlsoWhilePaused();
  void everyOrderOfFourWishesEndsWellFromEveryState();
  void endsATrainingWhenItIsDestroyed();

 private:
  void apply(TrainingSession& session, Wish wish);

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

void TestTrainingSession::aSecondStartIsRefusedAndTheFirstGoesOn() {
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
  QSignalSpy inspected(&session, &TrainingSession::inspected);
  session.start(smallConfig(1000), runs());
  QTRY_COMPARE(session.state(), SessionState::running);
  session.requestInspection({.id = 1, .image = 3});
  QVERIFY(inspected.wait());
  QCOMPARE(session.snapshot()->request.image, 3);
  session.pause();
  QTRY_COMPARE(session.state(), SessionState::paused);
  session.requestInspection({.id = 2, .image = 4});
  QVERIFY(inspected.wait());
  QCOMPARE(session.snapshot()->request.image, 4);
  QCOMPARE(session.state(), SessionState::paused);
}

void TestTrainingSession::apply(TrainingSession& session, Wish wish) {
  switch (wish) {
    case Wish::start:
      session.start(smallConfig(1000), runs());
      return;
    case Wish::pause:
      session.pause();
      return;
    case Wish::resume:
      session.resume();
      return;
    case Wish::step:
      session.stepOnce();
      return;
    case Wish::stop:
      session.stop();
      return;
  }
}

void TestTrainingSession::everyOrderOfFourWishesEndsWellFromEveryState() {
  engine_->batchTime = std::chrono::microseconds(50);
  constexpr int kSequences = 5 * 5 * 5 * 5;
  for (int sequence = 0; sequence < kSequences; ++sequence) {
    TrainingSession session(engine_);
    QByteArray told;
    int rest = sequence;
    // Every second wish comes at once, the others after what came before had its effect.
    for (int i = 0; i < 4; ++i, rest /= 5) {
      const auto index = static_cast<std::size_t>(rest % 5);
      told += QByteArray(kWishNames[index]) + ' ';
      apply(session, kWishes[index]);
      if (i % 2 == 1) QCoreApplication::processEvents();
    }
    QSignalSpy changes(&session, &TrainingSession::stateChanged);
    session.stop();
    while (session.state() != SessionState::idle) QVERIFY2(changes.wait(), told.constData());
  }
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
