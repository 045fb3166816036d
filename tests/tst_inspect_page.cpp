#include <condition_variable>
#include <fstream>
#include <mutex>

#include <QDir>
#include <QImageReader>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/inspect/compare/compare_side.h"
#include "app/inspect/compare/comparison.h"
#include "app/inspect/empty_state.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/feed/snapshot_feed.h"
#include "app/inspect/image_picker.h"
#include "app/inspect/inspect_page.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/prediction_panel.h"
#include "app/inspect/source_chooser.h"
#include "app/session/inspection_session.h"
#include "app/session/training_session.h"
#include "engine/formats/tensors/safetensors.h"
#include "engine/runtime/error.h"
#include "tests/support/example_snapshot.h"
#include "tests/support/scripted_engine.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/written_runs.h"
#include "widgets/pictures/heatmap_view.h"
#include "widgets/pictures/image_grid.h"
#include "widgets/pictures/image_view.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

namespace fs = std::filesystem;

constexpr int kPatience = 1000;  // Milliseconds until layouts must be stable.

/// A record with two lambda layers of different sizes and few generated images.
RunRecord smallRecord(const std::string& name) {
  RunRecord record = finishedRecord(name);
  Architecture& network = record.config.architecture;
  network.stem.width = 8;
  LambdaMixer small;
  small.queryDepth = 4;
  small.heads = 2;
  network.stages = {Stage{8, 2, {Block{ConvolutionMixer{}}, Block{small}}},
                    Stage{16, 2, {Block{ConvolutionMixer{}}, Block{small}}}};
  network.input = {3, 16, 16};
  shapes10Of(record.config).trainCount = 60;
  record.config.data.validationCount = 20;
  shapes10Of(record.config).testCount = 20;
  record.pattern = patternOf(network);
  return record;
}

RunSummary writeSummary(const fs::path& library, const std::string& name, RunRecord record) {
  RunSummary summary;
  summary.record = std::move(record);
  summary.name = "2026-11-20_22-48-00_" + name;
  summary.path = writeRun(library, summary.name, summary.record);
  for (const char* file : {"best", "last", "epoch-0002"}) {
    std::ofstream(summary.path / "checkpoints" / (std::string(file) + ".safetensors")) << "x";
  }
  return summary;
}

/// An answer with the layer's true sizes and correct arithmetic.
InspectionSnapshot answer(const RunConfig& config,
                          const InspectionRequest& request,
                          std::int64_t step,
                          int epoch) {
  const std::vector<InspectableLayer> layers = inspectableLayers(config.architecture);
  ExampleOptions options;
  options.layer = layers.front();
  for (const InspectableLayer& layer : layers) {
    if (layer.name == request.layer) options.layer = layer;
  }
  options.imageSide = config.architecture.input.width;
  options.request = request;
  options.step = step;
  options.epoch = epoch;
  return exampleSnapshot(options);
}

/// Holds answers back until it is opened.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    isOpen_ = false;
  }

  void open() {
    const std::lock_guard lock(mutex_);
    isOpen_ = true;
    changed_.notify_all();
  }

  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return isOpen_; });
  }

  int passed() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool isOpen_ = true;
  int waiting_ = 0;
};

/// The probe of an epoch as a run stores it.
void writeProbe(const fs::path& run, int epoch, const InspectableLayer& layer) {
  ExampleOptions options;
  options.layer = layer;
  options.request.image = epoch;
  const InspectionSnapshot s = exampleSnapshot(options);
  std::vector<TensorView> views;
  const auto add = [&](const std::string& name, const Array& array) {
    views.push_back(
        {layer.name + name, DType::F32, array.shape, std::as_bytes(std::span(array.values))});
  };
  add(".lambda.content", s.lambdas.content);
  add(".lambda.position", s.lambdas.position);
  add(".contributions.content", s.contributions.content);
  add(".contributions.position", s.contributions.position);
  add(".embeddings", s.embeddings.tiles);
  fs::create_directories(run / "inspection");
  writeSafeTensors(run / "inspection" / ("epoch-000" + std::to_string(epoch) + ".safetensors"),
                   views,
                   {{"epoch", std::to_string(epoch)}, {"step", std::to_string(epoch * 10)}});
}

}  // namespace

class TestInspectPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void cleanup();
  void anEmptyPageOffersToTrainAndToOpenARun();
  void aRunsFirstLayerIsShownWithItsNumbers();
  void aClickAsksForThatPixelAndArrowKeysWalkToTheEdge();
  void bracketsMoveBetweenLayersAndPunctuationBetweenHeads();
  void theQueryStaysAtItsPlaceOfTheImageOnAnotherMap();
  void staleAnswersAreDropped();
  void busyIsShownOnlyAfterAWhile();
  void theRunningTrainingIsInspectedAgainAndAgain();
  void aPausedTrainingAnswersAndAnEndedOneGivesWayToItsCheckpoint();
  void wrongPredictionsAreFoundAndCanBeCancelled();
  void theTestSetIsNotScoredUnasked();
  void anImageIsChosenByNumberGridAndSplit();
  void anOwnPictureIsFittedToTheInput();
  void aNetworkWithoutLambdaLayersShowsItsImageAndPrediction();
  void missingDataIsNamedAndInspectionContinues();
  void aDamagedCheckpointSaysWhatToDoAndCanBeTriedAgain();
  void epochsArePlayedOnOneScaleAndSavedAsASequence();
  void aDamagedEpochIsNamedAndTheOthersArePlayed();
  void aRemovedCheckpointSaysThatItIsGone();
  void aRunWithoutSnapshotsSaysSo();
  void comparedSidesShareImageQueryAndScale();
  void layersOfDifferentSizesAreComparedWithoutADifference();
  void itFitsSmallWindowsAndLargeText_data();
  void itFitsSmallWindowsAndLargeText();
  void itGrowsWithTextThatIsMadeLarger();
  void theLayoutIsRemembered();
  void everyActionHasATextAndAToolTip();

 private:
  using Answer = std::function<InspectionSnapshot(
      const RunConfig&, const InspectionRequest&, std::int64_t step, int epoch)>;

  /// Answers later inspections with `next`; the engine calls it on its own threads.
  void answerWith(Answer next) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(next);
  }

  fs::path library() const { return folder_->path().toStdString(); }

  /// Shows a run and waits for its first answer.
  void show(const RunSummary& run);
  QAction* action(const QString& text) const;
  std::vector<InspectionRequest> requests() const;

  /// The snapshot that the page shows; an empty one while there is none.
  const InspectionSnapshot& seen() const {
    static const InspectionSnapshot none;
    const auto snapshot = part<SnapshotFeed>().snapshot();
    return snapshot ? *snapshot : none;
  }

  template <class Part>
  Part& part() const {
    return *page_->findChild<Part*>();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::shared_ptr<ScriptedEngine> engine_;
  std::unique_ptr<TrainingSession> training_;
  std::unique_ptr<InspectionSession> inspection_;
  std::unique_ptr<InspectPage> page_;
  Gate gate_;
  std::mutex mutex_;
  Answer answer_;
};

void TestInspectPage::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  engine_ = std::make_shared<ScriptedEngine>();
  answerWith(answer);
  engine_->snapshot = [this](const auto& config, const auto& request, auto step, int epoch) {
    Answer now;
    {
      const std::lock_guard lock(mutex_);
      now = answer_;
    }
    return now(config, request, step, epoch);
  };
  gate_.open();
  training_ = std::make_unique<TrainingSession>(engine_);
  inspection_ = std::make_unique<InspectionSession>(engine_);
  page_ = std::make_unique<InspectPage>(*training_, *inspection_);
  page_->resize(1208, 730);
  page_->show();
  QVERIFY(QTest::qWaitForWindowExposed(page_.get()));
  page_->activateWindow();
}

void TestInspectPage::cleanup() {
  gate_.open();
  page_.reset();
  inspection_.reset();
  training_.reset();
}

void TestInspectPage::show(const RunSummary& run) {
  QSignalSpy arrived(&part<SnapshotFeed>(), &SnapshotFeed::arrived);
  page_->showRun(run.path);
  QVERIFY(arrived.wait());
}

QAction* TestInspectPage::action(const QString& text) const {
  for (QAction* action : page_->pageActions()) {
    if (action && action->text() == text) return action;
  }
  return nullptr;
}

std::vector<InspectionRequest> TestInspectPage::requests() const {
  return engine_->inspections();
}

void TestInspectPage::anEmptyPageOffersToTrainAndToOpenARun() {
  QSignalSpy train(page_.get(), &InspectPage::trainRequested);
  QSignalSpy runs(page_.get(), &InspectPage::runsRequested);
  auto& empty = part<EmptyState>();
  QVERIFY(empty.isVisible());
  QCOMPARE(empty.title(), u"Nothing to inspect yet"_s);
  const auto buttons = empty.findChildren<QPushButton*>();
  buttons[0]->click();
  buttons[1]->click();
  QCOMPARE(train.count(), 1);
  QCOMPARE(runs.count(), 1);
  QVERIFY(!part<ImagePicker>().isVisible());
}

