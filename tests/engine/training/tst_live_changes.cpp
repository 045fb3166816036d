#include <filesystem>
#include <fstream>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"
#include "engine/values/config/schedule.h"
#include "tests/support/observed_run.h"
#include "tests/support/run_course.h"

namespace fs = std::filesystem;
using namespace lambda;

namespace {

constexpr int kBatches = 6;  // Per epoch of tinyRun().

/// Whether a run's state on disk is taken as a kill leaves it.
enum class Saves { endsOfEpochs, everyBatch };

RunConfig runWith(Saves saves) {
  RunConfig config = randomRun(Sgd{});
  config.checkpoints.everyMinutes = saves == Saves::everyBatch ? 1e-6 : 0;
  return config;
}

}  // namespace

class TestLiveChanges : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFactorTakesEffectAfterItsStep();
  void theRecordHasAChangeBeforeItTakesEffect();
  void moreEpochsFollowTheScheduleOfThatManyEpochs();
  void fewerEpochsEndTheRunEarlier();
  void fewerEpochsThanRunAreRefusedAndNothingChanges();
  void nothingIsChangedWhileTheTestImagesAreScored();
  void aChangeThatCannotBeRecordedIsRefused();
  void changesAreMadeWhilePausedAndBeforeAStop();
  void theCheckpointPolicyHoldsFromTheChangeOn();
  void aKilledRunRepeatsItsChanges_data();
  void aKilledRunRepeatsItsChanges();
  void aChangeBetweenEpochsIsNotRepeatedBeforeTheEndOfTheEarlierOne();
  void anEventThatAKillHasLostIsWrittenWhenItIsRepeated();
  void anOptionReplacesLaterChangesOfItsSetting();
  void aNewChangeReplacesThoseThatWouldBeRepeated();
  void aRequestThatChangesNothingIsAnswered();
  void aRunThatWasChangedTooOftenIsNotChangedOnceMore();
  void moreEpochsOfAFinishedRunAreAChange();
  void aForkHasTheSettingsButNotTheChanges();
  void aRecordWithoutItsChangesResumesWithTheSettingsOfTheCheckpoint();
};

void TestLiveChanges::aFactorTakesEffectAfterItsStep() {
  ObservedRun training;
  training.requestAfter(4, {.learningRateFactor = 0.5});
  const RunConfig config = tinyRun();
  const RunResult result = training.train(config);
  QCOMPARE(result.status, RunStatus::finished);
  for (const BatchRecord& batch : training.observer.batches) {
    const int before = static_cast<int>(batch.step) - 1;
    const double rate =
        learningRateOfStep(config.recipe, before / kBatches, before % kBatches, kBatches);
    QCOMPARE(batch.learningRate, batch.step <= 4 ? rate : rate * 0.5);
  }
  const std::vector<EventRecord> events = training.events(EventKind::changed);
  QCOMPARE(events.size(), std::size_t{1});
  QCOMPARE(events[0].step, std::int64_t{4});
  QCOMPARE(events[0].text, std::string("learning rate factor from 1 to 0.5"));
  const RunRecord record = recordOf(result.run);
  QCOMPARE(record.changes.size(), std::size_t{1});
  QCOMPARE(record.changes[0].step, std::int64_t{4});
  QCOMPARE(record.config.recipe.learningRateFactor, 0.5);
}

void TestLiveChanges::theRecordHasAChangeBeforeItTakesEffect() {
  ObservedRun training;
  training.requestAfter(4, {.learningRateFactor = 0.5});
  bool isSeen = false;
  training.observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::changed) return;
    isSeen = true;
    QCOMPARE(training.observer.batches.size(), std::size_t{4});
    QCOMPARE(recordOf(training.observer.run).changes.size(), std::size_t{1});
    const Metrics metrics = readMetrics(RunFolder::open(training.observer.run).metrics());
    QVERIFY(metrics.events.back() == event);
  };
  training.train(tinyRun());
  QVERIFY(isSeen);
}

