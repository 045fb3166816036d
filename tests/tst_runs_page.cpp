#include <algorithm>
#include <memory>

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QUrl>
#include <QtTest/QtTest>

#include "app/runs/panels/differences_model.h"
#include "app/runs/panels/fork_dialog.h"
#include "app/runs/panels/message_bar.h"
#include "app/runs/panels/run_legend.h"
#include "app/runs/path_text.h"
#include "app/runs/run_library.h"
#include "app/runs/runs_page.h"
#include "app/runs/table/run_filter_bar.h"
#include "app/runs/table/run_sort_filter.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/inspection_session.h"
#include "app/session/training_session.h"
#include "engine/formats/tensorboard_events.h"
#include "tests/support/scripted_engine.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"
#include "widgets/pictures/image_grid.h"
#include "widgets/plots/scatter_plot.h"
#include "widgets/tables/confusion_view.h"
#include "widgets/theme/theme.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

using Column = RunTableModel::Column;

/// Few images, which are drawn in no time.
RunRecord smallRecord(const std::string& name) {
  RunRecord record = finishedRecord(name);
  record.config.data.generatedTrainCount = 600;
  record.config.data.validationCount = 500;
  record.config.data.generatedTestCount = 500;
  record.config.recipe.batchSize = 32;
  return record;
}

}  // namespace

class TestRunsPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void init();
  void cleanup();
  void anEmptyLibraryOffersTheFirstTraining();
  void aMissingFolderIsTold();
  void aRunStartedElsewhereShowsUpAndFollows();
  void checkedRunsAreLaidOverEachOtherWithWhatDiffers();
  void aClickOnALegendEntrySelectsItsRow();
  void differencesShowOnlyWhatDiffers();
  void theScatterHoldsRunsOfTheSameData();
  void aSearchWithoutHitsOffersToClearIt();
  void returnOpensTheRunInInspect();
  void resumeAndContinueAskTheWindow();
  void whileTrainingNothingElseIsStarted();
  void forkingOffersCheckpointsAndSettings();
  void f2RenamesInTheTable();
  void notesAndTagsAreWrittenAsTheyAreTyped();
  void deletingAsksAndCanBeUndone();
  void escapeKeepsTheRun();
  void confusionShowsTheImagesBehindACell();
  void theTestSetIsOnlyLookedAtWhenAskedFor();
  void droppedLogsAreImportedAndOverlaid();
  void aDroppedFolderThatIsNothingIsTold();
  void theCommandLineIsCopied();
  void aRunIsSelectedAsSoonAsItIsThere();
  void choicesAreRemembered();
  void everyActionHasATextAndAKeyOfItsOwn();
  void everyTabPaintsInBothThemesAtTwoScales();
  void endsWhileSomethingIsUnderWay();
  void aThousandRunsOpenInASecond();

 private:
  fs::path write(const std::string& name, const RunRecord& record) {
    return writeRun(folder_->path(), "2026-11-21_01-02-23_" + name, record);
  }

  void open(qsizetype expectedRows);
  void makePage();

  void showTab(int tab) { page_->findChild<QTabWidget*>()->setCurrentIndex(tab); }

  QAction* action(const QString& text) const;
  QPushButton* button(const QString& text) const;

  RunTableView& table() const { return *page_->findChild<RunTableView*>(); }

  QAbstractItemModel& rows() const { return *table().model(); }

  RunsMessageBar& messageBar() const { return *page_->findChild<RunsMessageBar*>(); }

  bool hasLabel(const QString& text) const;

  std::unique_ptr<TemporaryFolder> home_;
  std::unique_ptr<TemporaryFolder> folder_;
  std::shared_ptr<ScriptedEngine> engine_;
  std::unique_ptr<RunLibrary> library_;
  std::unique_ptr<TrainingSession> training_;
  std::unique_ptr<InspectionSession> inspection_;
  std::unique_ptr<RunsPage> page_;
};

