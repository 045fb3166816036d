#include <string>

#include <QtTest/QtTest>

#include "engine/values/architecture/plan.h"

using namespace std::string_literals;

namespace lambda {

namespace {

Architecture network(Family family, StemKind stem, int side) {
  Architecture architecture;
  architecture.input = {3, side, side};
  architecture.family = family;
  architecture.stem.kind = stem;
  architecture.stages = {{64, 1, {Block{ConvolutionMixer{}}, Block{LambdaMixer{}}}},
                         {128, 2, {Block{LambdaMixer{}}, Block{ConvolutionMixer{}}}}};
  return architecture;
}

}  // namespace

class TestPlan : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bottlenecksPoolAfterALambdaLayer();
  void basicBlocksMixTheSmallerMap();
  void invertedBottlenecksWidenTheirInput();
  void plainBlocksHaveShortcutsAroundLambdaLayersAlone();
  void stemsShrinkTheImage();
  void oddSidesAreRoundedUp();
  void embeddingRowsFollowTheScope();
  void patternSpellsMixedStages();
};

void TestPlan::bottlenecksPoolAfterALambdaLayer() {
  const NetworkPlan plan = planOf(network(Family::bottleneck, StemKind::cifar, 32));
  QCOMPARE(plan.blocks.size(), std::size_t{4});
  const BlockPlan& first = plan.blocks[0];
  QCOMPARE(first.name, "stage1.block1"s);
  QVERIFY(first.projection);
  QVERIFY((first.output == MapShape{256, 32, 32}));
  const BlockPlan& strided = plan.blocks[2];
  QCOMPARE(strided.name, "stage2.block1"s);
  QVERIFY((strided.input == MapShape{256, 32, 32}));
  QVERIFY((strided.mixerInput == MapShape{128, 32, 32}));
  QVERIFY((strided.mixerOutput == MapShape{128, 32, 32}));
  QVERIFY((strided.output == MapShape{512, 16, 16}));
  QVERIFY(!plan.blocks[3].projection);
  QVERIFY((plan.features == MapShape{512, 16, 16}));
}

void TestPlan::basicBlocksMixTheSmallerMap() {
  const NetworkPlan plan = planOf(network(Family::basic, StemKind::cifar, 32));
  QVERIFY(!plan.blocks[0].projection);
  QVERIFY((plan.blocks[2].mixerInput == MapShape{128, 16, 16}));
  QVERIFY(plan.blocks[2].projection);
  QVERIFY((plan.features == MapShape{128, 16, 16}));
}

void TestPlan::invertedBottlenecksWidenTheirInput() {
  Architecture architecture = network(Family::invertedBottleneck, StemKind::strided, 32);
  architecture.stages[0].blocks[0].expansion = 0;
  architecture.head.width = 300;
  const NetworkPlan plan = planOf(architecture);
  // Without an expansion, the mixer has the channels of the block's input.
  QVERIFY((plan.blocks[0].mixerInput == MapShape{64, 16, 16}));
  QVERIFY((plan.blocks[1].mixerInput == MapShape{384, 16, 16}));
  QVERIFY((plan.blocks[1].mixerOutput == MapShape{384, 16, 16}));
  QVERIFY((plan.blocks[1].output == MapShape{64, 16, 16}));
  QVERIFY(plan.blocks[1].shortcut && !plan.blocks[1].projection);
  // A lambda layer has no stride, so that its result is pooled.
  QVERIFY((plan.blocks[2].mixerOutput == MapShape{384, 16, 16}));
  QVERIFY(plan.blocks[2].pooling == StridePooling::average);
  QVERIFY((plan.blocks[2].output == MapShape{128, 8, 8}));
  QVERIFY(!plan.blocks[2].shortcut && !plan.blocks[2].projection);
  QVERIFY((plan.blocks[3].mixerOutput == MapShape{768, 8, 8}));
  QVERIFY(plan.blocks[3].shortcut);
  QVERIFY((plan.lastMap == MapShape{128, 8, 8}));
  QVERIFY((plan.features == MapShape{300, 8, 8}));
  architecture.stages[1].blocks[0].mixer = ConvolutionMixer{};
  QVERIFY((planOf(architecture).blocks[2].mixerOutput == MapShape{384, 8, 8}));
}

void TestPlan::plainBlocksHaveShortcutsAroundLambdaLayersAlone() {
  Architecture architecture = network(Family::plain, StemKind::cifar, 32);
  architecture.stages[1].blocks = {Block{ConvolutionMixer{}}, Block{LambdaMixer{}}};
  const NetworkPlan plan = planOf(architecture);
  QVERIFY(!plan.blocks[2].projection);
  QVERIFY((plan.blocks[2].mixerInput == MapShape{64, 32, 32}));
  QVERIFY((plan.blocks[2].output == MapShape{128, 16, 16}));
  QVERIFY(!plan.blocks[3].projection);
  architecture.stages[1].blocks = {Block{LambdaMixer{}}};
  QVERIFY(planOf(architecture).blocks[2].projection);
}

void TestPlan::stemsShrinkTheImage() {
  const auto stemOutput = [](StemKind kind, int side) {
    return planOf(network(Family::bottleneck, kind, side)).stemOutput;
  };
  QVERIFY((stemOutput(StemKind::cifar, 32) == MapShape{64, 32, 32}));
  QVERIFY((stemOutput(StemKind::imagenet, 224) == MapShape{64, 56, 56}));
  QVERIFY((stemOutput(StemKind::resnetD, 224) == MapShape{64, 56, 56}));
  QVERIFY((stemOutput(StemKind::resnetRS, 225) == MapShape{64, 57, 57}));
  QVERIFY((stemOutput(StemKind::strided, 225) == MapShape{64, 113, 113}));
  QVERIFY((stemOutput(StemKind::patch, 32) == MapShape{64, 8, 8}));
  QCOMPARE(stemOutput(StemKind::patch, 3).height, 0);
}

void TestPlan::oddSidesAreRoundedUp() {
  Architecture architecture = network(Family::bottleneck, StemKind::imagenet, 225);
  architecture.input.width = 33;
  const NetworkPlan plan = planOf(architecture);
  QVERIFY((plan.stemOutput == MapShape{64, 57, 9}));
  QVERIFY((plan.features == MapShape{512, 29, 5}));
}

void TestPlan::embeddingRowsFollowTheScope() {
  const MapShape map{64, 8, 4};
  LambdaMixer mixer;
  QCOMPARE(embeddingRows(mixer, map), 15LL * 7);
  mixer.scope = 5;
  QCOMPARE(embeddingRows(mixer, map), 25LL);
  mixer.embedding = PositionEmbedding::absolute;
  QCOMPARE(embeddingRows(mixer, map), 32LL * 32);
  mixer.embedding = PositionEmbedding::none;
  QCOMPARE(embeddingRows(mixer, map), 0LL);
}

void TestPlan::patternSpellsMixedStages() {
  Architecture architecture = network(Family::bottleneck, StemKind::cifar, 32);
  QCOMPARE(patternOf(architecture), "CL-LC"s);
  architecture.stages[0].blocks.pop_back();
  architecture.stages[1].blocks.pop_back();
  QCOMPARE(patternOf(architecture), "C-L"s);
  QCOMPARE(patternOf(Architecture{}), ""s);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestPlan)
#include "tst_plan.moc"
