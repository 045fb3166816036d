#include <cmath>

#include <QComboBox>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/inspect/contribution_maps.h"
#include "app/inspect/image_picker.h"
#include "app/inspect/layer_list.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/keys_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/inspect/panels/prediction_panel.h"
#include "app/inspect/probe_view.h"
#include "app/inspect/source_chooser.h"
#include "tests/support/example_snapshot.h"
#include "tests/support/written_runs.h"
#include "widgets/export/export_file.h"
#include "widgets/pictures/bar_list.h"
#include "widgets/pictures/heatmap_view.h"
#include "widgets/pictures/image_view.h"
#include "widgets/plots/spectrum_view.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

Array vectorOf(const std::vector<float>& values) {
  return {{static_cast<std::int64_t>(values.size())}, values};
}

std::shared_ptr<const InspectionSnapshot> example(ExampleOptions options = {}) {
  return std::make_shared<const InspectionSnapshot>(exampleSnapshot(options));
}

/// Images 0 to count - 1, of the classes "even" and "odd".
std::shared_ptr<const LabeledImages> evenAndOdd(int count) {
  auto images = std::make_shared<LabeledImages>();
  images->height = images->width = 2;
  images->classNames = {"even", "odd"};
  for (int i = 0; i < count; ++i) {
    images->pixels.insert(images->pixels.end(), 12, static_cast<std::uint8_t>(i));
    images->labels.push_back(static_cast<std::uint8_t>(i % 2));
  }
  return images;
}

std::vector<int> indicesIn(ImagePicker& picker) {
  std::vector<int> indices;
  for (const GridImage& image : picker.grid().shown()) indices.push_back(image.index);
  return indices;
}

/// The library's summary of a run with checkpoints.
RunSummary summaryOf(const std::filesystem::path& library, const std::string& folder) {
  RunSummary summary;
  summary.record = finishedRecord(folder.substr(20));
  summary.path = writeRun(library, folder, summary.record);
  summary.name = folder;
  for (const char* name : {"best", "last", "epoch-0002", "epoch-0005"}) {
    std::ofstream(summary.path / "checkpoints" / (std::string(name) + ".safetensors")) << "x";
  }
  return summary;
}

}  // namespace

class TestInspectParts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void contributionsOfAllHeadsAreTheirSumAndEffectsTheirNorm();
  void theLambdaPanelShowsTheSnapshotsNumbers();
  void threeMatricesHaveOneScaleUnlessEachIsToHaveItsOwn();
  void aLockedScaleStaysWhileTheLambdaChanges();
  void missingPartsAreExplained();
  void theImagePanelShowsTheChosenHeadAndQuantity();
  void theResidualIsSaidAndAWrongOneIsAWarning();
  void embeddingsAreSortedByNormAndShowTheirChange();
  void deadAndCollapsedKeysAreFlagged();
  void thePredictionSaysWhatItIs();
  void aProbeBecomesASnapshotWithSumsNormsAndOrder();
  void normsOfProbesGoToCsv();
  void thePickerFiltersByClassAndPrediction();
  void thePickerStepsThroughWhatItShows();
  void thePickerShowsHowOftenTheTestSetWasEvaluated();
  void theChooserOffersBestLastAndEpochs();
  void theChooserKeepsItsChoiceAndDropsARunThatIsGone();
  void theChooserSaysWhatIsWrongWithAPath();
  void everyPictureOfThePanelsCanBeExported();
};

