#include <fstream>
#include <memory>

#include <QComboBox>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>
#include <QtTest/QtTest>

#include "app/experiments/pictures/axis_places.h"
#include "app/experiments/pictures/experiment_pictures.h"
#include "engine/experiments/difference_text.h"
#include "engine/experiments/read_curves.h"
#include "engine/experiments/read_experiment.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "tests/support/written_experiment.h"
#include "widgets/plots/effects/effect_plot.h"
#include "widgets/theme/colors.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

const std::string kRate = "recipe.optimizer.learningRate";

/// Learning rates and batch sizes, crossed, with two seeds: 4 variants, 8 runs.
Experiment crossed() {
  Experiment experiment;
  experiment.name = "crossed";
  experiment.question = "Which learning rate for which batch?";
  experiment.base = tinyRun();
  experiment.axes = {Axis{.path = "recipe.batchSize", .values = {"30", "15"}},
                     Axis{.path = kRate, .values = {"0.1", "0.001"}}};
  experiment.seeds = {0, 1};
  experiment.measures = {Measure{Quantity::testAccuracy}, Measure{Quantity::parameters}};
  return experiment;
}

/// Two networks that are named.
Experiment networks() {
  Experiment experiment;
  experiment.name = "networks";
  experiment.question = "Is the wider network worth its parameters?";
  experiment.base = tinyRun();
  experiment.variants = {{"narrow", {}}, {"wide", {"architecture.stem.width=16"}}};
  experiment.seeds = {0, 1};
  experiment.measures = {Measure{Quantity::secondsToAccuracy}};
  return experiment;
}

ExperimentState stateOf(const ExperimentFolder& folder, const ExperimentState* before = nullptr) {
  ExperimentState state = readExperiment(folder, before);
  readCurves(folder, state, before);
  return state;
}

/// Trains all runs: variant v with seed s reaches 50 + 10 v + 2 s per cent after 2 epochs.
ExperimentFolder trained(const fs::path& home, const Experiment& experiment) {
  auto folder = ExperimentFolder::create(home, experiment);
  for (const PlannedRun& run : folder.plan().runs) {
    const auto variant = static_cast<double>(run.variant);
    const double accuracy = 0.5 + 0.1 * variant + 0.02 * static_cast<double>(run.seed);
    writeTraining(folder,
                  run,
                  {.accuracies = {accuracy / 2, accuracy},
                   .parameters = 1000 * (1 + static_cast<std::int64_t>(run.variant)),
                   .imagesPerSecond = 400 - 100 * variant});
  }
  return folder;
}

/// The argument of the only signal since the last call; nothing where there was none.
template <class Argument>
std::optional<Argument> takenFrom(QSignalSpy& spy) {
  std::optional<Argument> argument;
  if (spy.size() == 1) argument = spy.constFirst().constFirst().value<Argument>();
  spy.clear();
  return argument;
}

int tabsOf(const ExperimentPictures& pictures) {
  return pictures.findChild<QTabBar*>(u"pictures"_s)->count();
}

}  // namespace

/// The pictures that answer an experiment: what they draw, which there are, and what a click means.
class TestExperimentPictures : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { home_ = std::make_unique<TemporaryFolder>(); }

  void curvesAreMeansOverTheSeeds();
  void curvesOfRunsThatStandAreReadOnce();
  void anEpochThatWasTrainedAgainCountsOnce();
  void theSweepHasALineForEachOtherValue();
  void aSweepOverAWideRangeIsLogarithmic();
  void zippedAxesAreOneLineAndNoTable();
  void theTableHasTheMeansAndEmptyCells();
  void costsNeedNoMeasure();
  void onlySensiblePicturesAreOffered();
  void theQuantityOfTheCurvesIsChosen();
  void thePictureStaysWhenTheStateChanges();
  void allTabsAreInViewAfterOneIsAddedOutOfSight();
  void clicksRequestRunsAndVariants();
  void intervalsEndWhereValuesCanNotBe();
  void aCellOfTheTableRequestsItsVariant();
  void keysWalkAlongTheCurves();
  void everyPictureSaysWhatItWillDraw();
  void namesOfAxesAreWords();

 private:
  std::unique_ptr<TemporaryFolder> home_;
};

