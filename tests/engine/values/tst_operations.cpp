#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/architecture/graph.h"
#include "engine/values/architecture/operations.h"
#include "engine/values/config/kinds.h"

using namespace std::string_literals;

namespace lambda {

namespace {

Architecture preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings).architecture;
}

/// Two stages of every family with two blocks of that kind, the second with channel attention.
Architecture smallNetwork(Family family, std::size_t kind) {
  Architecture architecture;
  architecture.family = family;
  Block attentive{valueOfKind<Mixer>(kind)};
  attentive.squeezeExcitation = true;
  Block attentiveAtEnd = attentive;
  attentiveAtEnd.squeezePlace = SqueezePlace::afterExpansion;
  architecture.stages = {{32, 1, {Block{valueOfKind<Mixer>(kind)}, attentive}},
                         {48, 2, {Block{valueOfKind<Mixer>(kind)}, attentiveAtEnd}}};
  return architecture;
}

/// Mixers with every option that changes the operations.
std::vector<LambdaMixer> lambdaVariants() {
  std::vector<LambdaMixer> mixers(5);
  mixers[0].multiHead = true;
  mixers[0].normAxes = NormAxes::positions;
  mixers[1].mask = ContextMask::causal;
  mixers[2].mask = ContextMask::causal;
  mixers[2].keyNormalization = KeyNormalization::l2;
  mixers[2].softmaxQueries = true;
  mixers[3].keyNormalization = KeyNormalization::l2;
  mixers[4].keyNormalization = KeyNormalization::none;
  return mixers;
}

std::vector<Architecture> allKinds() {
  std::vector<Architecture> networks;
  for (const std::string& name : presetNames()) networks.push_back(preset(name));
  for (const Family family :
       {Family::bottleneck, Family::basic, Family::invertedBottleneck, Family::plain}) {
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      networks.push_back(smallNetwork(family, kind));
    }
    for (const LambdaMixer& mixer : lambdaVariants()) {
      networks.push_back(smallNetwork(family, mixerKindOf<LambdaMixer>()));
      networks.back().stages[0].blocks[0].mixer = mixer;
    }
  }
  return networks;
}

std::vector<std::string> namesOf(const std::vector<Operation>& operations) {
  std::vector<std::string> names;
  for (const Operation& operation : operations) names.push_back(operation.name);
  return names;
}

const Operation& find(const std::vector<Operation>& operations, const std::string& name) {
  const auto found = std::ranges::find(operations, name, &Operation::name);
  if (found == operations.end()) qFatal("there is no operation %s", name.c_str());
  return *found;
}

}  // namespace

class TestOperations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void operationsSumToTheCostOfTheirBlock();
  void everyOperationIsExplained();
  void everyOperationComesAfterItsInputs();
  void aBlockOfLambdasIsTakenApart();
  void aLocalLayerHasPositionLambdas();
  void aMaskGivesEachQueryItsKeys();
  void sharedTablesCountAtTheirOwner();
};

void TestOperations::operationsSumToTheCostOfTheirBlock() {
  for (const Architecture& architecture : allKinds()) {
    const NetworkCost cost = costOf(architecture);
    const NetworkOperations network = operationsOf(architecture);
    for (const PlacedMixer& mixer : graphOf(architecture).mixers()) {
      const std::string blockName = mixer.name.substr(0, mixer.name.rfind('.'));
      LayerCost expected;
      for (const LayerCost& layer : cost.layers) {
        if (!layer.name.starts_with(blockName + ".")) continue;
        expected.parameters += layer.parameters;
        expected.flops += layer.flops;
        expected.activationBytes += layer.activationBytes;
      }
      QVERIFY(expected.parameters > 0);
      LayerCost sum;
      for (const Operation& operation : operationsOfBlock(network, mixer.stage, mixer.block)) {
        sum.parameters += operation.parameters;
        sum.flops += operation.flops;
        sum.activationBytes += operation.activationBytes;
      }
      QCOMPARE(sum.parameters, expected.parameters);
      QCOMPARE(sum.flops, expected.flops);
      QCOMPARE(sum.activationBytes, expected.activationBytes);
    }
  }
}

void TestOperations::everyOperationIsExplained() {
  for (const Architecture& architecture : allKinds()) {
    for (const Operation& operation : operationsOf(architecture).operations) {
      QVERIFY2(!operation.equation.empty(), operation.name.c_str());
      QVERIFY2(operation.meaning.ends_with('.'), operation.name.c_str());
      QVERIFY2(!operation.output.empty(), operation.name.c_str());
      const auto axes = std::ranges::count(operation.axes, '\xc3') + 1;  // The first byte of "×".
      QCOMPARE(std::ssize(operation.output), axes);
    }
  }
}

void TestOperations::everyOperationComesAfterItsInputs() {
  for (const Architecture& architecture : allKinds()) {
    const NetworkOperations network = operationsOf(architecture);
    std::vector<bool> isUsed(network.operations.size(), false);
    for (std::size_t i = 0; i < network.operations.size(); ++i) {
      for (const int input : network.operations[i].inputs) {
        QVERIFY(input < static_cast<int>(i));
        if (input != kImageInput) isUsed[static_cast<std::size_t>(input)] = true;
      }
    }
    // Every result but the logits is used.
    QCOMPARE(std::ranges::find(isUsed, false), isUsed.end() - 1);
    QCOMPARE(network.operations.back().output.back(), static_cast<long long>(architecture.outputs));
    // A block takes nothing but the result of the one before.
    for (const PlacedMixer& mixer : graphOf(architecture).mixers()) {
      for (const Operation& operation : operationsOfBlock(network, mixer.stage, mixer.block)) {
        for (const int input : operation.inputs) QVERIFY(input >= kImageInput);
      }
    }
  }
}

