#include <fstream>

#include <QComboBox>
#include <QSignalSpy>
#include <QtTest/QtTest>

#include "app/runs/compare/overlay.h"
#include "app/runs/panels/overlay_panel.h"
#include "app/runs/panels/run_legend.h"
#include "engine/formats/metrics/metrics_json.h"
#include "tests/support/runs_page_stage.h"
#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/plots/curves/run_curves.h"
#include "widgets/plots/scatter/truth_plot.h"
#include "widgets/text/quantity_text.h"

namespace fs = std::filesystem;
using namespace Qt::StringLiterals;

namespace lambda::test {

/// A run that predicts numbers, where the window shows runs.
class TestRegressionPages : public QObject, RunsPageStage {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { beginAll(); }

  void init() { begin(); }

  void cleanup() { end(); }

  void theTableNamesTheScore();
  void predictedNumbersLieOverTheTrueOnes();
  void curvesOfOtherTasksAreNotDrawnTogether();
  void thePlotSaysAndChoosesImages();
  void curvesHaveAPanelOfTheScore();
  void theHeadHasNumbers();

 private:
  static RunRecord regressionRecord(const std::string& name) {
    RunRecord record = smallRecord(name);
    record.config.architecture.task = Task::regression;
    record.config.architecture.outputs = 1;
    record.scoredBy = ScoreKind::r2;
    record.bestValidationScore = 0.75;
    record.testScore = -0.125;
    return record;
  }

  static void writeMetrics(const fs::path& run, ScoreKind scoredBy) {
    std::ofstream file(run / "metrics.jsonl");
    for (int epoch = 1; epoch <= 2; ++epoch) {
      EpochRecord record = epochRecord(epoch, 0.25 * epoch);
      record.train.scoredBy = scoredBy;
      record.validation->scoredBy = scoredBy;
      file << toLine(record);
    }
  }
};

void TestRegressionPages::theTableNamesTheScore() {
  write("a", regressionRecord("bars"));
  open(1);
  QStringList cells;
  for (int column = 0; column < rows().columnCount(); ++column) {
    cells << rows().index(0, column).data().toString();
  }
  QVERIFY2(cells.contains(u"R² 0.7500"_s), qPrintable(cells.join(u'|')));
  QVERIFY2(cells.contains(u"R² -0.1250 · 1×"_s) || cells.contains(u"R² −0.1250 · 1×"_s),
           qPrintable(cells.join(u'|')));
}

void TestRegressionPages::predictedNumbersLieOverTheTrueOnes() {
  const fs::path run = write("a", regressionRecord("bars"));
  open(1);
  showTab(2);
  QTRY_VERIFY(button(u"Predict the numbers"_s));
  QTest::mouseClick(button(u"Predict the numbers"_s), Qt::LeftButton);
  auto& plot = *page_->findChild<TruthPlot*>();
  QTRY_VERIFY(plot.isVisible());
  QCOMPARE(plot.numbers().name, std::string("width"));
  // Residual 1, variation 10.
  QVERIFY(hasLabel(u"width, R² 0.9000 over 5 images, epoch 6"_s));
  QSignalSpy requests(page_.get(), &RunsPage::inspectImageRequested);
  QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.positionOf(4).toPoint());
  QCOMPARE(requests.size(), 1);
  QCOMPARE(requests.first().at(0).value<fs::path>(), run);
  QCOMPARE(requests.first().at(2).toInt(), 4);
}

void TestRegressionPages::curvesOfOtherTasksAreNotDrawnTogether() {
  const fs::path bars = write("b", regressionRecord("bars"));
  const fs::path shapes = write("a", smallRecord("shapes"));
  writeMetrics(bars, ScoreKind::r2);
  writeMetrics(shapes, ScoreKind::accuracy);
  open(2);
  auto& overlay = *page_->findChild<OverlayPanel*>();
  overlay.setRuns({bars, shapes});
  OverlayRun one, other;
  one.row.run.record = regressionRecord("bars");
  other.row.run.record = smallRecord("shapes");
  QVERIFY(scoreOf({one, other}) == ScoreKind::r2);
  QVERIFY(isScoredBy(ScoreKind::r2, one));
  QVERIFY(!isScoredBy(ScoreKind::r2, other));
  Metrics metrics;
  metrics.epochs = {epochRecord(1, 0.5)};
  one.metrics = other.metrics = std::make_shared<const Metrics>(metrics);
  one.row.run.path = "one";
  other.row.run.path = "other";
  for (const RunQuantity quantity : {RunQuantity::validationScore, RunQuantity::validationLoss}) {
    const std::vector<CurveSeries> series = overlayOf({one, other}, quantity);
    QCOMPARE(series.size(), 1U);
    QCOMPARE(series[0].key, std::string("one"));
  }
}

void TestRegressionPages::thePlotSaysAndChoosesImages() {
  TruthPlot plot;
  plot.resize(400, 400);
  plot.show();
  plot.setNumbers({"age", {3, 1, 2}, {2, 1, 2}});
  QCOMPARE(plot.toCsv(), u"image,true,predicted\n0,3,2\n1,1,1\n2,2,2\n"_s);
  QSignalSpy chosen(&plot, &TruthPlot::imageChosen);
  plot.setFocus();
  // By their true numbers: 1, 2, 0.
  for (const int image : {1, 2, 0, 0}) {
    QTest::keyClick(&plot, Qt::Key_Right);
    QTest::keyClick(&plot, Qt::Key_Return);
    QCOMPARE(chosen.takeFirst().at(0).toInt(), image);
  }
  QCOMPARE(plot.accessibleDescription(), u"Image 0: predicted 2, true 3"_s);
  // The point of an image lies above and right of one with smaller numbers.
  QVERIFY(plot.positionOf(2).x() > plot.positionOf(1).x());
  QVERIFY(plot.positionOf(2).y() < plot.positionOf(1).y());
  plot.setNumbers({});
  QTest::keyClick(&plot, Qt::Key_Right);
  QVERIFY(chosen.isEmpty());
}

void TestRegressionPages::curvesHaveAPanelOfTheScore() {
  const std::vector<CurvePanel> panels = runPanels(ScoreKind::r2);
  QCOMPARE(panels[1].title, u"R²"_s);
  QVERIFY(!panels[1].percent);
  QCOMPARE(runPanels()[1].title, u"Accuracy"_s);
  Metrics metrics;
  metrics.epochs = {epochRecord(1, 0.5)};
  metrics.epochs[0].train.scoredBy = ScoreKind::r2;
  const std::vector<CurveSeries> curves = runCurves(metrics);
  QVERIFY(std::ranges::any_of(curves,
                              [](const CurveSeries& each) { return each.key == "validation.r2"; }));
  QCOMPARE(scoreText(0.5, ScoreKind::r2), u"R² 0.5000"_s);
  QCOMPARE(scoreText(0.5, ScoreKind::accuracy), u"50.00 %"_s);
}

void TestRegressionPages::theHeadHasNumbers() {
  Architecture architecture = regressionRecord("bars").config.architecture;
  architecture.outputs = 2;
  QCOMPARE(outputsText(architecture), u"2 numbers"_s);
  QVERIFY(partAt("architecture.numbers") == kHeadPart);
  QVERIFY(partAt("architecture.task") == kHeadPart);
  QCOMPARE(numbersText({{"age", 31.25, 30}, {"height", 1.5}}),
           u"age: predicted 31.25, true 30; height: predicted 1.5"_s);
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestRegressionPages)

#include "tst_regression_pages.moc"