void TestInspectPage::aRunsFirstLayerIsShownWithItsNumbers() {
  const RunSummary run = writeSummary(library(), "hybrid", smallRecord("hybrid"));
  page_->setRuns({run});
  // The newest run is shown automatically.
  QSignalSpy arrived(&part<SnapshotFeed>(), &SnapshotFeed::arrived);
  QVERIFY(arrived.wait());
  auto& layers = part<LayerList>();
  QCOMPARE(layers.count(), 2);
  QCOMPARE(layers.item(0)->text(), u"stage1.block2"_s);
  QCOMPARE(layers.currentLayer(), std::string("stage1.block2.mixer"));
  QCOMPARE(layerSummary(layers.layers()[0]), u"8×8 · k4 h2 u1"_s);
  const InspectionSnapshot expected =
      answer(run.record.config, requests().front(), 0, run.record.epochsDone);
  QCOMPARE(part<LambdaPanel>().total().data().array, expected.lambdas.total);
  QCOMPARE(part<ImagePanel>().image().query(), std::optional(Cell{4, 4}));
  QVERIFY(part<ImagePanel>().residualText().startsWith(u'✓'));
  QVERIFY(part<PredictionPanel>().verdict().contains(u"predicted dog"_s));
  QCOMPARE(part<ImagePanel>().predictionWords(), part<PredictionPanel>().verdict());
  // The image lies beside the contributions, and both choose the query.
  QVERIFY(part<ImagePanel>().plain().isVisible());
  QCOMPARE(part<ImagePanel>().plain().query(), part<ImagePanel>().image().query());
  // The small picture of the other layer appears automatically.
  QTRY_VERIFY(!layers.item(1)->data(Qt::UserRole).value<QImage>().isNull());
}

void TestInspectPage::aClickAsksForThatPixelAndArrowKeysWalkToTheEdge() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  ImageView& image = part<ImagePanel>().image();
  QSignalSpy arrived(&part<SnapshotFeed>(), &SnapshotFeed::arrived);
  QTest::mouseClick(&image, Qt::LeftButton, {}, image.cellRect({2, 6}).center().toPoint());
  QVERIFY(arrived.wait());
  QCOMPARE(seen().queryRow, 2);
  QCOMPARE(seen().queryColumn, 6);
  QTest::keyClick(&image, Qt::Key_Right);
  QTest::keyClick(&image, Qt::Key_Right);
  QTest::keyClick(&image, Qt::Key_Up);
  QTRY_COMPARE(seen().queryRow, 1);
  QCOMPARE(seen().queryColumn, 7);
  const InspectionRequest last = requests().back();
  QCOMPARE(last.queryRow, 1);
  QCOMPARE(last.queryColumn, 7);
}

void TestInspectPage::bracketsMoveBetweenLayersAndPunctuationBetweenHeads() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  QVERIFY(QTest::qWaitForWindowActive(page_.get()));
  QTest::keyClick(page_.get(), Qt::Key_BracketRight);
  QTRY_COMPARE(part<LambdaPanel>().total().data().name, u"stage2.block2-lambda-total"_s);
  QTest::keyClick(page_.get(), Qt::Key_BracketRight);
  QCOMPARE(part<LayerList>().currentLayer(), std::string("stage2.block2.mixer"));
  QTest::keyClick(page_.get(), Qt::Key_BracketLeft);
  QCOMPARE(part<LayerList>().currentLayer(), std::string("stage1.block2.mixer"));
  QTest::keyClick(page_.get(), Qt::Key_Period);
  QCOMPARE(part<ImagePanel>().head(), 0);
  QTest::keyClick(page_.get(), Qt::Key_Comma);
  QCOMPARE(part<ImagePanel>().head(), -1);
  QTest::keyClick(page_.get(), Qt::Key_4);
  QCOMPARE(part<ImagePanel>().quantity(), ContributionKind::effect);
}

void TestInspectPage::theQueryStaysAtItsPlaceOfTheImageOnAnotherMap() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  Q_EMIT part<ImagePanel>().queryChosen(6, 2);
  part<LayerList>().step(1);
  QTRY_COMPARE(seen().layer.name, std::string("stage2.block2.mixer"));
  QCOMPARE(seen().queryRow, 3);
  QCOMPARE(seen().queryColumn, 1);
}

void TestInspectPage::staleAnswersAreDropped() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  answerWith([this](const auto& config, const auto& request, auto step, int epoch) {
    gate_.pass();
    return answer(config, request, step, epoch);
  });
  gate_.close();
  QSignalSpy shown(&part<SnapshotFeed>(), &SnapshotFeed::arrived);
  Q_EMIT part<ImagePanel>().queryChosen(1, 1);
  QTRY_VERIFY(gate_.passed() > 0);
  Q_EMIT part<ImagePanel>().queryChosen(3, 3);
  gate_.open();
  QTRY_COMPARE(gate_.passed(), 2);
  QTRY_COMPARE(shown.count(), 1);
  QCOMPARE(seen().queryRow, 3);
}