void TestExperimentPictures::curvesAreMeansOverTheSeeds() {
  const auto folder = trained(home_->path(), networks());
  writeTraining(folder, folder.plan().runs[3], {.accuracies = {0.3}, .status = RunStatus::failed});
  const ExperimentState state = stateOf(folder);
  const auto lines = curveLinesOf(state, CurveQuantity::validationScore);
  QCOMPARE(lines.size(), std::size_t{2});
  QCOMPARE(lines[0].name, u"narrow"_s);
  QCOMPARE(lines[0].points.size(), std::size_t{2});
  const IntervalPoint& last = lines[0].points[1];
  QCOMPARE(last.x, 2.0);
  QCOMPARE(last.runs.size(), std::size_t{2});
  QCOMPARE(last.runs[1].run, folder.nameOf(folder.plan().runs[2]));
  QVERIFY(qAbs(last.summary.mean - 51) < 1e-9);
  // Student's t with one degree of freedom: 12.706 times the deviation over the square root of 2.
  QVERIFY(qAbs(last.summary.interval->high - (51 + 12.706)) < 1e-2);
  // A failed run counts nowhere, and one seed has no interval.
  QCOMPARE(lines[1].points[0].summary.count, 1);
  QVERIFY(!lines[1].points[0].summary.interval);
  const auto losses = curveLinesOf(state, CurveQuantity::trainingLoss);
  QVERIFY(qAbs(losses[0].points[1].summary.mean - 2 * 0.49) < 1e-9);
}

void TestExperimentPictures::curvesOfRunsThatStandAreReadOnce() {
  const auto folder = trained(home_->path(), networks());
  const ExperimentState before = stateOf(folder);
  for (const PlannedRun& run : folder.plan().runs) {
    fs::remove(folder.runFolder(run) / "metrics.jsonl");
  }
  writeTraining(folder, folder.plan().runs[0], {.accuracies = {0.1, 0.2, 0.3}});
  const ExperimentState after = stateOf(folder, &before);
  QCOMPARE(after.cells[0].curve.size(), std::size_t{3});
  QCOMPARE(after.cells[1].curve, before.cells[1].curve);
  QVERIFY(after.warnings.empty());
}

void TestExperimentPictures::anEpochThatWasTrainedAgainCountsOnce() {
  const auto folder = trained(home_->path(), networks());
  const fs::path metrics = folder.runFolder(folder.plan().runs[0]) / "metrics.jsonl";
  EpochRecord again;
  again.epoch = 2;
  again.validation = Scores{0.5, 0.75};
  std::ofstream(metrics, std::ios::app) << toLine(again);
  const auto curve = stateOf(folder).cells[0].curve;
  QCOMPARE(curve.size(), std::size_t{2});
  QCOMPARE(curve[1].validationScore, std::optional(0.75));
}

void TestExperimentPictures::theSweepHasALineForEachOtherValue() {
  const ExperimentState state = stateOf(trained(home_->path(), crossed()));
  // Both axes have two numbers: the first is along x.
  QCOMPARE(sweptAxisOf(state), std::optional<std::size_t>(0));
  const auto lines = sweepLinesOf(state, 0);
  QCOMPARE(lines.size(), std::size_t{2});
  QCOMPARE(lines[0].name, u"Learning rate 0.1"_s);
  QCOMPARE(lines[1].name, u"Learning rate 0.001"_s);
  QCOMPARE(lines[0].points[0].x, 15.0);
  QCOMPARE(lines[0].points[1].x, 30.0);
  // Variants: 30 and 0.1, 30 and 0.001, 15 and 0.1, 15 and 0.001.
  QVERIFY(qAbs(lines[0].points[0].summary.mean - 71) < 1e-9);
  QVERIFY(qAbs(lines[0].points[1].summary.mean - 51) < 1e-9);
  QCOMPARE(lines[0].points[1].key, state.variants[0]);
}

void TestExperimentPictures::aSweepOverAWideRangeIsLogarithmic() {
  QVERIFY(isLogarithmic({.path = kRate}, {0.001, 0.1}));
  QVERIFY(!isLogarithmic({.path = kRate}, {0.01, 0.1}));
  QVERIFY(!isLogarithmic({.path = kRate}, {0, 100}));
  QVERIFY(isLogarithmic({.path = kRate, .scale = AxisScale::logarithmic}, {1, 2}));
  QVERIFY(isLogarithmic({.path = kRate, .scale = AxisScale::randomLogarithmic}, {1, 2}));
}

