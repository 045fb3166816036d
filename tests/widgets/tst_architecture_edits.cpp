#include <set>
#include <string>

#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/values/config/validate.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/parts/architecture_edits.h"
#include "widgets/network/parts/part_costs.h"

using namespace std::string_literals;

namespace lambda {

namespace {

constexpr std::size_t kConvolutionKind = mixerKindOf<ConvolutionMixer>();
constexpr std::size_t kLambdaKind = mixerKindOf<LambdaMixer>();

Architecture preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings).architecture;
}

/// Makes a network from a pattern such as "CC CLL": one word per stage, one letter per block.
Architecture networkOf(const std::string& pattern) {
  Architecture architecture;
  architecture.family = Family::plain;
  architecture.stages.emplace_back();
  for (const char letter : pattern) {
    if (letter == ' ') {
      architecture.stages.emplace_back();
      architecture.stages.back().stride = 2;
      continue;
    }
    Block block;
    if (letter == 'L') block.mixer = LambdaMixer{};
    architecture.stages.back().blocks.push_back(block);
  }
  return architecture;
}

std::string lettersOf(const Architecture& architecture) {
  std::string text;
  for (const Stage& stage : architecture.stages) {
    if (&stage != &architecture.stages.front()) text += ' ';
    for (const Block& block : stage.blocks) text += traitsOf(block.mixer).letter;
  }
  return text;
}

int fittedScope(const LambdaMixer& mixer, int width, const MapShape& map) {
  return std::get<LambdaMixer>(fittedMixer(mixer, width, map)).scope;
}

LambdaMixer lambdaAt(const Architecture& architecture, int stage, int block) {
  return std::get<LambdaMixer>(blockOf(architecture, blockPart(stage, block)).mixer);
}

}  // namespace

class TestArchitectureEdits : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void pathsLeadToPartsAndBack();
  void everyProblemOfABlockLeadsToIt();
  void mixersTurnAndTheOthersStay();
  void stagesTurnWithAllTheirBlocks();
  void aTurnedBlockFollowsItsNeighbour();
  void aTurnedBlockIsFittedToItsPlace();
  void turningBackRestoresTheOptions();
  void memoryForgetsWhenBlocksMove();
  void blocksOfOneKindTurnIntoTheNext();
  void blocksOfSeveralKindsBecomeAlike();
  void networksOfTokensKeepTheirOrder();
  void aBlockIsAddedBehind();
  void aStageIsAddedBehind();
  void stagesAreAddedToAnEmptyNetwork();
  void partsAreRemoved();
  void blocksAreCounted();
  void blocksMoveWithinAStage();
  void blocksPassToTheNextStage();
  void stagesMove();
  void whatIsNotThereIsPassedOver();
  void everyEditOfEveryPresetStaysSound_data();
  void everyEditOfEveryPresetStaysSound();
  void costsOfPartsAddUp_data();
  void costsOfPartsAddUp();
  void costsOfImpossibleNetworksAreComputed();
};

void TestArchitectureEdits::pathsLeadToPartsAndBack() {
  for (const PartId& part : {kInputPart, kStemPart, kHeadPart, stagePart(3), blockPart(12, 34)}) {
    QVERIFY(partAt(pathOf(part)) == part);
    QVERIFY(partAt(pathOf(part) + ".width") == part);
  }
  QVERIFY(partAt("architecture.classes") == kHeadPart);
  QVERIFY(partAt("architecture.stages[1].blocks") == stagePart(1));
  for (const char* path : {"architecture",
                           "architecture.family",
                           "recipe.epochs",
                           "",
                           "architecture.stages",
                           "architecture.stages[x]",
                           "architecture.inputs",
                           "architecture.stages[-1]",
                           "architecture.stages[1"}) {
    QVERIFY2(!partAt(path), path);
  }
  QVERIFY(kInputPart < kStemPart && kStemPart < stagePart(0) && stagePart(0) < blockPart(0, 0));
  QVERIFY(blockPart(0, 9) < stagePart(1) && blockPart(31, 0) < kHeadPart);
}

void TestArchitectureEdits::everyProblemOfABlockLeadsToIt() {
  Architecture architecture = networkOf("CL L");
  std::get<LambdaMixer>(blockOf(architecture, blockPart(1, 0)).mixer).heads = 7;
  const std::vector<Problem> problems = validate(architecture);
  QCOMPARE(problems.size(), 1u);
  QVERIFY(partAt(problems[0].path) == blockPart(1, 0));
}