void TestInspectPage::busyIsShownOnlyAfterAWhile() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  answerWith([this](const auto& config, const auto& request, auto step, int epoch) {
    gate_.pass();
    return answer(config, request, step, epoch);
  });
  auto& feed = part<SnapshotFeed>();
  QSignalSpy busy(&feed, &SnapshotFeed::busyChanged);
  gate_.close();
  QElapsedTimer asked;
  asked.start();
  Q_EMIT part<ImagePanel>().queryChosen(1, 1);
  QVERIFY(!feed.isBusy());
  QVERIFY(busy.wait());
  QVERIFY(asked.elapsed() >= 140);
  QVERIFY(feed.isBusy());
  gate_.open();
  QVERIFY(busy.wait());
  QVERIFY(!feed.isBusy());
}

void TestInspectPage::theRunningTrainingIsInspectedAgainAndAgain() {
  engine_->batchTime = std::chrono::milliseconds(5);
  RunConfig config = smallRecord("live").config;
  config.recipe.epochs = 100;
  training_->start(config, library());
  // An empty page selects the running training.
  QTRY_COMPARE(part<SnapshotFeed>().source().kind, SourceKind::live);
  QSignalSpy arrived(&part<SnapshotFeed>(), &SnapshotFeed::arrived);
  QTRY_VERIFY(arrived.count() >= 3);
  const auto stepOf = [&](qsizetype index) {
    return arrived[index][0].value<std::shared_ptr<const InspectionSnapshot>>()->step;
  };
  QVERIFY(stepOf(arrived.count() - 1) > stepOf(0));
  const QRegularExpression age(u"^Live: step [\\d,]+, (\\d\\.\\d s old|up to date)$"_s);
  const auto says = [&](const QRegularExpression& text) {
    for (const QLabel* label : page_->findChildren<QLabel*>()) {
      if (text.match(label->text()).hasMatch()) return true;
    }
    return false;
  };
  QTRY_VERIFY(says(age));
  // A hidden page requests no inspections.
  page_->hide();
  QTest::qWait(100);
  const qsizetype before = arrived.count();
  QTest::qWait(1200);
  QVERIFY(arrived.count() <= before + 1);
}

void TestInspectPage::aPausedTrainingAnswersAndAnEndedOneGivesWayToItsCheckpoint() {
  engine_->batchTime = std::chrono::milliseconds(2);
  engine_->batchesPerEpoch = 5;
  RunConfig config = smallRecord("live").config;
  config.recipe.epochs = 500;
  training_->start(config, library());
  QTRY_COMPARE(part<SnapshotFeed>().source().kind, SourceKind::live);
  QTRY_VERIFY(training_->status().epoch >= 3);
  training_->pause();
  QTRY_COMPARE(training_->state(), SessionState::paused);
  Q_EMIT part<ImagePanel>().queryChosen(0, 5);
  QTRY_VERIFY(part<SnapshotFeed>().snapshot() && seen().queryColumn == 5);
  QCOMPARE(part<SnapshotFeed>().ageSeconds(), 0.0);
  training_->stop();
  QTRY_COMPARE(part<SnapshotFeed>().source().kind, SourceKind::checkpoint);
  QCOMPARE(part<SnapshotFeed>().source().run, training_->status().run);
  QTRY_VERIFY(part<SnapshotFeed>().snapshot());
}

void TestInspectPage::wrongPredictionsAreFoundAndCanBeCancelled() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  auto& picker = part<ImagePicker>();
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  action(u"Wrong predictions"_s)->trigger();
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{3});
  QCOMPARE(picker.grid().shown()[1].index, 7);
  QCOMPARE(picker.grid().shown()[1].verdict, Verdict::wrong);
  action(u"Next image"_s)->trigger();
  QTRY_COMPARE(seen().request.image, 7);
  // Choosing another split clears the verdicts.
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(seen().request.split, Split::test);
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  QCOMPARE(picker.grid().shown()[0].verdict, Verdict::none);
}

