#include <QAction>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/train/data/data_panel.h"
#include "app/train/run/result_banner.h"
#include "app/train/train_status.h"
#include "tests/support/train_page_stage.h"
#include "widgets/forms/field_form.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestTrainPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void everyStateHasItsButtonsAndWords() {
    ShownTrainPage shown(200);
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

  void theHeadShowsTheNameOfTheRun() {
    ShownTrainPage shown(200);
    RunConfig config = shown.document.config();
    config.name = "A name with 100%1";
    shown.document.startFrom(config);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    QCOMPARE(shown.page.findChild<QLabel*>(u"title"_s)->text(), u"A name with 100%1"_s);
    shown.bar().stopAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
  }

  void keysDoWhatTheButtonsDo() {
    ShownTrainPage shown(200);
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
    ShownTrainPage shown;
    RunConfig config = shown.document.config();
    config.recipe.optimizer.kind = Sgd{.momentum = 0};
    shown.document.edit(config, u"Set momentum to 0"_s);
    QVERIFY(shown.words().contains(u"momentum"_s));
    shown.bar().startAction()->trigger();
    QVERIFY(!shown.session.isBusy());
    auto* banner = shown.find<ResultBanner>();
    QVERIFY(banner->isVisible());
    QVERIFY(banner->findChild<QLabel*>(u"result"_s)->text().contains(u"momentum"_s));
    QVERIFY(shown.page.focusWidget() &&
            shown.page.focusWidget() != shown.find<QPushButton>(u"start"_s));
  }

  void aFixedErrorTakesItsRefusalAway() {
    ShownTrainPage shown;
    RunConfig config = shown.document.config();
    const RunConfig right = config;
    config.recipe.batchSize = 1'000'000;
    shown.document.edit(config, u"Use a batch that is too large"_s);
    QVERIFY(!shown.find<QLabel>(u"recipe"_s)->accessibleName().contains(u"0 ×"_s));
    shown.bar().startAction()->trigger();
    auto* banner = shown.find<ResultBanner>();
    QVERIFY(banner->isVisible());
    shown.document.edit(right, u"Use a batch that fits"_s);
    QVERIFY(!banner->isVisible());
  }

  void anErrorInTheNetworkLeadsToDesign() {
    ShownTrainPage shown;
    QSignalSpy design(&shown.page, &TrainPage::designRequested);
    RunConfig config = shown.document.config();
    config.architecture.outputs = 7;
    shown.document.edit(config, u"Set classes to 7"_s);
    shown.bar().startAction()->trigger();
    QCOMPARE(design.count(), 1);
    QCOMPARE(design[0][0].value<std::string>(), std::string("architecture.classes"));
  }

  void missingDataStopTheStart() {
    ShownTrainPage shown;
    shown.page.setDataFolder("/nowhere/cifar10");
    RunConfig config = shown.document.config();
    config.data.source = Cifar10Source();
    shown.document.edit(config, u"Set data set to cifar10"_s);
    shown.bar().startAction()->trigger();
    QVERIFY(!shown.session.isBusy());
    QTRY_COMPARE(shown.find<DataPanel>()->state(), DataState::missing);
    shown.bar().startAction()->trigger();
    QVERIFY(!shown.session.isBusy());
    QCOMPARE(shown.engine->trainings(), 0);
  }

  void aRefusedStartSaysWhyAndShowsTheSettings() {
    ShownTrainPage shown;
    shown.engine->refusal = "the disk is full";
    QSignalSpy refused(&shown.session, &TrainingSession::startRefused);
    shown.bar().startAction()->trigger();
    QVERIFY(refused.wait());
    QVERIFY(shown.showsSetup());
    auto* text = shown.find<ResultBanner>()->findChild<QLabel*>(u"result"_s);
    QVERIFY2(text->text().contains(u"disk is full"_s), qPrintable(text->text()));
  }

  void finishedRunsOfferWhatComesNext() {
    ShownTrainPage shown(2);
    QSignalSpy inspect(&shown.page, &TrainPage::inspectRequested);
    QSignalSpy runs(&shown.page, &TrainPage::runsRequested);
    shown.bar().startAction()->trigger();
    QTRY_COMPARE(shown.ended.count(), 1);
    auto* banner = shown.find<ResultBanner>();
    QVERIFY(banner->isVisible());
    QVERIFY(banner->findChild<QLabel*>(u"result"_s)->text().contains(u"test 75.00 %"_s));
    banner->findChild<QPushButton*>(u"inspect"_s)->click();
    banner->findChild<QPushButton*>(u"runs"_s)->click();
    QCOMPARE(inspect.count(), 1);
    QCOMPARE(runs.count(), 1);
    banner->findChild<QPushButton*>(u"again"_s)->click();
    QVERIFY(shown.showsSetup());
  }

  void stoppedRunsCanBeResumed() {
    ShownTrainPage shown(100);
    shown.bar().startAction()->trigger();
    QTRY_VERIFY(shown.session.status().step > 5);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 1);
    const std::int64_t before = shown.session.status().step;
    auto* resume = shown.find<ResultBanner>()->findChild<QPushButton*>(u"resume"_s);
    QVERIFY(resume->isVisible());
    // The window knows on which machine the run is.
    QSignalSpy requested(&shown.page, &TrainPage::resumeRequested);
    resume->click();
    QCOMPARE(requested.count(), 1);
    shown.session.resumeRun(requested.front().front().value<std::filesystem::path>(), {});
    QTRY_VERIFY(shown.session.status().step > before);
    shown.session.stop();
    QTRY_COMPARE(shown.ended.count(), 2);
    // One line: no step twice.
    const QString csv = shown.find<CurvePlot>()->toCsv();
    QCOMPARE(csv.count(u"train (batch),Loss,%1,"_s.arg(before)), 1);
  }

  void failedRunsSayWhatHappenedAndContinueWithHalfTheLearningRate() {
    ShownTrainPage shown(10);
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

  void theGpuIsChosenAmongSeveral() {
    ShownTrainPage shown;
    const auto choice = [&shown]() -> QComboBox* {
      for (const FieldForm* form : shown.page.findChildren<FieldForm*>()) {
        if (QWidget* editor = form->editorOf("device.index")) {
          return qobject_cast<QComboBox*>(editor);
        }
      }
      return nullptr;
    };
    QVERIFY(choice() == nullptr);
    RunConfig config = shown.document.config();
    config.device.index = 1;
    shown.document.edit(config, u"Set GPU"_s);
    QVERIFY2(!choice(), "the GPUs are not known, so that there is only a number");
    shown.page.setDevice(u"NVIDIA A100 as cuda:1, one of 2 GPUs"_s,
                         {2, {"NVIDIA H200", "NVIDIA A100"}});
    QVERIFY(choice());
    QCOMPARE(choice()->currentText(), u"1: NVIDIA A100"_s);
    QTest::keyClick(choice(), Qt::Key_Up);
    QCOMPARE(shown.document.config().device.index, 0);
    QCOMPARE(choice()->currentText(), u"0: NVIDIA H200"_s);
  }

  void layoutIsRemembered() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(u"layout.ini"_s), QSettings::IniFormat);
    {
      ShownTrainPage shown;
      auto* plot = shown.find<CurvePlot>();
      plot->setSmoothing(0.99);
      plot->setAxis(CurveAxis::epochs);
      shown.find<SetupView>()->setAllShown(true);
      shown.page.saveLayout(settings);
    }
    for (const QString& key : settings.allKeys())
      QVERIFY2(key.startsWith(u"train/"_s), qPrintable(key));
    ShownTrainPage shown;
    shown.page.restoreLayout(settings);
    QCOMPARE(shown.find<CurvePlot>()->smoothing(), 0.99);
    QCOMPARE(shown.find<CurvePlot>()->axis(), CurveAxis::epochs);
    QVERIFY(shown.find<SetupView>()->allShown());
  }

  void theStatusBarTellsHowItGoes() {
    ShownTrainPage shown(300);
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
    ShownTrainPage shown(500);
    shown.engine->batchTime = std::chrono::milliseconds(20);
    const auto milliseconds = [](auto request) {
      QElapsedTimer timer;
      timer.start();
      request();
      return timer.elapsed();
    };
    QVERIFY(milliseconds([&] { shown.bar().startAction()->trigger(); }) < 100);
    QTRY_COMPARE(shown.session.state(), SessionState::running);
    QVERIFY(milliseconds([&] { shown.bar().pauseAction()->trigger(); }) < 100);
    QVERIFY(milliseconds([&] { shown.bar().stepAction()->trigger(); }) < 100);
    QVERIFY(milliseconds([&] { shown.bar().stopAction()->trigger(); }) < 100);
    QTRY_COMPARE(shown.ended.count(), 1);
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestTrainPage)
#include "tst_train_page.moc"
