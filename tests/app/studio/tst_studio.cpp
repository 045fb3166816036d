#include <algorithm>

#include <QApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/design/design_page.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/inspect_page.h"
#include "app/inspect/modes/image_mode.h"
#include "app/runs/run_library.h"
#include "app/session/documents/project_document.h"
#include "app/session/training/training_session.h"
#include "app/studio/engine_module/load_engine.h"
#include "app/studio/main_window.h"
#include "app/studio/preferences.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "tests/support/shapes10_of.h"
#include "widgets/network/network_editor.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

/// Uses the studio with the real engine as a person does: from the first click on a network to its
/// run in the library.
class TestStudio : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void aDisplayThatIsNotThereIsNamed();
  void aHybridClickedTogetherCostsWhatTheCommandLineSays();
  void itTrainsPausesIsInspectedAndContinues();
  void theRunIsFoundAndInspectedAgain();
  void closesWhileTraining();
  void cleanupTestCase();

 private:
  MainWindow& window() { return *window_; }

  TrainingSession& training() { return window_->workspaces().training(); }

  /// The large image of the Inspect workspace; null while another view is shown.
  ImageView* visibleImage() const;

  void click(NetworkEditor& editor, const PartId& part, Qt::KeyboardModifiers modifiers = {});

  QTemporaryDir folder_;
  std::unique_ptr<Preferences> preferences_;
  std::unique_ptr<MainWindow> window_;
  std::filesystem::path run_;
};

void TestStudio::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName(u"lambda-studio-whole-tests"_s);
  QSettings().clear();
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
  preferences_ = std::make_unique<Preferences>(*qApp);
  window_ = std::make_unique<MainWindow>(loadedEngine(), *preferences_);
  window_->resize(1440, 900);
  window_->show();
  QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
}

ImageView* TestStudio::visibleImage() const {
  for (ImageView* image :
       window_->workspaces().page(Workspace::inspect)->findChildren<ImageView*>()) {
    if (image->isVisible()) return image;
  }
  return nullptr;
}

void TestStudio::click(NetworkEditor& editor, const PartId& part, Qt::KeyboardModifiers modifiers) {
  const QRectF box = editor.boxOf(part);
  QTest::mouseClick(
      editor.viewport(), Qt::LeftButton, modifiers, box.topLeft().toPoint() + QPoint(20, 10));
}

void TestStudio::aDisplayThatIsNotThereIsNamed() {
  QProcess studio;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove(u"QT_QPA_PLATFORM"_s);
  environment.remove(u"WAYLAND_DISPLAY"_s);
  environment.insert(u"DISPLAY"_s, u":4711"_s);
  studio.setProcessEnvironment(environment);
  studio.start(QStringLiteral(LAMBDA_PROGRAM "-studio"), QStringList());
  QVERIFY(studio.waitForFinished());
  const QByteArray text = studio.readAllStandardError();
  QCOMPARE(studio.exitStatus(), QProcess::NormalExit);
  QCOMPARE(studio.exitCode(), 1);
  QVERIFY2(text.startsWith("The studio can't open the display :4711."), text.constData());
  QCOMPARE(text.count('\n'), 1);
}

void TestStudio::aHybridClickedTogetherCostsWhatTheCommandLineSays() {
  window().workspaces().goTo(Workspace::design);
  auto* page = static_cast<DesignPage*>(window().workspaces().page(Workspace::design));
  NetworkEditor& editor = page->editor();
  // The quickstart is C-CLL: its last block becomes a convolution, its first one a lambda layer.
  click(editor, blockPart(1, 2));
  QTest::keyClick(&editor, Qt::Key_C);
  click(editor, blockPart(0, 0));
  QTest::keyClick(&editor, Qt::Key_L);
  const ProjectDocument& document = window().workspaces().document();
  QCOMPARE(QString::fromStdString(patternOf(document.config().architecture)), u"L-CLC"_s);
  window().workspaces().document().undoStack().undo();
  QCOMPARE(QString::fromStdString(patternOf(document.config().architecture)), u"C-CLC"_s);

  const QString file = folder_.filePath(u"hybrid.json"_s);
  writeFileDurably(file.toStdString(), toJson(document.config()));
  QProcess describe;
  describe.start(QStringLiteral(LAMBDA_PROGRAM), {u"describe"_s, file, u"--json"_s});
  QVERIFY(describe.waitForFinished());
  const QJsonObject told = QJsonDocument::fromJson(describe.readAllStandardOutput()).object();
  const NetworkCosts& shown = editor.costs();
  QVERIFY(shown.total.parameters > 0);
  QCOMPARE(static_cast<qint64>(shown.total.parameters), told.value(u"parameters"_s).toInteger());
  QCOMPARE(static_cast<qint64>(shown.total.flops), told.value(u"flops"_s).toInteger());
}

