#include <algorithm>
#include <set>
#include <string>

#include <QtTest/QtTest>

#include "app/runs/compare/config_difference.h"
#include "engine/formats/json/presets.h"
#include "tests/support/filled_values.h"
#include "tests/support/written_runs.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

std::vector<SettingRow> differencesOf(const RunRecord& a, const RunRecord& b) {
  std::vector<SettingRow> rows = compareRuns({&a, &b});
  std::erase_if(rows, [](const SettingRow& row) { return !row.differs; });
  return rows;
}

/// The rows as texts, "label = value | value".
QStringList textsOf(const std::vector<SettingRow>& rows) {
  QStringList texts;
  for (const SettingRow& row : rows) texts << row.label + u" = "_s + row.values.join(u" | "_s);
  return texts;
}

RunRecord presetRecord(const std::string& name) {
  std::vector<Problem> warnings;
  RunRecord record;
  record.config = loadPreset(name, warnings);
  record.pattern = patternOf(record.config.architecture);
  return record;
}

}  // namespace

class TestConfigDifference : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsAlikeDifferInNothing();
  void everySettingThatDiffersIsFound();
  void nestedSettingsHaveReadableNames();
  void blocksAlikeAreOneRow();
  void someBlocksAreNamed();
  void settingsThatARunLacksAreEmpty();
  void rowsKeepTheOrderOfTheDocument();
  void environmentsAreCompared();
  void legendsTellOnlyWhatDiffers();
  void legendsPutTheArchitectureFirst();
  void legendsTellTheValueBeforeItsBlocks();
  void longLegendsEndInANumber();
};

void TestConfigDifference::runsAlikeDifferInNothing() {
  const RunRecord record = finishedRecord("a");
  QVERIFY(differencesOf(record, record).empty());
  QVERIFY(compareRuns({}).empty());
  QCOMPARE(legendTexts({&record, &record}), (QStringList{QString(), QString()}));
}

void TestConfigDifference::everySettingThatDiffersIsFound() {
  RunRecord a, b;
  a.config = defaultRun();
  b.config = filledRun();
  // Each run has the options of its own kinds of optimiser and schedule.
  std::set<std::string> leaves;
  for (const RunConfig& config : {a.config, b.config}) {
    visitLeaves(config, "", [&](const std::string& path, const Field&, const auto&) {
      // Blocks are collected in separate rows, and the run's name is left out.
      if (path.find(".blocks[") == std::string::npos && path != "name") leaves.insert(path);
    });
  }
  std::vector<SettingRow> rows = differencesOf(a, b);
  std::erase_if(
      rows, [](const SettingRow& row) { return row.path.find(".blocks[") != std::string::npos; });
  QCOMPARE(rows.size(), leaves.size());
}

void TestConfigDifference::nestedSettingsHaveReadableNames() {
  RunRecord a = finishedRecord("a"), b = a;
  b.config.recipe.optimizer.learningRate = 0.05;
  b.config.data.augmentation.cropPadding = 0;
  b.config.architecture.stem.width = 32;
  b.config.architecture.stages[1].width = 48;
  const std::vector<SettingRow> rows = differencesOf(a, b);
  QCOMPARE(textsOf(rows),
           (QStringList{u"Stem: Width = 64 | 32"_s,
                        u"Stage 2: Width d = 32 | 48"_s,
                        u"Random crop = 4 px | off"_s,
                        u"Learning rate = 0.1 | 0.05"_s}));
  QCOMPARE(rows.back().group, u"Recipe"_s);
  QCOMPARE(rows.back().path, std::string("recipe.optimizer.learningRate"));
  QVERIFY(!rows.back().meaning.isEmpty());
}

void TestConfigDifference::blocksAlikeAreOneRow() {
  const RunRecord a = presetRecord("resnet50-cifar-llll");
  RunRecord b = a;
  for (Stage& stage : b.config.architecture.stages) {
    for (Block& block : stage.blocks) {
      if (auto* lambda = std::get_if<LambdaMixer>(&block.mixer)) lambda->queryDepth = 8;
    }
  }
  QCOMPARE(textsOf(differencesOf(a, b)),
           QStringList{u"All lambda layers: Query depth k = 16 | 8"_s});
  // The number of rows must be the same as with one block of each kind.
  RunRecord few = a;
  for (Stage& stage : few.config.architecture.stages) stage.blocks.resize(1);
  const auto stages = a.config.architecture.stages.size();
  QVERIFY(compareRuns({&a}).size() <= compareRuns({&few}).size() + 2 * stages);
}

