#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <QElapsedTimer>
#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/architecture/plan.h"
#include "engine/values/architecture/position_path.h"

namespace lambda {

namespace {

Architecture preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings).architecture;
}

NetworkCost costOfPreset(const char* name) {
  return costOf(preset(name));
}

}  // namespace

class TestCost : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resnet50HasItsPublishedSize();
  void lambdaNetworksHaveThePapersSizes();
  void aLambdaLayerIsCountedByHand();
  void sharedEmbeddingsCountOnce();
  void totalsAreSumsOfLayers();
  void theFasterPathOfALocalScopeIsTaken();
  void costTellsThePathThatTheLayerTakes();
  void extremeNetworksDoNotOverflow();
  void anyPresetTakesUnder5Milliseconds();
};

void TestCost::resnet50HasItsPublishedSize() {
  // torchvision's resnet50: its convolutions and linear layer need 4.09 G multiply-adds at 224.
  const NetworkCost imagenet = costOfPreset("resnet50-imagenet");
  QCOMPARE(imagenet.parameters, 25'557'032LL);
  QVERIFY(std::abs(static_cast<double>(imagenet.flops) / 2e9 - 4.09) < 0.01);
  QCOMPARE(costOfPreset("tudelft-conv").parameters, 23'528'522LL);
  // The CIFAR stem has 3 x 3 x 3 x 64 weights instead of 7 x 7 x 3 x 64.
  QCOMPARE(costOfPreset("resnet50-cifar").parameters, 23'528'522LL - 40LL * 3 * 64);
}

void TestCost::lambdaNetworksHaveThePapersSizes() {
  // Tables 3 and 13 give the parameters in millions with one decimal.
  const auto millions = [](const Architecture& architecture) {
    return std::round(static_cast<double>(costOf(architecture).parameters) / 1e5) / 10;
  };
  QCOMPARE(millions(preset("resnet50-imagenet-llll")), 15.0);
  Architecture last = preset("resnet50-imagenet");
  last.stages[3] = preset("resnet50-imagenet-llll").stages[3];
  QCOMPARE(patternOf(last), std::string("C-C-C-L"));
  QCOMPARE(millions(last), 18.8);
  Architecture deep = preset("resnet50-imagenet-llll");
  for (Stage& stage : deep.stages) {
    for (Block& block : stage.blocks) {
      auto& mixer = std::get<LambdaMixer>(block.mixer);
      mixer.intraDepth = 4;
      mixer.scope = 7;
    }
  }
  QCOMPARE(millions(deep), 16.0);
}

void TestCost::aLambdaLayerIsCountedByHand() {
  Architecture architecture;
  architecture.input = {3, 8, 8};
  architecture.family = Family::plain;
  architecture.stages = {{64, 1, {Block{LambdaMixer{}}}}};
  const NetworkCost cost = costOf(architecture);
  const auto layer = std::find_if(cost.layers.begin(), cost.layers.end(), [](const LayerCost& l) {
    return l.kind == "lambda";
  });
  QVERIFY(layer != cost.layers.end());
  // d = 64, n = 64, k = 16, h = 4, v = 16: projections, norms of q, v and the output, embeddings.
  QCOMPARE(layer->parameters, 64LL * (64 + 16 + 16) + 2 * 64 + 2 * 16 + 2 * 64 + 15 * 15 * 16);
  // Projections, content lambda and its application, then position pairs for k and for v.
  const long long content = 64 * 16 * 16 + 64 * 4 * 16 * 16;
  QCOMPARE(layer->flops, 2 * (64LL * 64 * 96 + content + 64LL * 64 * 4 * (16 + 16)));
}

void TestCost::sharedEmbeddingsCountOnce() {
  Architecture architecture = preset("tudelft-lambda");
  const long long own = costOf(architecture).parameters;
  for (std::size_t block : {1, 2, 3}) {
    std::get<LambdaMixer>(architecture.stages[1].blocks[block].mixer).sharedEmbeddings = "second";
  }
  QCOMPARE(own - costOf(architecture).parameters, 2LL * 7 * 7 * 16);
}

