#include <algorithm>
#include <cmath>
#include <numeric>

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QStatusBar>
#include <QToolButton>

#include "app/design/design_page.h"
#include "app/design/templates/template_gallery.h"
#include "app/experiments/draft/draft_view.h"
#include "app/experiments/experiments_page.h"
#include "app/runs/run_library.h"
#include "app/session/documents/document_actions.h"
#include "app/studio/commands/command_palette.h"
#include "app/studio/notice_bar.h"
#include "engine/formats/json/presets.h"
#include "tests/support/studio_window.h"
#include "widgets/forms/field_form.h"
#include "widgets/forms/number_box.h"
#include "widgets/network/network_actions.h"
#include "widgets/network/network_editor.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// The sizes of a splitter's parts as shares, since the width of a page changes with its content.
std::vector<double> sharesOf(const QSplitter& splitter) {
  const QList<int> sizes = splitter.sizes();
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  std::vector<double> shares;
  for (const int size : sizes) shares.push_back(size / total);
  return shares;
}

}  // namespace

/// Requests of a person to the window, in orders in which something could be lost or done unseen.
class TestWindowRequests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void aTemplateNeverReplacesTheFileOfAnotherNetwork();
  void theQuickstartNeverReplacesTheFileOfAnotherNetwork();
  void aDoubleClickOnStartStartsOneRun();
  void undoWorksAfterANumberWasTyped();
  void undoBelongsToThePageInView();
  void singleKeysAreNoShortcutsBehindAMenu();
  void singleKeysSearchInAComboBox();
  void thePaletteGoesToThePageOfACommand();
  void thePaletteLeavesOutWhatCannotAct();
  void aRecentRunIsOpenedEvenWhileAnotherTrains();
  void closingAsksBeforeItStopsATraining();
  void aFieldOfAnyPageIsVariedInAnExperiment();
  void runsOfAnExperimentAreListedOnRequest();
  void aStoppedTrainingIsOfferedAtTheNextStart();
  void aKilledTrainingIsOfferedAtTheNextStart();
  void aKilledStudioOpensOnItsWorkspace();
  void theOpenDocumentComesBack();
  void thePaperWithoutABrowserIsAnAddressToPaste();
  void theWindowStaysOnTheScreenAtEveryTextSize();
  void pagesAreNotScrolledInASmallWindow();
  void resettingTheLayoutResetsEverySplitter();

 private:
  QString savedNetwork(const QString& name);
  QStringList paletteTexts();
  void choose(const QString& command);
  void startEndless();
  void trainOneEpoch();

  std::unique_ptr<StudioWindow> studio_;
};

void TestWindowRequests::initTestCase() {
  QApplication::setOrganizationName(u"lambda-studio-request-tests"_s);
}

void TestWindowRequests::init() {
  studio_ = std::make_unique<StudioWindow>();
}

void TestWindowRequests::cleanup() {
  studio_.reset();
}

/// Saves the document under a name, then changes it.
QString TestWindowRequests::savedNetwork(const QString& name) {
  const QString path = studio_->folder.filePath(name);
  studio_->setEpochs(7);
  [&] { QVERIFY(studio_->document().saveAs(path).isEmpty()); }();
  studio_->setEpochs(8);
  return path;
}

void TestWindowRequests::startEndless() {
  RunConfig config = studio_->document().config();
  config.recipe.epochs = 100000;
  studio_->training().start(config, studio_->workspaces().library().folder());
  QTRY_COMPARE(studio_->training().state(), SessionState::running);
}

/// Leaves one finished run in the library.
void TestWindowRequests::trainOneEpoch() {
  RunConfig config = studio_->document().config();
  config.recipe.epochs = 1;
  studio_->training().start(config, studio_->workspaces().library().folder());
  QTRY_VERIFY(studio_->training().lastResult());
  QTRY_COMPARE(studio_->workspaces().library().runs().size(), std::size_t{1});
}