void TestArchitectureEdits::mixersTurnAndTheOthersStay() {
  const Architecture start = networkOf("CC CC");
  const Architecture next = withMixer(start, {blockPart(0, 1), blockPart(1, 0)}, kLambdaKind);
  QCOMPARE(lettersOf(next), "CL LC"s);
  QVERIFY(next.stages[0].blocks[0] == start.stages[0].blocks[0]);
  Architecture same = start;
  std::get<ConvolutionMixer>(same.stages[0].blocks[0].mixer).kernelSize = 5;
  QVERIFY(withMixer(same, {blockPart(0, 0)}, kConvolutionKind) == same);
}

void TestArchitectureEdits::stagesTurnWithAllTheirBlocks() {
  QCOMPARE(lettersOf(withMixer(networkOf("CC CCC C"), {stagePart(1)}, kLambdaKind)), "CC LLL C"s);
}

void TestArchitectureEdits::aTurnedBlockFollowsItsNeighbour() {
  Architecture start = networkOf("CCL LC");
  std::get<LambdaMixer>(start.stages[0].blocks[2].mixer).queryDepth = 8;
  std::get<LambdaMixer>(start.stages[0].blocks[2].mixer).sharedEmbeddings = "a";
  std::get<LambdaMixer>(start.stages[1].blocks[0].mixer).queryDepth = 32;
  const Architecture next = withMixer(start, allBlocks(start), kLambdaKind);
  QCOMPARE(lambdaAt(next, 0, 1).queryDepth, 8);
  QCOMPARE(lambdaAt(next, 0, 1).sharedEmbeddings, ""s);
  QCOMPARE(lambdaAt(next, 1, 1).queryDepth, 32);
  std::get<ConvolutionMixer>(start.stages[0].blocks[0].mixer).kernelSize = 5;
  std::get<ConvolutionMixer>(start.stages[0].blocks[1].mixer).kernelSize = 5;
  const Architecture back = withMixer(start, {blockPart(0, 2)}, kConvolutionKind);
  QCOMPARE(std::get<ConvolutionMixer>(back.stages[0].blocks[2].mixer).kernelSize, 5);
}

void TestArchitectureEdits::aTurnedBlockIsFittedToItsPlace() {
  Architecture start = networkOf("C");
  start.stages[0].width = 30;
  QCOMPARE(lambdaAt(withMixer(start, {stagePart(0)}, kLambdaKind), 0, 0).heads, 3);
  start.input = {3, 224, 224};
  QCOMPARE(lambdaAt(withMixer(start, {stagePart(0)}, kLambdaKind), 0, 0).scope, 23);
  LambdaMixer wide;
  wide.scope = 23;
  QCOMPARE(fittedScope(wide, 64, {64, 8, 8}), 0);
  QCOMPARE(fittedScope(wide, 64, {64, 12, 12}), 23);
  QVERIFY(validate(
              withMixer(preset("resnet50-cifar"), allBlocks(preset("resnet50-cifar")), kLambdaKind))
              .empty());
}

void TestArchitectureEdits::turningBackRestoresTheOptions() {
  Architecture start = networkOf("CC");
  std::get<ConvolutionMixer>(start.stages[0].blocks[0].mixer).kernelSize = 7;
  MixerMemory memory;
  memory.remember(start);
  Architecture lambda = withMixer(start, {blockPart(0, 0)}, kLambdaKind, memory);
  std::get<LambdaMixer>(lambda.stages[0].blocks[0].mixer).queryDepth = 4;
  memory.remember(lambda);
  const Architecture back = withMixer(lambda, {blockPart(0, 0)}, kConvolutionKind, memory);
  QVERIFY(back == start);
  QCOMPARE(lambdaAt(withMixer(back, {blockPart(0, 0)}, kLambdaKind, memory), 0, 0).queryDepth, 4);
}

void TestArchitectureEdits::memoryForgetsWhenBlocksMove() {
  MixerMemory memory;
  memory.remember(networkOf("LC"));
  memory.remember(networkOf("CC"));
  QVERIFY(memory.recall(blockPart(0, 0), kLambdaKind));
  memory.remember(networkOf("CCC"));
  QVERIFY(!memory.recall(blockPart(0, 0), kLambdaKind));
  QVERIFY(memory.recall(blockPart(0, 2), kConvolutionKind));
}

