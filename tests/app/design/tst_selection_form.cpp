#include <algorithm>
#include <map>
#include <string>

#include <QtTest/QtTest>

#include "app/design/options/mixer_sections.h"
#include "app/design/options/part_explanation.h"
#include "app/design/options/selection_form.h"
#include "app/design/options/sharing_choice.h"
#include "app/design/templates/template_list.h"
#include "app/design/totals/setting_effect.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/json/presets.h"
#include "engine/values/architecture/shared_tables.h"
#include "engine/values/config/kinds.h"
#include "engine/values/config/settings.h"
#include "engine/values/config/validate.h"
#include "tests/support/filled_values.h"
#include "widgets/text/quantity_text.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

namespace {

Architecture preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings).architecture;
}

std::vector<FieldRow> rowsFor(const Architecture& architecture, const Selection& selection) {
  std::vector<FieldRow> rows;
  for (const FormSection& section : sectionsFor(architecture, selection)) {
    rows.insert(rows.end(), section.rows.begin(), section.rows.end());
  }
  return rows;
}

FieldValue otherThan(const FieldRow& row) {
  if (const auto* flag = std::get_if<bool>(&row.value)) return !*flag;
  if (const auto* text = std::get_if<std::string>(&row.value)) return *text + "x";
  if (const auto* whole = std::get_if<std::int64_t>(&row.value)) return *whole + 1;
  if (const auto* number = std::get_if<double>(&row.value)) return *number / 2 + 0.125;
  Choice choice = std::get<Choice>(row.value);
  choice.index = (choice.index + 1) % static_cast<int>(choice.names.size());
  return choice;
}

/// The paths of the fields that differ between two networks.
std::vector<std::string> differences(const Architecture& a, const Architecture& b) {
  std::map<std::string, std::string> texts;
  const auto collect = [&](const Architecture& architecture, const std::string& mark) {
    visitLeaves(architecture, "", [&](const std::string& path, const Field&, const auto& member) {
      std::string text;
      using M = std::remove_cvref_t<decltype(member)>;
      if constexpr (std::is_same_v<M, std::string>) {
        text = member;
      } else if constexpr (HasOptionsBeside<M>) {
        text = kindNameOf(member);
      } else {
        text = std::to_string(static_cast<double>(member));
      }
      texts[path] += mark + text;
    });
  };
  collect(a, "|");
  collect(b, "|");
  std::vector<std::string> paths;
  for (const auto& [path, text] : texts) {
    const std::size_t middle = text.size() / 2;
    if (text.substr(0, middle) != text.substr(middle)) paths.push_back(path);
  }
  return paths;
}

}  // namespace

class TestSelectionForm : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyFieldOfANetworkIsInSomeForm();
  void eachRowSetsItsFieldInAllThatIsSelected_data();
  void eachRowSetsItsFieldInAllThatIsSelected();
  void differingValuesAreMixed();
  void optionsOfAKindReachThatKindAlone();
  void theKindBringsFittingOptions();
  void aStageHasTheOptionsOfItsBlocks();
  void onlyPlainConvolutionsChooseAShortcut();
  void positionsRuleTheWindow();
  void optionsWithoutEffectAreDisabled();
  void optionsOfOtherFamiliesAreLeftOut();
  void optionsOfLambdasWithoutEffectAreDisabled_data();
  void optionsOfLambdasWithoutEffectAreDisabled();
  void problemsGetThePathsOfTheirRows();
  void tablesAreChosenFromAList();
  void everyFieldHasAHint();
  void hintsHaveTheNumbersOfTheNetwork();
  void unknownFieldsSetNothing();
  void variedFieldsHaveThePathsOfTheirParts();
  void explanationsHaveTheNumbersOfTheMoment();
  void templatesAreGrouped();
  void aTemplateKeepsTheMachineAndTheData();
};