void TestLiveChanges::moreEpochsFollowTheScheduleOfThatManyEpochs() {
  ObservedRun training;
  training.requestAfter(8, {.epochs = 5});
  const RunResult result = training.train(tinyRun());
  QCOMPARE(result.epochs, 5);
  Recipe longer = tinyRun().recipe;
  longer.epochs = 5;
  for (const BatchRecord& batch : training.observer.batches) {
    const int before = static_cast<int>(batch.step) - 1;
    const Recipe recipe = batch.step <= 8 ? tinyRun().recipe : longer;
    QCOMPARE(batch.learningRate,
             learningRateOfStep(recipe, before / kBatches, before % kBatches, kBatches));
  }
}

void TestLiveChanges::fewerEpochsEndTheRunEarlier() {
  ObservedRun training;
  training.requestAfter(8, {.epochs = 2});
  const RunResult result = training.train(tinyRun());
  QCOMPARE(result.status, RunStatus::finished);
  QCOMPARE(result.epochs, 2);
  QVERIFY(result.testScore);
  QCOMPARE(training.observer.batches.size(), std::size_t{12});
}

void TestLiveChanges::fewerEpochsThanRunAreRefusedAndNothingChanges() {
  ObservedRun training;
  training.requestAfter(8, {.epochs = 1});
  const RunResult result = training.train(tinyRun());
  ObservedRun undisturbed;
  const RunResult expected = undisturbed.train(tinyRun());
  const std::vector<EventRecord> warnings = training.events(EventKind::warning);
  QCOMPARE(warnings.size(), std::size_t{1});
  QVERIFY2(warnings[0].text.find("fewer than 2 epochs") != std::string::npos,
           warnings[0].text.c_str());
  QCOMPARE(differenceOf(courseOf(result.run), courseOf(expected.run)), nullptr);
}

void TestLiveChanges::nothingIsChangedWhileTheTestImagesAreScored() {
  ObservedRun training;
  training.observer.onEvaluated = [&](const EvaluationProgress& progress) {
    if (progress.split == Split::test) training.control.requestChange({.epochs = 9});
  };
  const RunResult result = training.train(tinyRun());
  QCOMPARE(result.status, RunStatus::finished);
  QCOMPARE(result.epochs, 3);
  QVERIFY(recordOf(result.run).changes.empty());
  const std::vector<EventRecord> warnings = training.events(EventKind::warning);
  QVERIFY(!warnings.empty());
  QVERIFY(warnings[0].text.find("all epochs are done") != std::string::npos);
}

void TestLiveChanges::aChangeThatCannotBeRecordedIsRefused() {
  ObservedRun training;
  fs::path record;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step != 4) return;
    record = RunFolder::open(training.observer.run).record();
    // A folder of this name can't be replaced by a file.
    fs::rename(record, record.string() + ".aside");
    fs::create_directory(record);
    training.control.requestChange({.learningRateFactor = 0.5});
  };
  training.observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::warning) return;
    fs::remove(record);
    fs::rename(record.string() + ".aside", record);
  };
  const RunResult result = training.train(tinyRun());
  QCOMPARE(training.events(EventKind::warning).size(), std::size_t{1});
  ObservedRun undisturbed;
  const RunResult expected = undisturbed.train(tinyRun());
  QCOMPARE(differenceOf(courseOf(result.run), courseOf(expected.run)), nullptr);
}

void TestLiveChanges::changesAreMadeWhilePausedAndBeforeAStop() {
  ObservedRun training;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 4) training.control.pause();
    if (batch.step != 9) return;
    training.control.requestChange({.epochs = 4});
    training.control.requestStop();
  };
  training.observer.onEvent = [&](const EventRecord& event) {
    if (event.kind == EventKind::paused) training.control.requestChange({.learningRateFactor = 2});
    if (event.kind != EventKind::changed || event.step != 4) return;
    QCOMPARE(recordOf(training.observer.run).status, RunStatus::paused);
    training.control.resume();
  };
  const RunResult stopped = training.train(tinyRun());
  QCOMPARE(stopped.status, RunStatus::stopped);
  const RunRecord record = recordOf(stopped.run);
  QCOMPARE(record.changes.size(), std::size_t{2});
  QCOMPARE(record.changes[0].step, std::int64_t{4});
  QCOMPARE(record.config.recipe.epochs, 4);
  ObservedRun again;
  QCOMPARE(again.resume(stopped.run).epochs, 4);
  QVERIFY(again.events(EventKind::changed).empty());
}