void TestArchitectureEdits::blocksOfOneKindTurnIntoTheNext() {
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    const Architecture start = withMixer(networkOf("CC"), {stagePart(0)}, kind);
    QCOMPARE(nextKind(start, {stagePart(0)}), (kind + 1) % kMixerKindCount);
    QCOMPARE(nextKind(start, {blockPart(0, 1)}), (kind + 1) % kMixerKindCount);
  }
}

void TestArchitectureEdits::blocksOfSeveralKindsBecomeAlike() {
  const Architecture start = networkOf("CLC");
  QCOMPARE(nextKind(start, {stagePart(0)}), kLambdaKind);
  QCOMPARE(nextKind(start, {blockPart(0, 0), blockPart(0, 2)}), kLambdaKind);
  QCOMPARE(nextKind(start, {kHeadPart}), std::size_t{0});
}

void TestArchitectureEdits::networksOfTokensKeepTheirOrder() {
  const Architecture start = preset("text-rwkv");
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    if (!suits(start, kind)) continue;
    const Architecture changed = withMixer(start, allBlocks(start), kind);
    QCOMPARE(blockOf(changed, blockPart(0, 2)).mixer.index(), kind);
    QCOMPARE(validate(changed).size(), std::size_t{0});
    QVERIFY(suits(start, nextKind(changed, allBlocks(changed))));
  }
  QVERIFY(suits(start, kLambdaKind) && !suits(start, kConvolutionKind));
  QVERIFY(suits(preset("quickstart"), kConvolutionKind));
  // A layer that was made for images is changed too.
  MixerMemory memory;
  Architecture images = start;
  images.stages[0].blocks[0].mixer = LambdaMixer{};
  memory.remember(images);
  QVERIFY(lambdaAt(withMixer(start, {blockPart(0, 0)}, kLambdaKind, memory), 0, 0).mask ==
          ContextMask::causal);
  const Stage added = withStageAdded(start, stagePart(0)).architecture.stages.back();
  QCOMPARE(added.width, 128);
  QCOMPARE(added.stride, 1);
  Architecture empty = start;
  empty.stages.clear();
  empty = withStageAdded(empty, kHeadPart).architecture;
  empty = withBlockCount(empty, 0, 2);
  QVERIFY(lambdaAt(empty, 0, 1).mask == ContextMask::causal);
  QCOMPARE(validate(empty).size(), std::size_t{0});
}

void TestArchitectureEdits::aBlockIsAddedBehind() {
  const Architecture start = networkOf("CL C");
  const Edited edited = withBlockAdded(start, blockPart(0, 0));
  QCOMPARE(lettersOf(edited.architecture), "CCL C"s);
  QVERIFY(edited.selection == Selection{blockPart(0, 1)});
  QCOMPARE(lettersOf(withBlockAdded(start, blockPart(0, 1)).architecture), "CLL C"s);
  QCOMPARE(lettersOf(withBlockAdded(start, stagePart(0)).architecture), "CLL C"s);
  QVERIFY(withBlockAdded(start, kStemPart).architecture == start);
  Architecture empty = networkOf("C ");
  QVERIFY(empty.stages[1].blocks.empty());
  QCOMPARE(lettersOf(withBlockAdded(empty, stagePart(1)).architecture), "C C"s);
}

void TestArchitectureEdits::aStageIsAddedBehind() {
  const Architecture start = networkOf("CC CL");
  const Edited edited = withStageAdded(start, stagePart(1));
  QCOMPARE(lettersOf(edited.architecture), "CC CL L"s);
  QCOMPARE(edited.architecture.stages[2].width, 128);
  QCOMPARE(edited.architecture.stages[2].stride, 2);
  QVERIFY(edited.selection == Selection{stagePart(2)});
  QCOMPARE(lettersOf(withStageAdded(start, blockPart(0, 1)).architecture), "CC C CL"s);
  QCOMPARE(lettersOf(withStageAdded(start, kHeadPart).architecture), "CC CL L"s);
  const Edited front = withStageAdded(start, kStemPart);
  QCOMPARE(lettersOf(front.architecture), "C CC CL"s);
  QCOMPARE(front.architecture.stages[0].stride, 1);
  Architecture small = start;
  small.input = {3, 4, 4};
  QCOMPARE(withStageAdded(small, stagePart(1)).architecture.stages[2].stride, 1);
}

