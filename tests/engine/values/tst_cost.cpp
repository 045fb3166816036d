#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <QElapsedTimer>
#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/architecture/mixers/lambda_mask.h"
#include "tests/support/sanitizer.h"

namespace lambda {

namespace {

Architecture preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings).architecture;
}

NetworkCost costOfPreset(const char* name) {
  return costOf(preset(name));
}

/// The architecture with all lambda mixers changed.
Architecture changed(Architecture architecture, const std::function<void(LambdaMixer&)>& change) {
  for (Stage& stage : architecture.stages) {
    for (Block& block : stage.blocks) {
      if (auto* mixer = std::get_if<LambdaMixer>(&block.mixer)) change(*mixer);
    }
  }
  return architecture;
}

/// With one decimal, as the paper gives them.
double billionFlops(const Architecture& architecture) {
  return std::round(static_cast<double>(costOf(architecture).flops) / 1e8) / 10;
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
  void largeMapsWhoseWindowLeavesOutNothingKeepTheirLambdas();
  void scopesHaveThePapersFlops();
  void contentAndPositionsHaveThePapersFlops();
  void optionsOfALambdaLayerAreCountedByHand_data();
  void optionsOfALambdaLayerAreCountedByHand();
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
  // Projections, content lambda and its application, position lambdas and their application.
  const long long application = 64 * 4 * 16 * 16;
  const long long lambdas = 64 * 16 * 16 + 64 * 64 * 16 * 16;
  QCOMPARE(layer->flops, 2 * (64LL * 64 * 96 + lambdas + 2 * application));
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
      // Norms of layers and embeddings have parameters, but no multiply-adds.
      QVERIFY(layer.parameters > 0 && layer.flops >= 0 && layer.activationBytes > 0);
      parameters += layer.parameters;
      flops += layer.flops;
      bytes += layer.activationBytes;
    }
    QCOMPARE(parameters, cost.parameters);
    QCOMPARE(flops, cost.flops);
    QCOMPARE(bytes, cost.activationBytes);
  }
}

void TestCost::largeMapsWhoseWindowLeavesOutNothingKeepTheirLambdas() {
  const MapShape large{64, 128, 128};
  LambdaMixer mixer;
  mixer.scope = 255;
  QVERIFY(keepsPositionLambdas(mixer, large));
  QVERIFY2(!keepsPositionLambdas(mixer, {64, 32, 32}), "few pairs");
  LambdaMixer window = mixer, masked = mixer, multiHead = mixer, content = mixer;
  window.scope = 253;
  masked.mask = ContextMask::causal;
  multiHead.multiHead = true;
  content.embedding = PositionEmbedding::none;
  for (const LambdaMixer& other : {window, masked, multiHead, content, LambdaMixer{}})
    QVERIFY(!keepsPositionLambdas(other, large));
}

// Table 11, in 10^9. Its caption says that the last two stages have lambda layers; all six numbers
// follow from lambda layers in the last three.
void TestCost::scopesHaveThePapersFlops() {
  Architecture architecture = preset("resnet50-imagenet-llll");
  architecture.stages[0] = preset("resnet50-imagenet").stages[0];
  QCOMPARE(patternOf(architecture), std::string("C-L-L-L"));
  const std::pair<int, double> published[] = {
      {3, 5.7}, {7, 6.1}, {15, 7.8}, {23, 10.0}, {31, 12.4}, {0, 19.4}};
  for (const auto& [scope, billions] : published) {
    const auto setScope = [scope = scope](LambdaMixer& mixer) { mixer.scope = scope; };
    QCOMPARE(billionFlops(changed(architecture, setScope)), billions);
  }
}

// Table 10, in 10^9.
void TestCost::contentAndPositionsHaveThePapersFlops() {
  const Architecture architecture = preset("resnet50-imagenet-llll");
  QCOMPARE(billionFlops(architecture), 12.0);
  QCOMPARE(billionFlops(changed(architecture, [](LambdaMixer& mixer) { mixer.content = false; })),
           11.9);
  QCOMPARE(
      billionFlops(changed(architecture,
                           [](LambdaMixer& mixer) { mixer.embedding = PositionEmbedding::none; })),
      5.0);
}

void TestCost::optionsOfALambdaLayerAreCountedByHand_data() {
  QTest::addColumn<LambdaMixer>("mixer");
  QTest::addColumn<long long>("parameters");
  QTest::addColumn<long long>("lambdas");
  // A map of 4x3, d = 8, k = 3, h = 2, u = 2, v = 4: projections of queries, keys and values, norms
  // of queries, values and the output, and embeddings. A lambda takes u k v = 24 multiply-adds for
  // each pair, that of the content for each position.
  LambdaMixer mixer;
  mixer.queryDepth = 3;
  mixer.heads = 2;
  mixer.intraDepth = 2;
  const long long norms = 2 * 6 + 2 * 8 + 2 * 8;
  const long long projections = 8 * (6 + 6 + 8), table = 7 * 5 * 6;
  QTest::newRow("usual") << mixer << projections + norms + table << (12 + 144) * 24LL;
  LambdaMixer heads = mixer;
  heads.multiHead = true;
  QTest::newRow("multi-head") << heads << 8LL * (6 + 12 + 16) + 2 * 6 + 2 * 16 + 2 * 8 + 2 * table
                              << 2 * (12 + 144) * 24LL;
  LambdaMixer positions = mixer;
  positions.normAxes = NormAxes::positions;
  QTest::newRow("norms per position")
      << positions << projections + 2 * 3 + 2 * 12 + 2 * 8 + table << (12 + 144) * 24LL;
  LambdaMixer causal = mixer;
  causal.mask = ContextMask::causal;
  QTest::newRow("causal") << causal << projections + norms + table << (78 + 78) * 24LL;
  // A window of 3x3 holds 10 pairs of rows and 7 of columns on this map.
  causal.scope = 3;
  QTest::newRow("causal window") << causal << projections + norms + 9 * 6
                                 << (78 + (70 + 12) / 2) * 24LL;
  LambdaMixer custom = mixer;
  custom.mask = ContextMask::custom;
  custom.maskRows = "100000000001";
  QTest::newRow("custom") << custom << projections + norms + table << (24 + 24) * 24LL;
  custom.scope = 3;
  QTest::newRow("custom window") << custom << projections + norms + 9 * 6 << (24 + 8) * 24LL;
  custom.maskRows.clear();
  for (int n = 0; n < 12; ++n) custom.maskRows += "100000000001 ";
  QTest::newRow("custom rows") << custom << projections + norms + 9 * 6 << (24 + 8) * 24LL;
}

void TestCost::optionsOfALambdaLayerAreCountedByHand() {
  QFETCH(LambdaMixer, mixer);
  QFETCH(long long, parameters);
  QFETCH(long long, lambdas);
  Architecture architecture;
  architecture.input = {3, 4, 3};
  architecture.family = Family::plain;
  architecture.stem.width = 8;
  architecture.stages = {{8, 1, {Block{mixer}}}};
  const NetworkCost cost = costOf(architecture);
  const auto layer = std::ranges::find(cost.layers, "lambda", &LayerCost::kind);
  QVERIFY(layer != cost.layers.end());
  QCOMPARE(layer->parameters, parameters);
  const long long keysAndValues = mixer.multiHead ? 12 + 16 : 6 + 8;
  const long long applications = 2 * 12 * 2 * 3 * 4;
  QCOMPARE(layer->flops, 2 * (12 * 8 * (6 + keysAndValues) + lambdas + applications));
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
#ifdef LAMBDA_SANITIZED
  QSKIP("the sanitizer takes its time");
#endif
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