void TestLiveChanges::theCheckpointPolicyHoldsFromTheChangeOn() {
  ObservedRun training;
  RunConfig config = tinyRun();
  config.checkpoints = {.everyEpochs = 0, .keepEpochs = 0, .keepBest = false, .everyMinutes = 0};
  training.requestAfter(8, {.checkpoints = {.everyEpochs = 1, .keepBest = true}});
  const RunResult result = training.train(config);
  const RunFolder run = RunFolder::open(result.run);
  QVERIFY(!fs::exists(run.epochCheckpoint(1)));
  QVERIFY(fs::exists(run.epochCheckpoint(2)));
  QVERIFY(fs::exists(run.epochCheckpoint(3)));
  // The weights of epoch 1 are not kept, so that a later epoch is the best.
  QVERIFY(fs::exists(run.bestCheckpoint()));
  const double best = std::max(training.observer.epochs[1].validation->score,
                               training.observer.epochs[2].validation->score);
  QCOMPARE(result.bestValidationScore, std::optional(best));
}

void TestLiveChanges::aKilledRunRepeatsItsChanges_data() {
  QTest::addColumn<bool>("everyBatch");
  QTest::addColumn<ChangeRequest>("request");
  QTest::addColumn<QString>("moment");
  const CheckpointRequest policy{
      .everyEpochs = 2, .keepEpochs = 1, .keepBest = false, .everyMinutes = 0};
  CheckpointRequest often = policy;
  often.everyMinutes = 1e-6;
  const ChangeRequest all{.learningRateFactor = 0.3, .epochs = 4, .checkpoints = policy};
  const ChangeRequest allOften{.learningRateFactor = 0.3, .epochs = 4, .checkpoints = often};
  QTest::newRow("middle of an epoch, before the last checkpoint") << true << allOften << "batch";
  QTest::newRow("middle of an epoch, after the last checkpoint") << false << all << "batch";
  QTest::newRow("in evaluation") << false << all << "evaluation";
  QTest::newRow("between two epochs") << false << all << "epoch";
  QTest::newRow("fewer epochs") << false << ChangeRequest{.epochs = 2} << "batch";
}

void TestLiveChanges::aKilledRunRepeatsItsChanges() {
  QFETCH(bool, everyBatch);
  QFETCH(ChangeRequest, request);
  QFETCH(QString, moment);
  ObservedRun training;
  bool isChanged = false;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (moment == QStringLiteral("batch") && batch.step == 8)
      training.control.requestChange(request);
    if (isChanged) training.kill();
  };
  training.observer.onEvaluated = [&](const EvaluationProgress& progress) {
    const bool isHere = training.observer.epochs.size() == 1 && progress.split == Split::validation;
    if (moment == QStringLiteral("evaluation") && isHere) training.control.requestChange(request);
  };
  training.observer.onEvent = [&](const EventRecord& event) {
    const bool isHere = event.kind == EventKind::checkpoint && event.text == "epoch 2";
    if (moment == QStringLiteral("epoch") && isHere) training.control.requestChange(request);
    isChanged = isChanged || event.kind == EventKind::changed;
    if (isChanged) training.kill();
  };
  const RunConfig config = runWith(everyBatch ? Saves::everyBatch : Saves::endsOfEpochs);
  const RunResult whole = training.train(config);
  QCOMPARE(whole.status, RunStatus::finished);
  QVERIFY(isChanged);
  const Course expected = courseOf(whole.run);
  QCOMPARE(expected.changes.size(), std::size_t{1});
  std::vector<fs::path> killed = training.killed();
  killed.pop_back();  // The run has ended: there is nothing to resume.
  QVERIFY(killed.size() >= 5);
  // The moments around the change, and some of those that follow.
  for (std::size_t i = 0; i < killed.size(); i += i < 2 ? 1 : 4) {
    const fs::path& run = killed[i];
    QCOMPARE(ObservedRun().resume(run).status, RunStatus::finished);
    const char* difference = differenceOf(courseOf(run), expected);
    QVERIFY2(difference == nullptr, difference);
  }
}

