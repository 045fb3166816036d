#include <set>

#include <QTest>

#include "engine/experiments/experiment_plan.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/runtime/error.h"
#include "engine/values/experiment/axis_values.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

Experiment twoAxes() {
  Experiment experiment;
  experiment.name = "depths";
  experiment.question = "Does a larger query depth help?";
  experiment.base = tinyRun();
  experiment.axes = {
      Axis{.path = "architecture.stages[1].blocks[1].mixer.k", .values = {"2", "4", "8"}},
      Axis{.path = "recipe.optimizer.learningRate", .values = {"0.1", "0.05"}}};
  experiment.seeds = {5, 7};
  return experiment;
}

std::vector<std::string> namesOf(const ExperimentPlan& plan) {
  std::vector<std::string> names;
  for (const PlannedVariant& variant : plan.variants) names.push_back(variant.name);
  return names;
}

/// The first problem of the experiment, "PATH: TEXT"; empty if there is none.
std::string problemOf(const Experiment& experiment) {
  const std::vector<Problem> problems = problemsOf(experiment);
  return problems.empty() ? "" : problems.front().path + ": " + problems.front().text;
}

}  // namespace

/// Which runs an experiment asks for, and what is wrong with one that asks for nothing sensible.
class TestExperimentPlan : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void axesAreCrossed() {
    const ExperimentPlan plan = planOf(twoAxes());
    const std::vector<std::string> expected = {"k = 2, learningRate = 0.1",
                                               "k = 2, learningRate = 0.05",
                                               "k = 4, learningRate = 0.1",
                                               "k = 4, learningRate = 0.05",
                                               "k = 8, learningRate = 0.1",
                                               "k = 8, learningRate = 0.05"};
    QCOMPARE(namesOf(plan), expected);
    const RunConfig config = plan.configOf({5, 7});
    QCOMPARE(config.recipe.optimizer.learningRate, 0.05);
    const auto& mixer = config.architecture.stages[1].blocks[1].mixer;
    QCOMPARE(std::get<LambdaMixer>(mixer).queryDepth, 8);
    QCOMPARE(config.seed, std::uint64_t{7});
    QCOMPARE(config.name, expected[5]);
  }

  void aStudentHasATeacherBeforeIt() {
    Experiment experiment = twoAxes();
    experiment.axes.clear();
    experiment.variants = {{"teacher", {"data.labelledPerClass=6"}},
                           {"student", {"data.labelledPerClass=6"}, "teacher"}};
    QCOMPARE(problemOf(experiment), std::string());
    QVERIFY(planOf(experiment).variants[1].teacher == std::size_t{0});
    QVERIFY(!planOf(experiment).variants[0].teacher);
    std::swap(experiment.variants[0], experiment.variants[1]);
    QCOMPARE(problemOf(experiment),
             std::string("variants[0].labelsFrom: no variant before student has the name teacher"));
    std::swap(experiment.variants[0], experiment.variants[1]);
    experiment.variants[1].settings.clear();
    QVERIFY2(problemOf(experiment).find("none is left for pseudo-labels") != std::string::npos,
             "a student without unlabelled images");
  }

  void axesAreZipped() {
    Experiment experiment = twoAxes();
    experiment.combination = AxisCombination::zipped;
    QCOMPARE(problemOf(experiment),
             std::string("axes: zipped axes need the same number of values, not 3 and 2"));
    experiment.axes[0].values.pop_back();
    const std::vector<std::string> expected = {"k = 2, learningRate = 0.1",
                                               "k = 4, learningRate = 0.05"};
    QCOMPARE(namesOf(planOf(experiment)), expected);
  }

  void allVariantsOfASeedComeFirst() {
    Experiment experiment = twoAxes();
    experiment.axes.pop_back();
    const ExperimentPlan plan = planOf(experiment);
    std::vector<std::pair<std::size_t, std::uint64_t>> order;
    for (const PlannedRun& run : plan.runs) order.emplace_back(run.variant, run.seed);
    const std::vector<std::pair<std::size_t, std::uint64_t>> expected = {
        {0, 5}, {1, 5}, {2, 5}, {0, 7}, {1, 7}, {2, 7}};
    QCOMPARE(order, expected);
  }

  void namedVariantsPrecedeThoseOfAxes() {
    Experiment experiment = twoAxes();
    experiment.axes.pop_back();
    experiment.variants = {
        {"convolution", {"architecture.stages[1].blocks[1].mixer={\"kind\": \"convolution\"}"}},
        {"as it is", {}}};
    experiment.baseline = "as it is";
    const ExperimentPlan plan = planOf(experiment);
    QCOMPARE(plan.variants.size(), std::size_t{5});
    QCOMPARE(plan.variants[0].name, std::string("convolution"));
    QCOMPARE(plan.baseline, std::size_t{1});
    QCOMPARE(plan.variants[1].config, experiment.base);
  }

  void rangesReachTheirBounds() {
    const Axis linear{.path = "x", .scale = AxisScale::linear, .from = 0, .to = 1, .count = 5};
    QCOMPARE(valuesOf(linear), (std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"}));
    Axis logarithmic{
        .path = "x", .scale = AxisScale::logarithmic, .from = 0.001, .to = 10, .count = 5};
    const std::vector<std::string> values = valuesOf(logarithmic);
    QCOMPARE(values.front(), std::string("0.001"));
    QCOMPARE(values.back(), std::string("10"));
    QCOMPARE(values[1], std::string("0.01"));
    QCOMPARE(values[2], std::string("0.1"));
    logarithmic.count = 4;
    QVERIFY2(valuesOf(logarithmic)[1] == "0.02154", "four digits");
    logarithmic.from = 0;
    QVERIFY(valuesOf(logarithmic).empty());
  }

  void drawsDependOnTheirSeedAlone() {
    Axis axis{.path = "x",
              .scale = AxisScale::randomLogarithmic,
              .from = 0.01,
              .to = 100,
              .count = 200,
              .seed = 3};
    const std::vector<std::string> values = valuesOf(axis);
    QCOMPARE(valuesOf(axis), values);
    int below = 0;
    for (const std::string& value : values) {
      QVERIFY(std::stod(value) >= 0.01 && std::stod(value) < 100);
      below += std::stod(value) < 1;
    }
    QVERIFY2(below > 70 && below < 130, std::to_string(below).c_str());
    axis.seed = 4;
    QVERIFY(valuesOf(axis) != values);
  }

  void warningsThatTheBaseDoesNotHaveNameTheirVariants() {
    Experiment experiment = twoAxes();
    experiment.axes.clear();
    experiment.base.data.augmentation.cropPadding = 0;
    experiment.variants = {{"as it is", {}},
                           {"moved", {"data.augmentation.cropPadding=2"}},
                           {"moved far", {"data.augmentation.cropPadding=4"}}};
    const std::vector<Problem> problems = problemsOf(experiment);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].path, std::string("data.augmentation.cropPadding"));
    QVERIFY(problems[0].severity == Severity::warning);
    QVERIFY2(problems[0].text.starts_with("with moved; moved far: the figures"),
             problems[0].text.c_str());
    QCOMPARE(planOf(experiment).variants.size(), std::size_t{3});
    experiment.base.data.augmentation.cropPadding = 1;
    QVERIFY(problemsOf(experiment).empty());
  }

  void problemsAreNamedBeforeAnythingRuns_data() {
    QTest::addColumn<int>("which");
    QTest::addColumn<QByteArray>("problem");
    const char* const problems[] = {
        "axes[0]: recipe.speed=1:",
        "axes[0]: recipe.epochs has no values",
        "axes[1].path: recipe.epochs is the field of another axis",
        "axes: the axes give more than 1000 variants",
        "axes[0]: recipe.batchSize=100000000:",
        "variants[0].settings[1]: nothing:",
        "variants[0].name: a variant needs a name",
        "variants: two variants have the name same",
        "seeds: a seed is named twice",
        "seeds: an experiment needs at least one seed",
        "baseline: no variant has the name missing",
        "variants: the experiment has no variants",
        "variants[0]: reseeded changes the seed",
        "variants[0]: small can't be trained: recipe.batchSize",
        "axes[0].path: an axis needs the path of a field",
    };
    int which = 0;
    for (const char* problem : problems) QTest::newRow(problem) << which++ << QByteArray(problem);
  }

  void problemsAreNamedBeforeAnythingRuns() {
    QFETCH(int, which);
    QFETCH(QByteArray, problem);
    Experiment experiment = twoAxes();
    const Axis epochs{.path = "recipe.epochs", .values = {"1", "2"}};
    std::vector<std::string> many;
    for (int i = 1; i <= 100; ++i) many.push_back(std::to_string(i));
    switch (which) {
      case 0:
        experiment.axes = {Axis{.path = "recipe.speed", .values = {"1"}}};
        break;
      case 1:
        experiment.axes = {Axis{.path = "recipe.epochs"}};
        break;
      case 2:
        experiment.axes = {epochs, epochs};
        break;
      case 3:
        experiment.axes = {epochs, epochs, epochs};
        experiment.axes[0].values = experiment.axes[1].values = experiment.axes[2].values = many;
        experiment.axes[1].path = "recipe.batchSize";
        experiment.axes[2].path = "data.splitSeed";
        break;
      case 4:
        experiment.axes = {Axis{.path = "recipe.batchSize", .values = {"100000000"}}};
        break;
      case 5:
        experiment.variants = {{"a", {"recipe.epochs=2", "nothing"}}};
        break;
      case 6:
        experiment.variants = {{"", {}}};
        break;
      case 7:
        experiment.variants = {{"same", {}}, {"same", {"recipe.epochs=2"}}};
        break;
      case 8:
        experiment.seeds = {1, 2, 1};
        break;
      case 9:
        experiment.seeds = {};
        break;
      case 10:
        experiment.baseline = "missing";
        break;
      case 11:
        experiment.axes = {};
        break;
      case 12:
        experiment.variants = {{"reseeded", {"seed=9"}}};
        break;
      case 13:
        experiment.variants = {{"small", {"recipe.batchSize=500"}}};
        break;
      default:
        experiment.axes[0].path = "";
        break;
    }
    const std::string found = problemOf(experiment);
    QVERIFY2(QByteArray::fromStdString(found).startsWith(problem), found.c_str());
    QVERIFY(errorOf([&] { planOf(experiment); }).has_value());
  }

  void aDocumentReadsBack() {
    Experiment experiment = twoAxes();
    experiment.variants = {{"as it is", {"recipe.epochs=2"}}};
    experiment.baseline = "as it is";
    experiment.measures = {{Quantity::secondsToAccuracy, 0.7}, {Quantity::flops}};
    std::vector<Problem> warnings;
    QVERIFY(experimentFromJson(toJson(experiment), "file", warnings) == experiment);
    QVERIFY(warnings.empty());
    const auto error = errorOf([&] {
      experimentFromJson(R"({"schema": 2, "axes": [{"scale": "cubic"}]})", "file", warnings);
    });
    QVERIFY(error && error->reason().starts_with("axes[0].scale"));
  }
};

QTEST_APPLESS_MAIN(TestExperimentPlan)
#include "tst_experiment_plan.moc"
