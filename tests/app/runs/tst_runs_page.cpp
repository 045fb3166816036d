#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QPointer>
#include <QSignalSpy>
#include <QSpinBox>

#include "app/generated/generated_text.h"
#include "app/generated/text_samples_panel.h"
#include "app/histograms/histograms_panel.h"
#include "app/runs/panels/differences/differences_model.h"
#include "app/runs/panels/fork_dialog.h"
#include "app/runs/panels/run_legend.h"
#include "app/runs/panels/scatter_panel.h"
#include "app/runs/table/run_filter_bar.h"
#include "app/session/studio_settings.h"
#include "engine/formats/inspection/text_sample.h"
#include "engine/formats/metrics/histograms_json.h"
#include "tests/support/runs_page_stage.h"
#include "widgets/forms/field_form.h"
#include "widgets/pictures/images/image_grid.h"
#include "widgets/plots/scatter/scatter_plot.h"
#include "widgets/tables/confusion_view.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

QPushButton* startButton(const ForkDialog& dialog) {
  for (QPushButton* each : dialog.findChildren<QPushButton*>()) {
    if (each->text() == u"Start the fork"_s) return each;
  }
  return nullptr;
}

}  // namespace

class TestRunsPage : public QObject, private RunsPageStage {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { beginAll(); }

  void init() { begin(); }

  void cleanup() { end(); }

  void anEmptyLibraryOffersTheFirstTraining();
  void checkedRunsAreLaidOverEachOtherWithWhatDiffers();
  void aClickOnALegendEntrySelectsItsRow();
  void differencesShowOnlyWhatDiffers();
  void theScatterHoldsRunsOfTheSameData();
  void aSearchWithoutHitsOffersToClearIt();
  void returnOpensTheRunInInspect();
  void resumeAndContinueAskTheWindow();
  void whileTrainingNothingElseIsStarted();
  void forkingOffersCheckpointsAndSettings();
  void theForkOfARunWithoutANameIsNamedAfterItsNetwork();
  void aForkTrainsLongerThanItsCheckpoint();
  void aRefusedForkKeepsWhatWasEdited();
  void confusionShowsTheImagesBehindACell();
  void missingImagesOfOneRunAreNotShownForAnother();
  void theTestSetIsOnlyLookedAtWhenAskedFor();
  void theTestSetIsScoredUnaskedOnlyForWhoWantsThat();
  void imagesThatTheDataLackAreNotOffered();
  void aFailureForLackOfImagesIsNotTriedAgain();
  void detailsTellHowThePrecisionWasChosen();
  void histogramsOfTheSelectedRunAreShown();
  void textsOfTheSelectedRunAreShown();
  void theCommandLineIsCopied();

 private:
  void chooseTestImages() const {
    for (QAbstractButton* each : page_->findChildren<QAbstractButton*>()) {
      if (each->text() == u"Test images"_s) each->click();
    }
  }
};