void TestExperimentPictures::zippedAxesAreOneLineAndNoTable() {
  Experiment experiment = crossed();
  experiment.combination = AxisCombination::zipped;
  const ExperimentState state = stateOf(trained(home_->path(), experiment));
  const auto lines = sweepLinesOf(state, 0);
  QCOMPARE(lines.size(), std::size_t{1});
  QCOMPARE(lines[0].points.size(), std::size_t{2});
  QVERIFY(!crossedTableOf(state));
}

void TestExperimentPictures::theTableHasTheMeansAndEmptyCells() {
  const auto folder = trained(home_->path(), crossed());
  for (const std::size_t run : {1, 5}) fs::remove_all(folder.runFolder(folder.plan().runs[run]));
  const NamedHeatmapData data = heatmapOf(stateOf(folder), 0);
  QCOMPARE(data.columns, (QStringList{u"15"_s, u"30"_s}));
  QCOMPARE(data.rows, (QStringList{u"0.001"_s, u"0.1"_s}));
  QCOMPARE(data.columnTitle, u"Batch size"_s);
  QCOMPARE(data.values.size(), std::size_t{4});
  QVERIFY(qAbs(*data.values[0] - 81) < 1e-9);
  QVERIFY2(!data.values[1], "30 and 0.001 was not trained");
  QVERIFY(qAbs(*data.values[3] - 51) < 1e-9);
  NamedHeatmap map;
  map.setData(data);
  QVERIFY2(map.toCsv().contains(u"0.001,30,\n"_s), qPrintable(map.toCsv()));
  QVERIFY(map.toCsv().startsWith(u"Learning rate,Batch size,\"Test accuracy, %\"\n"_s));
}

void TestExperimentPictures::costsNeedNoMeasure() {
  const ExperimentState state = stateOf(trained(home_->path(), networks()));
  const auto points = costPointsOf(state, 0, CostQuantity::parameters);
  QCOMPARE(points.size(), std::size_t{2});
  QCOMPARE(points[1].x, 2000.0);
  QVERIFY2(qAbs(points[1].y - 61) < 1e-9, "the best validation accuracy is that of the curves");
  ScatterPlot plot;
  showCosts(plot, state, 0, CostQuantity::imagesPerSecond);
  // The narrow network is faster, the wide one better: both are on the front.
  QVERIFY2(plot.toCsv().contains(u"narrow,400,51,1\nwide,300,61,1\n"_s), qPrintable(plot.toCsv()));
  ExperimentState measured;
  measured.experiment.measures = {{Quantity::validationLoss}, {Quantity::parameters}};
  QCOMPARE(scoreOf(measured, 0), Quantity::validationLoss);
  QCOMPARE(scoreOf(measured, 1), Quantity::validationAccuracy);
  measured.scoredBy = ScoreKind::r2;
  QCOMPARE(scoreOf(measured, 1), Quantity::validationR2);
}

void TestExperimentPictures::onlySensiblePicturesAreOffered() {
  using Kinds = std::vector<PictureKind>;
  const Experiment two = networks();
  QCOMPARE(picturesOf(stateOfPlan(two, planOf(two))),
           (Kinds{PictureKind::effects, PictureKind::curves, PictureKind::costs}));
  Experiment experiment = crossed();
  QCOMPARE(
      picturesOf(stateOfPlan(experiment, planOf(experiment))),
      (Kinds{PictureKind::effects, PictureKind::curves, PictureKind::sweep, PictureKind::heatmap}));
  experiment.axes = {Axis{.path = "recipe.optimizer.kind", .values = {"\"sgd\"", "\"adamw\""}}};
  QCOMPARE(picturesOf(stateOfPlan(experiment, planOf(experiment))),
           (Kinds{PictureKind::effects, PictureKind::curves}));
}

void TestExperimentPictures::theQuantityOfTheCurvesIsChosen() {
  ExperimentPictures pictures;
  pictures.setState(stateOf(trained(home_->path(), networks())), 0);
  pictures.showPicture(PictureKind::curves);
  auto* quantity = pictures.findChild<QComboBox*>(u"curveQuantity"_s);
  QCOMPARE(quantity->count(), 3);
  const auto& plot = *pictures.findChild<IntervalPlot*>(u"curves"_s);
  QVERIFY2(plot.toCsv().contains(u"narrow,,2,51,2,"_s), qPrintable(plot.toCsv()));
  QVERIFY(plot.toCsv().startsWith(u"line,run,Epoch,\"Validation accuracy, %\",runs,low,high\n"_s));
  quantity->setCurrentIndex(quantity->findText(u"Validation loss"_s));
  QVERIFY2(plot.toCsv().contains(u"narrow,,2,0.49,2,"_s), qPrintable(plot.toCsv()));
  QCOMPARE(plot.exportName(), u"curves-validationLoss"_s);
}

