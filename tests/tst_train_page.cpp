#include <QAbstractItemModelTester>
#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/session/project_document.h"
#include "app/session/training_session.h"
#include "app/train/elided_label.h"
#include "app/train/live/epoch_strip.h"
#include "app/train/live/live_panel.h"
#include "app/train/run/curves_panel.h"
#include "app/train/run/event_list.h"
#include "app/train/run/result_banner.h"
#include "app/train/run/run_view.h"
#include "app/train/run/transport_bar.h"
#include "app/train/setup/setup_view.h"
#include "app/train/train_page.h"
#include "app/train/train_status.h"
#include "tests/support/scripted_engine.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/curve_toolbar.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

RunConfig smallConfig(int epochs) {
  RunConfig config;
  config.name = "scripted";
  config.data.validationCount = 2000;
  config.recipe.epochs = epochs;
  Stage stage;
  stage.width = 16;
  stage.blocks = {Block{LambdaMixer{}}};
  config.architecture.family = Family::basic;
  config.architecture.stages = {stage};
  return config;
}

/// The page with an engine that is scripted, shown.
struct Shown {
  std::shared_ptr<ScriptedEngine> engine = std::make_shared<ScriptedEngine>();
  QTemporaryDir folder;
  ProjectDocument document;
  TrainingSession session{engine};
  TrainPage page{document, session};
  QSignalSpy ended{&session, &TrainingSession::ended};

  explicit Shown(int epochs = 3) {
    document.startFrom(smallConfig(epochs));
    page.setRunsFolder(folder.path().toStdString());
    page.setDevice(u"The CPU: this engine is scripted."_s, 2);
    page.resize(1208, 730);
    page.show();
    [[maybe_unused]] const bool exposed = QTest::qWaitForWindowExposed(&page);
  }

  template <class T>
  T* find(const QString& name = {}) const {
    return page.findChild<T*>(name);
  }

  QAction* action(const QString& text) const {
    for (QAction* action : page.pageActions()) {
      if (action && action->text() == text) return action;
    }
    return nullptr;
  }

  TransportBar& bar() const { return *find<TransportBar>(); }

  bool showsSetup() const { return find<SetupView>()->isVisible(); }

  QString words() const { return find<QLabel>(u"words"_s)->text(); }

  /// Which of start, pause, step and stop can be done.
  QString enabled() const {
    QString text;
    if (bar().startAction()->isEnabled()) text += u"start "_s;
    if (bar().pauseAction()->isEnabled()) text += bar().pauseAction()->text().toLower() + u" "_s;
    if (bar().stepAction()->isEnabled()) text += u"step "_s;
    if (bar().stopAction()->isEnabled()) text += u"stop "_s;
    return text.trimmed();
  }
};

}  // namespace

class TestTrainPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void everyStateHasItsButtonsAndWords() {
    Shown shown(200);
    QCOMPARE(shown.enabled(), u"start"_s);
    shown.bar().startAction()->trigger();
    QCOMPARE(shown.session.state(), SessionState::starting);
    QCOMPARE(shown.enabled(), u"pause step stop"_s);
    QVERIFY(shown.words().contains(u"Starting"_s));
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    QCOMPARE(shown.enabled(), u"pause step stop"_s);
    shown.bar().pauseAction()->trigger();
    QCOMPARE(shown.session.state(), SessionState::pausing);
    QCOMPARE(shown.enabled(), u"continue step stop"_s);
    QVERIFY(shown.words().contains(u"Pausing"_s));
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    QVERIFY(shown.words().contains(u"Paused"_s));
    const std::int64_t before = shown.session.status().step;
    shown.bar().stepAction()->trigger();
    QTRY_COMPARE(shown.session.status().step, before + 1);
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    shown.bar().pauseAction()->trigger();
    QCOMPARE(shown.session.state(), SessionState::running);
    QVERIFY(shown.words().contains(u"Training"_s));
    shown.bar().stopAction()->trigger();
    QCOMPARE(shown.enabled(), QString());
    QVERIFY(shown.words().contains(u"Stopping"_s));
    QTRY_COMPARE(shown.ended.count(), 1);
    QCOMPARE(shown.enabled(), u"start"_s);
  }

  void keysDoWhatTheButtonsDo() {
    Shown shown(200);
    QTest::keyClick(&shown.page, Qt::Key_F5);
    QCOMPARE(shown.session.state(), SessionState::starting);
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    QTest::keyClick(&shown.page, Qt::Key_F6);
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    const std::int64_t before = shown.session.status().step;
    QTest::keyClick(&shown.page, Qt::Key_F10);
    QTRY_COMPARE(shown.session.status().step, before + 1);
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    CurvePlot* plot = shown.find<CurvePlot>();
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Space);
    QCOMPARE(shown.session.state(), SessionState::running);
    QTest::keyClick(&shown.page, Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void anErrorStopsTheStartAndIsShown() {
    Shown shown;
    RunConfig config = shown.document.config();
    config.recipe.optimizer.momentum = 0;
    shown.document.edit(config, u"Set momentum to 0"_s);
    QVERIFY(shown.words().contains(u"One problem"_s));
    shown.bar().startAction()->trigger();
    QVERIFY(!shown.session.isBusy());
    auto* banner = shown.find<ResultBanner>();
    QVERIFY(banner->isVisible());
    QVERIFY(banner->findChild<QLabel*>(u"result"_s)->text().contains(u"momentum"_s));
    QVERIFY(shown.page.focusWidget() &&
            shown.page.focusWidget() != shown.find<QPushButton>(u"start"_s));
  }

  void anErrorInTheNetworkLeadsToDesign() {
    Shown shown;
    QSignalSpy design(&shown.page, &TrainPage::designRequested);
    RunConfig config = shown.document.config();
    config.architecture.classes = 7;
    shown.document.edit(config, u"Set classes to 7"_s);
    shown.bar().startAction()->trigger();
    QCOMPARE(design.count(), 1);
    QCOMPARE(design[0][0].value<std::string>(), std::string("architecture.classes"));
  }

  void missingDataStopTheStart() {
    Shown shown;
    shown.page.setDataFolder("/nowhere/cifar10");
    RunConfig config = shown.document.config();
    config.data.source = "cifar10";
    shown.document.edit(config, u"Set data set to cifar10"_s);
    shown.bar().startAction()->trigger();
    QVERIFY(!shown.session.isBusy());
    QCOMPARE(shown.engine->trainings(), 0);
  }

  void aRefusedStartSaysWhyAndShowsTheSettings() {
    Shown shown;
    shown.engine->refusal = "the disk is full";
    QSignalSpy refused(&shown.session, &TrainingSession::startRefused);
    shown.bar().startAction()->trigger();
    QVERIFY(refused.wait());
    QVERIFY(shown.showsSetup());
    auto* text = shown.find<ResultBanner>()->findChild<QLabel*>(u"result"_s);
    QVERIFY2(text->text().contains(u"disk is full"_s), qPrintable(text->text()));
  }

  void settingsCanBeReadButNotChangedWhileItTrains() {
    Shown shown(500);
    shown.bar().startAction()->trigger();
    QVERIFY(!shown.showsSetup());
    shown.bar().settingsAction()->trigger();
    QVERIFY(shown.showsSetup());
    for (QWidget* editor : shown.find<SetupView>()->findChildren<QAbstractSpinBox*>()) {
      QVERIFY(!editor->isEnabled() || static_cast<QAbstractSpinBox*>(editor)->isReadOnly());
    }
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void curvesEventsAndMarksFollowTheRun() {
    Shown shown(3);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* plot = shown.find<CurvePlot>();
    QTRY_VERIFY(plot->visibleRange().second >= 60);
    const QString csv = plot->toCsv();
    QCOMPARE(csv.count(u"batches,Loss"_s), 60);
    QCOMPARE(csv.count(u"validation,Accuracy"_s), 3);
    auto* events = shown.find<EventList>();
    const QAbstractItemModelTester tester(events->model());
    QTRY_COMPARE(events->model()->rowCount(),
                 static_cast<int>(shown.session.metrics().events.size()));
    QSignalSpy chosen(events, &EventList::eventChosen);
    QTest::mouseClick(events->viewport(),
                      Qt::LeftButton,
                      {},
                      events->visualRect(events->model()->index(2, EventModel::kText)).center());
    QCOMPARE(chosen.count(), 1);
    QVERIFY(plot->crosshair().has_value());
  }

  void hiddenPagesCatchUpWhenTheyAreShown() {
    Shown shown(3);
    shown.bar().startAction()->trigger();
    shown.page.hide();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* plot = shown.find<CurvePlot>();
    QVERIFY(plot->toCsv().count(u"batches,Loss"_s) < 60);
    shown.page.show();
    QTRY_COMPARE(plot->toCsv().count(u"batches,Loss"_s), 60);
  }

  void finishedRunsOfferWhatComesNext() {
    Shown shown(2);
    QSignalSpy inspect(&shown.page, &TrainPage::inspectRequested);
    QSignalSpy runs(&shown.page, &TrainPage::runsRequested);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* banner = shown.find<ResultBanner>();
    QVERIFY(banner->isVisible());
    QVERIFY(banner->findChild<QLabel*>(u"result"_s)->text().contains(u"test 75.0 %"_s));
    banner->findChild<QPushButton*>(u"inspect"_s)->click();
    banner->findChild<QPushButton*>(u"runs"_s)->click();
    QCOMPARE(inspect.count(), 1);
    QCOMPARE(runs.count(), 1);
    banner->findChild<QPushButton*>(u"again"_s)->click();
    QVERIFY(shown.showsSetup());
  }

  void stoppedRunsCanBeResumed() {
    Shown shown(100);
    shown.bar().startAction()->trigger();
    QTRY_VERIFY(shown.session.status().step > 5);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
    const std::int64_t before = shown.session.status().step;
    auto* resume = shown.find<ResultBanner>()->findChild<QPushButton*>(u"resume"_s);
    QVERIFY(resume->isVisible());
    resume->click();
    QTRY_VERIFY(shown.session.status().step > before);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 2);
    // One line: no step twice.
    const QString csv = shown.find<CurvePlot>()->toCsv();
    QCOMPARE(csv.count(u"batches,Loss,%1,"_s.arg(before)), 1);
  }

  void failedRunsSayWhatHappenedAndGoOnWithHalfTheLearningRate() {
    Shown shown(10);
    shown.engine->failAt = 30;
    shown.engine->failure =
        "step 31: a value is not finite\n  fork the last checkpoint with a lower learning rate: "
        "--set recipe.optimizer.learningRate=0.05";
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* banner = shown.find<ResultBanner>();
    const QString text = banner->findChild<QLabel*>(u"result"_s)->text();
    QVERIFY2(text.contains(u"not finite"_s) && !text.contains(u"--set"_s), qPrintable(text));
    auto* halve = banner->findChild<QPushButton*>(u"halve"_s);
    QVERIFY(halve->isVisible());
    halve->click();
    QTRY_COMPARE(shown.session.status().record.config.recipe.optimizer.learningRate, 0.05);
    QTRY_COMPARE(shown.ended.count(), 2);
  }

  void notANumberIsDrawnAndCounted() {
    Shown shown(2);
    shown.engine->notANumberAt = 7;
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QTRY_COMPARE(shown.find<CurvePlot>()->toCsv().count(u"NaN"_s), 2);
  }

  void livePicturesFollowTheTrainingAndKeepEpochs() {
    Shown shown(400);
    shown.engine->batchTime = std::chrono::milliseconds(3);
    auto* live = shown.find<LivePanel>();
    shown.bar().startAction()->trigger();
    QTRY_VERIFY(live->shown() != nullptr);
    const std::int64_t first = live->shown()->step;
    QTRY_VERIFY_WITH_TIMEOUT(live->shown()->step > first, 3000);
    QTRY_VERIFY(live->strip().count() > 0);
    shown.session.pause();
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    QTRY_COMPARE(live->shown()->step, shown.session.status().step);
    shown.session.stepOnce();
    QTRY_COMPARE(shown.session.state(), SessionState::paused);
    QTRY_COMPARE(live->shown()->step, shown.session.status().step);
    live->strip().setFocus();
    QTest::keyClick(&live->strip(), Qt::Key_Left);
    QVERIFY(live->strip().chosen() > 0);
    QCOMPARE(live->shown()->epoch, live->strip().chosen());
    QTest::keyClick(&live->strip(), Qt::Key_Escape);
    QCOMPARE(live->shown()->step, shown.session.status().step);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void requestsNeverQueueUp() {
    Shown shown(400);
    // Epochs end with a request of their own: none does here.
    shown.engine->batchesPerEpoch = 100'000;
    std::atomic<int> asked = 0;
    const auto usual = shown.engine->snapshot;
    shown.engine->snapshot = [&](const RunConfig& config,
                                 const InspectionRequest& request,
                                 std::int64_t step,
                                 int epoch) {
      ++asked;
      return usual(config, request, step, epoch);
    };
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    QTest::qWait(1200);
    QVERIFY2(asked >= 1 && asked <= 4, qPrintable(QString::number(asked)));
    shown.page.hide();
    QTest::qWait(50);
    const int before = asked;
    QTest::qWait(700);
    QVERIFY(asked - before <= 1);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void aNetworkWithoutLambdaLayersSaysSo() {
    Shown shown(2);
    RunConfig config = shown.document.config();
    config.architecture.stages[0].blocks = {Block{ConvolutionMixer{}}};
    shown.document.edit(config, u"Use a convolution"_s);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    QVERIFY(shown.find<QLabel>(u"noLambda"_s)->isVisible());
  }

  void layoutIsRemembered() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(u"layout.ini"_s), QSettings::IniFormat);
    {
      Shown shown;
      auto* plot = shown.find<CurvePlot>();
      plot->setSmoothing(0.99);
      plot->setAxis(CurveAxis::epochs);
      shown.find<SetupView>()->setAllShown(true);
      shown.page.saveLayout(settings);
    }
    for (const QString& key : settings.allKeys())
      QVERIFY2(key.startsWith(u"train/"_s), qPrintable(key));
    Shown shown;
    shown.page.restoreLayout(settings);
    QCOMPARE(shown.find<CurvePlot>()->smoothing(), 0.99);
    QCOMPARE(shown.find<CurvePlot>()->axis(), CurveAxis::epochs);
    QVERIFY(shown.find<SetupView>()->allShown());
  }

  void theStatusBarTellsHowItGoes() {
    Shown shown(300);
    TrainStatus status(shown.session);
    status.show();
    const auto text = [&](const char* name) {
      return status.findChild<QLabel*>(QString::fromLatin1(name))->text();
    };
    QCOMPARE(text("state"), u"Not training"_s);
    shown.bar().startAction()->trigger();
    QVERIFY(text("state").startsWith(u"Starting"_s));
    QTRY_VERIFY(text("state").contains(u"of 300"_s));
    QTRY_COMPARE(text("throughput"), u"640 images/s"_s);
    QVERIFY(text("load").contains(u"cores"_s));
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
    QCOMPARE(text("state"), u"Not training"_s);
  }

  void everyButtonAnswersWithinATenthOfASecond() {
    Shown shown(500);
    shown.engine->batchTime = std::chrono::milliseconds(20);
    const auto milliseconds = [](auto wish) {
      QElapsedTimer timer;
      timer.start();
      wish();
      return timer.elapsed();
    };
    QVERIFY(milliseconds([&] { shown.bar().startAction()->trigger(); }) < 100);
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    QVERIFY(milliseconds([&] { shown.bar().pauseAction()->trigger(); }) < 100);
    QVERIFY(milliseconds([&] { shown.bar().stepAction()->trigger(); }) < 100);
    QVERIFY(milliseconds([&] { shown.bar().stopAction()->trigger(); }) < 100);
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void bothThemesCanBeSwitchedWhileItTrains() {
    Shown shown(300);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
      applyTheme(*qApp, choice);
      QVERIFY(!shown.page.grab().isNull());
    }
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainPage)
#include "tst_train_page.moc"
