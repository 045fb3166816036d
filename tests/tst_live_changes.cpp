#include <algorithm>
#include <filesystem>
#include <fstream>

#include <QTest>

#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"
#include "engine/training/trainer.h"
#include "engine/values/config/schedule.h"
#include "tests/support/run_content.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace lambda;

namespace {

constexpr int kBatches = 6;  // Per epoch of tinyRun().

/// Whether a run's state on disk is taken as a kill leaves it.
enum class Saves { endsOfEpochs, everyBatch };

RunConfig runWith(Saves saves) {
  RunConfig config = randomRun(OptimizerKind::sgd);
  config.checkpoints.everyMinutes = saves == Saves::everyBatch ? 1e-6 : 0;
  return config;
}

/// What must be equal in two runs of the same course.
struct Course {
  std::map<std::string, std::vector<std::byte>> tensors;
  std::vector<double> losses;
  std::vector<double> rates;
  std::vector<EpochRecord> epochs;
  std::vector<std::pair<std::int64_t, std::string>> changeEvents;
  std::vector<RunChange> changes;
  std::vector<std::string> checkpoints;
  RunConfig config;
  std::optional<double> best;
  std::optional<double> test;

  bool operator==(const Course&) const = default;
};

Course courseOf(const fs::path& run) {
  const RunFolder folder = RunFolder::open(run);
  const Metrics metrics = readMetrics(folder.metrics());
  const RunRecord record = recordOf(run);
  Course course{.tensors = tensorsOf(run),
                .losses = lossesOf(run),
                .epochs = metrics.epochs,
                .changes = record.changes,
                .config = record.config,
                .best = record.bestValidationAccuracy,
                .test = record.testAccuracy};
  for (const BatchRecord& each : metrics.batches) course.rates.push_back(each.learningRate);
  for (EpochRecord& each : course.epochs) {
    each.seconds = each.imagesPerSecond = each.dataShare = 0;
  }
  for (const EventRecord& each : metrics.events) {
    if (each.kind == EventKind::changed) course.changeEvents.emplace_back(each.step, each.text);
  }
  for (const fs::path& path : folder.checkpointsNewestFirst()) {
    course.checkpoints.push_back(path.filename().string());
  }
  return course;
}

/// What differs first, for the message of a failed test.
const char* differenceOf(const Course& a, const Course& b) {
  if (a.changes != b.changes) return "the changes";
  if (a.rates != b.rates) return "the learning rates";
  if (a.losses != b.losses) return "the losses";
  if (a.epochs != b.epochs) return "the epochs";
  if (a.changeEvents != b.changeEvents) return "the events";
  if (a.tensors != b.tensors) return "the tensors";
  if (a.checkpoints != b.checkpoints) return "the checkpoints";
  if (!(a.config == b.config)) return "the configuration";
  return a.best != b.best || a.test != b.test ? "the results" : nullptr;
}

/// Requests a change after the batch `step`, before the next one.
void requestAfter(RecordingObserver& observer,
                  RunControl& control,
                  std::int64_t step,
                  const ChangeRequest& request) {
  observer.onBatch = [&control, step, request](const BatchRecord& batch) {
    if (batch.step == step) control.requestChange(request);
  };
}

std::vector<EventRecord> eventsOf(const RecordingObserver& observer, EventKind kind) {
  std::vector<EventRecord> found;
  std::ranges::copy_if(observer.events, std::back_inserter(found), [kind](const EventRecord& each) {
    return each.kind == kind;
  });
  return found;
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
  void moreEpochsOfAFinishedRunAreAChange();
  void aForkHasTheSettingsButNotTheChanges();
  void aRecordWithoutItsChangesResumesWithTheSettingsOfTheCheckpoint();
};

void TestLiveChanges::aFactorTakesEffectAfterItsStep() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  requestAfter(observer, control, 4, {.learningRateFactor = 0.5});
  const RunConfig config = tinyRun();
  const RunResult result = trainRun(config, folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::finished);
  for (const BatchRecord& batch : observer.batches) {
    const int before = static_cast<int>(batch.step) - 1;
    const double rate =
        learningRateOfStep(config.recipe, before / kBatches, before % kBatches, kBatches);
    QCOMPARE(batch.learningRate, batch.step <= 4 ? rate : rate * 0.5);
  }
  const std::vector<EventRecord> events = eventsOf(observer, EventKind::changed);
  QCOMPARE(events.size(), std::size_t{1});
  QCOMPARE(events[0].step, std::int64_t{4});
  QCOMPARE(events[0].text, std::string("learning rate factor from 1 to 0.5"));
  const RunRecord record = recordOf(result.run);
  QCOMPARE(record.changes.size(), std::size_t{1});
  QCOMPARE(record.changes[0].step, std::int64_t{4});
  QCOMPARE(record.config.recipe.learningRateFactor, 0.5);
}

