#include <set>

#include <QAction>
#include <QApplication>
#include <QListView>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/runs/run_library.h"
#include "app/session/document_actions.h"
#include "app/session/project_document.h"
#include "app/session/training_session.h"
#include "app/studio/command_palette.h"
#include "app/studio/main_window.h"
#include "app/studio/notice_bar.h"
#include "app/studio/preferences.h"
#include "engine/formats/metrics/metrics_json.h"
#include "tests/support/picture_check.h"
#include "tests/support/scripted_engine.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

QPushButton* visibleButton(const QWidget& parent, const QString& text) {
  for (QPushButton* button : parent.findChildren<QPushButton*>()) {
    if (button->isVisible() && button->text() == text) return button;
  }
  return nullptr;
}

QMessageBox* question(const QWidget& window) {
  for (QMessageBox* box : window.findChildren<QMessageBox*>()) {
    if (box->isVisible()) return box;
  }
  return nullptr;
}

}  // namespace

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
  void layoutAndWorkspaceAreRemembered();
  void pagesLookAsTheyWere_data();
  void pagesLookAsTheyWere();

 private:
  TrainingSession& training() { return window_->workspaces().training(); }

  void open();
  void startEndless();
  void bringInto(SessionState state);

  std::shared_ptr<ScriptedEngine> engine_;
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Preferences> preferences_;
  std::unique_ptr<MainWindow> window_;
};

void TestMainWindow::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName(u"lambda-studio-window-tests"_s);
  qputenv("LAMBDA_PRESETS", LAMBDA_RESOURCES "/presets");
}

void TestMainWindow::init() {
  QSettings().clear();
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
  engine_ = std::make_shared<ScriptedEngine>();
  folder_ = std::make_unique<QTemporaryDir>();
  open();
}

void TestMainWindow::cleanup() {
  window_.reset();
  preferences_.reset();
}

void TestMainWindow::open() {
  window_.reset();
  preferences_ = std::make_unique<Preferences>(*qApp);
  preferences_->setTheme(ThemeChoice::light);
  window_ = std::make_unique<MainWindow>(engine_, *preferences_);
  window_->resize(1280, 800);
  window_->show();
  QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
}

void TestMainWindow::startEndless() {
  RunConfig config = window_->workspaces().document().config();
  config.recipe.epochs = 100000;
  training().start(config, folder_->path().toStdString());
}

void TestMainWindow::oneClickTrainsTheQuickstartAndASecondLooksInside() {
  engine_->batchTime = std::chrono::milliseconds(2);
  QCOMPARE(window_->workspaces().current(), Workspace::welcome);
  QTest::mouseClick(visibleButton(*window_, u"Train the quickstart"_s), Qt::LeftButton);
  QCOMPARE(window_->workspaces().current(), Workspace::train);
  QTRY_VERIFY(!training().metrics().batches.empty());
  QTRY_VERIFY2(training().snapshot(), "the Train workspace must show a lambda matrix unasked");
  window_->workspaces().goTo(Workspace::welcome);
  QTest::mouseClick(visibleButton(*window_, u"Inspect its lambdas"_s), Qt::LeftButton);
  QCOMPARE(window_->workspaces().current(), Workspace::inspect);
}

void TestMainWindow::everyWorkspaceHasAKeyAndAPlaceInTheRail() {
  for (int i = 0; i < 5; ++i) {
    QTest::keyClick(window_.get(), static_cast<Qt::Key>(Qt::Key_0 + i), Qt::ControlModifier);
    QCOMPARE(static_cast<int>(window_->workspaces().current()), i);
  }
}