void TestRunsPage::initTestCase() {
  home_ = std::make_unique<TemporaryFolder>();
  qputenv("XDG_DATA_HOME", QByteArray::fromStdString(home_->path().string()));
  applyTheme(*qApp, ThemeChoice::light);
}

void TestRunsPage::init() {
  folder_ = std::make_unique<TemporaryFolder>();
  engine_ = std::make_shared<ScriptedEngine>();
  library_ = std::make_unique<RunLibrary>();
  training_ = std::make_unique<TrainingSession>(engine_);
  inspection_ = std::make_unique<InspectionSession>(engine_);
  makePage();
}

void TestRunsPage::makePage() {
  page_ = std::make_unique<RunsPage>(*library_, *training_, *inspection_);
  page_->resize(1208, 730);
  page_->show();
  QVERIFY(QTest::qWaitForWindowExposed(page_.get()));
}

void TestRunsPage::cleanup() {
  page_.reset();
  inspection_.reset();
  training_.reset();
  library_.reset();
  folder_.reset();
}

void TestRunsPage::open(qsizetype expectedRows) {
  library_->setFolder(folder_->path());
  QTRY_VERIFY(library_->state() != LibraryState::reading);
  QTRY_COMPARE(rows().rowCount(), expectedRows);
}

QAction* TestRunsPage::action(const QString& text) const {
  const QList<QAction*> actions = page_->pageActions();
  const auto found = std::find_if(actions.begin(), actions.end(), [&](const QAction* each) {
    return each && each->text() == text;
  });
  return found == actions.end() ? nullptr : *found;
}

QPushButton* TestRunsPage::button(const QString& text) const {
  for (QPushButton* each : page_->findChildren<QPushButton*>()) {
    if (each->isVisible() && each->text() == text) return each;
  }
  return nullptr;
}

bool TestRunsPage::hasLabel(const QString& text) const {
  const QList<QLabel*> labels = page_->findChildren<QLabel*>();
  return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
    return label->isVisible() && label->text().contains(text);
  });
}

void TestRunsPage::anEmptyLibraryOffersTheFirstTraining() {
  QSignalSpy wishes(page_.get(), &RunsPage::trainRequested);
  open(0);
  QTRY_VERIFY(button(u"Train your first network"_s));
  QTest::mouseClick(button(u"Train your first network"_s), Qt::LeftButton);
  QCOMPARE(wishes.size(), 1);
}

void TestRunsPage::aMissingFolderIsTold() {
  library_->setFolder(folder_->path() / "gone");
  QTRY_VERIFY(hasLabel(u"The library folder is not there"_s));
  QVERIFY(button(u"Choose another folder …"_s));
}

void TestRunsPage::aRunStartedElsewhereShowsUpAndFollows() {
  open(0);
  QElapsedTimer timer;
  timer.start();
  RunRecord record = smallRecord("live");
  record.status = RunStatus::running;
  record.epochsDone = 1;
  const fs::path run = write("live", record);
  const RunLock lock(RunFolder::open(run));
  appendText(run / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  QTRY_COMPARE(rows().rowCount(), 1);
  QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
  QTRY_COMPARE(rows().index(0, Column::kStatus).data().toString(), u"Training"_s);
  const auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(1));
  QTRY_COMPARE(legend.entries().front().value, u"50.00 %"_s);
  appendText(run / "metrics.jsonl", toLine(epochRecord(2, 0.75)));
  record.epochsDone = 2;
  writeRunRecord(run / "run.json", record);
  QTRY_COMPARE(legend.entries().front().value, u"75.00 %"_s);
  QTRY_COMPARE(rows().index(0, Column::kEpochs).data().toString(), u"2 / 6"_s);
}