void TestInspectParts::contributionsOfAllHeadsAreTheirSumAndEffectsTheirNorm() {
  ExampleOptions options;
  options.layer.intraDepth = 2;
  const InspectionSnapshot s = exampleSnapshot(options);
  const Array heads = headMapsOf(s, ContributionKind::content);
  QCOMPARE(heads.shape, (std::vector<std::int64_t>{2, 5, 6}));
  const std::size_t cells = 30;
  // Head 1 at cell 7 is the sum over both u.
  QCOMPARE(heads.values[cells + 7],
           s.contributions.content.values[2 * cells + 7] +
               s.contributions.content.values[3 * cells + 7]);
  const Array all = mapOf(heads, ContributionKind::content, -1);
  QCOMPARE(all.values[7], heads.values[7] + heads.values[cells + 7]);
  QCOMPARE(mapOf(heads, ContributionKind::content, 1).values[7], heads.values[cells + 7]);
  QVERIFY(mapOf(heads, ContributionKind::content, 2).empty());

  const Array effect = mapOf(headMapsOf(s, ContributionKind::effect), ContributionKind::effect, -1);
  QCOMPARE(effect.values[7], std::hypot(s.effect.values[7], s.effect.values[cells + 7]));
  QVERIFY(headMapsOf({}, ContributionKind::total).empty());
  QVERIFY(differenceOf(all, heads).empty());
  QCOMPARE(differenceOf(all, all).values, std::vector<float>(30, 0));
}

void TestInspectParts::theLambdaPanelShowsTheSnapshotsNumbers() {
  const auto s = example();
  LambdaPanel panel;
  panel.setSnapshot(s);
  QCOMPARE(panel.total().data().array, s->lambdas.total);
  QCOMPARE(panel.content().data().array, s->lambdas.content);
  QCOMPARE(panel.position().data().array, s->lambdas.position);
  QCOMPARE(panel.spectrum().spectra()[2].values, s->singularValues.total.values);
  QCOMPARE(panel.total().exportName(), u"stage2.block1-lambda-total"_s);
  const ExplanationText text = panel.explanation();
  QCOMPARE(text.numbers[0].second, u"row 2, column 3"_s);
  QCOMPARE(text.numbers[1].second, u"4 × 6"_s);
}

void TestInspectParts::threeMatricesHaveOneScaleUnlessEachIsToHaveItsOwn() {
  LambdaPanel panel;
  panel.setSnapshot(example());
  QCOMPARE(panel.content().range(), panel.total().range());
  QCOMPARE(panel.position().range(), panel.total().range());
  panel.setOneScale(false);
  QVERIFY(panel.content().range().high < panel.total().range().high);
  QCOMPARE(panel.content().range(),
           rangeOf(ColorMap::diverging, panel.content().data().array.values));
}

void TestInspectParts::aLockedScaleStaysWhileTheLambdaChanges() {
  LambdaPanel panel;
  panel.setSnapshot(example());
  const ColorRange before = panel.total().range();
  panel.setLocked(true);
  ExampleOptions other;
  other.request.image = 9;
  panel.setSnapshot(example(other));
  QCOMPARE(panel.total().range(), before);
  panel.setLocked(false);
  QVERIFY(panel.total().range() != before);
}

void TestInspectParts::missingPartsAreExplained() {
  InspectionSnapshot contentOnly = exampleSnapshot();
  contentOnly.layer.embedding = PositionEmbedding::none;
  contentOnly.lambdas.position = {};
  contentOnly.embeddings = {};
  const auto s = std::make_shared<const InspectionSnapshot>(contentOnly);
  LambdaPanel lambdas;
  EmbeddingsPanel embeddings;
  lambdas.resize(400, 600);
  embeddings.resize(400, 600);
  lambdas.setSnapshot(s);
  embeddings.setSnapshot(s);
  QVERIFY(lambdas.position().data().array.empty());
  QCOMPARE(lambdas.position().placeholder(), u"This layer has no position lambda."_s);
  QVERIFY(embeddings.tiles().placeholder().startsWith(u"This layer has no position embeddings"_s));
  QVERIFY(!lambdas.grab().isNull());
  QVERIFY(!embeddings.grab().isNull());
}

