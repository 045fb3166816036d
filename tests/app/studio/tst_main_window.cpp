#include <algorithm>
#include <set>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QListView>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/experiments/experiment_list.h"
#include "app/inspect/inspect_page.h"
#include "app/runs/run_library.h"
#include "app/session/documents/document_actions.h"
#include "app/session/documents/project_document.h"
#include "app/session/training/training_session.h"
#include "app/studio/commands/command_palette.h"
#include "app/studio/main_window.h"
#include "app/studio/notice_bar.h"
#include "app/studio/preferences.h"
#include "app/train/live/epoch_strip.h"
#include "app/train/live/live_panel.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/shipped_experiments.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "tests/support/studio_window.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

class TestMainWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void oneClickTrainsTheQuickstartAndASecondLooksInside();
  void everyWorkspaceHasAKeyAndAPlaceInTheRail();
  void everyActionHasATextAndNoKeyTwice();
  void thePaletteKnowsTheActionsOfAllWorkspaces();
  void aFinishedRunIsReportedElsewhereAndListed();
  void aFailedRunSaysWhyUntilItIsClosed();
  void closesInEveryStateOfATraining_data();
  void closesInEveryStateOfATraining();
  void everyOrderOfTwoRequestsFromEveryStateEndsClosed_data();
  void everyOrderOfTwoRequestsFromEveryStateEndsClosed();
  void asksOnlyWhereChangesWouldBeLost();
  void whatASignalEndsIsRestoredAtTheNextStart();
  void themeAndTextSizeChangeWhileItRuns();
  void opensWhatItIsGiven();
  void dataAndWeightsAreForTheNextTraining();
  void layoutAndWorkspaceAreRemembered();
  void theFirstSizeGrowsWithTheText();
  void theFirstWindowFitsIntoTheScreenWithItsFrame();
  void whatAFileIsDecidesWhereItOpens();
  void aFileReadInPartIsNotSavedOverWithoutAQuestion();
  void aTrainingLeavesTheListedExperimentsAlone();
  void aFinishedRunShowsItsLastStep();

 private:
  TrainingSession& training() { return studio_->training(); }

  void startEndless();
  void close();
  void bringInto(SessionState state);

  std::unique_ptr<StudioWindow> studio_;
};

void TestMainWindow::initTestCase() {
  QApplication::setOrganizationName(u"lambda-studio-window-tests"_s);
}

void TestMainWindow::init() {
  studio_ = std::make_unique<StudioWindow>();
}

void TestMainWindow::cleanup() {
  studio_.reset();
}

/// Closes the window, and agrees where it asks whether to stop a training.
void TestMainWindow::close() {
  (*studio_)->close();
  const QMessageBox* box = visibleQuestion(**studio_);
  if (!box) return;
  for (QAbstractButton* button : box->buttons()) {
    if (button->text().contains(u"Stop and close"_s)) QTest::mouseClick(button, Qt::LeftButton);
  }
}

void TestMainWindow::startEndless() {
  RunConfig config = studio_->workspaces().document().config();
  config.recipe.epochs = 100000;
  training().start(config, NewRunPlace(studio_->folder.path().toStdString()));
}

void TestMainWindow::oneClickTrainsTheQuickstartAndASecondLooksInside() {
  studio_->engine->batchTime = std::chrono::milliseconds(2);
  QCOMPARE(studio_->workspaces().current(), Workspace::welcome);
  QTest::mouseClick(visibleButton(**studio_, u"Train the quickstart"_s), Qt::LeftButton);
  QCOMPARE(studio_->workspaces().current(), Workspace::train);
  QTRY_VERIFY(!training().metrics().batches.empty());
  QTRY_VERIFY2((*studio_)->findChild<LivePanel*>()->shown(),
               "the Train workspace must show a lambda matrix unasked");
  studio_->workspaces().goTo(Workspace::welcome);
  QTest::mouseClick(visibleButton(**studio_, u"Inspect its lambdas"_s), Qt::LeftButton);
  QCOMPARE(studio_->workspaces().current(), Workspace::inspect);
}

