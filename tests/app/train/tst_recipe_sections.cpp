#include <algorithm>
#include <set>

#include <QTest>

#include "app/train/setup/recipe_sections.h"
#include "engine/values/config/schedule.h"
#include "engine/values/config/validate.h"

namespace lambda {

namespace {

std::set<std::string> pathsOf(const RecipeForms& forms) {
  std::set<std::string> paths;
  for (const auto* sections : {&forms.data, &forms.recipe, &forms.machine}) {
    for (const FormSection& section : *sections) {
      for (const FieldRow& row : section.rows) paths.insert(row.path);
    }
  }
  return paths;
}

}  // namespace

class TestRecipeSections : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void learningRatePreviewIsTheSchedule_data() {
    QTest::addColumn<int>("kind");
    for (int kind = 0; kind < 5; ++kind) {
      QTest::newRow(KindsOf<ScheduleKind>::names[static_cast<std::size_t>(kind)].data()) << kind;
    }
  }

  void learningRatePreviewIsTheSchedule() {
    QFETCH(int, kind);
    Recipe recipe;
    recipe.epochs = 30;
    recipe.optimizer.learningRate = 0.3;
    recipe.schedule.kind = CosineSchedule{.warmupEpochs = 3};
    changeKind(recipe.schedule.kind, static_cast<std::size_t>(kind));
    const auto curve = learningRateCurve({{0, recipe}});
    QCOMPARE(curve.front().first, 0.0);
    QCOMPARE(curve.back().first, 30.0);
    for (const auto& [epoch, rate] : curve) {
      QCOMPARE(rate, 0.3 * learningRateFactor(recipe.schedule, epoch, 30));
    }
  }

  void aChangedRecipeHoldsFromItsEpochOn() {
    Recipe recipe;
    recipe.epochs = 10;
    Recipe half = recipe;
    half.learningRateFactor = 0.5;
    half.epochs = 20;
    const auto curve = learningRateCurve({{0, recipe}, {4.2, half}});
    QCOMPARE(curve.back().first, 20.0);
    const auto jump = std::ranges::find(curve, 4.2, &std::pair<double, double>::first);
    QCOMPARE(jump->second, learningRateAt(recipe, 4.2));
    QCOMPARE((jump + 1)->second, learningRateAt(half, 4.2));
    for (const auto& [epoch, rate] : curve) {
      if (epoch != 4.2) QCOMPARE(rate, learningRateAt(epoch < 4.2 ? recipe : half, epoch));
    }
  }

  void everyFieldBesideTheNetworkIsAmongAllSettings() {
    // Every field, also a new one, must be reachable with one of the optimisers and schedules.
    std::set<std::string> reachable;
    for (const OptimizerKind& optimizer : std::initializer_list<OptimizerKind>{Muon{}, Adam{}}) {
      for (const ScheduleKind& schedule : std::initializer_list<ScheduleKind>{
               CosineSchedule{}, TriangularSchedule{}, StepSchedule{}}) {
        RunConfig config;
        config.recipe.optimizer.kind = optimizer;
        config.recipe.schedule.kind = schedule;
        config.recipe.rateScaling = RateScaling::linear;
        config.data.augmentation.randAugmentOperations = 2;
        config.data.labelledPerClass = 10;
        config.data.pseudoLabels = "predictions.csv";
        const auto paths = pathsOf(recipeForms(config, true, {}, {2, {"one GPU", "another"}}));
        reachable.insert(paths.begin(), paths.end());
      }
    }
    for (const FieldRow& row : rowsOf(RunConfig{})) {
      if (row.path.starts_with("architecture") || row.path == "data.source.kind") continue;
      // They tell where the run, its weights or its labels come from; the file of weights is chosen
      // beside the forms.
      if (row.path == "parentRun" || row.path == "experiment" || row.path == "start.weights" ||
          row.path == "start.sha256" || row.path == "data.pseudoLabelsSha256") {
        continue;
      }
      QVERIFY2(reachable.contains(row.path), row.path.c_str());
    }
  }