void TestInspectParts::theImagePanelShowsTheChosenHeadAndQuantity() {
  const auto s = example();
  ImagePanel panel;
  panel.resize(600, 500);
  panel.setSnapshot(s);
  QCOMPARE(panel.image().overlay().cells,
           mapOf(headMapsOf(*s, ContributionKind::total), ContributionKind::total, -1));
  QCOMPARE(*panel.image().query(), (Cell{2, 3}));
  QSignalSpy headChanged(&panel, &ImagePanel::headChanged);
  Q_EMIT panel.heads().cellActivated(1, 0, 0);
  QCOMPARE(panel.head(), 1);
  QCOMPARE(headChanged.count(), 1);
  panel.setQuantity(ContributionKind::content);
  QCOMPARE(panel.image().overlay().cells,
           mapOf(headMapsOf(*s, ContributionKind::content), ContributionKind::content, 1));
  QCOMPARE(panel.image().overlay().map, ColorMap::diverging);
  panel.stepHead(5);
  QCOMPARE(panel.head(), 1);
  panel.stepHead(-2);
  QCOMPARE(panel.head(), -1);
  panel.setQuantity(ContributionKind::effect);
  QCOMPARE(panel.image().overlay().map, ColorMap::viridis);
  QCOMPARE(panel.image().overlay().range.low, 0.0);
}

void TestInspectParts::theResidualIsSaidAndAWrongOneIsAWarning() {
  InspectionSnapshot s = exampleSnapshot();
  QVERIFY(s.residual.relative < 1e-5);  // The arithmetic of the example is correct.
  s.residual.relative = 3.14e-7;
  s.balance = {.contentEnergy = 1, .positionEnergy = 3, .cosine = 0.5};
  ImagePanel panel;
  panel.setSnapshot(std::make_shared<const InspectionSnapshot>(s));
  QCOMPARE(panel.residualText(), u"✓ Adds up to the layer's output within 3e−7"_s);
  QCOMPARE(panel.balanceText(), u"Content 25 % · position 75 % · cosine 0.50"_s);
  s.residual.relative = 0.2;
  panel.setSnapshot(std::make_shared<const InspectionSnapshot>(s));
  QVERIFY(panel.residualText().startsWith(u"Differs"_s));
}

void TestInspectParts::embeddingsAreSortedByNormAndShowTheirChange() {
  const auto s = example();
  EmbeddingsPanel panel;
  panel.setSnapshot(s);
  // The change since the start is shown unasked.
  QVERIFY(panel.showsChange());
  panel.setShowsChange(false);
  const auto firstTile = [&] { return panel.tiles().data().captions.front(); };
  const int strongest = s->embeddings.order.front();
  const float norm = s->embeddings.norms[static_cast<std::size_t>(strongest)];
  QCOMPARE(firstTile(),
           u"k %1 · %2"_s.arg(strongest).arg(numberText(static_cast<double>(norm), 2)));
  const HeatmapData sorted = panel.tiles().data();
  QCOMPARE(sorted.rows.first, -4);
  QCOMPARE(sorted.columns.first, -5);
  QVERIFY(sorted.rows.hasZero && sorted.columns.hasZero);
  const auto cells = static_cast<std::ptrdiff_t>(9 * 11);
  const auto greatest = s->embeddings.tiles.values.begin() + s->embeddings.order.front() * cells;
  QVERIFY(std::equal(greatest, greatest + cells, sorted.array.values.begin()));
  panel.setSorted(false);
  QVERIFY(firstTile().startsWith(u"k 0"_s));
  panel.setShowsChange(true);
  QCOMPARE(panel.tiles().data().array.values, s->embeddings.change.values);
  QVERIFY(panel.patterns().data().tileCount() >= 2);
  QCOMPARE(panel.patterns().data().array, s->embeddings.changePatterns.patterns);

  // Without a start the embeddings are shown as they are, and the choice stays for the next one.
  auto old = std::make_shared<InspectionSnapshot>(*s);
  old->embeddings.change = {};
  old->embeddings.changePatterns = {};
  panel.setSnapshot(old);
  QVERIFY(!panel.showsChange());
  QCOMPARE(panel.tiles().data().array.values, s->embeddings.tiles.values);
  QVERIFY(panel.tiles().data().title.endsWith(u"their start is not known"_s));
  panel.setSnapshot(s);
  QVERIFY(panel.showsChange());
}