void TestSelectionForm::everyFieldOfANetworkIsInSomeForm() {
  Architecture architecture = defaultRun().architecture;
  architecture.stem.kind = PatchStem{};
  std::set<std::string> shown;
  for (const Family family :
       {Family::plain, Family::bottleneck, Family::invertedBottleneck, Family::sequence}) {
    architecture.family = family;
    for (const Selection& selection : {Selection{},
                                       Selection{kInputPart},
                                       Selection{kStemPart},
                                       Selection{kHeadPart},
                                       Selection{stagePart(0)}}) {
      for (const FieldRow& row : rowsFor(architecture, selection)) shown.insert(row.path);
    }
  }
  visitLeaves(
      architecture, "architecture", [&](const std::string& path, const Field&, const auto&) {
        QVERIFY2(shown.contains(rowPathOf(path)), path.c_str());
      });
}

void TestSelectionForm::eachRowSetsItsFieldInAllThatIsSelected_data() {
  QTest::addColumn<Selection>("selection");
  QTest::addColumn<int>("times");
  QTest::newRow("network") << Selection{} << 1;
  QTest::newRow("input") << Selection{kInputPart} << 1;
  QTest::newRow("stem") << Selection{kStemPart} << 1;
  QTest::newRow("head") << Selection{kHeadPart} << 1;
  QTest::newRow("block") << Selection{blockPart(1, 2)} << 1;
  QTest::newRow("two blocks") << Selection{blockPart(1, 2), blockPart(2, 0)} << 2;
}

void TestSelectionForm::eachRowSetsItsFieldInAllThatIsSelected() {
  QFETCH(Selection, selection);
  QFETCH(int, times);
  const Architecture start = preset("resnet50-cifar-llll");
  for (const FieldRow& row : rowsFor(start, selection)) {
    // A table may be shared with further blocks.
    if (row.path.ends_with("mixer.kind") || row.path == kSharingPath) continue;
    // Another task has another name for its outputs.
    if (row.path == "architecture.task") continue;
    const auto next = withField(start, selection, row.path, otherThan(row), {});
    QVERIFY2(next, row.path.c_str());
    const std::vector<std::string> changed = differences(start, *next);
    QVERIFY2(std::ssize(changed) == times, row.path.c_str());
    for (const std::string& path : changed) QCOMPARE(rowPathOf("architecture." + path), row.path);
  }
}

void TestSelectionForm::differingValuesAreMixed() {
  Architecture architecture = preset("resnet50-cifar-llll");
  std::get<LambdaMixer>(blockOf(architecture, blockPart(0, 1)).mixer).queryDepth = 8;
  const auto rows = rowsFor(architecture, {blockPart(0, 0), blockPart(0, 1)});
  QVERIFY(findRow(rows, "block.mixer.k")->mixed);
  QVERIFY(!findRow(rows, "block.mixer.h")->mixed);
  QVERIFY(!findRow(rows, "block.mixer.kind")->mixed);
  const Selection both{blockPart(0, 0), blockPart(0, 1)};
  const auto next = withField(architecture, both, "block.mixer.k", std::int64_t{32}, {});
  QVERIFY(!findRow(rowsFor(*next, both), "block.mixer.k")->mixed);
  const auto stages = rowsFor(architecture, {stagePart(0), stagePart(1)});
  QVERIFY(findRow(stages, "stage.width")->mixed && findRow(stages, "stage.blocks")->mixed);
}

void TestSelectionForm::optionsOfAKindReachThatKindAlone() {
  const Architecture start = preset("cpu-hybrid");
  const Selection stage{stagePart(1)};
  const auto rows = rowsFor(start, stage);
  QVERIFY(findRow(rows, "block.mixer.kind")->mixed);
  QVERIFY(findRow(rows, "block.mixer.k") && findRow(rows, "block.mixer.kernelSize"));
  const auto next = withField(start, stage, "block.mixer.kernelSize", std::int64_t{5}, {});
  QCOMPARE(differences(start, *next).size(), 2u);
  QCOMPARE(patternOf(*next), patternOf(start));
}

void TestSelectionForm::theKindBringsFittingOptions() {
  Architecture start = preset("resnet50-cifar");
  start.stages[0].width = 30;
  const auto next = withField(start, {blockPart(0, 0)}, "block.mixer.kind", Choice{1, {}}, {});
  QCOMPARE(std::get<LambdaMixer>(blockOf(*next, blockPart(0, 0)).mixer).heads, 3);
}

