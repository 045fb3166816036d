#include <filesystem>
#include <fstream>

#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QTabBar>
#include <QTest>

#include "app/session/training_queue.h"
#include "app/train/queue/queue_panel.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/queue_json.h"
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

  /// As a new program opens the queue.
  void restart() {
    queue.reset();
    queue = std::make_unique<TrainingQueue>(session);
    queue->setRunsFolder(folder.path().toStdString() + "/runs");
    queue->setFile(file());
  }

  void train(const char* name, int epochs = 1) {
    session.start(named(name, epochs), folder.path().toStdString() + "/runs");
  }

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
    QSignalSpy failures(stage.queue.get(), &TrainingQueue::fileFailed);
    stage.queue->setFile(stage.file());
    QTRY_COMPARE(failures.count(), 1);
    QVERIFY(failures[0][0].toString().startsWith(u"Could not read the queue of runs."_s));
    QVERIFY(fs::exists(stage.file().string() + ".damaged"));
    stage.queue->add(named("a"));
    QTRY_VERIFY(fs::exists(stage.file()));
    QCOMPARE(stage.stored().size(), std::size_t{1});
  }

  void aFileThatCannotBeWrittenIsReported() {
    QueueStage stage;
    stage.queue = std::make_unique<TrainingQueue>(stage.session);
    QSignalSpy failures(stage.queue.get(), &TrainingQueue::fileFailed);
    stage.queue->setFile("/proc/lambda-studio/queue.json");
    QTest::qWait(50);
    stage.queue->add(named("a"));
    QTRY_VERIFY(failures.count() >= 1);
    QVERIFY(failures.last()[0].toString().startsWith(u"Could not store the queue of runs."_s));
  }

  void theNextRunIsPreparedAndQueuedWhileOneTrains() {
    ShownTrainPage shown(1000);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    shown.bar().settingsAction()->trigger();
    auto* tabs = shown.find<QTabBar>();
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