void TestRunsPage::checkedRunsAreLaidOverEachOtherWithWhatDiffers() {
  RunRecord first = smallRecord("first"), second = smallRecord("second");
  second.config.seed = 7;
  appendText(write("a", first) / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  appendText(write("b", second) / "metrics.jsonl", toLine(epochRecord(1, 0.6)));
  write("c", smallRecord("third"));
  open(3);
  const auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(1));  // The one that is selected.
  table().selectRun(folder_->path() / "2026-11-21_01-02-23_a");
  QTest::keyClick(&table(), Qt::Key_Space);
  table().selectRun(folder_->path() / "2026-11-21_01-02-23_b");
  QTest::keyClick(&table(), Qt::Key_Space);
  QTRY_COMPARE(legend.entries().size(), std::size_t(2));
  QCOMPARE(legend.entries()[0].detail, u"seed 0"_s);
  QCOMPARE(legend.entries()[1].detail, u"seed 7"_s);
  QVERIFY(legend.entries()[0].colorIndex != legend.entries()[1].colorIndex);
  QTRY_COMPARE(legend.entries()[1].value, u"60.00 %"_s);
  action(u"Uncheck all"_s)->trigger();
  QTRY_COMPARE(legend.entries().size(), std::size_t(1));
}

void TestRunsPage::aClickOnALegendEntrySelectsItsRow() {
  const fs::path a = write("a", smallRecord("first"));
  write("b", smallRecord("second"));
  open(2);
  table().selectAll();
  QTest::keyClick(&table(), Qt::Key_Space);
  auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(2));
  QCOMPARE(legend.entries().front().run, a);
  QTest::mouseClick(&legend, Qt::LeftButton, {}, QPoint(20, 8));
  QCOMPARE(table().currentRun(), a);
  QTest::keyClick(&legend, Qt::Key_Down);
  QVERIFY(table().currentRun() != a);
}

void TestRunsPage::differencesShowOnlyWhatDiffers() {
  RunRecord second = smallRecord("second");
  second.config.recipe.batchSize = 17;
  write("a", smallRecord("first"));
  write("b", second);
  open(2);
  table().selectAll();
  QTest::keyClick(&table(), Qt::Key_Space);
  showTab(1);
  auto& model = *page_->findChild<DifferencesModel*>();
  QTRY_COMPARE(model.columnCount(), 3);
  QCOMPARE(model.rowCount(), 2);  // The group and the one setting.
  QCOMPARE(model.index(1, 0).data().toString(), u"Batch size"_s);
  QCOMPARE(model.index(1, 2).data().toString(), u"17"_s);
  model.setOnlyDifferences(false);
  QVERIFY(model.rowCount() > 30);
}

void TestRunsPage::theScatterHoldsRunsOfTheSameData() {
  RunRecord other = smallRecord("other data");
  other.config.data.source = "/data/cifar10";
  const fs::path run = write("a", smallRecord("first"));
  const fs::path foreign = write("b", other);
  write("c", smallRecord("third"));
  open(3);
  table().selectRun(run);
  showTab(3);
  const auto& plot = *page_->findChild<ScatterPlot*>();
  QTRY_COMPARE(plot.points().size(), std::size_t(2));
  table().selectRun(foreign);
  QTRY_COMPARE(plot.points().size(), std::size_t(1));
  QCOMPARE(plot.points().front().key, foreign.string());
  page_->findChild<QCheckBox*>(u"sameData"_s)->setChecked(false);
  QTRY_COMPARE(plot.points().size(), std::size_t(3));
  QTest::mouseClick(page_->findChild<ScatterPlot*>(),
                    Qt::LeftButton,
                    {},
                    plot.positionOf(plot.points().front()).toPoint());
  QVERIFY(!table().currentRun().empty());
}

void TestRunsPage::aSearchWithoutHitsOffersToClearIt() {
  write("a", smallRecord("first"));
  open(1);
  action(u"Search runs"_s)->trigger();
  QLineEdit* search = page_->findChild<RunFilterBar*>()->searchField();
  QTRY_VERIFY(search->hasFocus());
  QTest::keyClicks(search, u"nothing like it"_s);
  QTRY_VERIFY(hasLabel(u"No run is like that"_s));
  QTest::mouseClick(button(u"Clear search and filters"_s), Qt::LeftButton);
  QCOMPARE(rows().rowCount(), 1);
  QVERIFY(search->text().isEmpty());
}