void TestLiveChanges::theRecordHasAChangeBeforeItTakesEffect() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  requestAfter(observer, control, 4, {.learningRateFactor = 0.5});
  bool isSeen = false;
  observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::changed) return;
    isSeen = true;
    QCOMPARE(observer.batches.size(), std::size_t{4});
    QCOMPARE(recordOf(observer.run).changes.size(), std::size_t{1});
    const Metrics metrics = readMetrics(RunFolder::open(observer.run).metrics());
    QVERIFY(metrics.events.back() == event);
  };
  trainRun(tinyRun(), folder.path(), control, observer);
  QVERIFY(isSeen);
}

void TestLiveChanges::moreEpochsFollowTheScheduleOfThatManyEpochs() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  requestAfter(observer, control, 8, {.epochs = 5});
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(result.epochs, 5);
  Recipe longer = tinyRun().recipe;
  longer.epochs = 5;
  for (const BatchRecord& batch : observer.batches) {
    const int before = static_cast<int>(batch.step) - 1;
    const Recipe recipe = batch.step <= 8 ? tinyRun().recipe : longer;
    QCOMPARE(batch.learningRate,
             learningRateOfStep(recipe, before / kBatches, before % kBatches, kBatches));
  }
}

void TestLiveChanges::fewerEpochsEndTheRunEarlier() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  requestAfter(observer, control, 8, {.epochs = 2});
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::finished);
  QCOMPARE(result.epochs, 2);
  QVERIFY(result.testAccuracy);
  QCOMPARE(observer.batches.size(), std::size_t{12});
}

void TestLiveChanges::fewerEpochsThanRunAreRefusedAndNothingChanges() {
  const TemporaryFolder folder;
  RunControl control, undisturbed;
  RecordingObserver observer, silent;
  requestAfter(observer, control, 8, {.epochs = 1});
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  const RunResult expected = trainRun(tinyRun(), folder.path(), undisturbed, silent);
  const std::vector<EventRecord> warnings = eventsOf(observer, EventKind::warning);
  QCOMPARE(warnings.size(), std::size_t{1});
  QVERIFY2(warnings[0].text.find("fewer than 2 epochs") != std::string::npos,
           warnings[0].text.c_str());
  QCOMPARE(differenceOf(courseOf(result.run), courseOf(expected.run)), nullptr);
}

void TestLiveChanges::nothingIsChangedWhileTheTestImagesAreScored() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    if (progress.phase == "test") control.requestChange({.epochs = 9});
  };
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(result.status, RunStatus::finished);
  QCOMPARE(result.epochs, 3);
  QVERIFY(recordOf(result.run).changes.empty());
  const std::vector<EventRecord> warnings = eventsOf(observer, EventKind::warning);
  QVERIFY(!warnings.empty());
  QVERIFY(warnings[0].text.find("all epochs are done") != std::string::npos);
}