void TestLiveChanges::aChangeBetweenEpochsIsNotRepeatedBeforeTheEndOfTheEarlierOne() {
  ObservedRun training;
  fs::path killed;
  training.observer.onEvent = [&](const EventRecord& event) {
    if (event.kind == EventKind::checkpoint && event.text == "epoch 2") {
      training.control.requestChange({.learningRateFactor = 0.3, .epochs = 4});
    }
    if (event.kind != EventKind::changed) return;
    killed = training.kill();
  };
  const RunResult whole = training.train(runWith(Saves::endsOfEpochs));
  // It resumes from the end of epoch 1. The end of epoch 2 has the step of the change.
  const RunFolder run = RunFolder::open(killed);
  fs::remove(run.lastCheckpoint());
  fs::remove(run.epochCheckpoint(2));
  ObservedRun().resume(killed);
  QCOMPARE(differenceOf(courseOf(killed), courseOf(whole.run)), nullptr);
}

void TestLiveChanges::anEventThatAKillHasLostIsWrittenWhenItIsRepeated() {
  ObservedRun training;
  training.requestAfter(8, {.learningRateFactor = 0.3, .epochs = 4});
  fs::path killed;
  training.observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::changed) return;
    killed = training.kill();
    const fs::path metrics = RunFolder::open(killed).metrics();
    std::string text = readFile(metrics, 1 << 20);
    text.erase(text.rfind('\n', text.size() - 2) + 1);
    writeFileDurably(metrics, text);
  };
  const RunResult whole = training.train(runWith(Saves::endsOfEpochs));
  QVERIFY(courseOf(killed).changeEvents.empty());
  ObservedRun().resume(killed);
  QCOMPARE(differenceOf(courseOf(killed), courseOf(whole.run)), nullptr);
}

void TestLiveChanges::anOptionReplacesLaterChangesOfItsSetting() {
  ObservedRun training;
  fs::path killed;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 8) training.control.requestChange({.learningRateFactor = 0.3, .epochs = 5});
    if (batch.step == 9) killed = training.kill();
    if (batch.step == 10) training.control.requestStop();
  };
  training.train(runWith(Saves::endsOfEpochs));
  // It resumes from step 6 with 3 epochs, and the change of step 8 still sets the factor.
  ObservedRun resumed;
  QCOMPARE(resumed.resume(killed, {.epochs = 4}).epochs, 4);
  const std::vector<EventRecord> events = resumed.events(EventKind::changed);
  QCOMPARE(events.size(), std::size_t{2});
  QCOMPARE(events[0].text, std::string("epochs from 3 to 4"));
  QCOMPARE(events[0].step, std::int64_t{6});
  QCOMPARE(events[1].text, std::string("learning rate factor from 1 to 0.3"));
  QCOMPARE(events[1].step, std::int64_t{8});
}

void TestLiveChanges::aNewChangeReplacesThoseThatWouldBeRepeated() {
  ObservedRun training;
  fs::path killed;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 10) training.control.requestChange({.learningRateFactor = 0.3, .epochs = 5});
    if (batch.step != 11) return;
    killed = training.kill();
    training.control.requestStop();
  };
  training.train(runWith(Saves::endsOfEpochs));
  ObservedRun resumed;
  resumed.requestAfter(8, {.learningRateFactor = 0.7});
  QCOMPARE(resumed.resume(killed).epochs, 5);
  const RunRecord record = recordOf(killed);
  QCOMPARE(record.changes.size(), std::size_t{2});
  QCOMPARE(textOf(record.changes[0]), std::string("learning rate factor from 1 to 0.7"));
  QCOMPARE(textOf(record.changes[1]), std::string("epochs from 3 to 5"));
  QCOMPARE(record.config.recipe.learningRateFactor, 0.7);
}

