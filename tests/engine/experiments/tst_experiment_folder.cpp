#include <fstream>
#include <functional>

#include <QTest>

#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/run_claim.h"
#include "engine/experiments/shipped_experiments.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "tests/support/written_experiment.h"

namespace fs = std::filesystem;
using namespace lambda;

namespace {

Experiment smallExperiment() {
  Experiment experiment;
  experiment.name = "rates";
  experiment.question = "Which learning rate is better?";
  experiment.base = tinyRun();
  experiment.axes = {Axis{.path = "recipe.optimizer.learningRate", .values = {"0.1", "0.05"}}};
  experiment.seeds = {3, 5};
  experiment.measures = {Measure{Quantity::testAccuracy}};
  return experiment;
}

std::string errorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

/// An experiment on disk, and the states of its runs.
class TestExperimentFolder : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void anExperimentIsReadAgain() {
    const TemporaryFolder temporary;
    const ExperimentFolder made = ExperimentFolder::create(temporary.path(), smallExperiment());
    const ExperimentFolder opened = ExperimentFolder::open(temporary.path() / "rates/");
    QVERIFY(opened.experiment() == smallExperiment());
    QCOMPARE(opened.path(), made.path());
    QCOMPARE(opened.nameOf({1, 5}), std::string("2-learningRate-0.05_seed-5"));
    QCOMPARE(experimentFoldersIn(temporary.path()), std::vector<fs::path>{made.path()});
  }

  void noNameLeadsOutOfTheFolderOfExperiments() {
    const TemporaryFolder temporary;
    const fs::path experiments = temporary.path() / "experiments";
    fs::create_directory(experiments);
    for (const char* name : {"", ".", "..", "...", ".hidden", "a/b", "../a", "/a", "a\nb"}) {
      Experiment experiment = smallExperiment();
      experiment.name = name;
      const std::string error = errorOf([&] { ExperimentFolder::create(experiments, experiment); });
      QVERIFY2(error.find("can't be the name") != std::string::npos, name);
    }
    QVERIFY(fs::is_empty(experiments));
    QCOMPARE(std::distance(fs::directory_iterator(temporary.path()), fs::directory_iterator()), 1);
  }

  void runsOfOneExperimentArePaired() {
    const TemporaryFolder temporary;
    const ExperimentFolder folder = ExperimentFolder::create(temporary.path(), smallExperiment());
    const RunConfig config = folder.plan().configOf({1, 5});
    QVERIFY(config.start.pairedDraws);
    QCOMPARE(config.seed, std::uint64_t{5});
    QCOMPARE(config.experiment, std::string("rates"));
    QCOMPARE(config.name, std::string("learningRate = 0.05"));
  }

  void anotherExperimentOfTheNameIsRefused() {
    const TemporaryFolder temporary;
    ExperimentFolder::create(temporary.path(), smallExperiment());
    ExperimentFolder::create(temporary.path(), smallExperiment());
    Experiment other = smallExperiment();
    other.base.recipe.epochs += 1;
    const std::string text = errorOf([&] { ExperimentFolder::create(temporary.path(), other); });
    QVERIFY2(text.find("another experiment of the same name") != std::string::npos, text.c_str());
  }

  void aFolderWithoutAnExperimentIsRefused() {
    const TemporaryFolder temporary;
    QVERIFY(!errorOf([&] { ExperimentFolder::open(temporary.path()); }).empty());
    std::ofstream(temporary.path() / "experiment.json") << "{\"name\": [";
    QVERIFY(!errorOf([&] { ExperimentFolder::open(temporary.path()); }).empty());
    Experiment unnamed = smallExperiment();
    unnamed.name = "../elsewhere";
    QVERIFY(!errorOf([&] { ExperimentFolder::create(temporary.path(), unnamed); }).empty());
  }