void TestLiveChanges::aChangeThatCannotBeRecordedIsRefused() {
  const TemporaryFolder folder;
  RunControl control, undisturbed;
  RecordingObserver observer, silent;
  fs::path record;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step != 4) return;
    record = RunFolder::open(observer.run).record();
    // A folder of this name can't be replaced by a file.
    fs::rename(record, record.string() + ".aside");
    fs::create_directory(record);
    control.requestChange({.learningRateFactor = 0.5});
  };
  observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::warning) return;
    fs::remove(record);
    fs::rename(record.string() + ".aside", record);
  };
  const RunResult result = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(eventsOf(observer, EventKind::warning).size(), std::size_t{1});
  const RunResult expected = trainRun(tinyRun(), folder.path(), undisturbed, silent);
  QCOMPARE(differenceOf(courseOf(result.run), courseOf(expected.run)), nullptr);
}

void TestLiveChanges::changesAreMadeWhilePausedAndBeforeAStop() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 4) control.pause();
    if (batch.step != 9) return;
    control.requestChange({.epochs = 4});
    control.requestStop();
  };
  observer.onEvent = [&](const EventRecord& event) {
    if (event.kind == EventKind::paused) control.requestChange({.learningRateFactor = 2});
    if (event.kind != EventKind::changed || event.step != 4) return;
    QCOMPARE(recordOf(observer.run).status, RunStatus::paused);
    control.resume();
  };
  const RunResult stopped = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(stopped.status, RunStatus::stopped);
  const RunRecord record = recordOf(stopped.run);
  QCOMPARE(record.changes.size(), std::size_t{2});
  QCOMPARE(record.changes[0].step, std::int64_t{4});
  QCOMPARE(record.config.recipe.epochs, 4);
  RunControl again;
  RecordingObserver silent;
  QCOMPARE(resumeRun(stopped.run, {}, again, silent).epochs, 4);
  QVERIFY(eventsOf(silent, EventKind::changed).empty());
}

void TestLiveChanges::theCheckpointPolicyHoldsFromTheChangeOn() {
  const TemporaryFolder folder;
  RunConfig config = tinyRun();
  config.checkpoints = {.everyEpochs = 0, .keepEpochs = 0, .keepBest = false, .everyMinutes = 0};
  RunControl control;
  RecordingObserver observer;
  requestAfter(observer,
               control,
               8,
               {.checkpoints = CheckpointConfig{
                    .everyEpochs = 1, .keepEpochs = 0, .keepBest = true, .everyMinutes = 0}});
  const RunResult result = trainRun(config, folder.path(), control, observer);
  const RunFolder run = RunFolder::open(result.run);
  QVERIFY(!fs::exists(run.epochCheckpoint(1)));
  QVERIFY(fs::exists(run.epochCheckpoint(2)));
  QVERIFY(fs::exists(run.epochCheckpoint(3)));
  // The weights of epoch 1 are not kept, so that a later epoch is the best.
  QVERIFY(fs::exists(run.bestCheckpoint()));
  const double best =
      std::max(observer.epochs[1].validation->accuracy, observer.epochs[2].validation->accuracy);
  QCOMPARE(result.bestValidationAccuracy, std::optional(best));
}

void TestLiveChanges::aKilledRunRepeatsItsChanges_data() {
  QTest::addColumn<bool>("everyBatch");
  QTest::addColumn<ChangeRequest>("request");
  QTest::addColumn<QString>("moment");
  const CheckpointConfig policy{
      .everyEpochs = 2, .keepEpochs = 1, .keepBest = false, .everyMinutes = 0};
  CheckpointConfig often = policy;
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
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  // A copy of the folder is what a kill at that moment leaves.
  std::vector<fs::path> killed;
  const auto kill = [&] {
    killed.push_back(folder.path() / ("killed-" + std::to_string(killed.size())));
    fs::copy(observer.run, killed.back(), fs::copy_options::recursive);
  };
  bool isChanged = false;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (moment == QStringLiteral("batch") && batch.step == 8) control.requestChange(request);
    if (isChanged) kill();
  };
  observer.onEvaluated = [&](const EvaluationProgress& progress) {
    const bool isHere = observer.epochs.size() == 1 && progress.phase == "validation";
    if (moment == QStringLiteral("evaluation") && isHere) control.requestChange(request);
  };
  observer.onEvent = [&](const EventRecord& event) {
    const bool isHere = event.kind == EventKind::checkpoint && event.text == "epoch 2";
    if (moment == QStringLiteral("epoch") && isHere) control.requestChange(request);
    isChanged = isChanged || event.kind == EventKind::changed;
    if (isChanged) kill();
  };
  const RunConfig config = runWith(everyBatch ? Saves::everyBatch : Saves::endsOfEpochs);
  const RunResult whole = trainRun(config, folder.path() / "runs", control, observer);
  QCOMPARE(whole.status, RunStatus::finished);
  QVERIFY(isChanged);
  const Course expected = courseOf(whole.run);
  QCOMPARE(expected.changes.size(), std::size_t{1});
  killed.pop_back();  // The run has ended: there is nothing to resume.
  QVERIFY(killed.size() >= 5);
  // The moments around the change, and some of those that follow.
  for (std::size_t i = 0; i < killed.size(); i += i < 2 ? 1 : 4) {
    const fs::path& run = killed[i];
    RunControl again;
    RecordingObserver silent;
    QCOMPARE(resumeRun(run, {}, again, silent).status, RunStatus::finished);
    const char* difference = differenceOf(courseOf(run), expected);
    QVERIFY2(difference == nullptr, difference);
  }
}

