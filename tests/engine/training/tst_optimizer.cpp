#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/layers/roled_module.h"
#include "engine/networks/network.h"
#include "engine/training/update/muon/muon.h"
#include "engine/training/update/optimizer.h"
#include "engine/training/update/weight_average.h"
#include "tests/support/exact_optimizer.h"
#include "tests/support/several_parameters.h"
#include "tests/support/tiny_run.h"

using namespace lambda;

namespace {

/// One parameter of three values, so that each update can be computed by hand.
class Three : public OneParameter {
 public:
  explicit Three(ParameterRole role = ParameterRole::head)
      : OneParameter(at::tensor({1.0F, -2.0F, 0.5F}).view({3, 1}), role) {}

  void setGradient(const at::Tensor& gradient) { weight.mutable_grad() = gradient.view({3, 1}); }
};

const std::vector<std::vector<double>> kGradients{{0.5, -1, 2}, {0.25, 3, -1}, {-2, 0.125, 1}};

std::vector<double> valuesOf(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.detach().to(at::kDouble).flatten().contiguous();
  return {dense.const_data_ptr<double>(), dense.const_data_ptr<double>() + dense.numel()};
}

void compareAll(const std::vector<double>& actual, const std::vector<double>& expected) {
  QCOMPARE(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    QVERIFY2(std::abs(actual[i] - expected[i]) < 1e-6,
             qPrintable(QStringLiteral("%1 instead of %2").arg(actual[i]).arg(expected[i])));
  }
}

void addBackEnds() {
  QTest::addColumn<bool>("byAten");
  QTest::newRow("kernels") << false;
  QTest::newRow("ATen") << true;
}

/// Compares the optimiser with the formula `update(w, g, step)` in double.
template <class Update>
void compareWithFormula(const OptimizerConfig& config, double learningRate, Update update) {
  Three module;
  Optimizer optimizer(config, module);
  std::vector<double> weights{1, -2, 0.5};
  for (std::size_t step = 0; step < kGradients.size(); ++step) {
    module.setGradient(at::tensor(kGradients[step]).to(at::kFloat));
    optimizer.apply({.learningRate = learningRate});
    for (std::size_t i = 0; i < 3; ++i) {
      weights[i] = update(i, weights[i], kGradients[step][i], static_cast<int>(step) + 1);
    }
  }
  compareAll(valuesOf(module.weight), weights);
}

}  // namespace

class TestOptimizer : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void sgdFollowsItsFormula_data();
  void sgdFollowsItsFormula();
  void adamFollowsItsFormula_data();
  void adamFollowsItsFormula();
  void lionFollowsItsFormula();
  void muonFollowsItsFormula_data();
  void muonFollowsItsFormula();
  void muonTurnsTheFiltersOfAllConvolutionsButTheFirst();
  void clippingKeepsTheDirection_data();
  void clippingKeepsTheDirection();
  void eachBackEndFollowsTheReference_data();
  void eachBackEndFollowsTheReference();
  void whatIsNotFiniteMovesNothing_data();
  void whatIsNotFiniteMovesNothing();
  void gradientsInAnotherOrderAreReordered();
  void aParameterThatIsNotFloat32IsUpdatedToo();
  void parametersWithoutGradientStay();
  void averageFollowsItsFormula();
  void averagedWeightsAreInPlaceForAScope();
};

void TestOptimizer::sgdFollowsItsFormula_data() {
  QTest::addColumn<double>("momentum");
  QTest::addColumn<bool>("nesterov");
  QTest::newRow("plain") << 0.0 << false;
  QTest::newRow("momentum") << 0.9 << false;
  QTest::newRow("nesterov") << 0.9 << true;
}

void TestOptimizer::sgdFollowsItsFormula() {
  QFETCH(double, momentum);
  QFETCH(bool, nesterov);
  OptimizerConfig config;
  config.kind = Sgd{momentum, nesterov};
  config.weightDecay = 0.01;
  double velocity[3] = {};
  compareWithFormula(config, 0.1, [&](std::size_t i, double w, double g, int) {
    const double gradient = g + config.weightDecay * w;
    velocity[i] = momentum * velocity[i] + gradient;
    return w - 0.1 * (nesterov ? gradient + momentum * velocity[i] : velocity[i]);
  });
}

