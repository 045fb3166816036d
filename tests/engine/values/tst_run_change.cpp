#include <QTest>

#include "engine/values/run/run_change.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

RunChange changeAt(std::int64_t step, const LiveSettings& before, const ChangeRequest& request) {
  return {.step = step,
          .epoch = static_cast<int>(step / 10),
          .batch = static_cast<int>(step % 10),
          .before = before,
          .after = settingsAfter(before, request)};
}

RunChange positionAt(std::int64_t step, const LiveSettings& settings) {
  return changeAt(step, settings, {});
}

}  // namespace

class TestRunChange : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theTextNamesWhatChanges();
  void aRequestThatFitsHasNoObstacle();
  void obstaclesAreNamed_data();
  void obstaclesAreNamed();
  void aNewChangeKeepsItsValueInLaterOnes();
  void aLaterChangeThatChangesNothingIsDropped();
  void aRequestForWhatIsAddsNothing();
  void theFieldsOfThePolicyAreChangedIndependently();
  void aRequestLeadsFromOneToTheOther();
};

void TestRunChange::theTextNamesWhatChanges() {
  LiveSettings before{.epochs = 3};
  LiveSettings after = before;
  after.learningRateFactor = 0.5;
  after.epochs = 6;
  QCOMPARE(textOf(RunChange{.before = before, .after = after}),
           std::string("learning rate factor from 1 to 0.5, epochs from 3 to 6"));
  after = before;
  after.checkpoints = {.everyEpochs = 0, .keepEpochs = 0, .keepBest = false, .everyMinutes = 0};
  QCOMPARE(
      textOf(RunChange{.before = before, .after = after}),
      std::string("epoch checkpoints never (was every epoch), epoch checkpoints kept all (was "
                  "the last 3), best checkpoint not kept (was kept), autosave never (was every 5 "
                  "minutes)"));
}

void TestRunChange::aRequestThatFitsHasNoObstacle() {
  RunConfig config = tinyRun();
  config.recipe.epochs = 8;
  QCOMPARE(obstacleTo({.epochs = 3}, config, 3), std::string());
  QCOMPARE(obstacleTo({.learningRateFactor = 0.1}, config, 8), std::string());
}

void TestRunChange::obstaclesAreNamed_data() {
  QTest::addColumn<ChangeRequest>("request");
  QTest::addColumn<int>("runningEpoch");
  QTest::addColumn<QString>("expected");
  QTest::newRow("fewer epochs than run")
      << ChangeRequest{.epochs = 2} << 3 << "fewer than 3 epochs";
  QTest::newRow("test images") << ChangeRequest{.epochs = 20} << 9 << "all epochs are done";
  QTest::newRow("too many epochs") << ChangeRequest{.epochs = 1000000} << 3 << "recipe.epochs";
  QTest::newRow("negative factor")
      << ChangeRequest{.learningRateFactor = -1.0} << 3 << "recipe.learningRateFactor";
  QTest::newRow("negative count") << ChangeRequest{.checkpoints =
                                                       CheckpointRequest{.keepEpochs = -1}}
                                  << 3 << "checkpoints.keepEpochs";
}

void TestRunChange::obstaclesAreNamed() {
  QFETCH(ChangeRequest, request);
  QFETCH(int, runningEpoch);
  QFETCH(QString, expected);
  RunConfig config = tinyRun();
  config.recipe.epochs = 8;
  const std::string obstacle = obstacleTo(request, config, runningEpoch);
  QVERIFY2(obstacle.find(expected.toStdString()) != std::string::npos, obstacle.c_str());
}

void TestRunChange::aNewChangeKeepsItsValueInLaterOnes() {
  const LiveSettings start{.epochs = 3};
  const RunChange first = changeAt(4, start, {.learningRateFactor = 0.5});
  const RunChange second = changeAt(20, first.after, {.learningRateFactor = 0.1, .epochs = 5});
  std::vector<RunChange> changes{first, second};
  addChange(changes, 1, positionAt(12, first.after), {.epochs = 9});
  QCOMPARE(changes.size(), std::size_t{3});
  QVERIFY(changes[0] == first);
  QVERIFY(changes[1] == changeAt(12, first.after, {.epochs = 9}));
  QVERIFY(changes[2] == changeAt(20, changes[1].after, {.learningRateFactor = 0.1}));
}

void TestRunChange::aLaterChangeThatChangesNothingIsDropped() {
  const LiveSettings start{.epochs = 3};
  std::vector<RunChange> changes{changeAt(4, start, {.epochs = 5})};
  // The request is for what is in effect, and replaces what was changed later.
  addChange(changes, 0, positionAt(2, start), {.epochs = 3});
  QVERIFY(changes.empty());
}

void TestRunChange::aRequestForWhatIsAddsNothing() {
  std::vector<RunChange> changes;
  addChange(changes, 0, positionAt(2, {.epochs = 3}), {.epochs = 3});
  QVERIFY(changes.empty());
}

void TestRunChange::theFieldsOfThePolicyAreChangedIndependently() {
  const LiveSettings start{.epochs = 3};
  std::vector<RunChange> changes{changeAt(20, start, {.checkpoints = {.everyEpochs = 2}})};
  addChange(changes, 0, positionAt(12, start), {.checkpoints = {.keepBest = false}});
  QCOMPARE(changes.size(), std::size_t{2});
  QCOMPARE(changes[0].after.checkpoints.everyEpochs, start.checkpoints.everyEpochs);
  QVERIFY(!changes[0].after.checkpoints.keepBest);
  QCOMPARE(changes[1].after.checkpoints.everyEpochs, 2);
  QVERIFY(!changes[1].after.checkpoints.keepBest);
}

void TestRunChange::aRequestLeadsFromOneToTheOther() {
  const LiveSettings before{.epochs = 3};
  QVERIFY(requestBetween(before, before) == ChangeRequest{});
  LiveSettings after = before;
  after.epochs = 5;
  after.checkpoints.everyMinutes = 1;
  const ChangeRequest request = requestBetween(before, after);
  QVERIFY((request == ChangeRequest{.epochs = 5, .checkpoints = {.everyMinutes = 1}}));
  QVERIFY(settingsAfter(before, request) == after);
}

QTEST_GUILESS_MAIN(TestRunChange)
#include "tst_run_change.moc"