void TestInspectPage::theTestSetIsNotScoredUnasked() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  auto& picker = part<ImagePicker>();
  Q_EMIT picker.splitChosen(Split::test);
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  QSignalSpy requested(&picker, &ImagePicker::predictionsRequested);
  action(u"Wrong predictions"_s)->trigger();
  QVERIFY(picker.grid().shown().empty());
  QVERIFY(picker.grid().placeholder().contains(u"counted in the run's record"_s));
  QCOMPARE(requested.count(), 0);
  for (auto* button : picker.findChildren<QPushButton*>()) {
    if (button->text() == u"Score the test images"_s) button->click();
  }
  QCOMPARE(requested.count(), 1);
  QTRY_VERIFY(!picker.grid().shown().empty());
  QCOMPARE(picker.grid().shown()[0].verdict, Verdict::wrong);
}

void TestInspectPage::anImageIsChosenByNumberGridAndSplit() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  auto& picker = part<ImagePicker>();
  QTRY_COMPARE(picker.grid().shown().size(), std::size_t{20});
  Q_EMIT picker.grid().imageActivated(11);
  QTRY_COMPARE(seen().request.image, 11);
  QCOMPARE(picker.grid().currentImage(), 11);
  action(u"Previous image"_s)->trigger();
  QTRY_COMPARE(seen().request.image, 10);
  RunRecord other = smallRecord("other");
  other.config.data.splitSeed = 3;
  page_->showImage(writeSummary(library(), "other", other).path, Split::test, 4);
  QTRY_COMPARE(seen().request.image, 4);
  QCOMPARE(seen().request.split, Split::test);
}

void TestInspectPage::anOwnPictureIsFittedToTheInput() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  QImage picture(90, 60, QImage::Format_RGB32);
  picture.fill(QColor(10, 200, 30));
  const QString path = folder_->filePath(u"own.png"_s);
  QVERIFY(picture.save(path));
  page_->openPicture(path);
  QTRY_VERIFY(seen().request.picture.has_value());
  const Image& sent = *seen().request.picture;
  QCOMPARE(sent.width, 16);
  QCOMPARE(sent.height, 16);
  QCOMPARE(sent.rgb[1], std::uint8_t{200});
  QVERIFY(part<PredictionPanel>().verdict().startsWith(u"Predicted: "_s));

  QSignalSpy told(page_.get(), &InspectPage::told);
  QFile text(folder_->filePath(u"notes.png"_s));
  QVERIFY(text.open(QIODevice::WriteOnly));
  text.write("this is not a picture");
  text.close();
  page_->openPicture(text.fileName());
  QCOMPARE(told.count(), 1);
  QVERIFY(told[0][0].toString().startsWith(u"notes.png can't be read as a picture"_s));
  QVERIFY(told[0][1].toBool());
}

void TestInspectPage::aNetworkWithoutLambdaLayersShowsItsImageAndPrediction() {
  RunRecord record = smallRecord("convolutions");
  for (Stage& stage : record.config.architecture.stages) {
    for (Block& block : stage.blocks) block.mixer = ConvolutionMixer{};
  }
  page_->showRun(writeSummary(library(), "convolutions", record).path);
  auto& prediction = part<PredictionPanel>();
  QTRY_COMPARE(part<ImagePicker>().grid().shown().size(), std::size_t{20});
  QVERIFY(!part<LayerList>().isVisible());
  QVERIFY(requests().empty());
  QVERIFY(prediction.isVisible());
  prediction.findChild<QPushButton*>()->click();
  QTRY_VERIFY(prediction.verdict().startsWith(u"Wrong"_s));
  Q_EMIT part<ImagePicker>().imageChosen(1);
  QVERIFY(prediction.verdict().startsWith(u"Correct"_s));
}

void TestInspectPage::missingDataIsNamedAndInspectionContinues() {
  RunRecord record = smallRecord("elsewhere");
  record.config.data.source = Cifar10Source{"/nowhere/cifar10"};
  show(writeSummary(library(), "elsewhere", record));
  QTRY_VERIFY(part<ImagePicker>().grid().placeholder().contains(u"/nowhere/cifar10"_s));
  QVERIFY(part<ImagePanel>().isVisible());
}

void TestInspectPage::aDamagedCheckpointSaysWhatToDoAndCanBeTriedAgain() {
  answerWith([](const auto&, const auto&, auto, int) -> InspectionSnapshot {
    throw Error("best.safetensors", "the file is cut off", "use an older checkpoint");
  });
  page_->showRun(writeSummary(library(), "damaged", smallRecord("damaged")).path);
  const auto failure = [this]() -> EmptyState* {
    for (auto* state : page_->findChildren<EmptyState*>()) {
      if (state->isVisible()) return state;
    }
    return nullptr;
  };
  QTRY_VERIFY(failure());
  QVERIFY(failure()->text().contains(u"the file is cut off"_s));
  QVERIFY(failure()->text().contains(u"use an older checkpoint"_s));
  answerWith(answer);
  failure()->findChild<QPushButton*>()->click();
  QTRY_VERIFY(!failure());
  QVERIFY(part<ImagePanel>().isVisible());
}

