#include <string>
#include <vector>

#include <QTest>

#include "engine/experiments/halving.h"
#include "engine/experiments/read_experiment.h"

using namespace lambda;

namespace {

/// Four variants with two seeds, 8 epochs, compared after 2 and 4. `done`: epochs of every run.
/// Variant i has an accuracy of 0.1 (i + 1) in the first epoch and gains 0.01 in each.
ExperimentState stateAfter(int done) {
  ExperimentState state;
  state.experiment.halving = {.firstEpochs = 2};
  state.experiment.seeds = {0, 1};
  state.variants = {"a", "b", "c", "d"};
  for (std::size_t seed = 0; seed < 2; ++seed) {
    for (std::size_t variant = 0; variant < 4; ++variant) {
      ExperimentCell cell;
      cell.variant = variant;
      cell.seed = seed;
      cell.hasRun = done > 0;
      cell.epochs = 8;
      cell.epochsDone = done;
      for (int epoch = 1; epoch <= done; ++epoch) {
        cell.curve.push_back(
            {.epoch = epoch,
             .validationScore = 0.1 * static_cast<double>(variant + 1) + 0.01 * epoch});
      }
      state.cells.push_back(cell);
    }
  }
  state.results = resultsOf(state);
  return state;
}

std::vector<int> epochsOf(const HalvingDecision& decision) {
  std::vector<int> epochs;
  for (const HalvingDecision::Variant& variant : decision.variants) {
    epochs.push_back(variant.epochs);
  }
  return epochs;
}

std::string endedOf(const HalvingDecision& decision) {
  std::string ended;
  for (const HalvingDecision::Variant& variant : decision.variants) {
    ended += variant.hasEnded ? "x" : "-";
  }
  return ended;
}

}  // namespace

/// Which variants end early.
class TestHalving : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void allTrainUntilTheFirstComparison() {
    for (const int done : {0, 1}) {
      const HalvingDecision decision = decideHalving(stateAfter(done));
      QCOMPARE(epochsOf(decision), (std::vector{2, 2, 2, 2}));
      QCOMPARE(endedOf(decision), std::string("----"));
    }
  }

  void theBetterHalfAndTheBaselineGoOn() {
    ExperimentState state = stateAfter(2);
    const HalvingDecision decision = decideHalving(state);
    QCOMPARE(endedOf(decision), std::string("-x--"));
    QCOMPARE(epochsOf(decision), (std::vector{4, 2, 4, 4}));
    QCOMPARE(*decision.variants[1].score, 0.22);
    markEnded(decision, state);
    for (const std::size_t cell : {std::size_t{1}, std::size_t{5}}) {
      QCOMPARE(state.cells[cell].state, CellState::ended);
    }
    QCOMPARE(state.countOf(CellState::ended), std::size_t{2});
    QCOMPARE(state.results[0].variants[1].text,
             std::string("ended after 2 epochs, validation accuracy 22.0 % on average"));
  }

  void aComparisonWaitsForEveryRunThatIsLeft() {
    ExperimentState state = stateAfter(4);
    // The first comparison has ended b, so that its runs are not waited for.
    state.cells[1].epochsDone = state.cells[5].epochsDone = 2;
    QCOMPARE(endedOf(decideHalving(state)), std::string("-xx-"));
    state.cells[6].epochsDone = 3;
    QCOMPARE(epochsOf(decideHalving(state)), (std::vector{4, 2, 4, 4}));
    state.cells[6].state = CellState::failed;
    QCOMPARE(endedOf(decideHalving(state)), std::string("-xx-"));
  }

  void laterEpochsDoNotChangeAComparison() {
    ExperimentState state = stateAfter(4);
    for (EpochPoint& point : state.cells[1].curve) {
      if (point.epoch > 2) point.validationScore = 0.99;
    }
    QVERIFY(decideHalving(state).variants[1].hasEnded);
  }

  void aVariantOfFailedRunsIsTheWorst() {
    ExperimentState state = stateAfter(2);
    state.cells[3].state = state.cells[7].state = CellState::failed;
    QCOMPARE(endedOf(decideHalving(state)), std::string("---x"));
  }

  void theRestIsTrainedToTheEnd() {
    QCOMPARE(epochsOf(decideHalving(stateAfter(8))), (std::vector{8, 2, 4, 8}));
  }

  void itIsSaidInWords() {
    QCOMPARE(halvingText({.firstEpochs = 2}, 16),
             std::string("early ends after 2, 4 and 8 epochs, each time the better half goes on"));
    QCOMPARE(halvingText({.firstEpochs = 1, .factor = 3}, 4),
             std::string("early ends after 1 and 3 epochs, each time 1 of 3 variants goes on"));
  }
};

QTEST_GUILESS_MAIN(TestHalving)
#include "tst_halving.moc"
