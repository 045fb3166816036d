#include <cmath>
#include <iterator>

#include <QFile>
#include <QSettings>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/inspect/panels/contribution_facts.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/inspect_panels.h"
#include "app/inspect/panels/panel_deck.h"
#include "engine/values/inspection/contribution_maps.h"
#include "tests/support/example_snapshot.h"
#include "widgets/equations/equation_view.h"
#include "widgets/export/export_file.h"
#include "widgets/pictures/bar_list.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/plots/lines/spectrum_view.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

std::shared_ptr<const InspectionSnapshot> example(const ExampleOptions& options = {}) {
  return std::make_shared<const InspectionSnapshot>(exampleSnapshot(options));
}

/// Panels are updated while they are in view.
void show(InspectPanel& panel, std::shared_ptr<const InspectionSnapshot> snapshot) {
  panel.show();
  panel.setState({.snapshot = std::move(snapshot)});
}

}  // namespace

class TestInspectPanels : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyThePanelInViewIsUpdated();
  void everyPanelOfTheTableIsATabWithItsOwnSettings();
  void everyPanelOfALayerHasItsEquation();
  void foldedEquationsAreRemembered();
  void theLambdaPanelShowsTheSnapshotsNumbers();
  void threeMatricesHaveOneScaleUnlessEachIsToHaveItsOwn();
  void aLockedScaleStaysWhileTheLambdaChanges();
  void missingPartsAreExplained();
  void theImagePanelShowsTheChosenHeadAndQuantity();
  void theResidualIsSaidAndAWrongOneIsAWarning();
  void embeddingsAreSortedByNormAndShowTheirChange();
  void deadAndCollapsedKeysAreFlagged();
  void thePredictionSaysWhatItIs();
  void everyPictureOfThePanelsCanBeExported();
  void aNoteIsShownOnlyWithItsState();
  void captionsNameTheImage();
};

void TestInspectPanels::onlyThePanelInViewIsUpdated() {
  PanelDeck deck;
  deck.resize(1200, 600);
  deck.show();
  auto& tabs = *deck.findChild<QTabWidget*>();
  const auto& lambdas = *deck.findChild<LambdaPanel*>();
  auto& embeddings = *deck.findChild<EmbeddingsPanel*>();
  const auto first = example();
  ExampleOptions options;
  options.request.image = 9;
  const auto second = example(options);
  const auto shown = [&] { return deck.findChild<LambdaPanel*>()->total().data().array; };
  deck.setState({.snapshot = first});
  QVERIFY(lambdas.isInView() && !embeddings.isInView());
  QCOMPARE(shown(), first->lambdas.total);
  QVERIFY(embeddings.tiles().data().array.empty());
  tabs.setCurrentIndex(1);
  QVERIFY(!embeddings.tiles().data().array.empty());
  deck.setState({.snapshot = second});
  QCOMPARE(shown(), first->lambdas.total);
  tabs.setCurrentIndex(0);
  QCOMPARE(shown(), second->lambdas.total);
}

void TestInspectPanels::everyPanelOfTheTableIsATabWithItsOwnSettings() {
  PanelDeck deck;
  const auto& tabs = *deck.findChild<QTabWidget*>();
  QCOMPARE(tabs.count(), static_cast<int>(std::size(kInspectPanels)));
  QCOMPARE(deck.panels().size(), std::size(kInspectPanels));
  QSet<QString> groups;
  for (int i = 0; i < tabs.count(); ++i) {
    const InspectPanelTraits& traits = kInspectPanels[i];
    QCOMPARE(tabs.tabText(i), QString::fromLatin1(traits.title));
    QVERIFY(tabs.widget(i)->isAncestorOf(deck.panels()[static_cast<std::size_t>(i)]));
    groups << QString::fromLatin1(traits.settings);
  }
  QCOMPARE(groups.size(), tabs.count());
}

void TestInspectPanels::everyPanelOfALayerHasItsEquation() {
  const auto s = example();
  std::vector<std::unique_ptr<InspectPanel>> panels;
  panels.push_back(std::make_unique<ImagePanel>());
  for (const InspectPanelTraits& traits : kInspectPanels) {
    if (traits.needsLambdas) panels.emplace_back(traits.make());
  }
  for (const auto& panel : panels) {
    show(*panel, s);
    const auto views = panel->findChildren<EquationView*>();
    QVERIFY(!views.isEmpty() && views.front()->isOpen());
    for (const EquationView* view : views) {
      const Equation& equation = view->equation();
      QVERIFY(view->isVisible());
      QVERIFY(!equation.formulas.isEmpty() && !equation.source.isEmpty());
      QVERIFY(equation.explanation.endsWith(u'.'));
    }
  }
  // The letters have the layer's sizes, and the equation is that of the chosen map.
  QVERIFY(panels[1]->findChild<EquationView*>()->equation().letters.contains(u"k = 4, v = 6"_s));
  auto& image = static_cast<ImagePanel&>(*panels[0]);
  const QStringList total = image.findChild<EquationView*>()->equation().formulas;
  image.setQuantity(ContributionKind::position);
  QVERIFY(image.findChild<EquationView*>()->equation().formulas != total);
}