void TestInspectPage::epochsArePlayedOnOneScaleAndSavedAsASequence() {
  const RunSummary run = writeSummary(library(), "hybrid", smallRecord("hybrid"));
  const InspectableLayer layer = inspectableLayers(run.record.config.architecture).front();
  for (const int epoch : {1, 2, 3}) writeProbe(run.path, epoch, layer);
  show(run);
  const std::size_t asked = requests().size();
  page_->setEpochMode(true);
  auto& player = part<EpochPlayer>();
  QTRY_COMPARE(player.count(), 3);
  QCOMPARE(player.current(), 2);
  const auto lambdaNow = [&] { return part<LambdaPanel>().total().data().array; };
  const Array third = lambdaNow();
  const ColorRange range = part<LambdaPanel>().total().range();
  player.step(-1);
  QVERIFY(lambdaNow() != third);
  QCOMPARE(part<LambdaPanel>().total().range(), range);
  QCOMPARE(part<LambdaPanel>().content().range(), range);
  QCOMPARE(*part<ImagePanel>().image().query(), (Cell{4, 4}));
  Q_EMIT part<ImagePanel>().queryChosen(0, 0);
  QCOMPARE(*part<ImagePanel>().image().query(), (Cell{4, 4}));
  player.setCurrent(0);
  player.togglePlaying();
  QVERIFY(player.isPlaying());
  QTRY_COMPARE(player.current(), 2);
  QTRY_VERIFY(!player.isPlaying());

  QSignalSpy exported(&player, &EpochPlayer::exported);
  const QString folder = folder_->filePath(u"sequence"_s);
  player.exportTo(folder);
  QVERIFY(exported.wait());
  QCOMPARE(exported[0][1].toString(), QString());
  QCOMPARE(QDir(folder).entryList(QDir::Files),
           (QStringList{u"epoch-0001.png"_s,
                        u"epoch-0002.png"_s,
                        u"epoch-0003.png"_s,
                        u"epochs.gif"_s,
                        u"norms.csv"_s}));
  const QImage second(folder + u"/epoch-0002.png"_s);
  QCOMPARE(second.size(), QSize(1280, 720));
  QImageReader animation(folder + u"/epochs.gif"_s);
  QCOMPARE(animation.imageCount(), 3);
  QVERIFY(!animation.read().isNull());
  QCOMPARE(animation.nextImageDelay(), 500);
  // The colours must match the picture as closely as a palette of 256 colours allows.
  const QImage seenSecond = animation.read();
  for (const QPoint at : {QPoint(4, 4), QPoint(150, 150), QPoint(900, 300)}) {
    const QColor wanted = second.pixelColor(at), found = seenSecond.pixelColor(at);
    QVERIFY(std::abs(wanted.red() - found.red()) <= 6);
    QVERIFY(std::abs(wanted.green() - found.green()) <= 6);
    QVERIFY(std::abs(wanted.blue() - found.blue()) <= 6);
  }
  page_->setEpochMode(false);
  QTRY_VERIFY(requests().size() > asked);
  QTRY_COMPARE(lambdaNow(), seen().lambdas.total);
}

void TestInspectPage::aDamagedEpochIsNamedAndTheOthersArePlayed() {
  const RunSummary run = writeSummary(library(), "hybrid", smallRecord("hybrid"));
  const InspectableLayer layer = inspectableLayers(run.record.config.architecture).front();
  for (const int epoch : {1, 2, 3}) writeProbe(run.path, epoch, layer);
  fs::resize_file(run.path / "inspection" / "epoch-0002.safetensors", 100);
  show(run);
  QSignalSpy told(page_.get(), &InspectPage::told);
  page_->setEpochMode(true);
  QTRY_COMPARE(part<EpochPlayer>().count(), 2);
  QCOMPARE(told.count(), 1);
  QVERIFY(told[0][0].toString().contains(u"epoch-0002.safetensors"_s));
}

void TestInspectPage::aRemovedCheckpointSaysThatItIsGone() {
  const RunSummary run = writeSummary(library(), "hybrid", smallRecord("hybrid"));
  show(run);
  fs::remove(run.path / "checkpoints" / "best.safetensors");
  answerWith([](const auto&, const auto&, auto, int) -> InspectionSnapshot {
    throw Error("best.safetensors", "there is no such run folder", "give the folder");
  });
  Q_EMIT part<ImagePanel>().queryChosen(1, 1);
  const auto says = [this] {
    for (const auto* state : page_->findChildren<EmptyState*>()) {
      if (state->isVisible() && state->text().contains(u"is no longer there"_s)) return true;
    }
    return false;
  };
  QTRY_VERIFY(says());
}

