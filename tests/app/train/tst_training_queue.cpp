#include <filesystem>
#include <fstream>

#include <QLabel>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QTabBar>
#include <QTest>

#include "app/session/training/training_queue.h"
#include "app/train/queue/queue_panel.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/queue_json.h"
#include "engine/runtime/error.h"
#include "tests/support/train_page_stage.h"
#include "widgets/theme/theme.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

RunConfig named(const char* name, int epochs = 1) {
  RunConfig config = smallTrainConfig(epochs);
  config.name = name;
  return config;
}

/// A queue with a scripted training.
struct QueueStage {
  std::shared_ptr<ScriptedEngine> engine = std::make_shared<ScriptedEngine>();
  QTemporaryDir folder;
  TrainingSession session{engine};
  std::unique_ptr<TrainingQueue> queue;
  QStringList trained;

  QueueStage() {
    restart();
    QObject::connect(&session, &TrainingSession::started, &session, [this] {
      trained << QString::fromStdString(session.status().record.config.name);
    });
  }

  fs::path file() const { return fs::path(folder.path().toStdString()) / "queue.json"; }

  fs::path runs() const { return fs::path(folder.path().toStdString()) / "runs"; }

  /// As a new program opens the queue.
  void restart() {
    queue.reset();
    queue = std::make_unique<TrainingQueue>(session);
    queue->setRunsFolder(runs());
    queue->setFile(file());
  }

  void train(const char* name, int epochs = 1) { session.start(named(name, epochs), runs()); }

  QStringList queued() const {
    QStringList names;
    for (const QueuedRun& each : queue->runs()) names << QString::fromStdString(each.config.name);
    return names;
  }

  std::vector<QueuedRun> stored() const {
    return queueFromJson(readFile(file(), 1 << 20), "queue.json");
  }
};

}  // namespace