void TestRunsPage::anEmptyLibraryOffersTheFirstTraining() {
  QSignalSpy requests(page_.get(), &RunsPage::trainRequested);
  open(0);
  QTRY_VERIFY(button(u"Train your first network"_s));
  QTest::mouseClick(button(u"Train your first network"_s), Qt::LeftButton);
  QCOMPARE(requests.size(), 1);
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
  other.config.data.source = Cifar10Source{"/data/cifar10"};
  const fs::path run = write("a", smallRecord("first"));
  const fs::path foreign = write("b", other);
  write("c", smallRecord("third"));
  open(3);
  table().selectRun(run);
  showTab(3);
  const auto& plot = *page_->findChild<ScatterPanel*>()->findChild<ScatterPlot*>();
  QTRY_COMPARE(plot.points().size(), std::size_t(2));
  table().selectRun(foreign);
  QTRY_COMPARE(plot.points().size(), std::size_t(1));
  QCOMPARE(plot.points().front().key, foreign.string());
  page_->findChild<QCheckBox*>(u"sameData"_s)->setChecked(false);
  QTRY_COMPARE(plot.points().size(), std::size_t(3));
  QTest::mouseClick(page_->findChild<ScatterPanel*>()->findChild<ScatterPlot*>(),
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
  QTRY_VERIFY(hasLabel(u"No matching runs"_s));
  QTest::mouseClick(button(u"Clear search and filters"_s), Qt::LeftButton);
  QCOMPARE(rows().rowCount(), 1);
  QVERIFY(search->text().isEmpty());
}

void TestRunsPage::returnOpensTheRunInInspect() {
  const fs::path run = write("a", smallRecord("first"));
  open(1);
  QSignalSpy requests(page_.get(), &RunsPage::inspectRequested);
  QTest::keyClick(&table(), Qt::Key_Return);
  QCOMPARE(requests.size(), 1);
  QCOMPARE(requests.first().first().value<fs::path>(), run);
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
  QCOMPARE(messageBar().text(), u"Continue stopped for"_s);
  QCOMPARE(messageBar().numberField()->text(), u"10 more epochs"_s);
  messageBar().numberField()->setValue(1);
  QCOMPARE(messageBar().numberField()->text(), u"1 more epoch"_s);
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
  QVERIFY(action(u"Inspect"_s)->isEnabled());
  training_->stop();
  QTRY_COMPARE(training_->state(), SessionState::idle);
  QVERIFY(action(u"Resume"_s)->isEnabled());
}

void TestRunsPage::forkingOffersCheckpointsAndSettings() {
  const fs::path run = write("a", smallRecord("first"));
  appendText(run / "checkpoints" / "epoch-0002.safetensors", "x");
  appendText(run / "checkpoints" / "last.safetensors", "xx");
  open(1);
  QSignalSpy requests(page_.get(), &RunsPage::forkRequested);
  action(u"Fork …"_s)->trigger();
  auto* dialog = page_->findChild<ForkDialog*>();
  QVERIFY(dialog && dialog->isVisible() && !dialog->isModal());
  QPushButton* start = startButton(*dialog);
  QVERIFY(start);
  QTRY_VERIFY(start->isEnabled());
  QTest::mouseClick(start, Qt::LeftButton);
  QCOMPARE(requests.size(), 1);
  QCOMPARE(requests.first().at(0).value<fs::path>(), run / "checkpoints" / "last.safetensors");
  RunConfig expected = smallRecord("first").config;
  expected.name = "first-fork";
  expected.recipe.epochs = 16;
  QCOMPARE(requests.first().at(1).value<RunConfig>(), expected);
}

void TestRunsPage::theForkOfARunWithoutANameIsNamedAfterItsNetwork() {
  RunRecord record = smallRecord("");
  record.config.architecture.name = "hybrid";
  write("a", record);
  open(1);
  action(u"Fork …"_s)->trigger();
  QCOMPARE(page_->findChild<ForkDialog*>()->config().name, std::string("hybrid-fork"));
}

void TestRunsPage::aForkTrainsLongerThanItsCheckpoint() {
  const fs::path run = write("a", smallRecord("first"));
  appendText(run / "checkpoints" / "epoch-0002.safetensors", "x");
  appendText(run / "checkpoints" / "last.safetensors", "xx");
  open(1);
  action(u"Fork …"_s)->trigger();
  auto* dialog = page_->findChild<ForkDialog*>();
  auto* checkpoints = dialog->findChild<QComboBox*>();
  QTRY_COMPARE(checkpoints->count(), 2);
  QCOMPARE(dialog->config().recipe.epochs, 16);
  checkpoints->setCurrentIndex(1);
  QCOMPARE(dialog->config().recipe.epochs, 6);
  auto* form = dialog->findChild<FieldForm*>();
  Q_EMIT form->edited("recipe.epochs", std::int64_t{2}, {});
  QPushButton* start = startButton(*dialog);
  QVERIFY(!start->isEnabled());
  // A list that arrives again changes neither the choice nor what was edited.
  library_->listFiles(run);
  QSignalSpy lists(library_.get(), &RunLibrary::filesListed);
  QTRY_VERIFY(!lists.isEmpty());
  QCOMPARE(checkpoints->currentIndex(), 1);
  QCOMPARE(dialog->config().recipe.epochs, 2);
  QPushButton* fix = nullptr;
  for (QPushButton* each : form->findChildren<QPushButton*>()) {
    if (each->text() == u"Set 12 epochs"_s) fix = each;
  }
  QVERIFY(fix);
  fix->click();
  QCOMPARE(dialog->config().recipe.epochs, 12);
  QVERIFY(start->isEnabled());
}

void TestRunsPage::aRefusedForkKeepsWhatWasEdited() {
  const fs::path run = write("a", smallRecord("first"));
  appendText(run / "checkpoints" / "last.safetensors", "xx");
  open(1);
  connect(page_.get(),
          &RunsPage::forkRequested,
          training_.get(),
          [this](const fs::path& checkpoint, const RunConfig& config) {
            training_->fork(checkpoint, config, folder_->path());
          });
  action(u"Fork …"_s)->trigger();
  const QPointer<ForkDialog> dialog = page_->findChild<ForkDialog*>();
  QPushButton* start = startButton(*dialog);
  QTRY_VERIFY(start->isEnabled());
  Q_EMIT dialog->findChild<FieldForm*>()->edited("recipe.batchSize", std::int64_t{17}, {});
  engine_->refusal = "there is no folder of that name";
  start->click();
  QVERIFY(!start->isEnabled());
  QTRY_VERIFY(start->isEnabled());
  QVERIFY(dialog && dialog->isVisible());
  QCOMPARE(dialog->config().recipe.batchSize, 17);
  const QList<QLabel*> labels = dialog->findChildren<QLabel*>();
  QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->isVisible() && label->text().startsWith(u"Could not start the fork"_s) &&
           label->text().contains(u"no folder of that name"_s);
  }));
  engine_->refusal.reset();
  start->click();
  QTRY_VERIFY(!dialog);
  training_->stop();
  QTRY_COMPARE(training_->state(), SessionState::idle);
  QCOMPARE(training_->status().record.config.recipe.batchSize, 17);
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
  QSignalSpy requests(page_.get(), &RunsPage::inspectImageRequested);
  Q_EMIT grid.imageActivated(grid.shown()[1].index);
  grid.setCurrentImage(grid.shown()[1].index);
  QTest::mouseClick(button(u"Inspect it"_s), Qt::LeftButton);
  QCOMPARE(requests.size(), 1);
  QCOMPARE(requests.first().at(0).value<fs::path>(), run);
  QCOMPARE(requests.first().at(1).value<Split>(), Split::validation);
  QCOMPARE(requests.first().at(2).toInt(), grid.shown()[1].index);
}