  void whatMeansNothingIsLeftOut() {
    RunConfig config;
    config.recipe.optimizer.kind = AdamW{};
    const auto paths = pathsOf(recipeForms(config, true, {}, {2}));
    QVERIFY(!paths.contains("recipe.optimizer.momentum"));
    QVERIFY(!paths.contains("recipe.optimizer.muonLearningRate"));
    QVERIFY(paths.contains("recipe.optimizer.beta1"));
    QVERIFY(!paths.contains("recipe.schedule.stepEpochs"));
    config.recipe.optimizer.kind = Sgd{};
    QVERIFY(
        !pathsOf(recipeForms(config, true, {}, {2})).contains("recipe.optimizer.muonLearningRate"));
    config.data.augmentation.horizontalFlip = false;
    const std::string inTurn = "data.augmentation.alternatingFlip";
    QVERIFY(!pathsOf(recipeForms(config, true, {}, {2})).contains(inTurn));
  }

  void aRareFieldWithAProblemIsShown() {
    RunConfig config;
    config.recipe.optimizer.kind = Sgd{.momentum = 0};
    const std::vector<Problem> problems = validate(config);
    QVERIFY(!pathsOf(recipeForms(config, false, {}, {2})).contains("recipe.optimizer.nesterov"));
    QVERIFY(
        pathsOf(recipeForms(config, false, problems, {2})).contains("recipe.optimizer.nesterov"));
  }

  void threadsSayHowManyCoresThereAre() {
    const RecipeForms forms = recipeForms(RunConfig{}, false, {}, {6});
    const FieldRow* threads = findRow(forms.machine.front().rows, "device.threads");
    QVERIFY(threads);
    QCOMPARE(threads->zeroText, std::string("all 6 cores"));
  }

  void aGpuIsChosenWhereThereAreSeveral() {
    RunConfig config;
    const std::string path = "device.index";
    const auto formsOn = [&](const std::vector<std::string>& gpus) {
      return recipeForms(config, false, {}, {2, gpus});
    };
    QVERIFY(!pathsOf(formsOn({})).contains(path));
    QVERIFY(!pathsOf(formsOn({"NVIDIA H200"})).contains(path));
    config.device.index = 1;
    const RecipeForms forms = formsOn({"NVIDIA H200", "NVIDIA A100"});
    const FieldRow* row = findRow(forms.machine.front().rows, path);
    QVERIFY(row);
    QVERIFY(row->value == FieldValue(Choice{1, {"0: NVIDIA H200", "1: NVIDIA A100"}}));
    QCOMPARE(std::get<Choice>(row->initial).index, 0);
    const RecipeForms missing = formsOn({});
    row = findRow(missing.machine.front().rows, path);
    QVERIFY2(row && std::holds_alternative<std::int64_t>(row->value), "a GPU that is missing");
    config.device.kind = DeviceKind::cpu;
    QVERIFY(!pathsOf(formsOn({"NVIDIA H200", "NVIDIA A100"})).contains(path));
  }

  void onlyAllCoresYieldToOtherPrograms() {
    RunConfig config;
    const std::string path = "device.yieldsToOthers";
    QVERIFY(pathsOf(recipeForms(config, false, {}, {2})).contains(path));
    config.device.threads = 1;
    QVERIFY(!pathsOf(recipeForms(config, false, {}, {2})).contains(path));
    config.device.yieldsToOthers = true;
    QVERIFY(pathsOf(recipeForms(config, false, {}, {2})).contains(path));
  }

  void everyPathKnowsItsForm() {
    RunConfig config;
    const RecipeForms forms = recipeForms(config, true, {}, {2});
    const std::vector<FormSection>* all[] = {&forms.data, &forms.recipe, &forms.machine};
    for (int i = 0; i < 3; ++i) {
      for (const FormSection& section : *all[i]) {
        for (const FieldRow& row : section.rows) QCOMPARE(formOf(row.path), i);
      }
    }
    QCOMPARE(formOf("architecture.stages[0].width"), -1);
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestRecipeSections)
#include "tst_recipe_sections.moc"