class TestTrainingQueue : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void theNextBeginsWhenOneHasFinished() {
    QueueStage stage;
    stage.train("first");
    stage.queue->add(named("second"));
    stage.queue->add(named("third"));
    QTRY_COMPARE(stage.trained, (QStringList{u"first"_s, u"second"_s, u"third"_s}));
    QVERIFY(stage.queue->runs().empty());
    QTRY_VERIFY(!stage.session.isBusy());
    QTRY_VERIFY(stage.stored().empty());
  }

  void theNextBeginsAlsoWhenOneHasFailed() {
    QueueStage stage;
    stage.engine->failAt = 2;
    stage.train("first");
    stage.queue->add(named("second"));
    QTRY_COMPARE(stage.trained, (QStringList{u"first"_s, u"second"_s}));
  }

  void itWaitsWhenAPersonStopsATraining() {
    QueueStage stage;
    stage.train("first", 1000);
    QTRY_COMPARE(stage.session.state(), SessionState::running);
    stage.queue->add(named("second"));
    QVERIFY(!stage.queue->isWaiting());
    stage.session.stop();
    QTRY_VERIFY(!stage.session.isBusy());
    QTest::qWait(50);
    QVERIFY(stage.queue->isWaiting());
    QCOMPARE(stage.trained, QStringList{u"first"_s});
    stage.queue->trainNext();
    QTRY_COMPARE(stage.trained, (QStringList{u"first"_s, u"second"_s}));
  }

  void itGoesOnWhenTheStoppedTrainingIsResumed() {
    QueueStage stage;
    stage.train("first", 1000);
    QTRY_COMPARE(stage.session.state(), SessionState::running);
    stage.queue->add(named("second"));
    stage.session.stop();
    QTRY_VERIFY(!stage.session.isBusy());
    QVERIFY(stage.queue->isWaiting());
    ResumeOptions toItsEnd;
    toItsEnd.epochs = 1;
    stage.session.resumeRun(stage.session.lastResult()->run, toItsEnd);
    QTRY_COMPARE(stage.trained, (QStringList{u"first"_s, u"first"_s, u"second"_s}));
    QVERIFY(!stage.queue->isWaiting());
  }

  void anotherTrainingAfterAStopLeavesItWaiting() {
    QueueStage stage;
    stage.train("first", 1000);
    QTRY_COMPARE(stage.session.state(), SessionState::running);
    stage.queue->add(named("second"));
    stage.session.stop();
    QTRY_VERIFY(!stage.session.isBusy());
    stage.train("other");
    QTRY_COMPARE(stage.trained, (QStringList{u"first"_s, u"other"_s}));
    QTRY_VERIFY(!stage.session.isBusy());
    QTest::qWait(50);
    QVERIFY(stage.queue->isWaiting());
    QCOMPARE(stage.queued(), QStringList{u"second"_s});
  }

  void oneThatCannotStartStaysWithItsReasonAndTheNextIsTried() {
    QueueStage stage;
    stage.train("first", 20);
    stage.queue->add(named("second"));
    stage.queue->add(named("third"));
    QTRY_COMPARE(stage.trained.size(), 1);
    stage.engine->refusal = "the data is missing";
    QTRY_VERIFY(stage.queue->isWaiting());
    QCOMPARE(stage.queued(), (QStringList{u"second"_s, u"third"_s}));
    for (const QueuedRun& each : stage.queue->runs()) {
      QVERIFY(each.obstacle.find("the data is missing") != std::string::npos);
    }
    stage.engine->refusal.reset();
    stage.queue->trainNext();
    QTRY_COMPARE(stage.trained, (QStringList{u"first"_s, u"second"_s, u"third"_s}));
  }

  void runsAreMovedAndRemoved() {
    QueueStage stage;
    for (const char* name : {"a", "b", "c"}) stage.queue->add(named(name));
    stage.queue->move(2, 0);
    QCOMPARE(stage.queued(), (QStringList{u"c"_s, u"a"_s, u"b"_s}));
    stage.queue->remove(1);
    QCOMPARE(stage.queued(), (QStringList{u"c"_s, u"b"_s}));
    stage.queue->move(0, 5);
    stage.queue->remove(7);
    QCOMPARE(stage.queued(), (QStringList{u"c"_s, u"b"_s}));
  }

  void itSurvivesARestartAndDoesNotBeginByItself() {
    QueueStage stage;
    stage.queue->add(named("a"));
    stage.queue->add(named("b"));
    stage.restart();
    QTRY_COMPARE(stage.queued(), (QStringList{u"a"_s, u"b"_s}));
    QTest::qWait(50);
    QVERIFY(stage.queue->isWaiting());
    QVERIFY(stage.trained.isEmpty());
  }

  void theFileNamesTheFolderOfARunBeforeItBegins() {
    QueueStage stage;
    std::vector<QueuedRun> seen;
    fs::path place;
    stage.engine->beforeStart = [&](const NewRunPlace& wanted) {
      place = wanted.runsFolder / wanted.folderName;
      seen = stage.stored();
    };
    stage.queue->add(named("a"));
    QTRY_VERIFY(fs::exists(stage.file()));
    stage.queue->trainNext();
    QTRY_COMPARE(stage.trained, QStringList{u"a"_s});
    QTRY_VERIFY(!stage.session.isBusy());
    QCOMPARE(seen.size(), std::size_t{1});
    QCOMPARE(fs::path(seen.front().begun), place);
    QVERIFY(fs::exists(place / "run.json"));
    QTRY_VERIFY(stage.stored().empty());
  }

  void aRunThatHadBegunWhenTheStudioWasKilledIsNotTrainedAgain() {
    QueueStage stage;
    stage.queue.reset();
    fs::create_directories(stage.runs() / "begun");
    std::ofstream(stage.runs() / "begun" / "run.json") << "{}";
    const auto begun = [&](const char* name) { return (stage.runs() / name).string(); };
    writeFileDurably(stage.file(),
                     toJson(std::vector<QueuedRun>{
                         {.config = named("a"), .obstacle = {}, .begun = begun("begun")},
                         {.config = named("b"), .obstacle = {}, .begun = begun("notBegun")},
                         {.config = named("c"), .obstacle = {}}}));
    stage.restart();
    QTRY_COMPARE(stage.queued(), (QStringList{u"b"_s, u"c"_s}));
    stage.queue->trainNext();
    QTRY_COMPARE(stage.trained, (QStringList{u"b"_s, u"c"_s}));
  }

  void aTrainingThatIsStartedByHandMeanwhileGoesFirst() {
    QueueStage stage;
    stage.queue->add(named("queued"));
    QTRY_VERIFY(fs::exists(stage.file()));
    stage.queue->trainNext();
    stage.train("by hand");
    QTRY_COMPARE(stage.trained, (QStringList{u"by hand"_s, u"queued"_s}));
    QTRY_VERIFY(stage.queue->runs().empty());
  }

  void whatIsQueuedBeforeTheFileIsReadIsKeptToo() {
    QueueStage stage;
    stage.queue->add(named("a"));
    stage.restart();
    stage.queue->add(named("b"));
    QTRY_COMPARE(stage.queued(), (QStringList{u"a"_s, u"b"_s}));
    QTRY_COMPARE(stage.stored().size(), std::size_t{2});
  }

  void aDamagedFileIsReportedAndSetAside() {
    QueueStage stage;
    stage.queue.reset();
    std::ofstream(stage.file()) << "{\"schema\": 1, \"runs\": [";
    stage.queue = std::make_unique<TrainingQueue>(stage.session);
    const QueuePanel panel(*stage.queue);
    auto* problem = panel.findChild<QLabel*>(u"queueProblem"_s);
    stage.queue->setFile(stage.file());
    QTRY_VERIFY(problem->text().startsWith(u"Could not read the queue of runs."_s));
    QVERIFY(!panel.isHidden());
    QVERIFY(fs::exists(stage.file().string() + ".damaged"));
    stage.queue->add(named("a"));
    QTRY_VERIFY(fs::exists(stage.file()));
    QCOMPARE(stage.stored().size(), std::size_t{1});
    stage.queue->remove(0);
    stage.queue->dismissFileProblem();
    QVERIFY(panel.isHidden());
  }

  void aFileThatCannotBeWrittenIsReported() {
    QueueStage stage;
    stage.queue = std::make_unique<TrainingQueue>(stage.session);
    stage.queue->setFile("/proc/lambda-studio/queue.json");
    QTest::qWait(50);
    stage.queue->add(named("a"));
    QTRY_VERIFY(stage.queue->fileProblem().startsWith(u"Could not store the queue of runs."_s));
  }

  void aFileProblemIsShownUntilTheFileIsWritten() {
    QueueStage stage;
    stage.queue->add(named("a"));
    QTRY_VERIFY(fs::exists(stage.file()));
    const QueuePanel panel(*stage.queue);
    auto* problem = panel.findChild<QLabel*>(u"queueProblem"_s);
    // A folder of this name can't be replaced by a file.
    fs::remove(stage.file());
    fs::create_directory(stage.file());
    stage.queue->add(named("b"));
    QTRY_VERIFY(problem->text().startsWith(u"Could not store the queue of runs."_s));
    fs::remove(stage.file());
    stage.queue->add(named("c"));
    QTRY_VERIFY(problem->text().isEmpty());
    QCOMPARE(stage.stored().size(), std::size_t{3});
  }

  void theQueueBelongsToOneStudioAtATime() {
    QueueStage first;
    first.queue->add(named("a"));
    QTRY_VERIFY(fs::exists(first.file()));
    TrainingSession otherSession(std::make_shared<ScriptedEngine>());
    TrainingQueue other(otherSession);
    const QueuePanel panel(other);
    other.setFile(first.file());
    QTRY_VERIFY(other.owner().contains(u"belongs to another window"_s));
    QVERIFY(!panel.isHidden());
    QVERIFY(panel.findChild<QLabel*>(u"queueOwner"_s)->text().contains(u"another window"_s));
    QVERIFY(other.runs().empty());
    QVERIFY(other.add(named("b")).contains(u"another window"_s));
    QVERIFY(other.runs().empty());
    first.queue->add(named("c"));
    QTRY_COMPARE(first.stored().size(), std::size_t{2});
    // It takes over what the first one leaves.
    first.queue.reset();
    QTRY_COMPARE(other.runs().size(), std::size_t{2});
    QVERIFY(other.owner().isEmpty() && other.isWaiting());
    QVERIFY(other.add(named("b")).isEmpty());
    QTRY_COMPARE(first.stored().size(), std::size_t{3});
  }

  void theLockOfAStudioThatWasKilledIsTakenOver() {
    QueueStage stage;
    stage.queue.reset();
    QProcess killed;
    killed.start(u"sleep"_s, {u"100"_s});
    QVERIFY(killed.waitForStarted());
    const qint64 process = killed.processId();
    killed.kill();
    QVERIFY(killed.waitForFinished());
    std::ofstream(stage.file().string() + ".lock")
        << process << "\nlambda-studio\n"
        << QSysInfo::machineHostName().toStdString() << "\n\n\n";
    stage.restart();
    stage.queue->add(named("a"));
    QTRY_VERIFY(fs::exists(stage.file()));
    QVERIFY(stage.queue->owner().isEmpty());
  }

  void aFullQueueRefusesFurtherRuns() {
    QueueStage stage;
    stage.queue = std::make_unique<TrainingQueue>(stage.session);
    const RunConfig config = named("a");
    for (std::size_t i = 0; i < kMostQueuedRuns; ++i) QVERIFY(stage.queue->add(config).isEmpty());
    QVERIFY(stage.queue->add(config).contains(u"queue is full"_s));
    QCOMPARE(stage.queue->runs().size(), kMostQueuedRuns);
    std::vector<QueuedRun> tooMany(kMostQueuedRuns + 1);
    QVERIFY_THROWS_EXCEPTION(Error, toJson(tooMany));
  }

  void theSelectedRunStaysSelectedWhileAnotherStarts() {
    QueueStage stage;
    QueuePanel panel(*stage.queue);
    panel.show();
    auto* list = panel.findChild<QListWidget*>();
    stage.engine->startTime = std::chrono::milliseconds(200);
    for (const char* name : {"a", "b", "c", "d"}) stage.queue->add(named(name, 1000));
    list->setCurrentRow(2);
    stage.queue->trainNext();
    QVERIFY(stage.queue->isStarting());
    // While one starts the others stay where they are.
    QTest::keyClick(list, Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(list->currentRow(), 2);
    QTRY_COMPARE(list->count(), 3);
    QCOMPARE(list->currentRow(), 1);
    QVERIFY(list->currentItem()->text().startsWith(u"c "_s));
    QTest::keyClick(list, Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(stage.queued(), (QStringList{u"c"_s, u"b"_s, u"d"_s}));
    QCOMPARE(list->currentRow(), 0);
  }

  void theNextRunIsPreparedAndQueuedWhileOneTrains() {
    ShownTrainPage shown(1000);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    shown.bar().settingsAction()->trigger();
    auto* tabs = shown.find<QTabBar>(u"shownSettings"_s);
    auto* button = shown.find<QPushButton>(u"queue"_s);
    auto* panel = shown.find<QueuePanel>();
    QVERIFY(tabs->isVisible() && !button->isVisible() && !panel->isVisible());
    tabs->setCurrentIndex(1);
    QVERIFY(button->isVisible());
    RunConfig next = shown.document.config();
    next.recipe.epochs = 2;
    shown.document.edit(next, u"Set epochs to 2"_s);
    QTest::mouseClick(button, Qt::LeftButton);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(panel->isVisible());
    auto* list = panel->findChild<QListWidget*>();
    QCOMPARE(list->count(), 2);
    QVERIFY2(list->item(0)->text().contains(u"2 epochs"_s), qPrintable(list->item(0)->text()));
    list->setCurrentRow(1);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(list->count(), 1);
    QCOMPARE(shown.session.status().record.config.recipe.epochs, 1000);
    shown.bar().stopAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* trainNext = panel->findChild<QPushButton*>(u"trainQueue"_s);
    QTRY_VERIFY(trainNext->isVisible());
    QTest::mouseClick(trainNext, Qt::LeftButton);
    QVERIFY(shown.showsSetup());
    QTRY_COMPARE(shown.session.status().record.config.recipe.epochs, 2);
    QTRY_COMPARE(shown.ended.count(), 2);
    QVERIFY(!panel->isVisible());
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainingQueue)
#include "tst_training_queue.moc"