void TestOptimizer::adamFollowsItsFormula_data() {
  QTest::addColumn<bool>("decoupled");
  QTest::newRow("adam") << false;
  QTest::newRow("adamw") << true;
}

void TestOptimizer::adamFollowsItsFormula() {
  QFETCH(bool, decoupled);
  OptimizerConfig config;
  const Adam adam;
  config.kind = decoupled ? OptimizerKind(AdamW{adam}) : adam;
  config.weightDecay = 0.1;
  double firstMoment[3] = {}, secondMoment[3] = {};
  compareWithFormula(config, 0.01, [&](std::size_t i, double w, double g, int step) {
    const double gradient = decoupled ? g : g + config.weightDecay * w;
    const double decayed = decoupled ? w * (1 - 0.01 * config.weightDecay) : w;
    firstMoment[i] = adam.beta1 * firstMoment[i] + (1 - adam.beta1) * gradient;
    secondMoment[i] = adam.beta2 * secondMoment[i] + (1 - adam.beta2) * gradient * gradient;
    const double mean = firstMoment[i] / (1 - std::pow(adam.beta1, step));
    const double variance = secondMoment[i] / (1 - std::pow(adam.beta2, step));
    return decayed - 0.01 * mean / (std::sqrt(variance) + adam.epsilon);
  });
}

void TestOptimizer::lionFollowsItsFormula() {
  const Lion lion;
  OptimizerConfig config;
  config.kind = lion;
  config.weightDecay = 0.1;
  double mean[3] = {};
  compareWithFormula(config, 0.01, [&](std::size_t i, double w, double g, int) {
    const double direction = lion.beta1 * mean[i] + (1 - lion.beta1) * g;
    mean[i] = lion.beta2 * mean[i] + (1 - lion.beta2) * g;
    const double sign = direction > 0 ? 1 : direction < 0 ? -1 : 0;
    return w - 0.01 * (sign + config.weightDecay * w);
  });
}

void TestOptimizer::muonFollowsItsFormula_data() {
  QTest::addColumn<int>("filters");
  QTest::addColumn<bool>("nesterov");
  QTest::newRow("fewer filters than values") << 6 << true;
  QTest::newRow("more filters than values") << 40 << true;
  QTest::newRow("without look-ahead") << 6 << false;
}