  void filesTellTheStateOfARun() {
    const TemporaryFolder temporary;
    const ExperimentFolder folder = ExperimentFolder::create(temporary.path(), smallExperiment());
    const auto& runs = folder.plan().runs;
    writeRunOf(folder, runs[0], RunStatus::finished, 0.75);
    writeRunOf(folder, runs[1], RunStatus::failed);
    writeRunOf(folder, runs[2], RunStatus::running);
    const auto claim = RunClaim::take(folder.claims(), folder.nameOf(runs[3]));
    ExperimentState state = readExperiment(folder);
    QCOMPARE(state.cells[0].state, CellState::done);
    QCOMPARE(state.cells[0].values.front(), std::optional<double>(0.75));
    QCOMPARE(state.cells[1].state, CellState::failed);
    QCOMPARE(state.cells[1].text, std::string("the loss is not finite"));
    QVERIFY2(state.cells[2].state == CellState::waiting,
             "a run whose process was killed waits for a worker");
    QCOMPARE(state.cells[3].state, CellState::running);
    {
      const RunLock lock(RunFolder::open(folder.runFolder(runs[2])));
      QCOMPARE(readExperiment(folder).cells[2].state, CellState::running);
    }
    std::ofstream(folder.runFolder(runs[0]) / "run.json") << "{";
    state = readExperiment(folder);
    QCOMPARE(state.cells[0].state, CellState::waiting);
    QCOMPARE(state.warnings.size(), std::size_t{1});
  }

  void moreSeedsComeAfterThoseThereAre() {
    const TemporaryFolder temporary;
    ExperimentFolder folder = ExperimentFolder::create(temporary.path(), smallExperiment());
    folder.addSeeds(2);
    const std::vector<std::uint64_t> seeds = {3, 5, 0, 1};
    QCOMPARE(ExperimentFolder::open(folder.path()).experiment().seeds, seeds);
    QVERIFY(errorOf([&] { folder.addSeeds(1000); }).find("at most") != std::string::npos);
  }

  void presetsSettingsAndSizesMakeTheBase() {
    Experiment experiment;
    experiment.name = "sizes";
    experiment.preset = "quickstart";
    experiment.settings = {"recipe.epochs=7"};
    experiment.sizes = {{"cpu", "small", "", {"recipe.batchSize=8"}},
                        {"gpu", "large", "", {}},
                        {"colour", "of another preset", "cpu-hybrid", {}}};
    const Experiment small = resolvedExperiment(experiment);
    QCOMPARE(small.base.recipe.epochs, 7);
    QCOMPARE(small.base.recipe.batchSize, 8);
    QCOMPARE(small.base.architecture.name, std::string("Quickstart"));
    QVERIFY(small.preset.empty() && small.settings.empty() && small.sizes.empty());
    QCOMPARE(resolvedExperiment(experiment, "gpu").base.recipe.batchSize, 64);
    const Experiment other = resolvedExperiment(experiment, "colour");
    QCOMPARE(other.base.architecture.name, std::string("CPU hybrid"));
    QCOMPARE(other.base.recipe.epochs, 7);
    const std::string text = errorOf([&] { resolvedExperiment(experiment, "huge"); });
    QVERIFY2(text.find("It has cpu, gpu, colour.") != std::string::npos, text.c_str());
    experiment.settings = {"recipe.epoch=7"};
    QVERIFY(errorOf([&] { resolvedExperiment(experiment); }).find("settings[0]") == 0);
  }

  void theExampleOfTheDocsCanBeRun() {
    std::ifstream page(LAMBDA_RESOURCES "/docs/experiments.md");
    std::string json;
    bool isInside = false;
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with("```")) isInside = line == "```json";
      if (isInside && !line.starts_with("```")) json += line + "\n";
    }
    std::vector<Problem> warnings;
    const Experiment experiment = experimentFromJson(json, "experiments.md", warnings);
    QVERIFY(warnings.empty());
    QCOMPARE(experiment.variants.size(), std::size_t{2});
    QVERIFY(problemsOf(resolvedExperiment(experiment)).empty());
  }

  void anUnknownExperimentIsNamed() {
    const std::string text = errorOf([] { loadShippedExperiment("../quickstart"); });
    QVERIFY2(text.find("there is no experiment of this name") != std::string::npos, text.c_str());
  }
};

QTEST_APPLESS_MAIN(TestExperimentFolder)
#include "tst_experiment_folder.moc"