void TestRunsPage::returnOpensTheRunInInspect() {
  const fs::path run = write("a", smallRecord("first"));
  open(1);
  QSignalSpy wishes(page_.get(), &RunsPage::inspectRequested);
  QTest::keyClick(&table(), Qt::Key_Return);
  QCOMPARE(wishes.size(), 1);
  QCOMPARE(wishes.first().first().value<fs::path>(), run);
}

void TestRunsPage::resumeAndContinueAskTheWindow() {
  RunRecord stopped = smallRecord("stopped");
  stopped.status = RunStatus::stopped;
  stopped.epochsDone = 4;
  const fs::path run = write("a", stopped);
  write("b", smallRecord("finished"));
  open(2);
  table().selectRun(run);
  QSignalSpy resumes(page_.get(), &RunsPage::resumeRequested);
  QSignalSpy continuations(page_.get(), &RunsPage::continueRequested);
  action(u"Resume"_s)->trigger();
  QCOMPARE(resumes.size(), 1);
  action(u"Continue for more epochs …"_s)->trigger();
  messageBar().numberField()->setValue(30);
  QTest::mouseClick(messageBar().actionButton(), Qt::LeftButton);
  QCOMPARE(continuations.size(), 1);
  QCOMPARE(continuations.first().at(0).value<fs::path>(), run);
  QCOMPARE(continuations.first().at(1).toInt(), 34);
  table().selectRun(folder_->path() / "2026-11-21_01-02-23_b");
  QVERIFY(!action(u"Resume"_s)->isEnabled());
  QVERIFY(action(u"Continue for more epochs …"_s)->isEnabled());
}

void TestRunsPage::whileTrainingNothingElseIsStarted() {
  RunRecord stopped = smallRecord("stopped");
  stopped.status = RunStatus::stopped;
  const fs::path run = write("a", stopped);
  open(1);
  QVERIFY(action(u"Resume"_s)->isEnabled());
  engine_->batchesPerEpoch = 100000;
  const TemporaryFolder elsewhere;
  training_->start(smallRecord("busy").config, elsewhere.path());
  QVERIFY(!action(u"Resume"_s)->isEnabled());
  QVERIFY(!action(u"Fork …"_s)->isEnabled());
  QVERIFY(action(u"Look inside"_s)->isEnabled());
  training_->stop();
  QTRY_COMPARE(training_->state(), SessionState::idle);
  QVERIFY(action(u"Resume"_s)->isEnabled());
}

void TestRunsPage::forkingOffersCheckpointsAndSettings() {
  const fs::path run = write("a", smallRecord("first"));
  appendText(run / "checkpoints" / "epoch-0002.safetensors", "x");
  appendText(run / "checkpoints" / "last.safetensors", "xx");
  open(1);
  QSignalSpy wishes(page_.get(), &RunsPage::forkRequested);
  action(u"Fork …"_s)->trigger();
  auto* dialog = page_->findChild<ForkDialog*>();
  QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
  QPushButton* start = nullptr;
  for (QPushButton* each : dialog->findChildren<QPushButton*>()) {
    if (each->text() == u"Start the fork"_s) start = each;
  }
  QVERIFY(start);
  QTRY_VERIFY(start->isEnabled());
  QTest::mouseClick(start, Qt::LeftButton);
  QCOMPARE(wishes.size(), 1);
  QCOMPARE(wishes.first().at(0).value<fs::path>(), run / "checkpoints" / "last.safetensors");
  RunConfig expected = smallRecord("first").config;
  expected.name = "first-fork";
  QCOMPARE(wishes.first().at(1).value<RunConfig>(), expected);
}