void TestOptimizer::muonFollowsItsFormula() {
  QFETCH(int, filters);
  QFETCH(bool, nesterov);
  at::manual_seed(2);
  const at::Tensor weight =
      at::randn({filters, 3, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor firstMoment = at::zeros_like(weight);
  at::Tensor expected = weight.to(at::kDouble).contiguous();
  at::Tensor momentum = at::zeros_like(expected);
  for (int step = 0; step < 3; ++step) {
    const at::Tensor gradient = at::randn({filters, 3, 3, 3});
    updateByMuon({.rate = at::tensor({0.1F}),
                  .momentum = 0.8,
                  .nesterov = nesterov,
                  .gradientScale = at::tensor(0.5F)},
                 weight,
                 gradient,
                 firstMoment);

    momentum = 0.8 * momentum + 0.5 * gradient.to(at::kDouble);
    const at::Tensor direction =
        nesterov ? 0.5 * gradient.to(at::kDouble) + 0.8 * momentum : momentum;
    // The reference uses a singular value decomposition, which the iteration avoids.
    const auto [u, values, vt] = at::linalg_svd(direction.flatten(1), /*full_matrices=*/false);
    at::Tensor s = values / values.norm();
    for (int i = 0; i < 3; ++i) s = 3.4445 * s - 4.775 * s.pow(3) + 2.0315 * s.pow(5);
    QVERIFY(s.max().item<double>() < 1.25);
    const at::Tensor turned = u.mm(s.diag()).mm(vt).view_as(expected);
    const double scale = std::sqrt(filters / std::min<double>(filters, 27));
    expected = expected * std::sqrt(filters) / expected.norm() - 0.1 * scale * turned;
    const double error = (weight.to(at::kDouble) - expected).norm().item<double>();
    QVERIFY2(error < 1e-5 * expected.norm().item<double>(), qPrintable(QString::number(error)));
  }
}

void TestOptimizer::muonTurnsTheFiltersOfAllConvolutionsButTheFirst() {
  std::vector<std::string> turned;
  std::size_t all = 0;
  const Network network(tinyRun().architecture);
  const std::vector<ParameterRole> roles = rolesOf(*network);
  for (const auto& item : network->named_parameters()) {
    if (roles[all++] == ParameterRole::filter) turned.push_back(item.key());
  }
  QVERIFY((turned == std::vector<std::string>{"stage1.block1.mixer.conv.weight",
                                              "stage2.block1.mixer.conv.weight"}));

  OptimizerConfig config;
  const Muon muon;
  config.kind = muon;
  config.weightDecay = 0;
  SeveralParameters module;
  Optimizer optimizer(config, module);
  const at::Tensor filters = module.named_parameters()["conv.weight"];
  module.setGradients(0);
  optimizer.apply({.learningRate = config.learningRate});
  const at::Tensor after = filters.detach().clone();
  // The norm of a gradient has no effect; the learning rate, here half of the peak, has.
  module.setGradients(0);
  for (const at::Tensor& each : module.parameters()) {
    if (each.grad().defined()) each.mutable_grad().mul_(1000);
  }
  optimizer.apply({.learningRate = config.learningRate / 2});
  const at::Tensor unit = after * std::sqrt(6.0) / after.norm();
  const double moved = (filters.detach() - unit).norm().item<double>() / unit.norm().item<double>();
  QVERIFY2(moved > 0.25 * muon.muonLearningRate && moved < 0.6 * muon.muonLearningRate,
           qPrintable(QString::number(moved / muon.muonLearningRate)));
}

void TestOptimizer::clippingKeepsTheDirection_data() {
  addBackEnds();
}

void TestOptimizer::clippingKeepsTheDirection() {
  QFETCH(bool, byAten);
  Three module;
  OptimizerConfig config;
  config.gradientClip = 1;
  config.kind = Sgd{.momentum = 0};
  config.weightDecay = 0;
  Optimizer optimizer(config, module, {.byAten = byAten});
  module.setGradient(at::tensor({3.0F, 0.0F, 4.0F}));
  QCOMPARE(optimizer.apply({.learningRate = 1}).item<double>(), 5.0);
  compareAll(valuesOf(module.weight), {1 - 0.6, -2, 0.5 - 0.8});
  module.setGradient(at::tensor({0.3F, 0.0F, 0.4F}));
  optimizer.apply({.learningRate = 1});
  compareAll(valuesOf(module.weight), {1 - 0.9, -2, 0.5 - 1.2});
}

void TestOptimizer::eachBackEndFollowsTheReference_data() {
  addUpdateRows();
}

void TestOptimizer::eachBackEndFollowsTheReference() {
  QFETCH(OptimizerConfig, config);
  QFETCH(bool, averages);
  for (const bool byAten : {false, true}) {
    SeveralParameters module;
    Optimizer optimizer(config, module, {.byAten = byAten});
    WeightAverage average(0.9, module);
    ExactOptimizer exact(config, module, averages ? std::optional(0.9) : std::nullopt);
    // ATen sums the squares in float32, which makes clipped gradients less accurate.
    const double tolerance = byAten || traitsOf(config.kind).orthogonalizesFilters ? 1e-5 : 1e-6;
    for (int step = 1; step <= 4; ++step) {
      module.setGradients(step);
      const double expected = exact.step(0.02, step);
      const double norm =
          optimizer
              .apply({.learningRate = 0.02, .average = averages ? &average : nullptr, .step = step})
              .item<double>();
      QVERIFY(std::abs(norm / expected - 1) < (byAten ? 1e-5 : 1e-12));
    }
    exact.compare(averages ? &average : nullptr, tolerance);
  }
}

void TestOptimizer::whatIsNotFiniteMovesNothing_data() {
  addBackEnds();
}

void TestOptimizer::whatIsNotFiniteMovesNothing() {
  QFETCH(bool, byAten);
  for (const OptimizerKind& kind : std::initializer_list<OptimizerKind>{Muon{}, Adam{}}) {
    OptimizerConfig config;
    config.kind = kind;
    SeveralParameters module;
    Optimizer optimizer(config, module, {.byAten = byAten});
    WeightAverage average(0.9, module);
    const auto copies = [&] {
      std::vector<at::Tensor> all;
      for (const at::Tensor& each : module.parameters()) all.push_back(each.detach().clone());
      for (const NamedTensor& each : optimizer.state()) all.push_back(each.tensor.clone());
      for (const NamedTensor& each : average.state()) all.push_back(each.tensor.clone());
      return all;
    };
    const auto areKept = [&](const std::vector<at::Tensor>& before) {
      return std::ranges::equal(
          before, copies(), [](const at::Tensor& a, const at::Tensor& b) { return a.equal(b); });
    };
    UpdateStep step{.learningRate = 0.1, .loss = at::ones({}), .average = &average};
    module.setGradients(0);
    const std::vector<at::Tensor> before = copies();
    optimizer.apply(step);
    QVERIFY(!areKept(before));
    const std::vector<at::Tensor> after = copies();
    module.setGradients(1);
    step.loss = at::full({}, std::numeric_limits<float>::quiet_NaN());
    QVERIFY(std::isfinite(optimizer.apply(step).item<double>()));
    QVERIFY(areKept(after));
    step.loss = at::ones({});
    for (const char* spoilt : {"table", "conv.weight"}) {
      module.setGradients(1);
      module.named_parameters()[spoilt].mutable_grad().fill_(
          std::numeric_limits<float>::infinity());
      QVERIFY(!std::isfinite(optimizer.apply(step).item<double>()));
      QVERIFY2(areKept(after), spoilt);
    }
  }
}

void TestOptimizer::gradientsInAnotherOrderAreReordered() {
  const at::Tensor gradient = at::arange(2 * 3 * 2 * 2, at::kFloat).view({2, 3, 2, 2});
  const auto stepWith = [&](at::MemoryFormat format) {
    OneParameter module(at::zeros({2, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast));
    const at::Tensor& weight = module.weight;
    weight.mutable_grad() = gradient.contiguous(format);
    OptimizerConfig config;
    config.kind = Sgd{.momentum = 0};
    Optimizer(config, module).apply({.learningRate = -1});
    return weight.detach().clone();
  };
  QVERIFY(stepWith(at::MemoryFormat::Contiguous).equal(gradient));
  QVERIFY(stepWith(at::MemoryFormat::ChannelsLast).equal(gradient));
}

void TestOptimizer::aParameterThatIsNotFloat32IsUpdatedToo() {
  OneParameter module(at::zeros({3}, at::kDouble));
  const at::Tensor& weight = module.weight;
  weight.mutable_grad() = at::ones({3}, at::kDouble);
  OptimizerConfig config;
  config.kind = Sgd{.momentum = 0};
  Optimizer optimizer(config, module);
  optimizer.apply({.learningRate = 0.5});
  compareAll(valuesOf(weight), {-0.5, -0.5, -0.5});
}

void TestOptimizer::parametersWithoutGradientStay() {
  Three module;
  Optimizer optimizer({}, module);
  optimizer.zeroGrad();
  optimizer.apply({.learningRate = 0.1});
  compareAll(valuesOf(module.weight), {1, -2, 0.5});
}

void TestOptimizer::averageFollowsItsFormula() {
  Three module;
  WeightAverage average(0.9, module);
  std::vector<double> expected{1, -2, 0.5};
  for (int step = 1; step <= 3; ++step) {
    {
      const at::NoGradGuard noGrad;
      module.weight.add_(1);
    }
    average.update(step);
    const double decay = std::min(0.9, (1.0 + step) / (10.0 + step));
    const std::vector<double> live = valuesOf(module.weight);
    for (std::size_t i = 0; i < 3; ++i) expected[i] = decay * expected[i] + (1 - decay) * live[i];
  }
  compareAll(valuesOf(average.state().front().tensor), expected);
}

void TestOptimizer::averagedWeightsAreInPlaceForAScope() {
  Three module;
  WeightAverage average(0.9, module);
  {
    const at::NoGradGuard noGrad;
    module.weight.add_(1);
  }
  {
    const AveragedWeights averaged(&average);
    compareAll(valuesOf(module.weight), {1, -2, 0.5});
  }
  compareAll(valuesOf(module.weight), {2, -1, 1.5});
  QVERIFY(module.weight.requires_grad());
}

QTEST_GUILESS_MAIN(TestOptimizer)
#include "tst_optimizer.moc"
