#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/layers/roled_module.h"
#include "engine/networks/network.h"
#include "engine/training/update/optimizer.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/config/kinds.h"
#include "tests/support/several_parameters.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

Network drawn(const Architecture& architecture, std::uint64_t seed) {
  Network network(architecture);
  drawByName(*network, seed);
  return network;
}

}  // namespace

class TestParameterRoles : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void decayLeavesOutNormsBiasesAndEmbeddings();
  void everyParameterOfEveryNetworkHasARole_data();
  void everyParameterOfEveryNetworkHasARole();
  void aParameterWithoutARoleIsNamed();
  void rolesHaveRatesOfTheirOwn_data();
  void rolesHaveRatesOfTheirOwn();
  void networksOfOneSeedShareTheValuesOfCommonParameters();
  void drawnValuesHaveTheLayersDistribution();
};

void TestParameterRoles::decayLeavesOutNormsBiasesAndEmbeddings() {
  Architecture architecture = tinyRun().architecture;
  architecture.stages[1].blocks[0].squeezeExcitation = true;
  const Network network(architecture);
  const std::vector<ParameterRole> roles = rolesOf(*network);
  OptimizerConfig config;
  config.weightDecay = 0.5;
  std::size_t all = 0;
  int decayed = 0, spared = 0;
  for (const auto& item : network->named_parameters()) {
    const bool isNorm = item.key().find("orm.") != std::string::npos;
    const bool isWeight = item.key().ends_with(".weight") && !isNorm;
    const double decay = weightDecayOf(config, roles[all++]);
    QVERIFY2(decay == (isWeight ? 0.5 : 0), item.key().c_str());
    ++(isWeight ? decayed : spared);
  }
  QCOMPARE(decayed, 9);
  QVERIFY(spared > 0);
}

void TestParameterRoles::everyParameterOfEveryNetworkHasARole_data() {
  QTest::addColumn<std::size_t>("stem");
  for (std::size_t stem = 0; stem < std::variant_size_v<StemKind>; ++stem) {
    QTest::newRow(KindsOf<StemKind>::names[stem].data()) << stem;
  }
}

void TestParameterRoles::everyParameterOfEveryNetworkHasARole() {
  QFETCH(std::size_t, stem);
  for (const Family family :
       {Family::bottleneck, Family::basic, Family::invertedBottleneck, Family::plain}) {
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      Architecture architecture = tinyRun().architecture;
      architecture.head.width = 12;
      architecture.stem.kind = valueOfKind<StemKind>(stem);
      architecture.family = family;
      architecture.stages[1].blocks[0].squeezeExcitation = true;
      architecture.stages[1].blocks[0].mixer = valueOfKind<Mixer>(kind);
      const Network network(architecture);
      const std::vector<ParameterRole> roles = rolesOf(*network);
      QCOMPARE(roles.size(), network->parameters().size());
      // Only the first convolution reads the images.
      QCOMPARE(std::ranges::count(roles, ParameterRole::input), 1);
      QCOMPARE(roles.front(), ParameterRole::input);
    }
  }
}

void TestParameterRoles::aParameterWithoutARoleIsNamed() {
  class Forgetful : public RoledModule {
   public:
    Forgetful() { register_parameter("forgotten", at::zeros({3})); }
  };

  const Forgetful module;
  try {
    Optimizer({}, module);
    QFAIL("The optimiser accepts a parameter without a role.");
  } catch (const c10::Error& error) {
    QVERIFY(std::string(error.what()).find("parameter forgotten: it has no role") !=
            std::string::npos);
  }
}

void TestParameterRoles::rolesHaveRatesOfTheirOwn_data() {
  QTest::addColumn<OptimizerKind>("kind");
  QTest::newRow("sgd") << OptimizerKind(Sgd{});
  QTest::newRow("adam") << OptimizerKind(Adam{});
  QTest::newRow("adamw") << OptimizerKind(AdamW{});
  QTest::newRow("lion") << OptimizerKind(Lion{});
}

/// A factor of the rate or the decay has the same effect as a rate or decay of that product.
void TestParameterRoles::rolesHaveRatesOfTheirOwn() {
  QFETCH(OptimizerKind, kind);
  const auto trainedBy = [&](const OptimizerConfig& config, ParameterRole role, double rate) {
    OneParameter module(at::tensor({1.0F, -2.0F, 0.5F}), role);
    Optimizer optimizer(config, module);
    for (const float gradient : {0.5F, -1.0F, 2.0F}) {
      module.weight.mutable_grad() = at::tensor({gradient, 3 * gradient, -gradient});
      optimizer.apply({.learningRate = rate});
    }
    return module.weight.detach();
  };
  OptimizerConfig plain;
  plain.kind = kind;
  plain.weightDecay = 0.25;
  const at::Tensor expected = trainedBy(plain, ParameterRole::head, 0.125);
  OptimizerConfig byRole = plain;
  byRole.weightDecay = 0.5;
  byRole.rateFactors.norm = 0.25;
  byRole.decayFactors.norm = 0.5;
  QVERIFY(at::allclose(trainedBy(byRole, ParameterRole::norm, 0.5), expected, 1e-6, 1e-6));
  QVERIFY(!at::allclose(trainedBy(byRole, ParameterRole::head, 0.5), expected, 1e-2, 1e-2));
}

void TestParameterRoles::networksOfOneSeedShareTheValuesOfCommonParameters() {
  const Architecture with = tinyRun().architecture;
  Architecture without = with;
  without.stages[0].blocks[0].mixer = LambdaMixer{};
  const Network first = drawn(with, 7), second = drawn(without, 7), other = drawn(with, 8);
  int common = 0, ofOtherSeed = 0;
  const auto values = second->named_parameters();
  const auto others = other->named_parameters();
  for (const auto& item : first->named_parameters()) {
    ofOtherSeed += item.value().equal(others[item.key()]) ? 0 : 1;
    const at::Tensor* same = values.find(item.key());
    // The scale of a norm is a constant, of which the last in a block may be 0.
    const bool isConstant = item.key().ends_with("norm.weight");
    if (!same || isConstant || same->sizes() != item.value().sizes()) continue;
    QVERIFY2(item.value().equal(*same), item.key().c_str());
    ++common;
  }
  QVERIFY(common > 8);
  QVERIFY2(ofOtherSeed > 5, "another seed draws other values");
  QVERIFY2(first->named_parameters()["head.weight"].equal(values["head.weight"]),
           "also what comes after the block that differs");
}

void TestParameterRoles::drawnValuesHaveTheLayersDistribution() {
  Architecture architecture = tinyRun().architecture;
  for (Stage& stage : architecture.stages) stage.width = 64;
  const Network usual(architecture);
  const Network byName = drawn(architecture, 3);
  const auto values = byName->named_parameters();
  for (const auto& item : usual->named_parameters()) {
    const at::Tensor& value = values[item.key()];
    if (item.value().numel() < 1000) continue;
    const auto expected = item.value().std().item<double>();
    QVERIFY2(std::abs(value.std().item<double>() - expected) < 0.1 * expected, item.key().c_str());
    QVERIFY2(!value.equal(item.value()), item.key().c_str());
  }
}

QTEST_GUILESS_MAIN(TestParameterRoles)
#include "tst_parameter_roles.moc"