void TestSelectionForm::aStageHasTheOptionsOfItsBlocks() {
  const Architecture start = preset("resnet50-cifar");
  const auto next = withField(start, {stagePart(2)}, "stage.blocks", std::int64_t{9}, {});
  QCOMPARE(next->stages[2].blocks.size(), 9u);
  const auto lambda = withField(start, {stagePart(2)}, "block.mixer.kind", Choice{1, {}}, {});
  QCOMPARE(patternOf(*lambda), "C-C-L-C"s);
}

void TestSelectionForm::onlyPlainConvolutionsChooseAShortcut() {
  Architecture architecture = preset("cpu-hybrid");
  QVERIFY(findRow(rowsFor(architecture, {blockPart(1, 0)}), "block.residual"));
  QVERIFY(!findRow(rowsFor(architecture, {blockPart(1, 2)}), "block.residual"));
  architecture.family = Family::basic;
  QVERIFY(!findRow(rowsFor(architecture, {blockPart(1, 0)}), "block.residual"));
}

void TestSelectionForm::positionsRuleTheWindow() {
  Architecture architecture = preset("resnet50-cifar-llll");
  const auto scope = [&] {
    return *findRow(rowsFor(architecture, {blockPart(0, 0)}), "block.mixer.scope");
  };
  QVERIFY(scope().enabled);
  std::get<LambdaMixer>(blockOf(architecture, blockPart(0, 0)).mixer).embedding =
      PositionEmbedding::none;
  QVERIFY(!scope().enabled);
}

void TestSelectionForm::optionsWithoutEffectAreDisabled() {
  Architecture architecture = preset("resnet50-cifar-llll");
  Block& block = blockOf(architecture, blockPart(0, 0));
  const auto isEnabled = [&](const std::string& option) {
    return findRow(rowsFor(architecture, {blockPart(0, 0)}), "block." + option)->enabled;
  };
  QVERIFY(!isEnabled("squeezeRatio") && !isEnabled("squeezePlace"));
  block.squeezeExcitation = true;
  QVERIFY(isEnabled("squeezeRatio") && isEnabled("squeezePlace"));
  // A second block that squeezes keeps the ratio of both open.
  blockOf(architecture, blockPart(0, 1)).squeezeExcitation = false;
  const auto both = rowsFor(architecture, {blockPart(0, 0), blockPart(0, 1)});
  QVERIFY(findRow(both, "block.squeezeRatio")->enabled);
}

void TestSelectionForm::optionsOfOtherFamiliesAreLeftOut() {
  Architecture architecture = preset("resnet50-cifar-llll");
  const auto has = [&](const std::string& option) {
    return findRow(rowsFor(architecture, {blockPart(0, 0)}), "block." + option) != nullptr;
  };
  QVERIFY(has("squeezePlace") && !has("expansion"));
  architecture.family = Family::invertedBottleneck;
  QVERIFY(!has("squeezePlace") && has("expansion"));
  architecture.family = Family::basic;
  QVERIFY(!has("squeezePlace") && !has("expansion") && has("squeezeRatio"));
}

void TestSelectionForm::optionsOfLambdasWithoutEffectAreDisabled_data() {
  QTest::addColumn<QByteArray>("field");
  QTest::addColumn<LambdaMixer>("without");
  LambdaMixer mixer;
  QTest::newRow("mask rows") << QByteArray("maskRows") << mixer;
  mixer.embedding = PositionEmbedding::none;
  QTest::newRow("deviation") << QByteArray("embeddingDeviation") << mixer;
  QTest::newRow("table") << QByteArray("sharedEmbeddings") << mixer;
  mixer = {};
  mixer.content = false;
  QTest::newRow("keys") << QByteArray("keyNormalization") << mixer;
  mixer = {};
  mixer.normalizeQueries = mixer.normalizeValues = false;
  QTest::newRow("norms") << QByteArray("normAxes") << mixer;
}

void TestSelectionForm::optionsOfLambdasWithoutEffectAreDisabled() {
  QFETCH(QByteArray, field);
  QFETCH(LambdaMixer, without);
  Architecture architecture = preset("resnet50-cifar-llll");
  LambdaMixer with;
  with.mask = ContextMask::custom;
  const auto isEnabled = [&](const LambdaMixer& mixer) {
    blockOf(architecture, blockPart(0, 0)).mixer = mixer;
    return findRow(rowsFor(architecture, {blockPart(0, 0)}), "block.mixer." + field.toStdString())
        ->enabled;
  };
  QVERIFY(isEnabled(with));
  QVERIFY(!isEnabled(without));
}