void TestRunsPage::f2RenamesInTheTable() {
  write("a", smallRecord("first"));
  open(1);
  table().setFocus();
  action(u"Rename"_s)->trigger();
  auto* editor = table().findChild<QLineEdit*>();
  QTRY_VERIFY(editor && editor->isVisible());
  editor->setText(u"renamed"_s);
  QTest::keyClick(editor, Qt::Key_Return);
  const fs::path to = folder_->path() / "2026-11-21_01-02-23_renamed";
  QTRY_VERIFY(library_->find(to));
  QTRY_COMPARE(table().currentRun(), to);
  QCOMPARE(rows().index(0, Column::kName).data().toString(), u"renamed"_s);
}

void TestRunsPage::notesAndTagsAreWrittenAsTheyAreTyped() {
  const fs::path run = write("a", smallRecord("first"));
  const fs::path other = write("b", smallRecord("second"));
  open(2);
  table().selectRun(run);
  action(u"Edit tags"_s)->trigger();
  QCOMPARE(page_->findChild<QTabWidget*>()->currentIndex(), 4);
  QWidget* tags = QApplication::focusWidget();
  QVERIFY(qobject_cast<QLineEdit*>(tags));
  QTest::keyClicks(tags, u"good, seed 1, good"_s);
  QTest::keyClick(tags, Qt::Key_Return);
  QTRY_COMPARE(library_->find(run)->record.tags, (std::vector<std::string>{"good", "seed 1"}));
  action(u"Edit notes"_s)->trigger();
  QTest::keyClicks(QApplication::focusWidget(), u"Learns late."_s);
  // Going on to another run writes what was typed, and to the right one.
  table().selectRun(other);
  QTRY_COMPARE(library_->find(run)->record.notes, std::string("Learns late."));
  QVERIFY(library_->find(other)->record.notes.empty());
  QVERIFY(library_->find(other)->record.tags.empty());
}

void TestRunsPage::deletingAsksAndCanBeUndone() {
  const fs::path run = write("a", smallRecord("first"));
  write("b", smallRecord("second"));
  open(2);
  table().selectRun(run);
  QTest::keyClick(&table(), Qt::Key_Delete);
  QVERIFY(messageBar().isVisible());
  QVERIFY(messageBar().text().contains(u"first"_s));
  QVERIFY(fs::exists(run));
  QTest::keyClick(messageBar().actionButton(), Qt::Key_Return);
  QTRY_VERIFY(messageBar().isVisible());
  if (messageBar().text().contains(u"no trash"_s)) QSKIP("this file system has no trash");
  QTRY_COMPARE(rows().rowCount(), 1);
  QTRY_COMPARE(messageBar().actionButton()->text(), u"Undo"_s);
  QVERIFY(!fs::exists(run));
  QTest::mouseClick(messageBar().actionButton(), Qt::LeftButton);
  QTRY_COMPARE(rows().rowCount(), 2);
  QTRY_COMPARE(table().currentRun(), run);
  QCOMPARE(library_->find(run)->record, smallRecord("first"));
}

void TestRunsPage::escapeKeepsTheRun() {
  const fs::path run = write("a", smallRecord("first"));
  open(1);
  action(u"Move to the trash"_s)->trigger();
  QTest::keyClick(messageBar().actionButton(), Qt::Key_Escape);
  QVERIFY(!messageBar().isVisible());
  QVERIFY(fs::exists(run));
}