void TestMainWindow::everyWorkspaceHasAKeyAndAPlaceInTheRail() {
  for (int i = 0; i < 5; ++i) {
    QTest::keyClick(&**studio_, static_cast<Qt::Key>(Qt::Key_0 + i), Qt::ControlModifier);
    QCOMPARE(static_cast<int>(studio_->workspaces().current()), i);
  }
}

void TestMainWindow::everyActionHasATextAndNoKeyTwice() {
  for (int i = 0; i < 5; ++i) {
    studio_->workspaces().goTo(static_cast<Workspace>(i));
    std::set<QString> keys;
    for (const QAction* action : (*studio_)->actionsOfMenus()) {
      QVERIFY(!action->text().isEmpty());
      if (action->shortcutContext() == Qt::WidgetShortcut) continue;
      for (const QKeySequence& key : action->shortcuts()) {
        QVERIFY2(keys.insert(key.toString()).second,
                 qPrintable(action->text() + u": "_s + key.toString()));
      }
    }
    QVERIFY(keys.size() >= 10);
  }
}

void TestMainWindow::thePaletteKnowsTheActionsOfAllWorkspaces() {
  QTest::keyClick(&**studio_, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  const auto* palette = (*studio_)->findChild<CommandPalette*>();
  QVERIFY(palette->isVisible());
  QStringList texts;
  const auto* list = palette->findChild<QListView*>();
  for (int row = 0; row < list->model()->rowCount(); ++row)
    texts << list->model()->index(row, 0).data().toString();
  for (const char* wanted :
       {"Start training", "Design: Add block", "Inspect: ", "Keyboard shortcuts"}) {
    QVERIFY2(texts.filter(QString::fromLatin1(wanted)).size() > 0, wanted);
  }
}

void TestMainWindow::aFinishedRunIsReportedElsewhereAndListed() {
  RunConfig config = studio_->workspaces().document().config();
  config.recipe.epochs = 1;
  training().start(config, studio_->workspaces().library().folder());
  const auto* notices = (*studio_)->findChild<NoticeBar*>();
  QTRY_VERIFY(notices->isVisible());
  QVERIFY2(notices->text().contains(u"finished"_s), qPrintable(notices->text()));
  QTRY_COMPARE(studio_->workspaces().library().runs().size(), std::size_t{1});
  QTest::mouseClick(visibleButton(*notices, u"Inspect"_s), Qt::LeftButton);
  QCOMPARE(studio_->workspaces().current(), Workspace::inspect);
}

void TestMainWindow::aFailedRunSaysWhyUntilItIsClosed() {
  studio_->engine->failAt = 3;
  startEndless();
  const auto* notices = (*studio_)->findChild<NoticeBar*>();
  QTRY_VERIFY(notices->isVisible());
  QVERIFY2(notices->text().contains(QString::fromStdString(studio_->engine->failure)),
           qPrintable(notices->text()));
  // Inspect showed the training, and its run has no checkpoint: that is said there alone.
  const auto* inspect = (*studio_)->findChild<InspectPage*>();
  QTRY_VERIFY(std::ranges::any_of(inspect->findChildren<QLabel*>(), [&](const QLabel* label) {
    return label->isVisibleTo(inspect) && label->text().contains(u"has no checkpoint yet"_s);
  }));
  QVERIFY(notices->text().contains(QString::fromStdString(studio_->engine->failure)));
}

/// Brings an idle training into a state and keeps it there until the next request.
void TestMainWindow::bringInto(SessionState state) {
  constexpr std::chrono::milliseconds kLong{20};
  studio_->engine->startTime =
      state == SessionState::starting ? kLong : std::chrono::milliseconds(0);
  studio_->engine->batchTime = std::chrono::microseconds(50);
  if (state == SessionState::idle) return;
  if (state == SessionState::pausing) studio_->engine->batchTime = kLong;
  startEndless();
  if (state == SessionState::starting) return;
  QTRY_COMPARE(training().state(), SessionState::running);
  if (state == SessionState::pausing || state == SessionState::paused) training().pause();
  if (state == SessionState::paused) QTRY_COMPARE(training().state(), SessionState::paused);
  if (state == SessionState::stopping) training().stop();
}

void TestMainWindow::closesInEveryStateOfATraining_data() {
  QTest::addColumn<int>("state");
  const char* names[] = {"idle", "starting", "running", "pausing", "paused", "stopping"};
  for (int i = 0; i < 6; ++i) QTest::newRow(names[i]) << i;
}

void TestMainWindow::closesInEveryStateOfATraining() {
  QFETCH(int, state);
  const auto wanted = static_cast<SessionState>(state);
  bringInto(wanted);
  QCOMPARE(training().state(), wanted);
  close();
  QTRY_VERIFY(!(*studio_)->isVisible());
  QCOMPARE(training().state(), SessionState::idle);
  if (wanted == SessionState::idle) return;
  const Metrics metrics =
      readMetrics(std::filesystem::path(training().lastResult()->run) / "metrics.jsonl");
  QCOMPARE(metrics.events.back().kind, EventKind::stopped);
}

void TestMainWindow::everyOrderOfTwoRequestsFromEveryStateEndsClosed_data() {
  closesInEveryStateOfATraining_data();
}

void TestMainWindow::everyOrderOfTwoRequestsFromEveryStateEndsClosed() {
  QFETCH(int, state);
  const std::vector<std::pair<const char*, std::function<void()>>> requests{
      {"start", [this] { startEndless(); }},
      {"pause", [this] { training().pause(); }},
      {"step", [this] { training().stepOnce(); }},
      {"stop", [this] { training().stop(); }},
      {"close", [this] { close(); }},
  };
  const std::size_t count = requests.size();
  const std::size_t orders = count * count;
  constexpr std::chrono::milliseconds kPatience{10000};
  (*studio_)->resize((*studio_)->minimumSize());
  for (std::size_t order = 0; order < orders; ++order) {
    (*studio_)->show();
    bringInto(static_cast<SessionState>(state));
    QByteArray told;
    std::size_t rest = order;
    // A closed window stays closed, so it can't get more requests.
    for (int i = 0; i < 2 && (*studio_)->isVisible(); ++i, rest /= count) {
      const auto& [name, request] = requests[rest % count];
      told += QByteArray(name) + ' ';
      request();
    }
    close();
    QElapsedTimer waited;
    waited.start();
    QTimer wake;
    wake.start(std::chrono::milliseconds(100));
    while ((*studio_)->isVisible() || training().isBusy()) {
      QVERIFY2(waited.elapsed() < kPatience.count(), told.constData());
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
  }
}

void TestMainWindow::asksOnlyWhereChangesWouldBeLost() {
  ProjectDocument& document = studio_->workspaces().document();
  RunConfig config = document.config();
  config.recipe.epochs = 77;
  document.edit(config, u"Set epochs"_s);
  QVERIFY((*studio_)->isWindowModified());
  (*studio_)->close();
  QVERIFY((*studio_)->isVisible());
  QTRY_VERIFY(visibleQuestion(**studio_));
  QTest::mouseClick(visibleQuestion(**studio_)->button(QMessageBox::Cancel), Qt::LeftButton);
  QTRY_VERIFY(!visibleQuestion(**studio_));
  QVERIFY((*studio_)->isVisible());
  (*studio_)->close();
  QTRY_VERIFY(visibleQuestion(**studio_));
  QTest::mouseClick(visibleQuestion(**studio_)->button(QMessageBox::Discard), Qt::LeftButton);
  QTRY_VERIFY(!(*studio_)->isVisible());
  studio_->open();
  QVERIFY(!studio_->workspaces().documentActions().rescued());
}

void TestMainWindow::whatASignalEndsIsRestoredAtTheNextStart() {
  ProjectDocument& document = studio_->workspaces().document();
  const RunConfig saved = document.config();
  RunConfig config = saved;
  config.recipe.epochs = 77;
  document.edit(config, u"Set epochs"_s);
  (*studio_)->closeWithoutAsking();
  QTRY_VERIFY(!(*studio_)->isVisible());
  studio_->open();
  const auto* notices = (*studio_)->findChild<NoticeBar*>();
  QVERIFY(notices->isVisible());
  QTest::mouseClick(visibleButton(*notices, u"Restore"_s), Qt::LeftButton);
  QCOMPARE(studio_->workspaces().document().config().recipe.epochs, 77);
  QVERIFY((*studio_)->isWindowModified());
  QVERIFY(studio_->workspaces().document().savedConfig() == saved);
  studio_->workspaces().documentActions().undoAction()->trigger();
  QVERIFY(studio_->workspaces().document().config() == saved);
  QVERIFY(!(*studio_)->isWindowModified());
}

void TestMainWindow::themeAndTextSizeChangeWhileItRuns() {
  startEndless();
  QTRY_COMPARE(training().state(), SessionState::running);
  for (int i = 0; i < 5; ++i) {
    studio_->workspaces().goTo(static_cast<Workspace>(i));
    for (const double size : {2.0, 1.0}) {
      studio_->preferences().setTextSize(size);
      studio_->preferences().toggleDarkAction()->trigger();
      QCoreApplication::processEvents();
      QVERIFY(!(*studio_)->grab().isNull());
    }
  }
  QCOMPARE(training().state(), SessionState::running);
}

void TestMainWindow::opensWhatItIsGiven() {
  QTemporaryDir elsewhere;
  RunControl control;
  Observer observer;
  RunConfig config = studio_->workspaces().document().config();
  config.recipe.epochs = 1;
  const std::filesystem::path runs = elsewhere.path().toStdString();
  const QString run =
      QString::fromStdString(studio_->engine->trainRun(config, runs, control, observer).run);
  (*studio_)->openAll({run});
  QCOMPARE(studio_->workspaces().current(), Workspace::runs);
  QTRY_COMPARE(studio_->workspaces().library().runs().size(), std::size_t{1});
  const auto experiment = ExperimentFolder::create(
      elsewhere.path().toStdString(), resolvedExperiment(loadShippedExperiment("mixers")));
  (*studio_)->openAll({QString::fromStdString(experiment.path().string()) + u'/'});
  QCOMPARE(studio_->workspaces().current(), Workspace::experiments);
  const auto* list = (*studio_)->findChild<ExperimentList*>();
  QTRY_VERIFY(list->selected() && list->selected()->folder == experiment.path());
  (*studio_)->openAll({QStringLiteral(LAMBDA_RESOURCES "/presets/cpu-hybrid.json")});
  QCOMPARE(studio_->workspaces().current(), Workspace::design);
  QCOMPARE(studio_->workspaces().document().title(), u"cpu-hybrid"_s);
  (*studio_)->openAll({elsewhere.filePath(u"nothing.json"_s)});
  QVERIFY((*studio_)->findChild<NoticeBar*>()->text().contains(u"nothing.json"_s));
}

void TestMainWindow::dataAndWeightsAreForTheNextTraining() {
  QTemporaryDir elsewhere;
  for (const char* name : {"flowers/roses", "flowers/tulips"}) {
    QVERIFY(QDir(elsewhere.path()).mkpath(QString::fromLatin1(name)));
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::red);
    QVERIFY(picture.save(elsewhere.filePath(QString::fromLatin1(name) + u"/1.png"_s)));
  }
  (*studio_)->openAll({elsewhere.filePath(u"flowers"_s)});
  QCOMPARE(studio_->workspaces().current(), Workspace::train);
  const DataSource& source = studio_->workspaces().document().config().data.source;
  QCOMPARE(QString::fromStdString(*pathOf(source)), elsewhere.filePath(u"flowers"_s));
  QVERIFY(std::holds_alternative<ImageFolderSource>(source));
  QFile weights(elsewhere.filePath(u"resnet.pth"_s));
  QVERIFY(weights.open(QIODevice::WriteOnly));
  QVERIFY(weights.write(QByteArray("PK\x03\x04 an archive of torch.save()")) > 0);
  weights.close();
  (*studio_)->openAll({weights.fileName()});
  QCOMPARE(QString::fromStdString(studio_->workspaces().document().config().start.weights),
           weights.fileName());

  QFile damaged(elsewhere.filePath(u"damaged.pt"_s));
  QVERIFY(damaged.open(QIODevice::WriteOnly) && damaged.write("y@y@y@yx no weights") > 0);
  damaged.close();
  (*studio_)->openAll({damaged.fileName()});
  const QString told = (*studio_)->findChild<NoticeBar*>()->text();
  QVERIFY2(told.startsWith(u"Could not open damaged.pt: it is damaged"_s), qPrintable(told));
  QCOMPARE(QString::fromStdString(studio_->workspaces().document().config().start.weights),
           weights.fileName());
}

void TestMainWindow::layoutAndWorkspaceAreRemembered() {
  studio_->workspaces().goTo(Workspace::runs);
  (*studio_)->resize(760, 640);
  (*studio_)->close();
  QTRY_VERIFY(!(*studio_)->isVisible());
  MainWindow again(studio_->engine, studio_->preferences());
  QCOMPARE(again.workspaces().current(), Workspace::runs);
  QCOMPARE(again.size(), QSize(760, 640));
}

void TestMainWindow::theFirstSizeGrowsWithTheText() {
  const QSize usual = MainWindow::standardSize();
  studio_->preferences().setTextSize(2.0);
  QCOMPARE(MainWindow::standardSize(), 2 * usual);
  MainWindow large(studio_->engine, studio_->preferences());
  const QSize screen = large.screen()->availableSize();
  QVERIFY(large.width() <= screen.width() && large.height() <= screen.height());
}

void TestMainWindow::theFirstWindowFitsIntoTheScreenWithItsFrame() {
  QSettings().clear();
  // The frame's size is known only after the window is shown, as under every window manager.
  MainWindow first(studio_->engine, studio_->preferences());
  first.show();
  QVERIFY(QTest::qWaitForWindowExposed(&first));
  const QRect available = first.screen()->availableGeometry();
  QTRY_VERIFY(first.frameGeometry().height() > first.height());
  QTRY_VERIFY2(available.contains(first.frameGeometry()),
               qPrintable(u"%1 x %2 at %3, %4"_s.arg(first.frameGeometry().width())
                              .arg(first.frameGeometry().height())
                              .arg(first.x())
                              .arg(first.y())));
}

void TestMainWindow::whatAFileIsDecidesWhereItOpens() {
  QTemporaryDir elsewhere;
  const auto write = [&](const QString& name, const std::string& text) {
    QFile file(elsewhere.filePath(name));
    if (file.open(QIODevice::WriteOnly)) file.write(text.data(), std::ssize(text));
    return file.fileName();
  };
  const auto fileAction = [this](const QString& text) {
    const auto actions = (*studio_)->actionsOfMenus();
    const auto found =
        std::ranges::find_if(actions, [&](QAction* action) { return action->text() == text; });
    return found == actions.end() ? nullptr : *found;
  };
  QVERIFY(fileAction(u"Open an experiment …"_s));
  ProjectDocument& document = studio_->document();
  studio_->setEpochs(77);  // Unsaved: no file that is not a network may ask about it.
  auto* list = (*studio_)->findChild<ExperimentList*>();

  Experiment mixers = loadShippedExperiment("mixers");
  mixers.name = "my-mixers";
  const QString experiment = write(u"whatever.json"_s, toJson(mixers));
  Q_EMIT studio_->workspaces().documentActions().openRequested(experiment);
  QCOMPARE(studio_->workspaces().current(), Workspace::experiments);
  QTRY_VERIFY(list->selected() && list->selected()->name == "my-mixers");
  QVERIFY(!visibleQuestion(**studio_));
  QCOMPARE(document.config().recipe.epochs, 77);

  const auto folder = ExperimentFolder::create(elsewhere.path().toStdString(),
                                               resolvedExperiment(loadShippedExperiment("mixers")));
  (*studio_)->openAll({QString::fromStdString(folder.record().string())});
  QTRY_VERIFY(list->selected() && list->selected()->folder == folder.path());

  RunControl control;
  Observer observer;
  RunConfig config = document.config();
  config.recipe.epochs = 1;
  const std::string run =
      studio_->engine
          ->trainRun(config, NewRunPlace(elsewhere.path().toStdString()), control, observer)
          .run;
  (*studio_)->openAll({QString::fromStdString(run) + u"/run.json"_s});
  QCOMPARE(studio_->workspaces().current(), Workspace::runs);
  QTRY_VERIFY(!studio_->workspaces().library().runs().empty());

  auto* notices = (*studio_)->findChild<NoticeBar*>();
  (*studio_)->openAll({write(u"network.onnx"_s, std::string("\x08\x08\x12\x00pytorch", 11))});
  QVERIFY2(notices->text().contains(u"ONNX file, which can be exported but not opened"_s),
           qPrintable(notices->text()));
  QVERIFY(!visibleQuestion(**studio_));
  (*studio_)->openAll({write(u"queue.json"_s, R"({"schema": 2, "runs": []})")});
  QVERIFY2(notices->text().contains(u"not a network"_s), qPrintable(notices->text()));
  QVERIFY(!visibleQuestion(**studio_));
  QVERIFY(document.isModified());
}

void TestMainWindow::aFileReadInPartIsNotSavedOverWithoutAQuestion() {
  ProjectDocument& document = studio_->document();
  const QString path = studio_->folder.filePath(u"newer.json"_s);
  QByteArray text = QByteArray::fromStdString(toJson(document.config()));
  text.insert(text.indexOf('{') + 1, "\n  \"shade\": \"of another program\",");
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
  file.close();
  const auto content = [&] {
    QFile now(path);
    return now.open(QIODevice::ReadOnly) ? now.readAll() : QByteArray();
  };
  (*studio_)->openAll({path});
  QCOMPARE(document.path(), path);
  QCOMPARE(document.ignored().size(), 1);
  QAction* save = studio_->workspaces().documentActions().saveAction();
  save->trigger();
  studio_->answer(u"Cancel"_s);
  QCOMPARE(content(), text);
  // Also after the next start of the program.
  (*studio_)->close();
  studio_->open();
  QCOMPARE(studio_->document().path(), path);
  studio_->workspaces().documentActions().saveAction()->trigger();
  studio_->answer(u"Remove it"_s);
  QVERIFY(!content().contains("shade"));
  studio_->setEpochs(3);
  studio_->workspaces().documentActions().saveAction()->trigger();
  QVERIFY(!visibleQuestion(**studio_));
  QVERIFY(!studio_->document().isModified());
}

void TestMainWindow::aTrainingLeavesTheListedExperimentsAlone() {
  QTemporaryDir elsewhere;
  const auto experiment = ExperimentFolder::create(
      elsewhere.path().toStdString(), resolvedExperiment(loadShippedExperiment("mixers")));
  (*studio_)->openAll({QString::fromStdString(experiment.path().string())});
  const auto* list = (*studio_)->findChild<ExperimentList*>();
  QTRY_VERIFY(list->selected() && list->selected()->folder == experiment.path());
  RunConfig config = studio_->document().config();
  config.recipe.epochs = 1;
  training().start(config, studio_->workspaces().library().folder());
  QTRY_VERIFY(training().lastResult());
  QTRY_VERIFY(!studio_->workspaces().library().runs().empty());
  studio_->workspaces().goTo(Workspace::train);
  studio_->workspaces().goTo(Workspace::experiments);
  QTest::qWait(100);
  QVERIFY(list->selected() && list->selected()->folder == experiment.path());
}

void TestMainWindow::aFinishedRunShowsItsLastStep() {
  studio_->workspaces().goTo(Workspace::train);
  RunConfig config = studio_->document().config();
  config.recipe.epochs = 2;
  training().start(config, NewRunPlace(studio_->folder.path().toStdString()));
  QTRY_VERIFY(training().lastResult());
  auto* live = (*studio_)->findChild<LivePanel*>();
  QVERIFY(live->isVisible());
  QTRY_VERIFY(live->shown() && live->shown()->step == training().status().step);
  QCOMPARE(live->shown()->epoch, 2);
  QTRY_VERIFY(live->strip().has(2));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestMainWindow)

#include "tst_main_window.moc"