void TestInspectPanels::foldedEquationsAreRemembered() {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath(u"settings.ini"_s), QSettings::IniFormat);
  LambdaPanel panel, other;
  panel.findChildren<EquationView*>()[0]->setOpen(false);
  panel.findChildren<EquationView*>()[1]->setOpen(true);
  panel.saveLayout(settings);
  other.restoreLayout(settings);
  const auto views = other.findChildren<EquationView*>();
  QVERIFY(!views[0]->isOpen() && views[1]->isOpen());
}

void TestInspectPanels::theLambdaPanelShowsTheSnapshotsNumbers() {
  const auto s = example();
  LambdaPanel panel;
  show(panel, s);
  QCOMPARE(panel.total().data().array, s->lambdas.total);
  QCOMPARE(panel.content().data().array, s->lambdas.content);
  QCOMPARE(panel.position().data().array, s->lambdas.position);
  QCOMPARE(panel.spectrum().spectra()[2].values, s->singularValues.total.values);
  QCOMPARE(panel.total().exportName(), u"stage2.block1-lambda-total"_s);
  const ExplanationText text = panel.explanation();
  QCOMPARE(text.numbers[0].second, u"row 2, column 3"_s);
  QCOMPARE(text.numbers[1].second, u"4 × 6"_s);
}

void TestInspectPanels::threeMatricesHaveOneScaleUnlessEachIsToHaveItsOwn() {
  LambdaPanel panel;
  show(panel, example());
  QCOMPARE(panel.content().range(), panel.total().range());
  QCOMPARE(panel.position().range(), panel.total().range());
  panel.setOneScale(false);
  QVERIFY(panel.content().range().high < panel.total().range().high);
  QCOMPARE(panel.content().range(),
           rangeOf(ColorMap::diverging, panel.content().data().array.values));
}

void TestInspectPanels::aLockedScaleStaysWhileTheLambdaChanges() {
  LambdaPanel panel;
  show(panel, example());
  const ColorRange before = panel.total().range();
  panel.setLocked(true);
  ExampleOptions other;
  other.request.image = 9;
  show(panel, example(other));
  QCOMPARE(panel.total().range(), before);
  panel.setLocked(false);
  QVERIFY(panel.total().range() != before);
}

void TestInspectPanels::missingPartsAreExplained() {
  InspectionSnapshot contentOnly = exampleSnapshot();
  contentOnly.layer.embedding = PositionEmbedding::none;
  contentOnly.lambdas.position = {};
  contentOnly.embeddings = {};
  const auto s = std::make_shared<const InspectionSnapshot>(contentOnly);
  LambdaPanel lambdas;
  EmbeddingsPanel embeddings;
  lambdas.resize(400, 600);
  embeddings.resize(400, 600);
  show(lambdas, s);
  show(embeddings, s);
  QVERIFY(lambdas.position().data().array.empty());
  QCOMPARE(lambdas.position().placeholder(), u"This layer has no position lambda."_s);
  QVERIFY(embeddings.tiles().placeholder().startsWith(u"This layer has no position embeddings"_s));
  QVERIFY(!lambdas.grab().isNull());
  QVERIFY(!embeddings.grab().isNull());
}