void TestInspectPage::aRunWithoutSnapshotsSaysSo() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  page_->setEpochMode(true);
  const auto says = [this] {
    for (const QLabel* label : part<EpochPlayer>().findChildren<QLabel*>()) {
      if (label->text() == u"No snapshots stored"_s) return true;
    }
    return false;
  };
  QTRY_VERIFY(says());
  part<EpochPlayer>().togglePlaying();
  QVERIFY(!part<EpochPlayer>().isPlaying());
}

void TestInspectPage::comparedSidesShareImageQueryAndScale() {
  const RunSummary first = writeSummary(library(), "first", smallRecord("first"));
  RunSummary second = writeSummary(library(), "second", smallRecord("second"));
  page_->setRuns({first, second});
  show(first);
  page_->setCompareMode(true);
  auto& comparison = part<Comparison>();
  const auto bothAt = [&](int row, int column) {
    const auto left = comparison.left().snapshot(), right = comparison.right().snapshot();
    return left && right && left->queryRow == row && right->queryRow == row &&
           left->queryColumn == column && right->queryColumn == column;
  };
  QTRY_VERIFY(bothAt(4, 4));
  answerWith([](const RunConfig& config, const InspectionRequest& request, auto step, int epoch) {
    InspectionSnapshot s = answer(config, request, step, epoch);
    if (config.name == "second") {
      for (float& value : s.lambdas.total.values) value *= 3;
    }
    return s;
  });
  QCOMPARE(comparison.right().chooser().showRun(second.path), QString());
  ImageView& image = comparison.left().image();
  QTest::mouseClick(&image, Qt::LeftButton, {}, image.cellRect({1, 6}).center().toPoint());
  QTRY_VERIFY(bothAt(1, 6));
  QTRY_COMPARE(comparison.right().lambdaView().range(), comparison.left().lambdaView().range());
  comparison.setOneScale(false);
  QVERIFY(comparison.right().lambdaView().range() != comparison.left().lambdaView().range());
  const Array& left = comparison.left().snapshot()->lambdas.total;
  const Array& difference = comparison.lambdaDifference().data().array;
  QCOMPARE(difference.values[5], left.values[5] - 3 * left.values[5]);
  QCOMPARE(comparison.mapDifference().data().rowCount(), 8);
  Q_EMIT part<ImagePicker>().imageChosen(9);
  QTRY_COMPARE(comparison.left().snapshot()->request.image, 9);
  QTRY_COMPARE(comparison.right().snapshot()->request.image, 9);
}

void TestInspectPage::layersOfDifferentSizesAreComparedWithoutADifference() {
  show(writeSummary(library(), "hybrid", smallRecord("hybrid")));
  page_->setCompareMode(true);
  auto& comparison = part<Comparison>();
  // Two things worth comparing: the first epoch that is kept, and the last.
  const fs::path first = comparison.left().feed().source().checkpoint;
  QCOMPARE(first.filename().string(), std::string("epoch-0002.safetensors"));
  QCOMPARE(comparison.right().feed().source().checkpoint.filename().string(),
           std::string("last.safetensors"));
  QTRY_VERIFY(comparison.embeddingDifference().data().tileCount() > 0);
  QCOMPARE(comparison.left().embeddingsView().range(), comparison.right().embeddingsView().range());
  comparison.right().chooser().showRun(first);
  QTRY_VERIFY(comparison.mapDifference().placeholder().startsWith(u"Both sides are the same"_s));
  comparison.right().setLayer("stage2.block2.mixer");
  comparison.setQuery(0.9, 0.1);
  QTRY_VERIFY(comparison.left().snapshot() && comparison.right().snapshot() &&
              comparison.right().snapshot()->layer.name == "stage2.block2.mixer");
  QTRY_COMPARE(comparison.left().snapshot()->queryRow, 7);
  QCOMPARE(comparison.right().snapshot()->queryRow, 3);
  QCOMPARE(comparison.mapDifference().data().tileCount(), 0);
  QCOMPARE(comparison.mapDifference().placeholder(),
           u"The maps have different sizes: 8×8 and 4×4."_s);
}

void TestInspectPage::itFitsSmallWindowsAndLargeText_data() {
  QTest::addColumn<double>("scale");
  QTest::addColumn<QSize>("room");
  QTest::newRow("usual text") << 1.0 << QSize(920, 560);
  QTest::newRow("text half as large again") << 1.5 << QSize(1190, 660);
  QTest::newRow("text twice as large") << 2.0 << QSize(1820, 980);
}

