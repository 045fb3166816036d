#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/inspection/inspection_session.h"
#include "tests/support/scripted_engine.h"

namespace lambda::test {

class TestInspectionSession : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void answersGoToTheOneWhoAsked();
  void ofTheRequestsOfAViewTheNewestIsAnswered();
  void twoViewsAreBothAnswered();
  void aDestroyedContextGetsNoReplyAndEndsItsTask();
  void imagesAreReadOnceForAll();
  void predictionsTellTheirProgressAndCanBeCancelled();
  void aCheckpointIsClassifiedOnceForAllPages();
  void aClassificationCanBeCancelledAndAskedForAgain();
  void anEstimateCanBeCancelledAndIsReplacedByANewerOne();
  void anInspectionIsAnsweredInTheMiddleOfALongTask();
  void whatCannotBeOpenedFailsWithItsReason();
  void endsInTheMiddleOfWork();

 private:
  std::shared_ptr<ScriptedEngine> engine_;
  QTemporaryDir folder_;
  std::filesystem::path run_;
};

void TestInspectionSession::initTestCase() {
  engine_ = std::make_shared<ScriptedEngine>();
  RunConfig config;
  config.name = "inspected";
  config.recipe.epochs = 1;
  Stage stage;
  stage.width = 16;
  stage.blocks = {Block{LambdaMixer{}}};
  config.architecture.family = Family::basic;
  config.architecture.stages = {stage};
  RunControl control;
  Observer observer;
  const std::filesystem::path runs = folder_.path().toStdString();
  run_ = engine_->trainRun(config, runs, control, observer).run;
}

void TestInspectionSession::answersGoToTheOneWhoAsked() {
  InspectionSession session(engine_);
  QObject view;
  SnapshotPointer answer;
  session.inspect(run_,
                  {.image = 7, .queryRow = 2, .queryColumn = 3},
                  view,
                  {.answered = [&](const SnapshotPointer& snapshot) { answer = snapshot; }});
  QTRY_VERIFY(answer);
  QCOMPARE(answer->request.image, 7);
  QCOMPARE(answer->queryRow, 2);
}

void TestInspectionSession::ofTheRequestsOfAViewTheNewestIsAnswered() {
  InspectionSession session(engine_);
  QObject view;
  std::vector<int> answered;
  constexpr int kRequests = 50;
  for (int i = 0; i < kRequests; ++i) {
    session.inspect(run_, {.image = i}, view, {.answered = [&, i](const SnapshotPointer& snapshot) {
                      QCOMPARE(snapshot->request.image, i);
                      answered.push_back(i);
                    }});
  }
  QTRY_VERIFY(!answered.empty());
  QTest::qWait(20);
  QCOMPARE(answered, std::vector<int>{kRequests - 1});
}

void TestInspectionSession::twoViewsAreBothAnswered() {
  InspectionSession session(engine_);
  QObject left, right;
  int leftImage = 0, rightImage = 0;
  session.inspect(run_, {.image = 1}, left, {.answered = [&](const SnapshotPointer& snapshot) {
                    leftImage = snapshot->request.image;
                  }});
  session.inspect(run_, {.image = 2}, right, {.answered = [&](const SnapshotPointer& snapshot) {
                    rightImage = snapshot->request.image;
                  }});
  QTRY_COMPARE(leftImage, 1);
  QTRY_COMPARE(rightImage, 2);
}

void TestInspectionSession::aDestroyedContextGetsNoReplyAndEndsItsTask() {
  InspectionSession session(engine_);
  auto view = std::make_unique<QObject>();
  int replies = 0;
  session.estimateThroughput({},
                             1000000,
                             *view,
                             {.answered = [&](const ThroughputEstimate&) { ++replies; },
                              .failed = [&](const QString&) { ++replies; },
                              .progressed = [&](qint64, qint64) { ++replies; }});
  QTRY_VERIFY(replies > 0);
  view.reset();
  const int before = replies;
  // The long task has ended: the next one is answered.
  QObject other;
  bool isAnswered = false;
  session.estimateThroughput(
      {}, 3, other, {.answered = [&](const ThroughputEstimate&) { isAnswered = true; }});
  QTRY_VERIFY(isAnswered);
  QCOMPARE(replies, before);
}

void TestInspectionSession::imagesAreReadOnceForAll() {
  InspectionSession session(engine_);
  DataConfig data;
  data.source = Shapes10Source{.trainCount = 60, .testCount = 20};
  data.validationCount = 20;
  QObject first, second;
  std::vector<ImagesPointer> answers;
  const Replies<ImagesPointer> replies{
      .answered = [&](const ImagesPointer& images) { answers.push_back(images); }};
  QVERIFY(!session.images().images(data, Split::validation, first, replies));
  QVERIFY(!session.images().images(data, Split::validation, first, replies));
  QVERIFY(!session.images().images(data, Split::validation, second, replies));
  QTRY_COMPARE(answers.size(), std::size_t{2});
  QCOMPARE(answers[0], answers[1]);
  QCOMPARE(answers[0]->count(), std::size_t{20});
  data.augmentation.cropPadding += 1;
  QCOMPARE(session.images().images(data, Split::validation, first, replies), answers[0]);

  data.source = Cifar10Source{"/nowhere/cifar10"};
  QString problem;
  session.images().images(data,
                          Split::test,
                          first,
                          {.answered = [](const ImagesPointer&) { QFAIL("there are no images"); },
                           .failed = [&](const QString& reason) { problem = reason; }});
  QTRY_VERIFY(problem.contains(QStringLiteral("/nowhere/cifar10")));
}