void TestMainWindow::everyActionHasATextAndNoKeyTwice() {
  for (int i = 0; i < 5; ++i) {
    window_->workspaces().goTo(static_cast<Workspace>(i));
    std::set<QString> keys;
    for (const QAction* action : window_->actionsOfMenus()) {
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
  QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  const auto* palette = window_->findChild<CommandPalette*>();
  QVERIFY(palette->isVisible());
  QStringList texts;
  const auto* list = palette->findChild<QListView*>();
  for (int row = 0; row < list->model()->rowCount(); ++row)
    texts << list->model()->index(row, 0).data().toString();
  for (const char* wanted : {"Start training", "Resume", "Undo", "Keyboard shortcuts"}) {
    QVERIFY2(texts.filter(QString::fromLatin1(wanted)).size() > 0, wanted);
  }
}

void TestMainWindow::aFinishedRunIsReportedElsewhereAndListed() {
  RunConfig config = window_->workspaces().document().config();
  config.recipe.epochs = 1;
  training().start(config, window_->workspaces().library().folder());
  const auto* notices = window_->findChild<NoticeBar*>();
  QTRY_VERIFY(notices->isVisible());
  QVERIFY2(notices->text().contains(u"finished"_s), qPrintable(notices->text()));
  QTRY_COMPARE(window_->workspaces().library().runs().size(), std::size_t{1});
  QTest::mouseClick(visibleButton(*notices, u"Inspect"_s), Qt::LeftButton);
  QCOMPARE(window_->workspaces().current(), Workspace::inspect);
}

void TestMainWindow::aFailedRunSaysWhyUntilItIsClosed() {
  engine_->failAt = 3;
  startEndless();
  const auto* notices = window_->findChild<NoticeBar*>();
  QTRY_VERIFY(notices->isVisible());
  QVERIFY(notices->text().contains(QString::fromStdString(engine_->failure)));
}

/// Brings an idle training into a state and keeps it there until the next request.
void TestMainWindow::bringInto(SessionState state) {
  constexpr std::chrono::milliseconds kLong{20};
  engine_->startTime = state == SessionState::starting ? kLong : std::chrono::milliseconds(0);
  engine_->batchTime = std::chrono::microseconds(50);
  if (state == SessionState::idle) return;
  if (state == SessionState::pausing) engine_->batchTime = kLong;
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
  window_->close();
  QTRY_VERIFY(!window_->isVisible());
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
      {"close", [this] { window_->close(); }},
  };
  const std::size_t count = requests.size();
  const std::size_t orders = count * count;
  constexpr std::chrono::milliseconds kPatience{10000};
  window_->resize(window_->minimumSize());
  for (std::size_t order = 0; order < orders; ++order) {
    window_->show();
    bringInto(static_cast<SessionState>(state));
    QByteArray told;
    std::size_t rest = order;
    // A closed window stays closed, so it can't get more requests.
    for (int i = 0; i < 2 && window_->isVisible(); ++i, rest /= count) {
      const auto& [name, request] = requests[rest % count];
      told += QByteArray(name) + ' ';
      request();
    }
    window_->close();
    QElapsedTimer waited;
    waited.start();
    QTimer wake;
    wake.start(std::chrono::milliseconds(100));
    while (window_->isVisible() || training().isBusy()) {
      QVERIFY2(waited.elapsed() < kPatience.count(), told.constData());
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
  }
}

void TestMainWindow::asksOnlyWhereChangesWouldBeLost() {
  ProjectDocument& document = window_->workspaces().document();
  RunConfig config = document.config();
  config.recipe.epochs = 77;
  document.edit(config, u"Set epochs"_s);
  QVERIFY(window_->isWindowModified());
  window_->close();
  QVERIFY(window_->isVisible());
  QTRY_VERIFY(question(*window_));
  QTest::mouseClick(question(*window_)->button(QMessageBox::Cancel), Qt::LeftButton);
  QTRY_VERIFY(!question(*window_));
  QVERIFY(window_->isVisible());
  window_->close();
  QTRY_VERIFY(question(*window_));
  QTest::mouseClick(question(*window_)->button(QMessageBox::Discard), Qt::LeftButton);
  QTRY_VERIFY(!window_->isVisible());
  open();
  QVERIFY(!window_->workspaces().documentActions().rescued());
}

void TestMainWindow::whatASignalEndsIsRestoredAtTheNextStart() {
  ProjectDocument& document = window_->workspaces().document();
  RunConfig config = document.config();
  config.recipe.epochs = 77;
  document.edit(config, u"Set epochs"_s);
  window_->closeWithoutAsking();
  QTRY_VERIFY(!window_->isVisible());
  open();
  const auto* notices = window_->findChild<NoticeBar*>();
  QVERIFY(notices->isVisible());
  QTest::mouseClick(visibleButton(*notices, u"Restore"_s), Qt::LeftButton);
  QCOMPARE(window_->workspaces().document().config().recipe.epochs, 77);
  QVERIFY(window_->isWindowModified());
}

void TestMainWindow::themeAndTextSizeChangeWhileItRuns() {
  startEndless();
  QTRY_COMPARE(training().state(), SessionState::running);
  for (int i = 0; i < 5; ++i) {
    window_->workspaces().goTo(static_cast<Workspace>(i));
    for (const double size : {2.0, 1.0}) {
      preferences_->setTextSize(size);
      preferences_->toggleDarkAction()->trigger();
      QCoreApplication::processEvents();
      QVERIFY(!window_->grab().isNull());
    }
  }
  QCOMPARE(training().state(), SessionState::running);
}

void TestMainWindow::opensWhatItIsGiven() {
  QTemporaryDir elsewhere;
  RunControl control;
  Observer observer;
  RunConfig config = window_->workspaces().document().config();
  config.recipe.epochs = 1;
  const QString run = QString::fromStdString(
      engine_->trainRun(config, elsewhere.path().toStdString(), control, observer).run);
  window_->openAll({run});
  QCOMPARE(window_->workspaces().current(), Workspace::runs);
  QTRY_COMPARE(window_->workspaces().library().runs().size(), std::size_t{1});
  window_->openAll({QStringLiteral(LAMBDA_RESOURCES "/presets/cpu-hybrid.json")});
  QCOMPARE(window_->workspaces().current(), Workspace::design);
  QCOMPARE(window_->workspaces().document().title(), u"cpu-hybrid"_s);
  window_->openAll({elsewhere.filePath(u"nothing.json"_s)});
  QVERIFY(window_->findChild<NoticeBar*>()->text().contains(u"nothing.json"_s));
}

void TestMainWindow::layoutAndWorkspaceAreRemembered() {
  window_->workspaces().goTo(Workspace::runs);
  window_->resize(1240, 760);
  window_->close();
  QTRY_VERIFY(!window_->isVisible());
  window_.reset();
  MainWindow again(engine_, *preferences_);
  QCOMPARE(again.workspaces().current(), Workspace::runs);
  QCOMPARE(again.size(), QSize(1240, 760));
}

void TestMainWindow::pagesLookAsTheyWere_data() {
  QTest::addColumn<int>("workspace");
  QTest::addColumn<bool>("isDark");
  const char* names[] = {"welcome", "design", "train", "inspect", "runs"};
  for (int i = 0; i < 5; ++i) {
    QTest::addRow("%s-light", names[i]) << i << false;
    QTest::addRow("%s-dark", names[i]) << i << true;
  }
}

void TestMainWindow::pagesLookAsTheyWere() {
  QFETCH(int, workspace);
  QFETCH(bool, isDark);
  QTRY_COMPARE(window_->workspaces().library().state(), LibraryState::ready);
  preferences_->setTheme(isDark ? ThemeChoice::dark : ThemeChoice::light);
  window_->workspaces().goTo(static_cast<Workspace>(workspace));
  // The page reads files on other threads, so the picture is compared until it is right.
  const auto grab = [&](double ratio) {
    QImage image(window_->workspaces().size() * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::black);
    window_->workspaces().render(&image);
    return image;
  };
  // A stored picture must show a page that has finished loading.
  if (qEnvironmentVariableIsSet("LAMBDA_WRITE_PICTURES")) QTest::qWait(2000);
  QString difference;
  const bool isAlike = QTest::qWaitFor(
      [&] {
        difference = differenceFromKept(grab(1), QString::fromLatin1(QTest::currentDataTag()));
        return difference.isEmpty();
      },
      20000);
  QVERIFY2(isAlike, qPrintable(difference));
  const QImage large =
      grab(2).scaled(window_->workspaces().size(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  QVERIFY(distanceBetween(large, grab(1)) < 4);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestMainWindow)

#include "tst_main_window.moc"