void TestLiveChanges::aRequestThatChangesNothingIsAnswered() {
  ObservedRun training;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step != 4) return;
    training.control.requestChange({.id = 1, .epochs = tinyRun().recipe.epochs});
    training.control.requestChange({.id = 2, .epochs = 0});
    training.control.requestChange({.id = 3, .learningRateFactor = 0.5});
  };
  training.train(tinyRun());
  QCOMPARE(training.observer.granted, (std::vector<std::uint64_t>{1, 3}));
  QCOMPARE(training.observer.refused, std::vector<std::uint64_t>{2});
  QCOMPARE(training.events(EventKind::changed).size(), std::size_t{1});
}

void TestLiveChanges::aRunThatWasChangedTooOftenIsNotChangedOnceMore() {
  ObservedRun training;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 8) training.control.requestStop();
  };
  const std::string run = training.train(runWith(Saves::everyBatch)).run;
  RunRecord record = recordOf(run);
  LiveSettings settings = liveSettingsOf(record.config);
  for (std::size_t i = 0; i < kMostChanges; ++i) {
    RunChange change{.step = 18, .epoch = 3, .before = settings, .after = settings};
    change.after.learningRateFactor = i % 2 == 0 ? 0.5 : 1;
    settings = change.after;
    record.changes.push_back(change);
  }
  const fs::path file = RunFolder::open(run).record();
  writeRunRecord(file, record);
  const std::string before = readFile(file, 1 << 24);
  ObservedRun resumed;
  try {
    resumed.resume(run, {.epochs = 4});
    QFAIL("it was changed");
  } catch (const Error& error) {
    QVERIFY2(error.reason().find("changed 1000 times") != std::string::npos, error.what());
  }
  QCOMPARE(readFile(file, 1 << 24), before);
}

void TestLiveChanges::moreEpochsOfAFinishedRunAreAChange() {
  ObservedRun training;
  const RunResult finished = training.train(tinyRun());
  ObservedRun resumed;
  QCOMPARE(resumed.resume(finished.run, {.epochs = 5}).epochs, 5);
  const RunRecord record = recordOf(finished.run);
  QCOMPARE(record.changes.size(), std::size_t{1});
  QCOMPARE(record.changes[0].step, std::int64_t{18});
  QCOMPARE(resumed.events(EventKind::changed).size(), std::size_t{1});
}

void TestLiveChanges::aForkHasTheSettingsButNotTheChanges() {
  ObservedRun training;
  training.requestAfter(4, {.learningRateFactor = 0.5});
  const RunResult parent = training.train(tinyRun());
  RunConfig config = recordOf(parent.run).config;
  config.recipe.epochs = 4;
  const fs::path last = RunFolder::open(parent.run).lastCheckpoint();
  ObservedRun forked;
  const RunResult fork = forked.fork(last, config);
  QCOMPARE(fork.status, RunStatus::finished);
  QVERIFY(recordOf(fork.run).changes.empty());
  QCOMPARE(recordOf(fork.run).config.recipe.learningRateFactor, 0.5);
}

void TestLiveChanges::aRecordWithoutItsChangesResumesWithTheSettingsOfTheCheckpoint() {
  ObservedRun training;
  training.observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 4) training.control.requestChange({.learningRateFactor = 0.5});
    if (batch.step == 8) training.control.requestStop();
  };
  const std::string run = training.train(tinyRun()).run;
  RunRecord record = recordOf(run);
  record.changes.clear();
  writeRunRecord(RunFolder::open(run).record(), record);
  ObservedRun resumed;
  resumed.requestAfter(10, {.epochs = 4});
  QCOMPARE(resumed.resume(run).epochs, 4);
  QCOMPARE(recordOf(run).config.recipe.learningRateFactor, 0.5);
  QCOMPARE(recordOf(run).changes.size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestLiveChanges)
#include "tst_live_changes.moc"