void TestInspectionSession::predictionsTellTheirProgressAndCanBeCancelled() {
  InspectionSession session(engine_);
  QObject view;
  std::vector<std::pair<qint64, qint64>> steps;
  int answers = 0;
  const Replies<PredictionsPointer> replies{
      .answered = [&](const PredictionsPointer&) { ++answers; },
      .progressed = [&](qint64 done, qint64 total) { steps.emplace_back(done, total); }};
  session.predict(run_, Split::validation, view, replies);
  QTRY_COMPARE(answers, 1);
  QCOMPARE(steps.back().first, steps.back().second);
  session.cancel(session.predict(run_, Split::test, view, replies));
  // Of two splits neither replaces the other.
  session.predict(run_, Split::train, view, replies);
  session.predict(run_, Split::validation, view, replies);
  QTRY_COMPARE(answers, 3);
}

void TestInspectionSession::aCheckpointIsClassifiedOnceForAllPages() {
  InspectionSession session(engine_);
  PredictionStore& store = session.predictions();
  const int before = engine_->classifications();
  const std::filesystem::path best = run_ / "checkpoints/best.safetensors";
  const auto known = [&](const std::filesystem::path& path) {
    return store.entry(path, Split::test).predictions;
  };
  store.ask(run_, Split::test);
  store.ask(best, Split::test);
  QVERIFY(store.entry(best, Split::test).isRunning);
  QTRY_VERIFY(known(run_) && !store.entry(run_, Split::test).isRunning);
  QCOMPARE(known(best), known(run_));
  store.ask(best, Split::test);
  QTRY_VERIFY(!store.entry(best, Split::test).isRunning);
  QCOMPARE(engine_->classifications(), before + 1);
  QVERIFY(!store.entry(run_, Split::validation).predictions);
  // Other weights in the same file are classified again.
  const auto earlier = known(best);
  std::filesystem::last_write_time(best, std::filesystem::file_time_type::clock::now());
  store.ask(best, Split::test);
  QTRY_VERIFY(known(best) != earlier);
  QCOMPARE(engine_->classifications(), before + 2);
  // Without a best checkpoint the run stands for its last one.
  std::filesystem::remove(best);
  store.ask(run_, Split::validation);
  QTRY_VERIFY(store.entry(run_, Split::validation).predictions);
  QVERIFY(store.entry(run_ / "checkpoints/last.safetensors", Split::validation).predictions);
}

void TestInspectionSession::aClassificationCanBeCancelledAndAskedForAgain() {
  InspectionSession session(engine_);
  PredictionStore& store = session.predictions();
  store.ask(run_, Split::test);
  store.cancel(run_, Split::test);
  QVERIFY(!store.entry(run_, Split::test).isRunning);
  store.ask(run_, Split::test);
  QTRY_VERIFY(store.entry(run_, Split::test).predictions);
  store.ask(run_ / "missing.safetensors", Split::test);
  QTRY_VERIFY(!store.entry(run_ / "missing.safetensors", Split::test).failure.isEmpty());
}

void TestInspectionSession::anEstimateCanBeCancelledAndIsReplacedByANewerOne() {
  InspectionSession session(engine_);
  QObject view;
  int answers = 0, steps = 0;
  const Replies<ThroughputEstimate> replies{
      .answered = [&](const ThroughputEstimate&) { ++answers; },
      .progressed = [&](qint64, qint64) { ++steps; }};
  session.estimateThroughput({}, 1000000, view, replies);
  QTRY_VERIFY(steps > 0);
  session.estimateThroughput({}, 3, view, replies);
  QTRY_COMPARE(answers, 1);
  steps = 0;
  const quint64 third = session.estimateThroughput({}, 1000000, view, replies);
  QTRY_VERIFY(steps > 0);
  session.cancel(third);
  steps = 0;
  session.cancel(third);
  session.estimateThroughput({}, 3, view, replies);
  QTRY_COMPARE(answers, 2);
}

void TestInspectionSession::anInspectionIsAnsweredInTheMiddleOfALongTask() {
  InspectionSession session(engine_);
  QObject view;
  bool isEstimated = false, isInspected = false;
  int steps = 0;
  session.estimateThroughput({},
                             1000000,
                             view,
                             {.answered = [&](const ThroughputEstimate&) { isEstimated = true; },
                              .progressed = [&](qint64, qint64) { ++steps; }});
  QTRY_VERIFY(steps > 0);
  session.inspect(
      run_, {.image = 1}, view, {.answered = [&](const SnapshotPointer&) { isInspected = true; }});
  QTRY_VERIFY(isInspected);
  QVERIFY(!isEstimated);
}

void TestInspectionSession::whatCannotBeOpenedFailsWithItsReason() {
  InspectionSession session(engine_);
  QObject view;
  QString problem;
  session.inspect(folder_.filePath(QStringLiteral("nothing")).toStdString(),
                  {},
                  view,
                  {.answered = [](const SnapshotPointer&) { QFAIL("there is no such run"); },
                   .failed = [&](const QString& reason) { problem = reason; }});
  QTRY_VERIFY(problem.contains(QStringLiteral("nothing")));
}

void TestInspectionSession::endsInTheMiddleOfWork() {
  QObject view;
  InspectionSession session(engine_);
  int steps = 0;
  session.estimateThroughput({},
                             1000000,
                             view,
                             {.answered = [](const ThroughputEstimate&) {},
                              .progressed = [&](qint64, qint64) { ++steps; }});
  QTRY_VERIFY(steps > 0);
  session.inspect(run_, {}, view, {.answered = [](const SnapshotPointer&) {}});
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestInspectionSession)

#include "tst_inspection_session.moc"