void TestCost::totalsAreSumsOfLayers() {
  for (const std::string& name : presetNames()) {
    const NetworkCost cost = costOf(preset(name));
    long long parameters = 0;
    long long flops = 0;
    long long bytes = 0;
    for (const LayerCost& layer : cost.layers) {
      QVERIFY(layer.parameters > 0 && layer.flops > 0 && layer.activationBytes > 0);
      parameters += layer.parameters;
      flops += layer.flops;
      bytes += layer.activationBytes;
    }
    QCOMPARE(parameters, cost.parameters);
    QCOMPARE(flops, cost.flops);
    QCOMPARE(bytes, cost.activationBytes);
  }
}

void TestCost::theFasterPathOfALocalScopeIsTaken() {
  const MapShape map{64, 32, 32};
  LambdaMixer mixer;
  for (const CoreForm form : {CoreForm::fused, CoreForm::plain}) {
    mixer.scope = 0;
    QVERIFY(positionPathOf(mixer, map, 64, form) == PositionPath::dense);
    mixer.scope = 23;
    QVERIFY(positionPathOf(mixer, map, 64, form) == PositionPath::dense);
    mixer.scope = 3;
    QVERIFY(positionPathOf(mixer, {64, 128, 128}, 64, form) == PositionPath::convolution);
  }
  // The convolution needs a tenth of the multiply-adds, but the fused kernels are still faster.
  mixer.scope = 7;
  QVERIFY(positionPathOf(mixer, map, 64, CoreForm::fused) == PositionPath::dense);
  QVERIFY(positionPathOf(mixer, map, 64, CoreForm::plain) == PositionPath::convolution);
  mixer.embedding = PositionEmbedding::none;
  QVERIFY(positionPathOf(mixer, map, 64) == PositionPath::none);
}

void TestCost::costTellsThePathThatTheLayerTakes() {
  const auto flopsOf = [](int scope, int side) {
    Architecture architecture;
    architecture.input = {3, side, side};
    architecture.family = Family::plain;
    LambdaMixer mixer;
    mixer.scope = scope;
    mixer.content = false;
    architecture.stages = {{64, 1, {Block{mixer}}}};
    const NetworkCost cost = costOf(architecture);
    return std::find_if(cost.layers.begin(),
                        cost.layers.end(),
                        [](const LayerCost& layer) { return layer.kind == "lambda"; })
        ->flops;
  };
  const auto projections = [](long long n) { return 2 * n * 64 * (64 + 16); };
  QCOMPARE(flopsOf(7, 32), projections(1024) + 2LL * 1024 * 1024 * 4 * (16 + 16));
  const long long n = 128LL * 128;
  QCOMPARE(flopsOf(3, 128), projections(n) + 2 * n * 9 * 16 * 16 + 2 * n * 4 * 16 * 16);
}

void TestCost::extremeNetworksDoNotOverflow() {
  Architecture architecture;
  architecture.input = {64, 1024, 1024};
  LambdaMixer mixer;
  mixer.queryDepth = 256;
  mixer.heads = 256;
  mixer.intraDepth = 64;
  architecture.stages.assign(32, Stage{8192, 1, std::vector<Block>(16, Block{mixer})});
  const NetworkCost cost = costOf(architecture);
  QVERIFY(cost.flops > 1'000'000'000'000'000);
  QVERIFY(cost.parameters > 1'000'000'000);
  QVERIFY(cost.activationBytes > 1'000'000'000'000);
  QVERIFY(trainingBytes(cost, 65536, 2) > 0);
}

void TestCost::anyPresetTakesUnder5Milliseconds() {
  for (const std::string& name : presetNames()) {
    const Architecture architecture = preset(name);
    std::array<qint64, 5> times{};
    for (qint64& time : times) {
      QElapsedTimer timer;
      timer.start();
      const NetworkCost cost = costOf(architecture);
      time = timer.nsecsElapsed();
      QVERIFY(cost.parameters > 0);
    }
    QVERIFY2(*std::min_element(times.begin(), times.end()) < 5'000'000, name.c_str());
  }
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestCost)
#include "tst_cost.moc"