void TestStudio::itTrainsPausesIsInspectedAndContinues() {
  RunConfig config = window().workspaces().document().config();
  config.name = "whole";
  shapes10Of(config).trainCount = 1200;
  shapes10Of(config).testCount = 100;
  config.data.validationCount = 200;
  config.recipe.epochs = 2;
  config.recipe.batchSize = 50;
  config.device.threads = 1;
  window().workspaces().document().edit(config, u"A short training"_s);
  window().workspaces().goTo(Workspace::train);
  QTest::keyClick(&window(), Qt::Key_F5);
  QTRY_COMPARE_WITH_TIMEOUT(training().state(), SessionState::running, 30000);
  QTest::keyClick(&window(), Qt::Key_F6);
  QTRY_COMPARE_WITH_TIMEOUT(training().state(), SessionState::paused, 30000);
  const std::int64_t pausedAt = training().status().step;
  QTest::keyClick(&window(), Qt::Key_F10);
  QTRY_COMPARE_WITH_TIMEOUT(training().status().step, pausedAt + 1, 30000);

  window().workspaces().goTo(Workspace::inspect);
  QTRY_VERIFY_WITH_TIMEOUT(visibleImage(), 30000);
  ImageView* image = visibleImage();
  QTRY_VERIFY_WITH_TIMEOUT(image->rowCount() == 8, 30000);
  QTest::mouseClick(image, Qt::LeftButton, {}, image->cellRect({2, 5}).center().toPoint());
  const auto* feed = &window().findChild<ImageMode*>()->feed();
  QTRY_VERIFY_WITH_TIMEOUT(
      feed->snapshot() && feed->snapshot()->queryRow == 2 && feed->snapshot()->queryColumn == 5,
      30000);
  QVERIFY(feed->snapshot()->residual.relative < 1e-4);
  QVERIFY(feed->snapshot()->residual.absolute > 0);
  QCOMPARE(training().state(), SessionState::paused);

  window().workspaces().goTo(Workspace::train);
  QTest::keyClick(&window(), Qt::Key_F6);
  QTRY_VERIFY_WITH_TIMEOUT(training().lastResult().has_value(), 120000);
  QCOMPARE(training().lastResult()->status, RunStatus::finished);
  run_ = training().lastResult()->run;
}

void TestStudio::theRunIsFoundAndInspectedAgain() {
  window().workspaces().goTo(Workspace::runs);
  const RunLibrary& library = window().workspaces().library();
  QTRY_VERIFY_WITH_TIMEOUT(library.find(run_) != nullptr, 10000);
  QTRY_COMPARE_WITH_TIMEOUT(library.find(run_)->record.status, RunStatus::finished, 10000);
  window().workspaces().openRun(run_);
  const auto showsContributions = [this] {
    const QList<HeatmapView*> maps =
        window().workspaces().page(Workspace::inspect)->findChildren<HeatmapView*>();
    return std::ranges::any_of(maps, [](const HeatmapView* map) {
      return map->isVisible() && map->data().tileCount() > 0;
    });
  };
  QTRY_VERIFY_WITH_TIMEOUT(visibleImage() && showsContributions(), 30000);
}

void TestStudio::closesWhileTraining() {
  RunConfig config = window().workspaces().document().config();
  config.recipe.epochs = 1000;
  training().start(config, NewRunPlace(folder_.path().toStdString()));
  QTRY_COMPARE_WITH_TIMEOUT(training().state(), SessionState::running, 30000);
  QTRY_VERIFY_WITH_TIMEOUT(training().status().step > 3, 30000);
  window().closeWithoutAsking();
  QTRY_VERIFY_WITH_TIMEOUT(!window().isVisible(), 30000);
  const Metrics metrics =
      readMetrics(std::filesystem::path(training().lastResult()->run) / "metrics.jsonl");
  QCOMPARE(metrics.events.back().kind, EventKind::stopped);
}

void TestStudio::cleanupTestCase() {
  window_.reset();
  preferences_.reset();
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestStudio)

#include "tst_studio.moc"