void TestWindowRequests::aTemplateNeverReplacesTheFileOfAnotherNetwork() {
  const QString path = savedNetwork(u"mine.json"_s);
  auto* gallery = (*studio_)->findChild<TemplateGallery*>();
  std::vector<Problem> warnings;
  const Template hybrid{"cpu-hybrid", loadPreset("cpu-hybrid", warnings)};
  Q_EMIT gallery->chosen(hybrid);
  studio_->answer(u"Cancel"_s);
  QCOMPARE(studio_->document().config().recipe.epochs, 8);
  QCOMPARE(studio_->document().path(), path);

  Q_EMIT gallery->chosen(hybrid);
  studio_->answer(u"Save"_s);
  QCOMPARE(studio_->document().path(), QString());
  QCOMPARE(studio_->document().title(), u"cpu-hybrid"_s);
  QVERIFY(studio_->document().open(path).isEmpty());
  QCOMPARE(studio_->document().config().recipe.epochs, 8);
}

void TestWindowRequests::theQuickstartNeverReplacesTheFileOfAnotherNetwork() {
  const QString path = savedNetwork(u"mine.json"_s);
  QTest::mouseClick(visibleButton(**studio_, u"Train the quickstart"_s), Qt::LeftButton);
  QVERIFY(!studio_->training().isBusy());
  studio_->answer(u"Discard"_s);
  QTRY_VERIFY(studio_->training().isBusy());
  QCOMPARE(studio_->document().path(), QString());
}

void TestWindowRequests::aDoubleClickOnStartStartsOneRun() {
  studio_->engine->batchTime = std::chrono::milliseconds(5);
  studio_->workspaces().goTo(Workspace::train);
  auto* start = (*studio_)->findChild<QPushButton*>(u"start"_s);
  QVERIFY(start->isVisible());
  QWidget& window = **studio_;
  const QPoint place = start->mapTo(&window, start->rect().center());
  // Each click hits whatever lies there.
  for (int click = 0; click < 3; ++click) {
    QWidget* hit = window.childAt(place);
    QTest::mouseClick(hit, Qt::LeftButton, {}, hit->mapFrom(&window, place));
    QTest::qWait(60);
  }
  QVERIFY(studio_->training().isBusy());
  QVERIFY(studio_->training().state() != SessionState::stopping);
  QCOMPARE(studio_->engine->trainings(), 1);
}

void TestWindowRequests::undoWorksAfterANumberWasTyped() {
  studio_->workspaces().goTo(Workspace::train);
  NumberBox* box = nullptr;
  for (NumberBox* each : studio_->workspaces().page(Workspace::train)->findChildren<NumberBox*>()) {
    if (each->isVisible() && each->isEnabled() &&
        each->value() == studio_->document().config().recipe.epochs)
      box = each;
  }
  QVERIFY(box);
  const RunConfig before = studio_->document().config();
  box->setFocus();
  box->selectAll();
  QTest::keyClicks(box, u"9"_s);
  QTest::keyClick(box, Qt::Key_Return);
  QVERIFY(studio_->document().config() != before);
  QVERIFY(box->hasFocus());
  QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
  QCOMPARE(studio_->document().config(), before);
  QTest::keyClick(box, Qt::Key_Y, Qt::ControlModifier);
  QVERIFY(studio_->document().config() != before);
}

void TestWindowRequests::undoBelongsToThePageInView() {
  studio_->setEpochs(8);
  studio_->workspaces().goTo(Workspace::design);
  const QAction* undo = nullptr;
  for (const QAction* action : (*studio_)->actionsOfMenus()) {
    if (action->shortcut() == QKeySequence::Undo) undo = action;
  }
  QVERIFY(undo);
  QCOMPARE(undo->text(), u"Undo Set epochs to 8"_s);
  QVERIFY(undo->isEnabled());
  studio_->workspaces().goTo(Workspace::inspect);
  QVERIFY(!undo->isEnabled());
  QTest::keyClick(&**studio_, Qt::Key_Z, Qt::ControlModifier);
  QCOMPARE(studio_->document().config().recipe.epochs, 8);
  studio_->workspaces().goTo(Workspace::design);
  QTest::keyClick(&**studio_, Qt::Key_Z, Qt::ControlModifier);
  QVERIFY(studio_->document().config().recipe.epochs != 8);
}