void TestExperimentPictures::thePictureStaysWhenTheStateChanges() {
  ExperimentPictures pictures;
  const Experiment plan = crossed();
  pictures.setState(stateOfPlan(plan, planOf(plan)), 0);
  QCOMPARE(tabsOf(pictures), 4);
  pictures.showPicture(PictureKind::curves);
  auto* tabs = pictures.findChild<QTabBar*>(u"pictures"_s);
  pictures.setState(stateOf(trained(home_->path(), networks())), 0);
  QCOMPARE(tabsOf(pictures), 3);
  QCOMPARE(tabs->tabText(tabs->currentIndex()), u"Curves"_s);
}

void TestExperimentPictures::allTabsAreInViewAfterOneIsAddedOutOfSight() {
  Experiment swept = crossed();
  swept.axes = {Axis{.path = "architecture.stem.width", .values = {"8", "16"}}};
  ExperimentPictures pictures;
  pictures.resize(1200, 500);
  pictures.setState(stateOf(trained(home_->path(), networks())), 0);
  pictures.show();
  QVERIFY(QTest::qWaitForWindowExposed(&pictures));
  pictures.showPicture(PictureKind::costs);
  QCOMPARE(tabsOf(pictures), 3);
  pictures.hide();
  pictures.setState(stateOf(trained(home_->path(), swept)), 0);
  QCOMPARE(tabsOf(pictures), 4);
  pictures.show();
  QVERIFY(QTest::qWaitForWindowExposed(&pictures));
  const auto& tabs = *pictures.findChild<QTabBar*>(u"pictures"_s);
  QCOMPARE(tabs.tabText(tabs.currentIndex()), u"Against the cost"_s);
  QTRY_COMPARE(tabs.width(), tabs.sizeHint().width());
  for (int tab = 0; tab < tabs.count(); ++tab) QVERIFY(tabs.rect().contains(tabs.tabRect(tab)));
  for (const QToolButton* scroll : tabs.findChildren<QToolButton*>()) QVERIFY(scroll->isHidden());
}

void TestExperimentPictures::clicksRequestRunsAndVariants() {
  const auto folder = trained(home_->path(), crossed());
  const ExperimentState state = stateOf(folder);
  ExperimentPictures pictures;
  pictures.resize(900, 500);
  pictures.setState(state, 0);
  pictures.show();
  QSignalSpy runs(&pictures, &ExperimentPictures::runRequested);
  QSignalSpy variants(&pictures, &ExperimentPictures::variantRequested);

  // Variant 1 has the values 60 and 62.
  auto* effects = pictures.findChild<EffectPlot*>();
  QTest::mouseClick(effects, Qt::LeftButton, {}, effects->positionOf(1, 62).toPoint());
  QCOMPARE(takenFrom<std::string>(runs), std::optional(folder.nameOf(folder.plan().runs[5])));
  QTest::mouseClick(effects, Qt::LeftButton, {}, {20, effects->positionOf(1, 60).toPoint().y()});
  QCOMPARE(takenFrom<std::size_t>(variants), std::optional<std::size_t>(1));

  pictures.showPicture(PictureKind::sweep);
  auto* sweep = pictures.findChild<IntervalPlot*>(u"sweep"_s);
  QTest::mouseClick(sweep, Qt::LeftButton, {}, sweep->positionOf({30, 62}).toPoint());
  QCOMPARE(takenFrom<std::string>(runs), std::optional(folder.nameOf(folder.plan().runs[5])));
  QTest::mouseClick(sweep, Qt::LeftButton, {}, sweep->positionOf({30, 61}).toPoint());
  QCOMPARE(takenFrom<std::size_t>(variants), std::optional<std::size_t>(1));
  QVERIFY(runs.isEmpty());
  QTest::mouseClick(sweep, Qt::LeftButton, {}, sweep->positionOf({20, 90}).toPoint());
  QVERIFY(runs.isEmpty() && variants.isEmpty());
}