void TestSelectionForm::problemsGetThePathsOfTheirRows() {
  Architecture architecture = preset("cpu-hybrid");
  for (const PartId& part : {blockPart(1, 2), blockPart(2, 2)}) {
    std::get<LambdaMixer>(blockOf(architecture, part).mixer).heads = 5;
  }
  const std::vector<Problem> problems = validate(architecture);
  QCOMPARE(problems.size(), 2u);
  QCOMPARE(problemsOf(problems, architecture, {blockPart(1, 2)}).size(), 1u);
  QCOMPARE(problemsOf(problems, architecture, {blockPart(1, 2)})[0].path, "block.mixer.h"s);
  QCOMPARE(problemsOf(problems, architecture, {stagePart(1)}).size(), 1u);
  QVERIFY(problemsOf(problems, architecture, {}).empty());
  QVERIFY(problemsOf(problems, architecture, {blockPart(0, 0)}).empty());
  // Two blocks of one stage have the same finding, which is shown once.
  Architecture both = preset("resnet50-cifar-llll");
  for (const PartId& part : {blockPart(0, 0), blockPart(0, 1)}) {
    std::get<LambdaMixer>(blockOf(both, part).mixer).heads = 5;
  }
  QCOMPARE(validate(both).size(), 2u);
  QCOMPARE(problemsOf(validate(both), both, {stagePart(0)}).size(), 1u);
  const std::vector<Problem> classes{{"architecture.classes", Severity::error, "ten", {}}};
  QCOMPARE(problemsOf(classes, architecture, {kHeadPart}).size(), 1u);
  QCOMPARE(problemsOf(classes, architecture, {kInputPart}).size(), 1u);
}

void TestSelectionForm::tablesAreChosenFromAList() {
  Architecture architecture;
  architecture.family = Family::plain;
  architecture.stages = {{64, 1, std::vector<Block>(3, Block{LambdaMixer{}})},
                         {64, 2, {Block{LambdaMixer{}}, Block{ConvolutionMixer{}}}}};
  const MixerMemory memory;
  const auto labels = [&](const Selection& blocks) {
    std::vector<std::string> names;
    for (const SharingChoice& choice : sharingChoices(architecture, blocks)) {
      names.push_back(choice.label);
    }
    return names;
  };
  const auto choose = [&](const Selection& blocks, const std::string& label) {
    const std::vector<FieldRow> rows = rowsFor(architecture, blocks);
    Choice choice = std::get<Choice>(findRow(rows, kSharingPath)->value);
    choice.index = static_cast<int>(std::ranges::find(choice.names, label) - choice.names.begin());
    const auto next = withField(architecture, blocks, kSharingPath, choice, memory);
    if (next) architecture = *next;
    return next.has_value();
  };
  // The map of the first block of stage 2 is that of stage 1: it shrinks after its mixer.
  const Selection first{blockPart(0, 0)};
  QVERIFY((labels(first) == std::vector<std::string>{"Own table",
                                                     "New table with stage 1, block 2",
                                                     "New table with stage 1, block 3",
                                                     "New table with stage 2, block 1"}));
  QVERIFY(choose(first, "New table with stage 1, block 2"));
  QCOMPARE(sharedTablesOf(architecture).front().blocks.size(), 2u);
  QVERIFY(validate(architecture).empty());
  const std::vector<FieldRow> rows = rowsFor(architecture, first);
  const Choice shown = std::get<Choice>(findRow(rows, kSharingPath)->value);
  QCOMPARE(shown.names.at(static_cast<std::size_t>(shown.index)),
           std::string("Shared with stage 1, block 2"));
  QVERIFY(choose({blockPart(0, 2)}, "Shared with stage 1, block 1 and 1 more"));
  QCOMPARE(sharedTablesOf(architecture).front().blocks.size(), 3u);
  QVERIFY(choose({blockPart(0, 0), blockPart(0, 1), blockPart(0, 2)}, "Own table"));
  QVERIFY(sharedTablesOf(architecture).empty());
  QVERIFY(!choose(first, "No such table"));
}