void TestInspectPanels::theImagePanelShowsTheChosenHeadAndQuantity() {
  const auto s = example();
  ImagePanel panel;
  panel.resize(600, 500);
  show(panel, s);
  QCOMPARE(panel.image().overlay().cells,
           mapOf(headMapsOf(*s, ContributionKind::total), ContributionKind::total, -1));
  QCOMPARE(*panel.image().query(), (Cell{2, 3}));
  Q_EMIT panel.heads().cellActivated(1, 0, 0);
  QCOMPARE(panel.head(), 1);
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

void TestInspectPanels::theResidualIsSaidAndAWrongOneIsAWarning() {
  InspectionSnapshot s = exampleSnapshot();
  QVERIFY(s.residual.relative < 1e-5);  // The arithmetic of the example is correct.
  s.residual.relative = 3.14e-7;
  s.balance = {.contentEnergy = 1, .positionEnergy = 3, .cosine = 0.5};
  ImagePanel panel;
  show(panel, std::make_shared<const InspectionSnapshot>(s));
  QCOMPARE(panel.facts().residualText(), u"✓ Adds up to the layer's output within 3e−7"_s);
  QCOMPARE(panel.facts().balanceText(), u"Content 25 % · position 75 % · cosine 0.50"_s);
  s.residual.relative = 0.2;
  show(panel, std::make_shared<const InspectionSnapshot>(s));
  QVERIFY(panel.facts().residualText().startsWith(u"Differs"_s));
}

void TestInspectPanels::embeddingsAreSortedByNormAndShowTheirChange() {
  const auto s = example();
  EmbeddingsPanel panel;
  show(panel, s);
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
  show(panel, old);
  QVERIFY(!panel.showsChange());
  QCOMPARE(panel.tiles().data().array.values, s->embeddings.tiles.values);
  QVERIFY(panel.tiles().data().title.endsWith(u"their start is not known"_s));
  show(panel, s);
  QVERIFY(panel.showsChange());
}

void TestInspectPanels::deadAndCollapsedKeysAreFlagged() {
  QCOMPARE(stateOf(0.0F, 64), KeySlotState::collapsed);
  QCOMPARE(stateOf(std::log(64.0F), 64), KeySlotState::dead);
  QCOMPARE(stateOf(std::log(20.0F), 64), KeySlotState::alive);
  const auto s = example();
  KeysPanel panel;
  show(panel, s);
  QCOMPARE(panel.regions().data().captions[0], u"k 0 · 1 position"_s);
  QCOMPARE(panel.regions().data().captions[1], u"k 1 · dead"_s);
  QVERIFY(panel.summary().contains(u"Dead (everywhere alike): 1 of 4."_s));
  QVERIFY(panel.summary().contains(u"Collapsed to one position: 1 of 4."_s));
  panel.setState({});
  QVERIFY(panel.summary().isEmpty());
}

void TestInspectPanels::thePredictionSaysWhatItIs() {
  PredictionPanel panel;
  show(panel, example());
  QVERIFY(panel.verdict().startsWith(u"Wrong: predicted dog, "_s));
  QVERIFY(panel.verdict().endsWith(u" %; true class: cat"_s));
  QCOMPARE(panel.bars().bars().size(), std::size_t{10});
  QVERIFY(panel.bars().bars()[3].isTrue);
  QVERIFY(panel.bars().bars()[5].isChosen);
  InspectionSnapshot own = exampleSnapshot();
  own.label = -1;
  show(panel, std::make_shared<const InspectionSnapshot>(own));
  QVERIFY(panel.verdict().startsWith(u"Predicted: dog, "_s));
  auto predictions = std::make_shared<Predictions>();
  predictions->classNames = {"even", "odd"};
  predictions->labels = {0, 1};
  predictions->predicted = {0, 0};
  predictions->confidence = {0.9F, 0.8F};
  predictions->truthProbability = {0.9F, 0.15F};
  panel.setState({.plain = PlainImage{.index = 1, .predictions = predictions}});
  QVERIFY(panel.verdict().startsWith(u"Wrong: predicted even, "_s));
  QVERIFY(panel.verdict().endsWith(u"; true class: odd"_s));
  panel.setState({.plain = PlainImage{.index = 2, .predictions = predictions}});
  QCOMPARE(panel.verdict(), u"No prediction yet."_s);
}

void TestInspectPanels::everyPictureOfThePanelsCanBeExported() {
  const QTemporaryDir folder;
  const auto s = example();
  std::vector<std::unique_ptr<InspectPanel>> panels;
  panels.push_back(std::make_unique<ImagePanel>());
  for (const InspectPanelTraits& traits : kInspectPanels) panels.emplace_back(traits.make());
  std::vector<const Exportable*> pictures;
  for (const auto& panel : panels) {
    show(*panel, s);
    const std::vector<const Exportable*> exports = panel->exports();
    QVERIFY(!exports.empty());
    pictures.insert(pictures.end(), exports.begin(), exports.end());
  }
  QSet<QString> names;
  for (const Exportable* picture : pictures) {
    names << picture->exportName();
    for (const QString& suffix : {u"png"_s, u"svg"_s, u"pdf"_s, u"csv"_s}) {
      const QString path = folder.filePath(picture->exportName() + u'.' + suffix);
      QCOMPARE(writeExport(*picture, path, {}), QString());
      QVERIFY2(QFile(path).size() > 60, qPrintable(path));
      if (suffix == u"png"_s) QCOMPARE(QImage(path).size(), exportedSize(*picture, {}) * 2);
    }
  }
  QCOMPARE(static_cast<std::size_t>(names.size()), pictures.size());
}

void TestInspectPanels::aNoteIsShownOnlyWithItsState() {
  ImagePanel panel;
  panel.show();
  panel.setState({.note = u"Reading the epochs …"_s});
  QCOMPARE(panel.image().placeholder(), u"Reading the epochs …"_s);
  panel.setState({});
  QCOMPARE(panel.image().placeholder(), u"No image yet."_s);
}

void TestInspectPanels::captionsNameTheImage() {
  InspectionSnapshot s = *example();
  s.request = {.split = Split::test, .image = 7};
  LambdaPanel panel;
  show(panel, std::make_shared<const InspectionSnapshot>(s));
  QVERIFY(panel.total().exportCaption().contains(u", test image 7, step "_s));
  s.request.picture = s.image;
  show(panel, std::make_shared<const InspectionSnapshot>(s));
  QVERIFY(panel.total().exportCaption().contains(u", own picture, step "_s));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectPanels)
#include "tst_inspect_panels.moc"