void TestRunsPage::missingImagesOfOneRunAreNotShownForAnother() {
  RunRecord lost = smallRecord("lost");
  lost.config.data.source = Cifar10Source{"/nowhere/cifar10"};
  const fs::path without = write("a", lost);
  const fs::path with = write("b", smallRecord("found"));
  open(2);
  showTab(2);
  for (const fs::path& run : {without, with})
    checkpoints_->predictions().ask(run, Split::validation);
  const auto& view = *page_->findChild<ConfusionView*>();
  table().selectRun(without);
  QTRY_VERIFY(view.isVisible());
  const auto& grid = *page_->findChild<ImageGrid*>();
  QTRY_VERIFY(grid.placeholder().contains(u"/nowhere/cifar10"_s));
  table().selectRun(with);
  QTRY_COMPARE(grid.shown().size(), std::size_t(72));
  // The failure of the first run arrives when the second one is shown.
  table().selectRun(without);
  table().selectRun(with);
  QTest::qWait(100);
  QVERIFY(!grid.placeholder().contains(u"/nowhere/cifar10"_s));
}

void TestRunsPage::theTestSetIsOnlyLookedAtWhenAskedFor() {
  RunRecord record = smallRecord("first");
  record.testEvaluations = 3;
  write("a", record);
  open(1);
  showTab(2);
  chooseTestImages();
  QTRY_VERIFY(hasLabel(u"have been scored 3 times"_s));
  const auto& view = *page_->findChild<ConfusionView*>();
  QVERIFY(!view.isVisible());
  QTRY_VERIFY(button(u"Score the test images"_s));
  QTest::mouseClick(button(u"Score the test images"_s), Qt::LeftButton);
  QTRY_VERIFY(view.isVisible());
  QVERIFY(hasLabel(u"500 images correct"_s));
}

void TestRunsPage::theTestSetIsScoredUnaskedOnlyForWhoWantsThat() {
  StudioSettings settings;
  settings.asksBeforeTestScore = false;
  writeStudioSettings(settings);
  const auto restore = qScopeGuard([] { writeStudioSettings({}); });
  write("a", smallRecord("first"));
  open(1);
  showTab(2);
  const auto& view = *page_->findChild<ConfusionView*>();
  QVERIFY(!view.isVisible());
  chooseTestImages();
  QTRY_VERIFY(view.isVisible());
  QVERIFY(hasLabel(u"500 images correct"_s));
}