void TestWindowRequests::singleKeysAreNoShortcutsBehindAMenu() {
  studio_->workspaces().goTo(Workspace::design);
  auto* editor = (*studio_)->findChild<NetworkEditor*>();
  editor->setFocus();
  const QSignalSpy selected(editor->actions().selectTool, &QAction::triggered);
  QMenu* menu = (*studio_)->menuBar()->actions().front()->menu();
  menu->popup((*studio_)->mapToGlobal(QPoint(5, 5)));
  QTRY_VERIFY(menu->isVisible());
  QTest::keyClick(editor, Qt::Key_V);
  QCOMPARE(selected.count(), 0);
  menu->close();
  QTRY_VERIFY(!menu->isVisible());
  QTest::keyClick(editor, Qt::Key_V);
  QCOMPARE(selected.count(), 1);
}

void TestWindowRequests::singleKeysSearchInAComboBox() {
  studio_->workspaces().goTo(Workspace::design);
  auto* editor = (*studio_)->findChild<NetworkEditor*>();
  auto* combo = new QComboBox(editor);
  combo->addItems({u"mean"_s, u"values"_s});
  combo->show();
  combo->setFocus();
  const QSignalSpy selected(editor->actions().selectTool, &QAction::triggered);
  QTest::keyClick(combo, Qt::Key_V);
  QCOMPARE(selected.count(), 0);
  QCOMPARE(combo->currentText(), u"values"_s);
}

QStringList TestWindowRequests::paletteTexts() {
  QTest::keyClick(&**studio_, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
  const auto* palette = (*studio_)->findChild<CommandPalette*>();
  const QAbstractItemModel& model = *palette->findChild<QListView*>()->model();
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row) texts << model.index(row, 0).data().toString();
  return texts;
}

void TestWindowRequests::choose(const QString& command) {
  paletteTexts();
  auto* input = (*studio_)->findChild<CommandPalette*>()->findChild<QLineEdit*>();
  input->setText(command);
  QTest::keyClick(input, Qt::Key_Return);
  QCoreApplication::processEvents();
}

void TestWindowRequests::thePaletteGoesToThePageOfACommand() {
  studio_->workspaces().goTo(Workspace::train);
  QVERIFY(paletteTexts().contains(u"Design: Add stage"_s));
  const auto stages = [this] { return studio_->document().config().architecture.stages.size(); };
  const std::size_t before = stages();
  choose(u"Design: Add stage"_s);
  QTRY_COMPARE(studio_->workspaces().current(), Workspace::design);
  QTRY_COMPARE(stages(), before + 1);
}

void TestWindowRequests::thePaletteLeavesOutWhatCannotAct() {
  studio_->workspaces().goTo(Workspace::design);
  const QStringList texts = paletteTexts();
  QVERIFY(texts.filter(u"Train: Start training"_s).size() == 1);
  QVERIFY(texts.filter(u"Train: Stop"_s).isEmpty());
  QVERIFY(texts.filter(u"Edit: Undo"_s).isEmpty());
  QVERIFY2(!texts.filter(u"Design: Export the picture"_s).isEmpty(), qPrintable(texts.join(u'\n')));
}

void TestWindowRequests::aRecentRunIsOpenedEvenWhileAnotherTrains() {
  trainOneEpoch();
  startEndless();
  studio_->workspaces().goTo(Workspace::welcome);
  const auto row = [this]() -> QPushButton* {
    for (QPushButton* each : (*studio_)->findChildren<QPushButton*>()) {
      if (each->isVisible() && each->accessibleName().contains(u"1 epoch"_s)) return each;
    }
    return nullptr;
  };
  QTRY_VERIFY(row());
  QTest::mouseClick(row(), Qt::LeftButton);
  QCOMPARE(studio_->workspaces().current(), Workspace::inspect);
  QTRY_VERIFY(!studio_->engine->inspections().empty());
}

void TestWindowRequests::closingAsksBeforeItStopsATraining() {
  startEndless();
  (*studio_)->close();
  studio_->answer(u"Keep training"_s);
  QVERIFY((*studio_)->isVisible());
  QCOMPARE(studio_->training().state(), SessionState::running);
  (*studio_)->close();
  studio_->answer(u"Stop and close"_s);
  QTRY_VERIFY(!(*studio_)->isVisible());
  QCOMPARE(studio_->training().state(), SessionState::idle);
}