void TestRunsPage::confusionShowsTheImagesBehindACell() {
  const fs::path run = write("a", smallRecord("first"));
  open(1);
  showTab(2);
  QTRY_VERIFY(button(u"Classify the validation images"_s));
  QTest::mouseClick(button(u"Classify the validation images"_s), Qt::LeftButton);
  auto& view = *page_->findChild<ConfusionView*>();
  QTRY_VERIFY(view.isVisible());
  QCOMPARE(view.matrix().classes, 10);
  auto& grid = *page_->findChild<ImageGrid*>();
  QTRY_COMPARE(grid.shown().size(), std::size_t(72));  // All wrong ones of 500.
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.rectOf({0, 3}).center().toPoint());
  QTRY_COMPARE(grid.shown().size(), std::size_t(8));
  for (const GridImage& image : grid.shown()) QCOMPARE(image.verdict, Verdict::wrong);
  QSignalSpy wishes(page_.get(), &RunsPage::inspectImageRequested);
  Q_EMIT grid.imageActivated(grid.shown()[1].index);
  grid.setCurrentImage(grid.shown()[1].index);
  QTest::mouseClick(button(u"Look into it"_s), Qt::LeftButton);
  QCOMPARE(wishes.size(), 1);
  QCOMPARE(wishes.first().at(0).value<fs::path>(), run);
  QCOMPARE(wishes.first().at(1).value<Split>(), Split::validation);
  QCOMPARE(wishes.first().at(2).toInt(), grid.shown()[1].index);
}

void TestRunsPage::theTestSetIsOnlyLookedAtWhenAskedFor() {
  RunRecord record = smallRecord("first");
  record.testLooks = 3;
  write("a", record);
  open(1);
  showTab(2);
  for (QAbstractButton* each : page_->findChildren<QAbstractButton*>()) {
    if (each->text() == u"Test images"_s) each->click();
  }
  QTRY_VERIFY(hasLabel(u"looked at 3 times"_s));
  const auto& view = *page_->findChild<ConfusionView*>();
  QVERIFY(!view.isVisible());
  QVERIFY(button(u"Look at the test images"_s));
  QTest::mouseClick(button(u"Look at the test images"_s), Qt::LeftButton);
  QTRY_VERIFY(view.isVisible());
  QVERIFY(hasLabel(u"test images right"_s));
}

void TestRunsPage::droppedLogsAreImportedAndOverlaid() {
  const TemporaryFolder logs;
  fs::create_directory(logs.path() / "foreign");
  {
    EventWriter writer(logs.path() / "foreign");
    for (int epoch = 0; epoch < 5; ++epoch) {
      writer.add(epoch, {{"Accuracy_Test", 60.0 + epoch}}, 1000 + 10 * epoch);
    }
  }
  write("a", smallRecord("own"));
  open(1);
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(toText(logs.path() / "foreign"))});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(page_.get(), &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(page_.get(), &drop);
  QTRY_COMPARE(rows().rowCount(), 2);
  table().selectRun(logs.path() / "foreign");
  QTest::keyClick(&table(), Qt::Key_Space);
  const auto& legend = *page_->findChild<RunLegend*>();
  QTRY_COMPARE(legend.entries().size(), std::size_t(1));
  QTRY_COMPARE(legend.entries().front().value, u"64.00 %"_s);
  QVERIFY(!action(u"Move to the trash"_s)->isEnabled());
  action(u"Take off the list"_s)->trigger();
  QTRY_COMPARE(rows().rowCount(), 1);
  QVERIFY(fs::exists(logs.path() / "foreign"));
}

void TestRunsPage::aDroppedFolderThatIsNothingIsTold() {
  write("a", smallRecord("own"));
  open(1);
  page_->open(home_->path() / "nothing");
  QTRY_VERIFY(messageBar().isVisible());
  QVERIFY2(messageBar().text().contains(u"nothing"_s), qPrintable(messageBar().text()));
}

void TestRunsPage::theCommandLineIsCopied() {
  const fs::path run = write("it's", smallRecord("first"));
  open(1);
  action(u"Copy as command line"_s)->trigger();
  QCOMPARE(QApplication::clipboard()->text(),
           u"lambda train '"_s + toText(run).replace(u"'"_s, u"'\\''"_s) + u"'"_s);
}

void TestRunsPage::aRunIsSelectedAsSoonAsItIsThere() {
  write("b", smallRecord("second"));
  open(1);
  const fs::path later = folder_->path() / "2026-11-21_01-02-23_a";
  page_->selectRun(later);
  write("a", smallRecord("first"));
  QTRY_COMPARE(table().currentRun(), later);
}