void TestRunsPage::imagesThatTheDataLackAreNotOffered() {
  RunRecord record = smallRecord("first");
  record.config.data.validationCount = 0;
  record.bestValidationScore.reset();
  record.testScore.reset();
  record.testEvaluations = 0;
  write("a", record);
  open(1);
  showTab(2);
  QTRY_VERIFY(hasLabel(u"The data of this run have no validation images."_s));
  QVERIFY(!button(u"Classify the validation images"_s));
  chooseTestImages();
  QTRY_VERIFY(hasLabel(u"The data of this run have no test images."_s));
  QVERIFY(!button(u"Score the test images"_s));
}

void TestRunsPage::aFailureForLackOfImagesIsNotTriedAgain() {
  QImage picture(16, 16, QImage::Format_RGB32);
  picture.fill(Qt::red);
  for (const char* folder : {"pictures/round", "pictures/square"}) {
    const fs::path place = home_->path() / folder;
    fs::create_directories(place);
    for (int i = 0; i < 3; ++i) {
      QVERIFY(picture.save(toText(place / (std::to_string(i) + ".png"))));
    }
  }
  RunRecord record = smallRecord("first");
  record.config.data.source =
      ImageFolderSource{.path = (home_->path() / "pictures").string(), .size = 16};
  record.config.data.validationCount = 2;
  record.status = RunStatus::stopped;  // Nobody knows yet that there are no test images.
  record.testScore.reset();
  record.testEvaluations = 0;
  write("a", record);
  open(1);
  showTab(2);
  chooseTestImages();
  QTRY_VERIFY(button(u"Score the test images"_s));
  engine_->refusal = "the run has no test images";
  QTest::mouseClick(button(u"Score the test images"_s), Qt::LeftButton);
  QTRY_VERIFY(hasLabel(u"The data of this run have no test images."_s));
  QVERIFY(!button(u"Try again"_s));
}

void TestRunsPage::detailsTellHowThePrecisionWasChosen() {
  RunRecord record = smallRecord("first");
  record.config.recipe.precision = Precision::bfloat16;
  record.environment.precisionRates = {207e9, 411e9};
  write("a", record);
  open(1);
  showTab(4);
  QTRY_VERIFY(hasLabel(u"bfloat16, as measured: 411 GFLOP/s, 207 in float32"_s));
}

void TestRunsPage::histogramsOfTheSelectedRunAreShown() {
  const Histogram values{.negative = {}, .positive = {500, {3}}};
  const fs::path first = write("a", smallRecord("first"));
  appendText(
      first / "histograms.jsonl",
      toLine(HistogramRecord{.step = 1, .layers = {{"stem", HistogramKind::weights, values}}}));
  const fs::path second = write("b", smallRecord("second"));
  open(2);
  auto& panel = *page_->findChild<HistogramsPanel*>();
  action(u"Show histograms"_s)->trigger();
  QVERIFY(panel.isVisible());
  table().selectRun(first);
  QTRY_COMPARE(panel.plot().picture().columns.size(), std::size_t(1));
  QCOMPARE(panel.plot().picture().title, u"stem · Weights"_s);
  table().selectRun(second);
  QVERIFY(panel.plot().picture().isEmpty());
  table().selectRun(first);
  QTRY_COMPARE(panel.plot().picture().columns.size(), std::size_t(1));
}

void TestRunsPage::textsOfTheSelectedRunAreShown() {
  RunRecord record = smallRecord("book");
  record.config.data.source = TextSource{.path = "book.txt"};
  const fs::path first = write("a", record);
  fs::create_directories(first / "inspection");
  writeTextSample(first / "inspection" / textSampleName(2),
                  {.epoch = 2, .prompt = {'I', 'n'}, .tokens = {'d'}, .probabilities = {0.5}});
  const fs::path second = write("b", smallRecord("second"));
  open(2);
  auto& panel = *page_->findChild<TextSamplesPanel*>();
  action(u"Show texts"_s)->trigger();
  QVERIFY(panel.isVisible());
  table().selectRun(first);
  QTRY_COMPARE(panel.findChild<GeneratedText*>()->toPlainText(), u"Ind"_s);
  table().selectRun(second);
  QVERIFY(hasLabel(u"This network takes images, and writes no text."_s));
}

void TestRunsPage::theCommandLineIsCopied() {
  const fs::path run = write("it's", smallRecord("first"));
  open(1);
  action(u"Copy as command line"_s)->trigger();
  QTRY_COMPARE(QApplication::clipboard()->text(),
               u"lambda train '"_s + toText(run).replace(u"'"_s, u"'\\''"_s) + u"'"_s);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRunsPage)
#include "tst_runs_page.moc"