void TestLiveChanges::aChangeBetweenEpochsIsNotRepeatedBeforeTheEndOfTheEarlierOne() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const fs::path killed = folder.path() / "killed";
  observer.onEvent = [&](const EventRecord& event) {
    if (event.kind == EventKind::checkpoint && event.text == "epoch 2") {
      control.requestChange({.learningRateFactor = 0.3, .epochs = 4});
    }
    if (event.kind != EventKind::changed) return;
    fs::copy(observer.run, killed, fs::copy_options::recursive);
  };
  const RunResult whole =
      trainRun(runWith(Saves::endsOfEpochs), folder.path() / "runs", control, observer);
  // It resumes from the end of epoch 1. The end of epoch 2 has the step of the change.
  const RunFolder run = RunFolder::open(killed);
  fs::remove(run.lastCheckpoint());
  fs::remove(run.epochCheckpoint(2));
  RunControl again;
  RecordingObserver silent;
  resumeRun(killed, {}, again, silent);
  QCOMPARE(differenceOf(courseOf(killed), courseOf(whole.run)), nullptr);
}

void TestLiveChanges::anEventThatAKillHasLostIsWrittenWhenItIsRepeated() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  requestAfter(observer, control, 8, {.learningRateFactor = 0.3, .epochs = 4});
  const fs::path killed = folder.path() / "killed";
  observer.onEvent = [&](const EventRecord& event) {
    if (event.kind != EventKind::changed) return;
    fs::copy(observer.run, killed, fs::copy_options::recursive);
    const fs::path metrics = RunFolder::open(killed).metrics();
    std::string text = readFile(metrics, 1 << 20);
    text.erase(text.rfind('\n', text.size() - 2) + 1);
    writeFileDurably(metrics, text);
  };
  const RunResult whole =
      trainRun(runWith(Saves::endsOfEpochs), folder.path() / "runs", control, observer);
  QVERIFY(courseOf(killed).changeEvents.empty());
  RunControl again;
  RecordingObserver silent;
  resumeRun(killed, {}, again, silent);
  QCOMPARE(differenceOf(courseOf(killed), courseOf(whole.run)), nullptr);
}

void TestLiveChanges::anOptionReplacesLaterChangesOfItsSetting() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const fs::path killed = folder.path() / "killed";
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 8) control.requestChange({.learningRateFactor = 0.3, .epochs = 5});
    if (batch.step == 9) fs::copy(observer.run, killed, fs::copy_options::recursive);
    if (batch.step == 10) control.requestStop();
  };
  trainRun(runWith(Saves::endsOfEpochs), folder.path() / "runs", control, observer);
  // It resumes from step 6 with 3 epochs, and the change of step 8 still sets the factor.
  RunControl again;
  RecordingObserver resumed;
  QCOMPARE(resumeRun(killed, {.epochs = 4}, again, resumed).epochs, 4);
  const std::vector<EventRecord> events = eventsOf(resumed, EventKind::changed);
  QCOMPARE(events.size(), std::size_t{2});
  QCOMPARE(events[0].text, std::string("epochs from 3 to 4"));
  QCOMPARE(events[0].step, std::int64_t{6});
  QCOMPARE(events[1].text, std::string("learning rate factor from 1 to 0.3"));
  QCOMPARE(events[1].step, std::int64_t{8});
}