void TestInspectParts::deadAndCollapsedKeysAreFlagged() {
  QCOMPARE(stateOf(0.0F, 64), KeySlotState::collapsed);
  QCOMPARE(stateOf(std::log(64.0F), 64), KeySlotState::dead);
  QCOMPARE(stateOf(std::log(20.0F), 64), KeySlotState::alive);
  const auto s = example();
  KeysPanel panel;
  panel.setSnapshot(s);
  QCOMPARE(panel.regions().data().captions[0], u"k 0 · 1 position"_s);
  QCOMPARE(panel.regions().data().captions[1], u"k 1 · dead"_s);
  QVERIFY(panel.summary().contains(u"Dead (everywhere alike): 1 of 4."_s));
  QVERIFY(panel.summary().contains(u"Collapsed to one position: 1 of 4."_s));
  panel.setSnapshot(nullptr);
  QVERIFY(panel.summary().isEmpty());
}

void TestInspectParts::thePredictionSaysWhatItIs() {
  PredictionPanel panel;
  panel.setSnapshot(example());
  QVERIFY(panel.verdict().startsWith(u"Wrong: predicted dog, "_s));
  QVERIFY(panel.verdict().endsWith(u" %; true class: cat"_s));
  QCOMPARE(panel.bars().bars().size(), std::size_t{10});
  QVERIFY(panel.bars().bars()[3].isTrue);
  QVERIFY(panel.bars().bars()[5].isChosen);
  InspectionSnapshot own = exampleSnapshot();
  own.label = -1;
  panel.setSnapshot(std::make_shared<const InspectionSnapshot>(own));
  QVERIFY(panel.verdict().startsWith(u"Predicted: dog, "_s));
  Predictions predictions;
  predictions.classNames = {"even", "odd"};
  predictions.labels = {0, 1};
  predictions.predicted = {0, 0};
  predictions.confidence = {0.9F, 0.8F};
  predictions.truthProbability = {0.9F, 0.15F};
  panel.setPrediction(predictions, 1);
  QVERIFY(panel.verdict().startsWith(u"Wrong: predicted even, "_s));
  QVERIFY(panel.verdict().endsWith(u"; true class: odd"_s));
  panel.setPrediction(predictions, 2);
  QCOMPARE(panel.verdict(), u"No prediction yet."_s);
}

void TestInspectParts::aProbeBecomesASnapshotWithSumsNormsAndOrder() {
  const InspectionSnapshot source = exampleSnapshot();
  ProbeSnapshot probe{.epoch = 4, .step = 90, .probabilities = {0.1F, 0.9F}, .layers = {}};
  probe.layers.push_back({.name = source.layer.name,
                          .lambdaContent = source.lambdas.content,
                          .lambdaPosition = source.lambdas.position,
                          .contributionsContent = source.contributions.content,
                          .contributionsPosition = source.contributions.position,
                          .embeddings = source.embeddings.tiles,
                          .embeddingChange = source.embeddings.change,
                          .singularContent = source.singularValues.content,
                          .singularPosition = source.singularValues.position,
                          .singularTotal = source.singularValues.total,
                          .patterns = source.embeddings.patterns.patterns,
                          .patternShares = vectorOf(source.embeddings.patterns.share),
                          .changePatterns = source.embeddings.changePatterns.patterns,
                          .changePatternShares = vectorOf(source.embeddings.changePatterns.share)});
  const InspectionSnapshot shown = snapshotOf(probe, source.layer);
  QCOMPARE(shown.lambdas, source.lambdas);
  QCOMPARE(shown.contributions, source.contributions);
  QCOMPARE(shown.embeddings, source.embeddings);
  QCOMPARE(shown.singularValues, source.singularValues);
  QCOMPARE(shown.epoch, 4);
  QCOMPARE(shown.predicted, 1);
  QCOMPARE(shown.queryRow, 2);
  const ProbeNorms norms = normsOf(probe, source.layer.name);
  QCOMPARE(norms.greatestLambda,
           std::max({rangeOf(ColorMap::diverging, source.lambdas.total.values).high,
                     rangeOf(ColorMap::diverging, source.lambdas.content.values).high,
                     rangeOf(ColorMap::diverging, source.lambdas.position.values).high}));
  QVERIFY(norms.content > 0 && norms.position > 0 && norms.embeddings > 0);
  QVERIFY(snapshotOf(probe, InspectableLayer{.name = "stage9.block9.mixer"}).lambdas.total.empty());
}