void TestArchitectureEdits::stagesAreAddedToAnEmptyNetwork() {
  Architecture architecture;
  architecture.stem.width = 48;
  for (int i = 0; i < 5; ++i) architecture = withStageAdded(architecture, kHeadPart).architecture;
  QCOMPARE(lettersOf(architecture), "C C C C C"s);
  QCOMPARE(architecture.stages[0].width, 48);
  QCOMPARE(architecture.stages[3].width, 48 * 8);
  QVERIFY(validate(architecture).empty());
}

void TestArchitectureEdits::partsAreRemoved() {
  const Architecture start = networkOf("CLC LL");
  Edited edited = withRemoved(start, {blockPart(0, 1)});
  QCOMPARE(lettersOf(edited.architecture), "CC LL"s);
  QVERIFY(edited.selection == Selection{blockPart(0, 1)});
  edited = withRemoved(start, {blockPart(0, 1), blockPart(0, 2), blockPart(1, 0)});
  QCOMPARE(lettersOf(edited.architecture), "C L"s);
  QVERIFY(edited.selection == Selection{blockPart(0, 0)});
  edited = withRemoved(start, {stagePart(0), blockPart(0, 0), blockPart(1, 1)});
  QCOMPARE(lettersOf(edited.architecture), "L"s);
  QVERIFY(edited.selection == Selection{stagePart(0)});
  edited = withRemoved(start, {blockPart(1, 0), blockPart(1, 1)});
  QCOMPARE(lettersOf(edited.architecture), "CLC "s);
  QVERIFY(edited.selection == Selection{stagePart(1)});
  edited = withRemoved(start, {stagePart(0), stagePart(1)});
  QVERIFY(edited.architecture.stages.empty());
  QVERIFY(edited.selection == Selection{kStemPart});
  QVERIFY(withRemoved(start, {kHeadPart}).architecture == start);
}

void TestArchitectureEdits::blocksAreCounted() {
  const Architecture start = networkOf("CL C");
  QCOMPARE(lettersOf(withBlockCount(start, 0, 4)), "CLLL C"s);
  QCOMPARE(lettersOf(withBlockCount(start, 0, 1)), "C C"s);
  QCOMPARE(lettersOf(withBlockCount(start, 0, -3)), " C"s);
  QVERIFY(withBlockCount(start, 2, 4) == start);
}

void TestArchitectureEdits::blocksMoveWithinAStage() {
  const Architecture start = networkOf("CLCC");
  Edited edited = withMoved(start, {blockPart(0, 1)}, Direction::down);
  QCOMPARE(lettersOf(edited.architecture), "CCLC"s);
  QVERIFY(edited.selection == Selection{blockPart(0, 2)});
  edited = withMoved(start, {blockPart(0, 1)}, Direction::up);
  QCOMPARE(lettersOf(edited.architecture), "LCCC"s);
  edited = withMoved(edited.architecture, edited.selection, Direction::up);
  QCOMPARE(lettersOf(edited.architecture), "LCCC"s);
  edited = withMoved(networkOf("LLC"), {blockPart(0, 0), blockPart(0, 1)}, Direction::down);
  QCOMPARE(lettersOf(edited.architecture), "CLL"s);
  QVERIFY((edited.selection == Selection{blockPart(0, 1), blockPart(0, 2)}));
  edited = withMoved(edited.architecture, edited.selection, Direction::down);
  QCOMPARE(lettersOf(edited.architecture), "CLL"s);
}

void TestArchitectureEdits::blocksPassToTheNextStage() {
  const Architecture start = networkOf("CL CC C");
  Edited edited = withMoved(start, {blockPart(0, 1)}, Direction::right);
  QCOMPARE(lettersOf(edited.architecture), "C LCC C"s);
  QVERIFY(edited.selection == Selection{blockPart(1, 0)});
  edited = withMoved(edited.architecture, edited.selection, Direction::left);
  QVERIFY(edited.architecture == start);
  edited = withMoved(start, {blockPart(0, 1)}, Direction::left);
  QVERIFY(edited.architecture == start);
  edited = withMoved(networkOf("C L CL"), {blockPart(1, 0), blockPart(2, 1)}, Direction::right);
  QCOMPARE(lettersOf(edited.architecture), "C  LCL"s);
  QVERIFY((edited.selection == Selection{blockPart(2, 0), blockPart(2, 2)}));
}