void TestInspectPage::itFitsSmallWindowsAndLargeText() {
  QFETCH(double, scale);
  QFETCH(QSize, room);
  applyTheme(*qApp, ThemeChoice::light, scale);
  const auto usual = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light, 1); });
  page_ = std::make_unique<InspectPage>(*training_, *inspection_);
  page_->resize(room);
  page_->show();
  RunRecord record = smallRecord("a-name-that-somebody-gave-with-love-and-a-hyperparameter-or-two");
  for (Stage& stage : record.config.architecture.stages) {
    std::get<LambdaMixer>(stage.blocks[1].mixer).heads = 8;
  }
  const RunSummary run = writeSummary(library(), "long", record);
  for (const int epoch : {1, 2}) {
    writeProbe(run.path, epoch, inspectableLayers(record.config.architecture).front());
  }
  show(run);
  // The size that prevents a smaller window, or the widget that is smaller than it needs.
  const auto tooLarge = [&]() -> QString {
    const auto text = [](const QSize& size) {
      return u"%1 x %2"_s.arg(size.width()).arg(size.height());
    };
    const QSize least = page_->minimumSizeHint();
    if (least.width() > room.width() || least.height() > room.height()) return text(least);
    for (const QWidget* widget : page_->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->parentWidget()->inherits("QAbstractSpinBox")) continue;
      QSize needed = widget->minimumSizeHint().boundedTo(widget->maximumSize());
      if (widget->minimumWidth() > 0) needed.setWidth(widget->minimumWidth());
      // Rounding may cost one pixel.
      if (widget->width() < needed.width() - 1 || widget->height() < needed.height() - 1) {
        return QString::fromLatin1(widget->metaObject()->className()) + u": "_s +
               text(widget->size()) + u" instead of "_s + text(needed);
      }
    }
    return {};
  };
  for (int tab = 0; tab < part<QTabWidget>().count(); ++tab) {
    part<QTabWidget>().setCurrentIndex(tab);
    QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
  }
  part<ImagePicker>().setProgress(std::pair<qint64, qint64>(1234, 10000));
  QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
  part<ImagePicker>().setProgress(std::nullopt);
  page_->setEpochMode(true);
  QTRY_COMPARE(part<EpochPlayer>().count(), 2);
  QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
  page_->setCompareMode(true);
  QTRY_VERIFY(part<Comparison>().left().snapshot() && part<Comparison>().right().snapshot());
  QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
}

void TestInspectPage::itGrowsWithTextThatIsMadeLarger() {
  const QSize thumbnails = part<ImagePicker>().grid().size();
  const int layers = part<LayerList>().parentWidget()->minimumWidth();
  applyTheme(*qApp, ThemeChoice::light, 2);
  const auto usual = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light, 1); });
  QTRY_VERIFY(part<ImagePicker>().grid().height() > 1.5 * thumbnails.height());
  QTRY_COMPARE(part<LayerList>().parentWidget()->minimumWidth(), 2 * layers);
}

void TestInspectPage::theLayoutIsRemembered() {
  QSettings settings(folder_->filePath(u"settings.ini"_s), QSettings::IniFormat);
  part<QTabWidget>().setCurrentIndex(2);
  part<ImagePanel>().setQuantity(ContributionKind::position);
  part<ImagePanel>().setOpacity(0.25);
  part<LambdaPanel>().setOneScale(false);
  page_->saveLayout(settings);
  InspectPage other(*training_, *inspection_);
  other.restoreLayout(settings);
  QCOMPARE(other.findChild<QTabWidget*>()->currentIndex(), 2);
  QCOMPARE(other.findChild<ImagePanel*>()->quantity(), ContributionKind::position);
  QCOMPARE(other.findChild<ImagePanel*>()->opacity(), 0.25);
  QVERIFY(!other.findChild<LambdaPanel*>()->isOneScale());
  QSettings nothing(folder_->filePath(u"none.ini"_s), QSettings::IniFormat);
  other.restoreLayout(nothing);
  QCOMPARE(other.findChild<ImagePanel*>()->quantity(), ContributionKind::total);
}

void TestInspectPage::everyActionHasATextAndAToolTip() {
  QSet<QString> keys;
  for (const QAction* action : page_->pageActions()) {
    if (action == nullptr) continue;
    QVERIFY(!action->text().isEmpty());
    QVERIFY(!action->toolTip().isEmpty());
    QVERIFY(page_->actions().contains(const_cast<QAction*>(action)));
    const QString key = action->shortcut().toString();
    QVERIFY2(key.isEmpty() || !keys.contains(key), qPrintable(key));
    keys << key;
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectPage)
#include "tst_inspect_page.moc"