void TestInspectParts::normsOfProbesGoToCsv() {
  const std::vector<ProbeNorms> norms{{.epoch = 1, .step = 10, .content = 0.5, .position = 2}};
  QCOMPARE(csvOf(norms),
           std::string("epoch,step,content,position,embeddings,change\n1,10,0.5,2,0,0\n"));
}

void TestInspectParts::thePickerFiltersByClassAndPrediction() {
  ImagePicker picker;
  picker.setImages(Split::validation, evenAndOdd(8));
  QCOMPARE(indicesIn(picker).size(), std::size_t{8});
  picker.setClass(1);
  QCOMPARE(indicesIn(picker), (std::vector<int>{1, 3, 5, 7}));
  picker.setPredictable(true, {});
  QSignalSpy wanted(&picker, &ImagePicker::predictionsRequested);
  auto* filters = picker.findChildren<QComboBox*>()[2];
  filters->setCurrentIndex(1);
  Q_EMIT filters->activated(1);
  QCOMPARE(wanted.count(), 1);
  QVERIFY(indicesIn(picker).empty());
  auto predictions = std::make_shared<Predictions>();
  predictions->labels = {0, 1, 0, 1, 0, 1, 0, 1};
  predictions->predicted = {0, 1, 1, 0, 0, 1, 0, 0};
  picker.setPredictions(predictions);
  QCOMPARE(indicesIn(picker), (std::vector<int>{3, 7}));
  QCOMPARE(picker.grid().shown()[0].caption, u"→ even"_s);
  QCOMPARE(picker.grid().shown()[0].verdict, Verdict::wrong);
  picker.setClass(-1);
  picker.setFilter(PredictionFilter::right);
  QCOMPARE(indicesIn(picker), (std::vector<int>{0, 1, 4, 5, 6}));
}

void TestInspectParts::thePickerStepsThroughWhatItShows() {
  ImagePicker picker;
  picker.setImages(Split::validation, evenAndOdd(8));
  picker.setClass(1);
  QSignalSpy chosen(&picker, &ImagePicker::imageChosen);
  picker.setCurrent(4);
  picker.step(1);
  QCOMPARE(chosen.takeFirst()[0].toInt(), 5);
  picker.setCurrent(4);
  picker.step(-1);
  QCOMPARE(chosen.takeFirst()[0].toInt(), 3);
  picker.setCurrent(7);
  picker.step(1);
  QCOMPARE(chosen.count(), 0);
  picker.chooseRandom();
  QVERIFY(chosen.takeFirst()[0].toInt() % 2 == 1);
}

void TestInspectParts::thePickerShowsHowOftenTheTestSetWasEvaluated() {
  ImagePicker picker;
  const auto* splits = picker.findChildren<QComboBox*>()[0];
  picker.setTestEvaluations(0);
  QCOMPARE(splits->itemText(1), u"Test, never scored"_s);
  picker.setTestEvaluations(1);
  QCOMPARE(splits->itemText(1), u"Test, scored once"_s);
  picker.setTestEvaluations(3);
  QCOMPARE(splits->itemText(1), u"Test, scored 3 times"_s);
}

void TestInspectParts::theChooserOffersBestLastAndEpochs() {
  const QTemporaryDir library;
  const RunSummary run = summaryOf(library.path().toStdString(), "2026-11-20_22-48-00_first");
  SourceChooser chooser;
  QSignalSpy changed(&chooser, &SourceChooser::sourceChanged);
  chooser.setRuns({run});
  QCOMPARE(chooser.showRun(run.path), QString());
  QCOMPARE(changed.count(), 1);
  QCOMPARE(chooser.source().checkpoint, run.path / "checkpoints" / "best.safetensors");
  auto* checkpoints = chooser.findChildren<QComboBox*>()[1];
  QStringList titles;
  for (int i = 0; i < checkpoints->count(); ++i) titles << checkpoints->itemText(i);
  QCOMPARE(titles, (QStringList{u"Best"_s, u"Last"_s, u"Epoch 5"_s, u"Epoch 2"_s}));
  Q_EMIT checkpoints->activated(2);
  QCOMPARE(chooser.source().checkpoint, run.path / "checkpoints" / "epoch-0005.safetensors");
  QCOMPARE(chooser.source().label, u"first, epoch 5"_s);
  QVERIFY(runTitle(run).startsWith(u"first · 20 Nov 22:48"_s));
}