void TestConfigDifference::someBlocksAreNamed() {
  RunRecord a = finishedRecord("a"), b = a;
  a.config.architecture.stages.assign(3, Stage{32, 1, std::vector<Block>(4)});
  b.config.architecture.stages = a.config.architecture.stages;
  const auto change = [&](std::size_t stage, std::size_t block) {
    b.config.architecture.stages[stage].blocks[block].squeezeExcitation = true;
  };
  for (std::size_t block = 0; block < 4; ++block) change(1, block);
  change(2, 0);
  change(2, 2);
  change(2, 3);
  QCOMPARE(textsOf(differencesOf(a, b)),
           QStringList{u"Stage 2; stage 3, blocks 1, 3–4: Squeeze-excite = off | on"_s});
}

void TestConfigDifference::settingsThatARunLacksAreEmpty() {
  RunRecord a = finishedRecord("a"), b = a;
  b.config.architecture.stages[1].blocks[1].mixer = ConvolutionMixer{};
  const QStringList texts = textsOf(differencesOf(a, b));
  QVERIFY(texts.contains(u"Stage 2, block 2: Mixer = Lambda layer | Convolution"_s));
  QVERIFY(texts.contains(u"All lambda layers: Query depth k = 16 | "_s));
  QVERIFY(texts.contains(u"Stage 2, block 2: Kernel size =  | 3 px"_s));
}

void TestConfigDifference::rowsKeepTheOrderOfTheDocument() {
  const RunRecord a = finishedRecord("a");
  RunRecord b = a;
  b.config.architecture.stages.push_back(b.config.architecture.stages.back());
  QStringList groups;
  for (const SettingRow& row : compareRuns({&a, &b})) {
    if (groups.isEmpty() || groups.back() != row.group) groups << row.group;
  }
  QCOMPARE(groups,
           (QStringList{u"Run"_s,
                        u"Network"_s,
                        u"Data"_s,
                        u"Recipe"_s,
                        u"Weights at the start"_s,
                        u"Device"_s,
                        u"Checkpoints"_s,
                        u"Monitoring"_s,
                        u"Environment"_s}));
}

void TestConfigDifference::environmentsAreCompared() {
  const RunRecord a = finishedRecord("a");
  RunRecord b = a;
  b.environment.threads = 7;
  b.environment.precisionRates = {200e9, 400e9};  // Every run measures other rates.
  const std::vector<SettingRow> rows = differencesOf(a, b);
  QCOMPARE(rows.size(), std::size_t(1));
  QCOMPARE(rows.front().group, u"Environment"_s);
  QCOMPARE(rows.front().values.back(), u"7"_s);
}

void TestConfigDifference::legendsTellOnlyWhatDiffers() {
  RunRecord a = finishedRecord("a"), b = finishedRecord("b"), c = b;
  b.config.seed = 1;
  c.config.recipe.optimizer.learningRate = 0.3;
  b.environment.host = "elsewhere";
  c.config.checkpoints.keepEpochs = 9;
  QCOMPARE(legendTexts({&a, &b, &c}),
           (QStringList{u"learning rate 0.1, seed 0"_s,
                        u"learning rate 0.1, seed 1"_s,
                        u"learning rate 0.3, seed 0"_s}));
}

void TestConfigDifference::legendsPutTheArchitectureFirst() {
  RunRecord a = presetRecord("resnet50-cifar"), b = presetRecord("resnet50-cifar-ccll");
  b.config.recipe.epochs = a.config.recipe.epochs;
  b.config.recipe = a.config.recipe;
  QCOMPARE(legendTexts({&a, &b}), (QStringList{u"C-C-C-C"_s, u"C-C-L-L"_s}));
}

void TestConfigDifference::legendsTellTheValueBeforeItsBlocks() {
  const RunRecord a = presetRecord("quickstart");
  RunRecord b = a;
  for (Stage& stage : b.config.architecture.stages) {
    for (Block& block : stage.blocks) {
      if (auto* layer = std::get_if<LambdaMixer>(&block.mixer))
        layer->embedding = PositionEmbedding::none;
    }
  }
  QCOMPARE(legendTexts({&a, &b}),
           (QStringList{u"positions Relative (all lambda layers)"_s,
                        u"positions None (all lambda layers)"_s}));
}

void TestConfigDifference::longLegendsEndInANumber() {
  RunRecord a = finishedRecord("a"), b = a;
  b.config.recipe.epochs = 9;
  b.config.recipe.batchSize = 9;
  b.config.recipe.labelSmoothing = 0.5;
  b.config.recipe.emaDecay = 0.5;
  b.config.seed = 9;
  QCOMPARE(legendTexts({&a, &b}).back(), u"epochs 9, batch size 9, label smoothing 0.5, 2 more"_s);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestConfigDifference)
#include "tst_config_difference.moc"