void TestOperations::aBlockOfLambdasIsTakenApart() {
  Architecture architecture;
  architecture.input = {3, 8, 8};
  architecture.family = Family::plain;
  architecture.stages = {{64, 1, {Block{LambdaMixer{}}}}};
  const std::vector<Operation> operations = operationsOfBlock(operationsOf(architecture), 0, 0);
  const std::vector<std::string> expected{"queries",
                                          "query norm",
                                          "keys",
                                          "softmax of keys",
                                          "values",
                                          "value norm",
                                          "content lambda",
                                          "content output",
                                          "position embeddings",
                                          "position lambdas",
                                          "position output",
                                          "output",
                                          "batch norm",
                                          "shortcut",
                                          "activation"};
  QCOMPARE(namesOf(operations), expected);
  // d = 64, n = 64, k = 16, h = 4, v = 16
  QCOMPARE(find(operations, "queries").parameters, 64LL * 64);
  QCOMPARE(find(operations, "keys").flops, 2LL * 64 * 64 * 16);
  QCOMPARE(find(operations, "content lambda").output, (std::vector<long long>{16, 16}));
  QCOMPARE(find(operations, "content lambda").flops, 2LL * 64 * 16 * 16);
  QCOMPARE(find(operations, "position embeddings").parameters, 15LL * 15 * 16);
  QCOMPARE(find(operations, "position lambdas").output, (std::vector<long long>{64, 16, 16}));
  QCOMPARE(find(operations, "position lambdas").flops, 2LL * 64 * 64 * 16 * 16);
  QCOMPARE(find(operations, "position lambdas").activationBytes, 0LL);
  QCOMPARE(find(operations, "output").output, (std::vector<long long>{8, 8, 64}));
  QCOMPARE(find(operations, "queries").inputs, std::vector<int>{kImageInput});
  QCOMPARE(find(operations, "shortcut").inputs, (std::vector<int>{kImageInput, 12}));
}

void TestOperations::aLocalLayerHasPositionLambdas() {
  Architecture architecture;
  architecture.input = {3, 128, 128};
  architecture.family = Family::plain;
  LambdaMixer mixer;
  mixer.scope = 3;
  mixer.content = false;
  architecture.stages = {{64, 1, {Block{mixer}}}};
  const std::vector<Operation> operations = operationsOfBlock(operationsOf(architecture), 0, 0);
  const Operation& lambdas = find(operations, "position lambdas");
  QCOMPARE(lambdas.output, (std::vector<long long>{128LL * 128, 16, 16}));
  QCOMPARE(lambdas.flops, 2LL * 128 * 128 * 9 * 16 * 16);
  QCOMPARE(lambdas.activationBytes, 0LL);
  QVERIFY(std::ranges::find(operations, "keys", &Operation::name) == operations.end());
  // The lambda convolution keeps them.
  mixer.scope = 255;
  architecture.stages = {{64, 1, {Block{mixer}}}};
  const std::vector<Operation> convolution = operationsOfBlock(operationsOf(architecture), 0, 0);
  QCOMPARE(find(convolution, "position lambdas").activationBytes, 4LL * 128 * 128 * 16 * 16);
}

void TestOperations::aMaskGivesEachQueryItsKeys() {
  Architecture architecture;
  architecture.input = {3, 8, 8};
  architecture.family = Family::plain;
  LambdaMixer mixer;
  mixer.mask = ContextMask::causal;
  mixer.softmaxQueries = true;
  architecture.stages = {{64, 1, {Block{mixer}}}};
  const std::vector<Operation> operations = operationsOfBlock(operationsOf(architecture), 0, 0);
  QCOMPARE(find(operations, "softmax of queries").output, (std::vector<long long>{8, 8, 64}));
  QCOMPARE(find(operations, "masked keys").output, (std::vector<long long>{64, 64, 16}));
  QCOMPARE(find(operations, "masked keys").activationBytes, 4LL * 64 * 64 * 16);
  QCOMPARE(find(operations, "content lambdas").output, (std::vector<long long>{64, 16, 16}));
  QCOMPARE(find(operations, "content lambdas").flops, 2LL * 64 * 65 / 2 * 16 * 16);
  QCOMPARE(find(operations, "position lambdas").flops, 2LL * 64 * 65 / 2 * 16 * 16);
}

void TestOperations::sharedTablesCountAtTheirOwner() {
  Architecture architecture = preset("tudelft-lambda");
  for (Block& block : architecture.stages[1].blocks) {
    std::get<LambdaMixer>(block.mixer).sharedEmbeddings = "second";
  }
  const NetworkOperations network = operationsOf(architecture);
  QVERIFY(find(operationsOfBlock(network, 1, 0), "position embeddings").parameters > 0);
  QCOMPARE(find(operationsOfBlock(network, 1, 1), "shared embeddings").parameters, 0LL);
}

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestOperations)
#include "tst_operations.moc"