void TestArchitectureEdits::stagesMove() {
  const Architecture start = networkOf("C CC LLL");
  const Edited edited = withMoved(start, {stagePart(2)}, Direction::left);
  QCOMPARE(lettersOf(edited.architecture), "C LLL CC"s);
  QVERIFY(edited.selection == Selection{stagePart(1)});
  QVERIFY(withMoved(start, {stagePart(0)}, Direction::left).architecture == start);
  QVERIFY(withMoved(start, {stagePart(0)}, Direction::down).architecture == start);
}

void TestArchitectureEdits::whatIsNotThereIsPassedOver() {
  const Architecture start = networkOf("CC");
  const Selection gone{blockPart(0, 2), blockPart(4, 0), stagePart(1), blockPart(-1, 0)};
  QVERIFY(withMixer(start, gone, kLambdaKind) == start);
  QVERIFY(withRemoved(start, gone).architecture == start);
  QVERIFY(withMoved(start, gone, Direction::down).architecture == start);
  QVERIFY(withBlockAdded(start, blockPart(0, 2)).architecture == start);
  QVERIFY(existing(start, gone).empty());
}

void TestArchitectureEdits::everyEditOfEveryPresetStaysSound_data() {
  QTest::addColumn<QString>("name");
  for (const std::string& name : presetFileNames()) {
    QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
}

void TestArchitectureEdits::everyEditOfEveryPresetStaysSound() {
  QFETCH(QString, name);
  const Architecture start = preset(name.toStdString());
  Selection parts = allBlocks(start);
  parts.insert({kInputPart, kStemPart, kHeadPart, stagePart(0), stagePart(1)});
  parts = existing(start, parts);
  for (const PartId& part : parts) {
    for (const Edited& edited :
         {withBlockAdded(start, part),
          withStageAdded(start, part),
          withMoved(start, {part}, Direction::up),
          withMoved(start, {part}, Direction::right),
          Edited{withMixer(start, {part}, nextKind(start, {part})), {part}}}) {
      QVERIFY(existing(edited.architecture, edited.selection) == edited.selection);
      QVERIFY(!edited.selection.empty());
      const std::string problems = toText(validate(edited.architecture));
      // A stage whose last block was moved away is empty until it is removed.
      const bool isEmptied = lettersOf(edited.architecture).find("  ") != std::string::npos ||
                             lettersOf(edited.architecture).starts_with(' ');
      QVERIFY2(isEmptied || !problems.starts_with("error"), problems.c_str());
    }
    const Edited removed = withRemoved(start, {part});
    QVERIFY(existing(removed.architecture, removed.selection) == removed.selection);
  }
}

void TestArchitectureEdits::costsOfPartsAddUp_data() {
  everyEditOfEveryPresetStaysSound_data();
}

void TestArchitectureEdits::costsOfPartsAddUp() {
  QFETCH(QString, name);
  const Architecture architecture = preset(name.toStdString());
  const NetworkCosts costs = costsOf(architecture);
  const NetworkCost total = costOf(architecture);
  PartCost sum;
  PartCost stages;
  for (const auto& [part, cost] : costs.parts) {
    PartCost& into = part.kind == PartKind::stage ? stages : sum;
    into.parameters += cost.parameters;
    into.flops += cost.flops;
    into.activationBytes += cost.activationBytes;
  }
  QCOMPARE(sum.parameters, total.parameters);
  QCOMPARE(sum.flops, total.flops);
  QCOMPARE(sum.activationBytes, total.activationBytes);
  QCOMPARE(costs.total.parameters, total.parameters);
  const PartCost head = costs.parts.at(kHeadPart);
  const PartCost stem = costs.parts.at(kStemPart);
  QCOMPARE(stages.flops, total.flops - head.flops - stem.flops);
  QVERIFY(costs.parts.size() == allBlocks(architecture).size() + architecture.stages.size() + 3);
  QVERIFY(costs.largest.parameters > 0 && costs.largest.parameters <= total.parameters);
}

void TestArchitectureEdits::costsOfImpossibleNetworksAreComputed() {
  Architecture architecture = networkOf("CL ");
  architecture.stages[0].width = -5;
  architecture.input = {0, -1, 1 << 30};
  std::get<LambdaMixer>(architecture.stages[0].blocks[1].mixer).heads = 0;
  QVERIFY(costsOf(architecture).parts.contains(stagePart(1)));
  QVERIFY(!costsOf(Architecture{}).parts.empty());
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestArchitectureEdits)
#include "tst_architecture_edits.moc"
