#include <string>

#include <QtTest/QtTest>

#include "engine/formats/json/config_override.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "tests/support/filled_values.h"

using namespace std::string_literals;

namespace lambda {

namespace {

RunConfig withOverride(const char* assignment) {
  RunConfig config = defaultRun();
  applyOverride(config, assignment);
  return config;
}

}  // namespace

class TestConfigOverride : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void setsEveryField();
  void takesBareWords();
  void takesFormerNames();
  void anotherOptimiserKeepsWhatBothHave();
  void setsAllElements();
  void replacesWholeValues();
  void refusesAndTellsWhatIsPossible_data();
  void refusesAndTellsWhatIsPossible();
};

void TestConfigOverride::setsEveryField() {
  RunConfig config = defaultRun();
  RunConfig filled = filledRun();
  visitLeaves(filled, "", [&](const std::string& path, const Field&, const auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    std::string value;
    if constexpr (std::is_same_v<M, std::string>) {
      value = member;
    } else if constexpr (std::is_enum_v<M>) {
      value = nameOf(member);
    } else if constexpr (HasOptionsBeside<M>) {
      value = kindNameOf(member);
    } else if constexpr (std::is_same_v<M, bool>) {
      value = member ? "true" : "false";
    } else if constexpr (std::is_integral_v<M>) {
      value = std::to_string(member);
    } else {
      value = formatNumber(member);
    }
    applyOverride(config, path + "=" + value);
  });
  QVERIFY(config == filled);
}

void TestConfigOverride::takesBareWords() {
  QCOMPARE(withOverride("name=a=b c").name, "a=b c"s);
  QCOMPARE(withOverride("name=\"quoted \\u00e9\"").name, "quoted \xC3\xA9"s);
  QCOMPARE(withOverride("name=12").name, "12"s);
  QCOMPARE(withOverride("name=").name, ""s);
  QVERIFY(withOverride("recipe.optimizer.kind=adamw").recipe.optimizer.kind ==
          OptimizerKind(AdamW{}));
  QVERIFY(withOverride("recipe.precision=automatic").recipe.precision == Precision::automatic);
  QVERIFY(withOverride("architecture.stages[1].blocks[1].mixer=lambda")
              .architecture.stages[1]
              .blocks[1]
              .mixer == Mixer{LambdaMixer{}});
  QVERIFY(withOverride("architecture.stages[1].blocks[0].mixer.kind=convolution")
              .architecture.stages[1]
              .blocks[0]
              .mixer == Mixer{ConvolutionMixer{}});
}

void TestConfigOverride::takesFormerNames() {
  RunConfig config;
  config.recipe.optimizer.kind = Muon{};
  applyOverride(config, "recipe.optimizer.filterRate=0.5");
  QCOMPARE(std::get<Muon>(config.recipe.optimizer.kind).muonLearningRate, 0.5);
}

void TestConfigOverride::anotherOptimiserKeepsWhatBothHave() {
  RunConfig config;
  applyOverride(config, "recipe.optimizer.learningRate=0.3");
  applyOverride(config, "recipe.optimizer.momentum=0.8");
  applyOverride(config, "recipe.optimizer.kind=muon");
  QVERIFY(config.recipe.optimizer.kind == OptimizerKind(Muon{.momentum = 0.8}));
  applyOverride(config, "recipe.optimizer.kind=adam");
  QVERIFY(config.recipe.optimizer.kind == OptimizerKind(Adam{}));
  QCOMPARE(config.recipe.optimizer.learningRate, 0.3);
  applyOverride(config, "recipe.schedule.warmupEpochs=3");
  applyOverride(config, "recipe.schedule.kind=step");
  QVERIFY(config.recipe.schedule.kind == ScheduleKind(StepSchedule{.warmupEpochs = 3}));
  applyOverride(config, "recipe.schedule.kind=triangular");
  QVERIFY(config.recipe.schedule.kind == ScheduleKind(TriangularSchedule{}));
}

void TestConfigOverride::setsAllElements() {
  const RunConfig config = withOverride("architecture.stages[*].blocks[*].mixer.embedding=none");
  for (const Stage& stage : config.architecture.stages) {
    QVERIFY(std::get<LambdaMixer>(stage.blocks[0].mixer).embedding == PositionEmbedding::none);
    QVERIFY(stage.blocks[1].mixer == Mixer{ConvolutionMixer{}});
  }
}

void TestConfigOverride::replacesWholeValues() {
  RunConfig config = defaultRun();
  config.recipe.schedule.kind = CosineSchedule{.warmupEpochs = 3};
  applyOverride(config, R"(recipe.schedule={"kind": "step"})");
  QVERIFY(config.recipe.schedule == ScheduleConfig{StepSchedule{}});
  applyOverride(config, R"(architecture.stages=[{"blocks": [{"mixer": "lambda", "repeat": 3}]}])");
  QCOMPARE(config.architecture.stages.at(0).blocks.size(), std::size_t{3});
}

void TestConfigOverride::refusesAndTellsWhatIsPossible_data() {
  QTest::addColumn<QByteArray>("assignment");
  QTest::addColumn<QByteArray>("expected");
  const auto row = [](const char* assignment, const char* expected) {
    QTest::newRow(assignment) << QByteArray(assignment) << QByteArray(expected);
  };
  row("recipe.batchSize", "there is no \"=\"");
  row("=3", "no path before the \"=\"");
  row("recipe.batchSiz=3", "Did you mean batchSize?");
  row("recipe.batchSiz=3", "Possible here: epochs, batchSize, lastBatch, optimizer");
  row("recipe.batchSize.x=3", "a single value has no part x");
  row("recipe.batchSize=0", "0 is outside 1 .. 65536");
  row("recipe.batchSize=many", "expected a whole number, found \"many\"");
  row("recipe.batchSize=", "expected a whole number, found \"\"");
  row("recipe.optimizer.learningRate=1,5", "expected a number, found \"1,5\"");
  row("recipe.optimizer.nesterov=yes", "expected true or false, found \"yes\"");
  row("recipe.schedule={\"kind\"", "line 1, column 7");
  row("recipe.batchSize=1.5", "expected a whole number");
  row("recipe.batchSize=64.0", "expected a whole number without a decimal point, found 64.0");
  row("seed=-1", "-1 is outside 0 .. 18446744073709551615");
  row("recipe.precision=half", "expected one of automatic, float32, bfloat16");
  row("recipe.optimizer.nesterov=1", "expected true or false");
  row("recipe=3", "expected an object");
  row("architecture.stages[2].width=3", "[0], up to [1]");
  row("architecture.stages[-1].width=3", "there is no element [-1] here");
  row("architecture.stages[0x.width=3", "there is no element");
  row("architecture.stages[.width=3", "there is no element");
  row("architecture.stages.width=3", "there is no element width here");
  row("architecture.stages[*].blocks[*].mixer.kk=3", "Possible here: kind, ");
  row("architecture.stages[0].blocks[0].mixer.kernelSize=3", "Possible here: kind, k, h, u");
  row("architecture.stages[0].blocks[0].mixer=attention", "expected one of convolution, lambda");
}

void TestConfigOverride::refusesAndTellsWhatIsPossible() {
  QFETCH(QByteArray, assignment);
  QFETCH(QByteArray, expected);
  RunConfig config = defaultRun();
  try {
    applyOverride(config, assignment.toStdString());
    QFAIL("The override was accepted.");
  } catch (const Error& error) {
    const std::string what = error.what();
    QVERIFY2(what.find(expected.toStdString()) != std::string::npos, what.c_str());
  }
  QVERIFY(config == defaultRun());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestConfigOverride)
#include "tst_config_override.moc"