void TestWindowRequests::aFieldOfAnyPageIsVariedInAnExperiment() {
  Workspaces& workspaces = studio_->workspaces();
  const auto* draft = (*studio_)->findChild<DraftView*>();
  const auto vary = [&](Workspace workspace, const std::string& path) {
    workspaces.goTo(workspace);
    for (FieldForm* form : workspaces.page(workspace)->findChildren<FieldForm*>()) {
      QWidget* editor = form->editorOf(path);
      if (!editor || !editor->isVisible()) continue;
      editor->parentWidget()->parentWidget()->findChild<QToolButton*>(u"vary"_s)->click();
      return;
    }
    qFatal("no form shows %s", path.c_str());
  };
  vary(Workspace::train, "recipe.epochs");
  QCOMPARE(workspaces.current(), Workspace::experiments);
  QVERIFY(draft->isVisible());
  QCOMPARE(draft->draft()->axes[0].path, std::string("recipe.epochs"));
  QVERIFY(draft->draft()->base == studio_->document().runConfig());

  studio_->setEpochs(7);
  vary(Workspace::design, "architecture.activation");
  QCOMPARE(draft->draft()->axes.size(), std::size_t{2});
  QCOMPARE(draft->draft()->axes[1].path, std::string("architecture.activation"));
  QCOMPARE(draft->draft()->base.recipe.epochs, 7);
}

void TestWindowRequests::runsOfAnExperimentAreListedOnRequest() {
  trainOneEpoch();
  RunLibrary& library = studio_->workspaces().library();
  const std::filesystem::path elsewhere = studio_->folder.filePath(u"elsewhere"_s).toStdString();
  std::filesystem::create_directories(elsewhere);
  std::filesystem::copy(
      library.runs()[0].path, elsewhere / "copy", std::filesystem::copy_options::recursive);
  auto* page = (*studio_)->findChild<ExperimentsPage*>();
  Q_EMIT page->runsRequested({elsewhere / "copy"});
  QCOMPARE(studio_->workspaces().current(), Workspace::runs);
  QTRY_COMPARE(library.runs().size(), std::size_t{2});
}

void TestWindowRequests::aStoppedTrainingIsOfferedAtTheNextStart() {
  startEndless();
  (*studio_)->close();
  studio_->answer(u"Stop and close"_s);
  QTRY_VERIFY(!(*studio_)->isVisible());
  studio_->open();
  const auto* notices = (*studio_)->findChild<NoticeBar*>();
  QTRY_VERIFY(notices->text().contains(u"can be resumed"_s));
  QVERIFY2(notices->text().startsWith(u"quickstart stopped in epoch"_s),
           qPrintable(notices->text()));
  QTest::mouseClick(visibleButton(*notices, u"Resume"_s), Qt::LeftButton);
  QCOMPARE(studio_->workspaces().current(), Workspace::train);
  QTRY_VERIFY(studio_->training().isBusy());
}

void TestWindowRequests::aKilledTrainingIsOfferedAtTheNextStart() {
  startEndless();
  studio_->abandon();
  studio_->open();
  const auto* notices = (*studio_)->findChild<NoticeBar*>();
  QTRY_VERIFY(notices->text().contains(u"can be resumed"_s));
}

void TestWindowRequests::aKilledStudioOpensOnItsWorkspace() {
  studio_->workspaces().goTo(Workspace::inspect);
  studio_->abandon();
  studio_->open();
  QCOMPARE(studio_->workspaces().current(), Workspace::inspect);
}

void TestWindowRequests::theOpenDocumentComesBack() {
  const QString path = savedNetwork(u"mine.json"_s);
  (*studio_)->close();
  studio_->answer(u"Save"_s);
  QTRY_VERIFY(!(*studio_)->isVisible());
  studio_->open();
  QCOMPARE(studio_->document().path(), path);
  QCOMPARE(studio_->document().config().recipe.epochs, 8);
  QFile::remove(path);
  (*studio_)->close();
  studio_->open();
  QCOMPARE(studio_->document().path(), QString());
}