void TestInspectParts::theChooserKeepsItsChoiceAndDropsARunThatIsGone() {
  const QTemporaryDir library;
  const std::filesystem::path path = library.path().toStdString();
  const RunSummary first = summaryOf(path, "2026-11-20_22-48-00_first");
  const RunSummary second = summaryOf(path, "2026-11-20_23-00-00_second");
  RunSummary broken;
  broken.path = path / "broken";
  broken.problem = "run.json is not JSON";
  SourceChooser chooser;
  chooser.setRuns({first, second, broken});
  QCOMPARE(chooser.findChild<QComboBox*>()->count(), 2);
  chooser.showNewest();
  QCOMPARE(chooser.source().run, second.path);
  QSignalSpy changed(&chooser, &SourceChooser::sourceChanged);
  RunSummary more = second;
  more.record.testEvaluations = 7;
  chooser.setRuns({first, more});
  QCOMPARE(changed.count(), 0);
  QCOMPARE(chooser.source().record.testEvaluations, 7);
  chooser.setRuns({first});
  QCOMPARE(changed.count(), 1);
  QCOMPARE(chooser.source().kind, SourceKind::none);
}

void TestInspectParts::theChooserSaysWhatIsWrongWithAPath() {
  const QTemporaryDir library;
  const std::filesystem::path path = library.path().toStdString();
  SourceChooser chooser;
  QVERIFY(chooser.showRun(path).contains(u"run.json"_s));
  const std::filesystem::path old =
      writeRun(path, "2026-11-20_22-48-00_old", finishedRecord("old"));
  QVERIFY(chooser.showRun(old).contains(u"has no checkpoint: its folder lacks them all"_s));
  RunRecord stopped = finishedRecord("new");
  stopped.status = RunStatus::stopped;
  const std::filesystem::path run = writeRun(path, "2026-11-20_22-49-00_new", stopped);
  QVERIFY(chooser.showRun(run).contains(u"has no checkpoint yet"_s));
  QCOMPARE(chooser.source().kind, SourceKind::none);
}

void TestInspectParts::everyPictureOfThePanelsCanBeExported() {
  const QTemporaryDir folder;
  const auto s = example();
  LambdaPanel lambdas;
  EmbeddingsPanel embeddings;
  KeysPanel keys;
  ImagePanel image;
  PredictionPanel prediction;
  lambdas.setSnapshot(s);
  embeddings.setSnapshot(s);
  keys.setSnapshot(s);
  image.setSnapshot(s);
  prediction.setSnapshot(s);
  const std::vector<const Exportable*> pictures{&lambdas.total(),
                                                &lambdas.content(),
                                                &lambdas.position(),
                                                &lambdas.spectrum(),
                                                &embeddings.tiles(),
                                                &embeddings.patterns(),
                                                &keys.regions(),
                                                &image.image(),
                                                &image.heads(),
                                                &prediction.bars()};
  QSet<QString> names;
  for (const Exportable* picture : pictures) {
    names << picture->exportName();
    for (const QString& suffix : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s}) {
      const QString path = folder.filePath(picture->exportName() + u'.' + suffix);
      QCOMPARE(writeExport(*picture, path, {}), QString());
      QVERIFY2(QFile(path).size() > 60, qPrintable(path));
      if (suffix == u"png"_s) QCOMPARE(QImage(path).size(), picture->exportSize() * 2);
    }
  }
  QCOMPARE(static_cast<std::size_t>(names.size()), pictures.size());
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectParts)
#include "tst_inspect_parts.moc"
