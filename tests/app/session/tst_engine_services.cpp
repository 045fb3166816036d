#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/inspection/checkpoint_service.h"
#include "app/session/machine_service.h"
#include "tests/support/scripted_engine.h"

namespace lambda::test {

namespace {

struct Services {
  explicit Services(const std::shared_ptr<ScriptedEngine>& engine) : lanes(engine) {}

  EngineLanes lanes;
  MachineService machine{lanes};
  CheckpointService checkpoints{lanes};
};

}  // namespace

class TestEngineServices : public QObject {
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

void TestEngineServices::initTestCase() {
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

void TestEngineServices::answersGoToTheOneWhoAsked() {
  Services services(engine_);
  QObject view;
  Work work(view);
  SnapshotPointer answer;
  work.follow(services.checkpoints.inspect(run_, {.image = 7, .queryRow = 2, .queryColumn = 3}),
              [&](const SnapshotPointer& snapshot) { answer = snapshot; });
  QTRY_VERIFY(answer);
  QCOMPARE(answer->request.image, 7);
  QCOMPARE(answer->queryRow, 2);
}

void TestEngineServices::ofTheRequestsOfAViewTheNewestIsAnswered() {
  Services services(engine_);
  QObject view;
  Work work(view);
  std::vector<int> answered;
  constexpr int kRequests = 50;
  for (int i = 0; i < kRequests; ++i) {
    work.followNewest(services.checkpoints.inspect(run_, {.image = i}),
                      [&, i](const SnapshotPointer& snapshot) {
                        QCOMPARE(snapshot->request.image, i);
                        answered.push_back(i);
                      });
  }
  QTRY_VERIFY(!answered.empty());
  QTest::qWait(20);
  QCOMPARE(answered, std::vector<int>{kRequests - 1});
}

void TestEngineServices::twoViewsAreBothAnswered() {
  Services services(engine_);
  QObject view;
  Work left(view), right(view);
  int leftImage = 0, rightImage = 0;
  left.followNewest(services.checkpoints.inspect(run_, {.image = 1}),
                    [&](const SnapshotPointer& snapshot) { leftImage = snapshot->request.image; });
  right.followNewest(
      services.checkpoints.inspect(run_, {.image = 2}),
      [&](const SnapshotPointer& snapshot) { rightImage = snapshot->request.image; });
  QTRY_COMPARE(leftImage, 1);
  QTRY_COMPARE(rightImage, 2);
}

void TestEngineServices::aDestroyedContextGetsNoReplyAndEndsItsTask() {
  Services services(engine_);
  QObject view;
  auto work = std::make_unique<Work>(view);
  int replies = 0;
  work->follow(
      services.machine.estimateThroughput({}, 1000000),
      [&](const ThroughputEstimate&) { ++replies; },
      [&](const QString&) { ++replies; },
      [&](int, int) { ++replies; });
  QTRY_VERIFY(replies > 0);
  work.reset();
  const int before = replies;
  // The long task has ended: the next one is answered.
  Work other(view);
  bool isAnswered = false;
  other.follow(services.machine.estimateThroughput({}, 3),
               [&](const ThroughputEstimate&) { isAnswered = true; });
  QTRY_VERIFY(isAnswered);
  QCOMPARE(replies, before);
}

void TestEngineServices::imagesAreReadOnceForAll() {
  Services services(engine_);
  ImageCache& cache = services.checkpoints.images();
  DataConfig data;
  data.source = Shapes10Source{.trainCount = 60, .testCount = 20};
  data.validationCount = 20;
  QObject first, second;
  int answers = 0;
  const auto arrived = [&] { ++answers; };
  QVERIFY(!cache.images(data, Split::validation, first, arrived));
  QVERIFY(!cache.images(data, Split::validation, first, arrived));
  QVERIFY(!cache.images(data, Split::validation, second, arrived));
  QTRY_COMPARE(answers, 2);
  const ImagesPointer images = cache.images(data, Split::validation, first, arrived);
  QVERIFY(images);
  QCOMPARE(images->count(), std::size_t{20});
  data.augmentation.cropPadding += 1;
  QCOMPARE(cache.images(data, Split::validation, second, arrived), images);

  data.source = Cifar10Source{"/nowhere/cifar10"};
  QString problem;
  cache.images(
      data,
      Split::test,
      first,
      [] { QFAIL("there are no images"); },
      [&](const QString& reason) { problem = reason; });
  QTRY_VERIFY(problem.contains(QStringLiteral("/nowhere/cifar10")));
}

void TestEngineServices::predictionsTellTheirProgressAndCanBeCancelled() {
  Services services(engine_);
  QObject view;
  Work work(view);
  std::vector<std::pair<int, int>> steps;
  int answers = 0;
  const auto predict = [&](Split split) {
    work.follow(
        services.checkpoints.predict(run_, split),
        [&](const PredictionsPointer&) { ++answers; },
        {},
        [&](int done, int total) { steps.emplace_back(done, total); });
  };
  predict(Split::validation);
  QTRY_COMPARE(answers, 1);
  QCOMPARE(steps.back().first, steps.back().second);
  predict(Split::test);
  work.cancel();
  // Of two splits neither replaces the other.
  predict(Split::train);
  predict(Split::validation);
  QTRY_COMPARE(answers, 3);
}

void TestEngineServices::aCheckpointIsClassifiedOnceForAllPages() {
  Services services(engine_);
  PredictionStore& store = services.checkpoints.predictions();
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

void TestEngineServices::aClassificationCanBeCancelledAndAskedForAgain() {
  Services services(engine_);
  PredictionStore& store = services.checkpoints.predictions();
  store.ask(run_, Split::test);
  store.cancel(run_, Split::test);
  QVERIFY(!store.entry(run_, Split::test).isRunning);
  store.ask(run_, Split::test);
  QTRY_VERIFY(store.entry(run_, Split::test).predictions);
  store.ask(run_ / "missing.safetensors", Split::test);
  QTRY_VERIFY(!store.entry(run_ / "missing.safetensors", Split::test).failure.isEmpty());
}

void TestEngineServices::anEstimateCanBeCancelledAndIsReplacedByANewerOne() {
  Services services(engine_);
  QObject view;
  Work work(view);
  int answers = 0, steps = 0;
  const auto estimate = [&](int count) {
    work.followNewest(
        services.machine.estimateThroughput({}, count),
        [&](const ThroughputEstimate&) { ++answers; },
        {},
        [&](int, int) { ++steps; });
  };
  estimate(1000000);
  QTRY_VERIFY(steps > 0);
  estimate(3);
  QTRY_COMPARE(answers, 1);
  steps = 0;
  estimate(1000000);
  QTRY_VERIFY(steps > 0);
  work.cancel();
  work.cancel();
  estimate(3);
  QTRY_COMPARE(answers, 2);
}

void TestEngineServices::anInspectionIsAnsweredInTheMiddleOfALongTask() {
  Services services(engine_);
  QObject view;
  Work estimate(view), inspection(view);
  bool isEstimated = false, isInspected = false;
  int steps = 0;
  estimate.follow(
      services.machine.estimateThroughput({}, 1000000),
      [&](const ThroughputEstimate&) { isEstimated = true; },
      {},
      [&](int, int) { ++steps; });
  QTRY_VERIFY(steps > 0);
  inspection.follow(services.checkpoints.inspect(run_, {.image = 1}),
                    [&](const SnapshotPointer&) { isInspected = true; });
  QTRY_VERIFY(isInspected);
  QVERIFY(!isEstimated);
}

void TestEngineServices::whatCannotBeOpenedFailsWithItsReason() {
  Services services(engine_);
  QObject view;
  Work work(view);
  QString problem;
  work.follow(
      services.checkpoints.inspect(folder_.filePath(QStringLiteral("nothing")).toStdString(), {}),
      [](const SnapshotPointer&) { QFAIL("there is no such run"); },
      [&](const QString& reason) { problem = reason; });
  QTRY_VERIFY(problem.contains(QStringLiteral("nothing")));
}

void TestEngineServices::endsInTheMiddleOfWork() {
  QObject view;
  Work work(view);
  Services services(engine_);
  int steps = 0;
  work.follow(
      services.machine.estimateThroughput({}, 1000000),
      [](const ThroughputEstimate&) {},
      {},
      [&](int, int) { ++steps; });
  QTRY_VERIFY(steps > 0);
  work.follow(services.checkpoints.inspect(run_, {}), [](const SnapshotPointer&) {});
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestEngineServices)

#include "tst_engine_services.moc"