void TestWindowRequests::thePaperWithoutABrowserIsAnAddressToPaste() {
  // The platform of the tests opens no addresses.
  for (QAction* action : (*studio_)->actionsOfMenus()) {
    if (action->text() == u"The paper: LambdaNetworks"_s) action->trigger();
  }
  const QString address = u"https://arxiv.org/abs/2102.08602"_s;
  QCOMPARE(QApplication::clipboard()->text(), address);
  const QString told = (*studio_)->findChild<NoticeBar*>()->text();
  QVERIFY2(told.contains(u"was copied"_s) && told.contains(address), qPrintable(told));
}

void TestWindowRequests::theWindowStaysOnTheScreenAtEveryTextSize() {
  const QSize screen = (*studio_)->screen()->availableSize();
  for (const double size : {2.0, 1.0}) {
    studio_->preferences().setTextSize(size);
    for (const WorkspaceTraits& traits : kWorkspaces) {
      studio_->workspaces().goTo(traits.workspace);
      QCoreApplication::processEvents();
      (*studio_)->resize(QSize(800, 600));
      QCoreApplication::processEvents();
      QVERIFY2((*studio_)->width() <= screen.width() && (*studio_)->height() <= screen.height(),
               traits.title);
      QCOMPARE((*studio_)->size(), QSize(800, 600));
      QVERIFY((*studio_)->statusBar()->geometry().bottom() < 600);
    }
  }
}

void TestWindowRequests::pagesAreNotScrolledInASmallWindow() {
  trainOneEpoch();
  (*studio_)->resize(1280, 760);  // 1280x800 without the frame of the window.
  studio_->workspaces().openRun(studio_->workspaces().library().runs().front().path);
  QTRY_VERIFY(std::ranges::any_of((*studio_)->findChildren<HeatmapView*>(), [](const auto* map) {
    return map->isVisible() && map->data().tileCount() > 0;
  }));
  for (const WorkspaceTraits& traits : kWorkspaces) {
    studio_->workspaces().goTo(traits.workspace);
    QCoreApplication::processEvents();
    const auto* scrolled = qobject_cast<QScrollArea*>(studio_->workspaces().currentWidget());
    const QSize needed = scrolled->widget()->size();
    const QSize available = scrolled->viewport()->size();
    QVERIFY2(needed.width() <= available.width() && needed.height() <= available.height(),
             qPrintable(u"%1 needs %2 x %3 of %4 x %5"_s.arg(QLatin1String(traits.title))
                            .arg(needed.width())
                            .arg(needed.height())
                            .arg(available.width())
                            .arg(available.height())));
  }
}

void TestWindowRequests::resettingTheLayoutResetsEverySplitter() {
  QAction* reset = nullptr;
  for (QAction* action : (*studio_)->actionsOfMenus()) {
    if (action->text() == u"Reset the layout"_s) reset = action;
  }
  QVERIFY(reset);
  trainOneEpoch();
  for (const WorkspaceTraits& traits : kWorkspaces) {
    studio_->workspaces().goTo(traits.workspace);
    reset->trigger();
    QCoreApplication::processEvents();
    for (QSplitter* splitter : studio_->workspaces().findChildren<QSplitter*>()) {
      if (!splitter->isVisible() || splitter->count() < 2) continue;
      const std::vector<double> standard = sharesOf(*splitter);
      QList<int> moved(splitter->count(), 100);
      moved.back() = 100 * splitter->count();
      splitter->setSizes(moved);
      Q_EMIT splitter->splitterMoved(moved.front(), 1);
      QCoreApplication::processEvents();
      reset->trigger();
      QCoreApplication::processEvents();
      const std::vector<double> found = sharesOf(*splitter);
      for (std::size_t i = 0; i < standard.size(); ++i) {
        QVERIFY2(std::abs(found[i] - standard[i]) < 0.01,
                 qPrintable(u"%1, %2, part %3: %4 of the space instead of %5"_s
                                .arg(QLatin1String(traits.title), splitter->objectName())
                                .arg(i)
                                .arg(found[i])
                                .arg(standard[i])));
      }
    }
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestWindowRequests)

#include "tst_window_requests.moc"