void TestLiveChanges::aNewChangeReplacesThoseThatWouldBeRepeated() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  const fs::path killed = folder.path() / "killed";
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 10) control.requestChange({.learningRateFactor = 0.3, .epochs = 5});
    if (batch.step != 11) return;
    fs::copy(observer.run, killed, fs::copy_options::recursive);
    control.requestStop();
  };
  trainRun(runWith(Saves::endsOfEpochs), folder.path() / "runs", control, observer);
  RunControl again;
  RecordingObserver resumed;
  requestAfter(resumed, again, 8, {.learningRateFactor = 0.7});
  QCOMPARE(resumeRun(killed, {}, again, resumed).epochs, 5);
  const RunRecord record = recordOf(killed);
  QCOMPARE(record.changes.size(), std::size_t{2});
  QCOMPARE(textOf(record.changes[0]), std::string("learning rate factor from 1 to 0.7"));
  QCOMPARE(textOf(record.changes[1]), std::string("epochs from 3 to 5"));
  QCOMPARE(record.config.recipe.learningRateFactor, 0.7);
}

void TestLiveChanges::moreEpochsOfAFinishedRunAreAChange() {
  const TemporaryFolder folder;
  RunControl control, again;
  RecordingObserver observer, resumed;
  const RunResult finished = trainRun(tinyRun(), folder.path(), control, observer);
  QCOMPARE(resumeRun(finished.run, {.epochs = 5}, again, resumed).epochs, 5);
  const RunRecord record = recordOf(finished.run);
  QCOMPARE(record.changes.size(), std::size_t{1});
  QCOMPARE(record.changes[0].step, std::int64_t{18});
  QCOMPARE(eventsOf(resumed, EventKind::changed).size(), std::size_t{1});
}

void TestLiveChanges::aForkHasTheSettingsButNotTheChanges() {
  const TemporaryFolder folder;
  RunControl control, forked;
  RecordingObserver observer, silent;
  requestAfter(observer, control, 4, {.learningRateFactor = 0.5});
  const RunResult parent = trainRun(tinyRun(), folder.path(), control, observer);
  RunConfig config = recordOf(parent.run).config;
  config.recipe.epochs = 4;
  const fs::path last = RunFolder::open(parent.run).lastCheckpoint();
  const RunResult fork = forkRun(last, config, folder.path(), forked, silent);
  QCOMPARE(fork.status, RunStatus::finished);
  QVERIFY(recordOf(fork.run).changes.empty());
  QCOMPARE(recordOf(fork.run).config.recipe.learningRateFactor, 0.5);
}

void TestLiveChanges::aRecordWithoutItsChangesResumesWithTheSettingsOfTheCheckpoint() {
  const TemporaryFolder folder;
  RunControl control;
  RecordingObserver observer;
  observer.onBatch = [&](const BatchRecord& batch) {
    if (batch.step == 4) control.requestChange({.learningRateFactor = 0.5});
    if (batch.step == 8) control.requestStop();
  };
  const std::string run = trainRun(tinyRun(), folder.path(), control, observer).run;
  RunRecord record = recordOf(run);
  record.changes.clear();
  writeRunRecord(RunFolder::open(run).record(), record);
  RunControl again;
  RecordingObserver resumed;
  requestAfter(resumed, again, 10, {.epochs = 4});
  QCOMPARE(resumeRun(run, {}, again, resumed).epochs, 4);
  QCOMPARE(recordOf(run).config.recipe.learningRateFactor, 0.5);
  QCOMPARE(recordOf(run).changes.size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestLiveChanges)
#include "tst_live_changes.moc"