void TestRunsPage::choicesAreRemembered() {
  const fs::path run = write("a", smallRecord("first"));
  write("b", smallRecord("second"));
  open(2);
  showTab(3);
  table().selectRun(run);
  QTest::keyClick(&table(), Qt::Key_Space);
  table().setColumnHidden(Column::kFlops, true);
  table().sortByColumn(Column::kName, Qt::AscendingOrder);
  QSettings settings(toText(home_->path() / "layout.ini"), QSettings::IniFormat);
  page_->saveLayout(settings);
  makePage();
  page_->restoreLayout(settings);
  QCOMPARE(page_->findChild<QTabWidget*>()->currentIndex(), 3);
  QVERIFY(table().isColumnHidden(Column::kFlops));
  QCOMPARE(rows().index(0, Column::kName).data().toString(), u"first"_s);
  QCOMPARE(rows().index(0, Column::kShown).data(Qt::CheckStateRole).toInt(),
           static_cast<int>(Qt::Checked));
}

void TestRunsPage::everyActionHasATextAndAKeyOfItsOwn() {
  std::set<QString> keys;
  for (const QAction* each : page_->pageActions()) {
    if (!each) continue;
    QVERIFY(!each->text().isEmpty());
    QVERIFY(!each->toolTip().isEmpty());
    if (each->shortcut().isEmpty()) continue;
    QVERIFY2(keys.insert(each->shortcut().toString()).second, qPrintable(each->text()));
  }
}

void TestRunsPage::everyTabPaintsInBothThemesAtTwoScales() {
  RunRecord second = smallRecord("second");
  second.config.seed = 1;
  appendText(write("a", smallRecord("first")) / "metrics.jsonl", toLine(epochRecord(1, 0.5)));
  write("b", second);
  appendText(write("c", smallRecord("damaged")) / "run.json", "}");
  open(3);
  table().selectAll();
  QTest::keyClick(&table(), Qt::Key_Space);
  for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
    for (const double scale : {2.0, 1.0}) {
      applyTheme(*qApp, theme, scale);
      for (int tab = 0; tab < 5; ++tab) {
        showTab(tab);
        QCOMPARE(page_->grab().size(), page_->size() * page_->devicePixelRatio());
      }
    }
  }
}

void TestRunsPage::endsWhileSomethingIsUnderWay() {
  write("a", smallRecord("first"));
  open(1);
  showTab(2);
  QTRY_VERIFY(button(u"Classify the validation images"_s));
  QTest::mouseClick(button(u"Classify the validation images"_s), Qt::LeftButton);
  library_->refresh();
  action(u"Edit notes"_s)->trigger();
  QTest::keyClicks(QApplication::focusWidget(), u"typed last"_s);
  page_.reset();
  QTRY_COMPARE(library_->runs().front().record.notes, std::string("typed last"));
}

void TestRunsPage::aThousandRunsOpenInASecond() {
  const std::string text = toJson(smallRecord("one of many"));
  for (int i = 0; i < 1000; ++i) {
    const fs::path run = folder_->path() / ("2026-11-21_01-02-23_run" + std::to_string(i));
    fs::create_directory(run);
    appendText(run / "run.json", text);
  }
  page_.reset();
  QElapsedTimer timer;
  timer.start();
  makePage();
  library_->setFolder(folder_->path());
  QTRY_COMPARE(rows().rowCount(), 1000);
  page_->repaint();
  const qint64 elapsed = timer.elapsed();
  qInfo("a table of 1,000 runs opened in %lld ms", static_cast<long long>(elapsed));
  QVERIFY2(elapsed < 1000, qPrintable(QString::number(elapsed)));

  timer.restart();
  table().sortByColumn(Column::kName, Qt::AscendingOrder);
  QTest::keyClicks(page_->findChild<RunFilterBar*>()->searchField(), u"many"_s);
  page_->repaint();
  qInfo("sorted by name and searched in %lld ms", static_cast<long long>(timer.elapsed()));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRunsPage)
#include "tst_runs_page.moc"
