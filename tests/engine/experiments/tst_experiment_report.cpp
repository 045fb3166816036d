#include <QTest>

#include "engine/experiments/read_experiment.h"
#include "engine/experiments/report/experiment_report.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

/// Two variants with three seeds; the last run of the second has failed.
ExperimentState state() {
  ExperimentState state;
  state.experiment.name = "positions";
  state.experiment.question = "Do 100 % of the layers need | positions_?";
  state.experiment.seeds = {0, 1, 2};
  state.experiment.measures = {Measure{Quantity::testAccuracy},
                               Measure{Quantity::secondsToAccuracy, 0.5}};
  state.experiment.published = {
      {"top-1, %", "paper, table 10", {{"both", 78.4}, {"content | only", 68.8}}}};
  state.variants = {"both", "content | only"};
  const double accuracies[3][2] = {{0.80, 0.70}, {0.82, 0.71}, {0.81, 0}};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (std::size_t variant = 0; variant < 2; ++variant) {
      ExperimentCell cell;
      cell.variant = variant;
      cell.seed = seed;
      cell.state = CellState::done;
      cell.runFolder = "run-" + std::to_string(variant) + "-" + std::to_string(seed);
      cell.values = {accuracies[seed][variant], std::nullopt};
      state.cells.push_back(cell);
    }
  }
  ExperimentCell& failed = state.cells.back();
  failed.state = CellState::failed;
  failed.text = "the loss is not finite\nin step 3";
  failed.values.clear();
  state.results = resultsOf(state);
  return state;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

/// What a report says, to the byte.
class TestExperimentReport : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void markdownHasMeansIntervalsAndPublishedValues() {
    const std::string text = markdownReport(state());
    QVERIFY2(has(text, "| both | 3 | 81.0 | 1.00 | 78.5 to 83.5 | baseline | 78.4 |"),
             text.c_str());
    QVERIFY2(has(text,
                 "| content \\| only | 2 | 70.5 | 0.71 | 64.1 to 76.9 | 10.5 points worse, 95 % "
                 "between 4.1 and 16.9, 2 seeds | 68.8 |"),
             text.c_str());
    QVERIFY(has(text, "## training time to a validation accuracy of 50 %, s"));
    QVERIFY(has(text, "1 of 6 runs are not done: 1 failed."));
    QVERIFY(has(text, "content \\| only, seed 2 failed: the loss is not finite in step 3"));
  }

  void markdownShowsTheFiguresThatWereDrawn() {
    const std::string without = markdownReport(state());
    QVERIFY(!has(without, "Figures"));
    QCOMPARE(
        markdownReport(state(), {"figures/effects-testAccuracy.png"}),
        without + "\n## Figures\n\n![effects-testAccuracy](figures/effects-testAccuracy.png)\n");
  }

  void latexEscapesWhatItDoesNotMean() {
    const std::string text = latexReport(state());
    QVERIFY2(has(text, "Do 100 \\% of the layers need | positions\\_?"), text.c_str());
    QVERIFY2(has(text, "both & 3 & 81.0 & 1.00 & [78.5, 83.5] & 78.4 & baseline \\\\"),
             text.c_str());
  }

  void csvHasEveryRunAndEveryResult() {
    const ExperimentState shown = state();
    QVERIFY2(has(runsCsv(shown),
                 "variant,seed,run,state,testAccuracy,secondsToAccuracy 0.5\n"
                 "both,0,run-0-0,done,0.8,\n"),
             runsCsv(shown).c_str());
    QVERIFY(has(runsCsv(shown), "content | only,2,run-1-2,failed,,\n"));
    QVERIFY2(has(resultsCsv(shown), "testAccuracy,content | only,2,0.705,"),
             resultsCsv(shown).c_str());
  }

  void theSameStateGivesTheSameBytes() {
    QCOMPARE(markdownReport(state()), markdownReport(state()));
    QCOMPARE(latexReport(state()), latexReport(state()));
    QCOMPARE(resultsCsv(state()) + runsCsv(state()), resultsCsv(state()) + runsCsv(state()));
  }

  void onlyPairsOfOneSeedAreCompared() {
    ExperimentState shown = state();
    // Seed 0 of the baseline is missing, seed 2 of the variant: seed 1 is the only pair.
    shown.cells[0].values.clear();
    const auto results = resultsOf(shown);
    const VariantResult& variant = results.front().variants[1];
    QCOMPARE(variant.summary.count, 2);
    QCOMPARE(variant.difference->differences.count, 1);
    QCOMPARE(variant.text, std::string("one seed says nothing about chance: run more"));
  }
};

QTEST_APPLESS_MAIN(TestExperimentReport)
#include "tst_experiment_report.moc"