void TestSelectionForm::everyFieldHasAHint() {
  Architecture architecture = defaultRun().architecture;
  architecture.family = Family::plain;
  architecture.stem.kind = PatchStem{};
  architecture.stages[0].blocks[0].residual = true;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    architecture.stages[0].blocks[0].mixer = valueOfKind<Mixer>(kind);
    for (const Selection& selection : {Selection{},
                                       Selection{kInputPart},
                                       Selection{kStemPart},
                                       Selection{kHeadPart},
                                       Selection{stagePart(0)},
                                       Selection{blockPart(0, 0)}}) {
      for (const FieldRow& row : rowsFor(architecture, selection)) {
        QVERIFY2(!row.hint.empty(), row.path.c_str());
      }
    }
  }
  const std::string rate = fieldAt("recipe.optimizer.rateFactors.bias")->hint;
  QVERIFY(rate.starts_with("Steps of the biases"));
  QVERIFY(std::string(fieldAt("architecture.head.bias")->hint).starts_with("Lets rare classes"));
}

void TestSelectionForm::hintsHaveTheNumbersOfTheNetwork() {
  Architecture architecture;
  architecture.family = Family::plain;
  architecture.input = {3, 8, 8};
  architecture.stages = {{64, 1, {Block{LambdaMixer{}}}}};
  const Selection block{blockPart(0, 0)};
  const auto effect = [&](const std::string& path) {
    const std::vector<FieldRow> rows = rowsFor(architecture, block);
    return effectOf(architecture, costsOf(architecture), block, *findRow(rows, path), {});
  };
  // 64 rows for each of 4 heads and for the keys, 2 norms, 15 x 15 embeddings: all for 16 more.
  const int more = 16 * (64 * 5 + 2 * 4 + 15 * 15);
  QVERIFY2(
      effect("block.mixer.k").contains(u"With 32: +"_s + shortCountText(more) + u" parameters"_s),
      qPrintable(effect("block.mixer.k")));
  QVERIFY(effect("block.mixer.content").contains(u"Switched off: −"_s));
  QVERIFY(effect("block.stochasticDepth").contains(u"the same cost"_s));
  QVERIFY(effect("block.mixer.kind").contains(u"With Convolution: +"_s));
}

void TestSelectionForm::variedFieldsHaveThePathsOfTheirParts() {
  RunConfig config;
  Architecture& network = config.architecture;
  Block lambdaBlock;
  lambdaBlock.mixer = LambdaMixer();
  network.stages.resize(2);
  network.stages[0].blocks = {Block{}};
  network.stages[1].blocks = {lambdaBlock, lambdaBlock};
  const auto varied = [&](const Selection& selection, const std::string& path) {
    FieldRow row;
    row.path = path;
    return variedPathOf(network, selection, row).value_or("none");
  };
  const PartId first = blockPart(1, 0);
  const PartId second = blockPart(1, 1);
  QCOMPARE(varied({first}, "block.mixer.k"), "architecture.stages[1].blocks[0].mixer.k"s);
  QCOMPARE(varied({first}, kMixerKindPath), "architecture.stages[1].blocks[0].mixer"s);
  QCOMPARE(varied({stagePart(1)}, "stage.width"), "architecture.stages[1].width"s);
  QCOMPARE(varied({stagePart(0), stagePart(1)}, "stage.width"), "architecture.stages[*].width"s);
  QCOMPARE(varied({}, "architecture.family"), "architecture.family"s);
  // All blocks that have a query depth; but not all that have a mixer.
  QCOMPARE(varied({first, second}, "block.mixer.k"), "architecture.stages[*].blocks[*].mixer.k"s);
  QCOMPARE(varied({first, second}, kMixerKindPath), "none"s);
  QCOMPARE(varied({stagePart(1)}, "stage.blocks"), "none"s);
  applyOverride(config, varied({first, second}, "block.mixer.k") + "=8");
  for (const Block& block : network.stages[1].blocks) {
    QCOMPARE(std::get<LambdaMixer>(block.mixer).queryDepth, 8);
  }
}