void TestExperimentPictures::intervalsEndWhereValuesCanNotBe() {
  Experiment experiment = networks();
  experiment.measures = {Measure{Quantity::testAccuracy}};
  const auto folder = trained(home_->path(), experiment);
  // Student's interval of these two would be -509 to 601 %.
  writeTraining(folder, folder.plan().runs[0], {.accuracies = {0.02}});
  writeTraining(folder, folder.plan().runs[2], {.accuracies = {0.9}});
  const ExperimentState state = stateOf(folder);
  QVERIFY(state.results[0].variants[0].summary.interval == (Interval{0, 1}));
  const auto lines = curveLinesOf(state, CurveQuantity::validationScore);
  QVERIFY(lines[0].points[0].summary.interval == (Interval{0, 100}));
  EffectPlot plot;
  plot.resize(600, 200);
  showEffects(plot, state, 0);
  QVERIFY2(plot.positionOf(0, 100).x() > 500, "the axis does not go on to 601");
  QVERIFY(plot.positionOf(0, 100).x() < 600);
}

void TestExperimentPictures::aCellOfTheTableRequestsItsVariant() {
  ExperimentPictures pictures;
  pictures.resize(900, 500);
  pictures.setState(stateOf(trained(home_->path(), crossed())), 0);
  pictures.showPicture(PictureKind::heatmap);
  pictures.show();
  QSignalSpy variants(&pictures, &ExperimentPictures::variantRequested);
  auto* map = pictures.findChild<NamedHeatmap*>();
  // Row 0.001, column 30.
  QTest::mouseClick(map, Qt::LeftButton, {}, map->cellRect(0, 1).center().toPoint());
  QCOMPARE(takenFrom<std::size_t>(variants), std::optional<std::size_t>(1));
  QTest::keyClick(map, Qt::Key_Down);
  QTest::keyClick(map, Qt::Key_Return);
  QCOMPARE(takenFrom<std::size_t>(variants), std::optional<std::size_t>(0));
}

void TestExperimentPictures::keysWalkAlongTheCurves() {
  ExperimentPictures pictures;
  pictures.resize(900, 500);
  pictures.setState(stateOf(trained(home_->path(), networks())), 0);
  pictures.showPicture(PictureKind::curves);
  pictures.show();
  auto* curves = pictures.findChild<IntervalPlot*>(u"curves"_s);
  QSignalSpy variants(&pictures, &ExperimentPictures::variantRequested);
  QTest::keyClick(curves, Qt::Key_Right);
  QTest::keyClick(curves, Qt::Key_Right);
  QVERIFY2(curves->accessibleDescription().contains(u"mean of 2 runs: 51.0"_s),
           qPrintable(curves->accessibleDescription()));
  QTest::keyClick(curves, Qt::Key_Down);
  QTest::keyClick(curves, Qt::Key_Return);
  QCOMPARE(takenFrom<std::size_t>(variants), std::optional<std::size_t>(1));
}

void TestExperimentPictures::everyPictureSaysWhatItWillDraw() {
  const Experiment plan = crossed();
  ExperimentPictures pictures;
  pictures.setPalette(paletteOf(lightColors()));
  pictures.resize(900, 500);
  pictures.setState(stateOfPlan(plan, planOf(plan)), 0);
  for (const PictureKind kind :
       {PictureKind::effects, PictureKind::curves, PictureKind::sweep, PictureKind::heatmap}) {
    pictures.showPicture(kind);
    const QImage image = pictures.grab().toImage();
    // The text is in the middle of the picture.
    const QRect middle(0, image.height() / 2 - 20, image.width(), 60);
    const QImage text = image.copy(middle);
    bool hasText = false;
    for (int y = 0; y < text.height() && !hasText; ++y) {
      for (int x = 0; x < text.width() && !hasText; ++x) {
        hasText = text.pixel(x, y) != text.pixel(0, 0);
      }
    }
    QVERIFY2(hasText, qPrintable(QString::number(static_cast<int>(kind))));
  }
}

void TestExperimentPictures::namesOfAxesAreWords() {
  QCOMPARE(axisTitleOf({.path = kRate}), u"Learning rate"_s);
  QCOMPARE(axisTitleOf({.path = "seeds"}), u"Seeds"_s);
  QCOMPARE(axisValueText("1e-3"), u"0.001"_s);
  QCOMPARE(axisValueText("\"lambda\""), u"lambda"_s);
  QVERIFY(!numberOf("true") && !numberOf("1 2") && !numberOf(""));
  QCOMPARE(numberOf("-2.5"), std::optional(-2.5));
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestExperimentPictures)
#include "tst_experiment_pictures.moc"