void TestSelectionForm::unknownFieldsSetNothing() {
  const Architecture start = preset("cpu-hybrid");
  QVERIFY(!withField(start, {blockPart(0, 0)}, "block.mixer.k", std::int64_t{3}, {}));
  QVERIFY(!withField(start, {}, "block.mixer.kernelSize", std::int64_t{3}, {}));
  QVERIFY(!withField(start, {stagePart(0)}, "stage.blocks", 3.0, {}));
  QVERIFY(!withField(start, {}, "recipe.epochs", std::int64_t{3}, {}));
  QVERIFY(
      !withField(start, {blockPart(0, 0)}, "block.mixer.kind", Choice{kMixerKindCount, {}}, {}));
}

void TestSelectionForm::explanationsHaveTheNumbersOfTheMoment() {
  Architecture architecture = preset("cpu-hybrid");
  const auto explain = [&](const Selection& selection) {
    return explanationOf(architecture, costsOf(architecture), selection);
  };
  const auto numbers = [&](const Selection& selection) {
    QStringList texts;
    for (const auto& [what, howMuch] : explain(selection).numbers) texts << howMuch;
    return texts;
  };
  const Selection lambda{blockPart(1, 2)};
  QCOMPARE(numbers(lambda).mid(0, 4),
           (QStringList{u"8 × 8 = 64"_s, u"16 × 48"_s, u"4"_s, u"225 × k 16"_s}));
  QVERIFY(explain(lambda).formula.contains(u"k̄"_s));
  auto& mixer = std::get<LambdaMixer>(blockOf(architecture, blockPart(1, 2)).mixer);
  mixer.scope = 5;
  mixer.content = false;
  QCOMPARE(numbers(lambda)[3], u"25 × k 16"_s);
  QVERIFY(!explain(lambda).formula.contains(u"k̄"_s));
  QCOMPARE(numbers({blockPart(1, 1)})[0], u"3×3 × 192 × 192"_s);
  for (const Selection& selection : {Selection{},
                                     Selection{kInputPart},
                                     Selection{kStemPart},
                                     Selection{stagePart(1)},
                                     Selection{kHeadPart}}) {
    QVERIFY(!explain(selection).title.isEmpty() && !explain(selection).body.isEmpty());
  }
}

void TestSelectionForm::templatesAreGrouped() {
  QStringList problems;
  const std::vector<TemplateGroup> groups = loadTemplates(problems);
  QVERIFY(problems.isEmpty());
  QVERIFY(groups.size() > 2);
  QCOMPARE(groups[0].templates.front().name, "quickstart"s);
  QCOMPARE(groups[0].templates[1].name, "cpu-hybrid"s);
  std::size_t count = 0;
  for (const TemplateGroup& group : groups) count += group.templates.size();
  QCOMPARE(count, presetNames().size());
  for (const Template& from : groups[1].templates) {
    QCOMPARE(from.config.architecture.input.height, 224);
  }
  QCOMPARE(groups[2].templates.front().name, "recall-lambda"s);
  for (const Template& from : groups[2].templates) {
    QCOMPARE(from.config.architecture.task, Task::tokens);
  }
  QCOMPARE(groups[3].title, u"ResNet for CIFAR-10"_s);
  QCOMPARE(groups[3].templates.front().name, "resnet18-cifar"s);
  QCOMPARE(groups.back().title, u"MobileNet-v2 for ImageNet"_s);
}

void TestSelectionForm::aTemplateKeepsTheMachineAndTheData() {
  QStringList problems;
  const std::vector<Template> templates = loadTemplates(problems)[0].templates;
  RunConfig current;
  current.device.threads = 3;
  current.checkpoints.everyMinutes = 1;
  current.data.source = Cifar10Source{"/data/cifar"};
  const RunConfig hybrid = startedFrom(templates[1], current);
  QCOMPARE(hybrid.device.threads, 3);
  QCOMPARE(hybrid.checkpoints.everyMinutes, 1.0);
  QVERIFY(hybrid.data.source == current.data.source);
  QVERIFY(hybrid.architecture == templates[1].config.architecture);
  QVERIFY(startedFrom(templates[0], current).data.source == DataSource(Shapes10Source()));
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestSelectionForm)
#include "tst_selection_form.moc"
