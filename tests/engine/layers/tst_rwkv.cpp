#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/blocks/channel_mixing.h"
#include "engine/layers/sequences/rwkv_time_mixing.h"
#include "engine/layers/sequences/wkv.h"
#include "engine/training/step/autocast.h"
#include "tests/support/gradient_check.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

/// Fills all parameters with numbers of the size that trained ones have.
template <class Module>
void disturb(Module& module) {
  const at::NoGradGuard noGradients;
  for (at::Tensor& parameter : module->parameters()) parameter.normal_(0.2, 0.5);
}

RwkvTimeMixing disturbedLayer(std::int64_t inputDepth, std::int64_t depth, at::ScalarType type) {
  RwkvTimeMixing layer(inputDepth, depth);
  disturb(layer);
  layer->to(type);
  return layer;
}

/// The time mixing by its closed form: in each channel a softmax over the tokens j up to i, with
/// the logits k_j - (i - 1 - j) w for j < i, and k_i + u. Parameters in the order of
/// parametersOf().
at::Tensor definition(const std::vector<at::Tensor>& p, const at::Tensor& x) {
  const at::Tensor tokens = x.flatten(2).transpose(1, 2);  // [b, n, c]
  const std::int64_t n = tokens.size(1);
  const at::Tensor before = at::cat({at::zeros_like(tokens.narrow(1, 0, 1)), tokens}, 1);
  const auto mixed = [&](const at::Tensor& share, const at::Tensor& matrix) {
    return at::matmul(tokens * share + before.narrow(1, 0, n) * (1 - share), matrix.t());
  };
  const at::Tensor k = mixed(p[2], p[5]), v = mixed(p[3], p[6]), r = mixed(p[4], p[7]);
  const at::Tensor place = at::arange(n, x.options());
  const at::Tensor distance = (place.view({-1, 1}) - place).unsqueeze(2);  // [i, j, 1]
  at::Tensor logits = k.unsqueeze(1) - (distance - 1) * p[0].exp();        // [b, i, j, d]
  logits = at::where(distance == 0, k.unsqueeze(1) + p[1], logits);
  logits = logits.masked_fill(distance < 0, -std::numeric_limits<double>::infinity());
  const at::Tensor means = (logits.softmax(2) * v.unsqueeze(1)).sum(2);
  const at::Tensor y = at::matmul(at::sigmoid(r) * means, p[8].t());
  return y.transpose(1, 2).unsqueeze(2);
}

std::vector<at::Tensor> parametersOf(const RwkvTimeMixing& layer) {
  return {layer->timeDecay,
          layer->timeFirst,
          layer->timeMixK,
          layer->timeMixV,
          layer->timeMixR,
          layer->key->weight,
          layer->value->weight,
          layer->receptance->weight,
          layer->output->weight};
}

/// The tokens of a map of height 1, [b, n, d].
at::Tensor rowOf(const at::Tensor& map) {
  return map.squeeze(2).transpose(1, 2);
}

WkvOperands drawnOperands(std::int64_t length, at::ScalarType type) {
  constexpr std::int64_t kSequences = 2, kDepth = 5;
  const auto drawn = [&](at::IntArrayRef shape) { return at::randn(shape, type); };
  return {drawn({kSequences, length, kDepth}),
          drawn({kSequences, length, kDepth}),
          drawn({kDepth}),
          drawn({kDepth})};
}

}  // namespace

/// Tests the time mixing and the channel mixing of RWKV-4.
class TestRwkv : public QObject {
  Q_OBJECT

 private:
  static void addTypes() {
    QTest::addColumn<at::ScalarType>("type");
    QTest::newRow("float32, by the kernel") << at::kFloat;
    QTest::newRow("float64, by LibTorch") << at::kDouble;
  }

  static double toleranceOf(at::ScalarType type) { return type == at::kFloat ? 1e-5 : 1e-12; }

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(11); }

  void outputsAndGradientsAreThoseOfTheFormulas_data() { addTypes(); }

  void outputsAndGradientsAreThoseOfTheFormulas() {
    QFETCH(at::ScalarType, type);
    RwkvTimeMixing layer = disturbedLayer(6, 5, type);
    const at::Tensor x = at::randn({2, 6, 1, 70}, type).requires_grad_();
    const at::Tensor factors = at::randn({2, 5, 1, 70}, at::kDouble);
    std::vector<at::Tensor> leaves = parametersOf(layer), exact;
    leaves.push_back(x);
    for (const at::Tensor& leaf : leaves) {
      exact.push_back(leaf.detach().to(at::kDouble).clone().requires_grad_());
    }
    const at::Tensor y = layer(x);
    const at::Tensor expected =
        definition(std::vector<at::Tensor>(exact.begin(), exact.end() - 1), exact.back());
    const double tolerance = toleranceOf(type);
    VERIFY_CLOSE(y, expected, tolerance, tolerance);
    const auto gradients = torch::autograd::grad({(y * factors.to(type)).sum()}, leaves);
    const auto exactGradients = torch::autograd::grad({(expected * factors).sum()}, exact);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      VERIFY_CLOSE(gradients[i], exactGradients[i], 20 * tolerance, 20 * tolerance);
    }
  }

  void channelMixingIsThatOfTheFormula() {
    RwkvChannelMixing layer(6, 9);
    disturb(layer);
    layer->to(at::kDouble);
    const at::Tensor x = at::randn({2, 6, 1, 8}, at::kDouble), tokens = rowOf(x), y = layer(x);
    for (std::int64_t n = 0; n < 8; ++n) {
      const at::Tensor now = tokens.select(1, n);
      const at::Tensor last = n == 0 ? at::zeros_like(now) : tokens.select(1, n - 1);
      const at::Tensor k = now * layer->timeMixK + last * (1 - layer->timeMixK);
      const at::Tensor r = now * layer->timeMixR + last * (1 - layer->timeMixR);
      const at::Tensor squares = at::matmul(k, layer->key->weight.t()).clamp_min(0).pow(2);
      const at::Tensor expected = at::sigmoid(at::matmul(r, layer->receptance->weight.t())) *
                                  at::matmul(squares, layer->value->weight.t());
      VERIFY_CLOSE(rowOf(y).select(1, n), expected, 1e-12, 1e-12);
    }
  }

  void gradientMatchesCentralDifference() {
    RwkvTimeMixing layer = disturbedLayer(3, 4, at::kDouble);
    const at::Tensor x = at::randn({2, 3, 1, 6}, at::kDouble).requires_grad_();
    const at::Tensor factors = at::randn({2, 4, 1, 6}, at::kDouble);
    NamedLeaves leaves{{"x", x}};
    for (const auto& each : layer->named_parameters())
      leaves.emplace_back(each.key(), each.value());
    const std::string mismatch =
        gradientMismatch([&] { return (layer(x) * factors).sum(); }, leaves);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  void theKernelRefusesSecondDerivatives() {
    RwkvTimeMixing layer = disturbedLayer(3, 4, at::kFloat);
    const at::Tensor y = layer(at::randn({1, 3, 1, 4}));
    QVERIFY_THROWS_EXCEPTION(
        c10::Error, torch::autograd::grad({y.sum()}, {layer->timeDecay}, {}, std::nullopt, true));
  }

  void stepsGiveTheWhole_data() {
    QTest::addColumn<at::ScalarType>("type");
    QTest::addColumn<int>("sequences");
    QTest::newRow("float32, one sequence") << at::kFloat << 1;
    QTest::newRow("float32, two sequences") << at::kFloat << 2;
    QTest::newRow("float64") << at::kDouble << 1;
  }

  void stepsGiveTheWhole() {
    QFETCH(at::ScalarType, type);
    QFETCH(int, sequences);
    RwkvTimeMixing time = disturbedLayer(6, 5, type);
    RwkvChannelMixing channels(6, 12);
    disturb(channels);
    channels->to(type);
    const at::Tensor x = at::randn({sequences, 6, 1, 40}, type);
    LayerState timeState, channelState;
    std::vector<at::Tensor> ofTime, ofChannels;
    for (std::int64_t i = 0; i < 40;) {
      const std::int64_t count = i < 30 ? 1 : 5;  // Several tokens can be taken at once.
      const at::Tensor next = x.narrow(3, i, count).contiguous();
      const LayerState before = timeState;
      std::vector<at::Tensor> copies;
      for (const at::Tensor& kept : before) copies.push_back(kept.clone());
      ofTime.push_back(time->step(next, timeState));
      for (std::size_t j = 0; j < copies.size(); ++j) QVERIFY(at::equal(before[j], copies[j]));
      ofChannels.push_back(channels->step(next, channelState));
      i += count;
    }
    VERIFY_CLOSE(at::cat(ofTime, 3), time(x), 1e-6, 1e-6);
    VERIFY_CLOSE(at::cat(ofChannels, 3), channels(x), 1e-6, 1e-6);
    QVERIFY(timeState[1].sizes() == at::IntArrayRef({sequences, 3, 5}));
    QVERIFY(!ofTime.front().requires_grad());
  }

  void laterTokensChangeNothing_data() { addTypes(); }

  void laterTokensChangeNothing() {
    QFETCH(at::ScalarType, type);
    RwkvTimeMixing layer = disturbedLayer(6, 5, type);
    const at::Tensor x = at::randn({2, 6, 1, 40}, type);
    const at::Tensor y = layer(x);
    for (const std::int64_t seen : {1, 17, 39}) {
      at::Tensor changed = x.clone();
      changed.narrow(3, seen, 40 - seen).normal_();
      const at::Tensor other = layer(changed);
      QVERIFY(at::equal(other.narrow(3, 0, seen), y.narrow(3, 0, seen)));
      QVERIFY(!at::equal(other.select(3, seen), y.select(3, seen)));
    }
  }

  void aConstantOnAllKeysChangesNothing_data() { addTypes(); }

  void aConstantOnAllKeysChangesNothing() {
    QFETCH(at::ScalarType, type);
    WkvOperands operands = drawnOperands(50, type);
    operands.keys = (operands.keys * 64).round() / 64;  // Sums with 512 are exact.
    const at::Tensor y = wkv(operands);
    for (const double constant : {-512.0, 512.0}) {
      WkvOperands moved = operands;
      moved.keys = operands.keys + constant;
      VERIFY_CLOSE(wkv(moved), y, 10 * toleranceOf(type), 10 * toleranceOf(type));
    }
  }

  void theFirstTokenGivesItsValue_data() { addTypes(); }

  void theFirstTokenGivesItsValue() {
    QFETCH(at::ScalarType, type);
    WkvOperands operands = drawnOperands(3, type);
    for (const double bonus : {-30.0, 0.0, 30.0}) {
      operands.bonus = at::full({5}, bonus, type);
      const double tolerance = toleranceOf(type);
      VERIFY_CLOSE(wkv(operands).select(1, 0), operands.values.select(1, 0), tolerance, tolerance);
    }
  }

  void slowDecayGivesAMeanWithoutForgetting_data() { addTypes(); }

  /// Bonus -> -infinity leaves out the present token.
  void slowDecayGivesAMeanWithoutForgetting() {
    QFETCH(at::ScalarType, type);
    WkvOperands operands = drawnOperands(40, type);
    operands.keys.zero_();
    operands.decay.fill_(-50);
    operands.bonus.fill_(-200);
    const at::Tensor expected = operands.values.cumsum(1).narrow(1, 0, 39) /
                                at::arange(1, 40, operands.values.options()).view({1, -1, 1});
    const double tolerance = toleranceOf(type);
    VERIFY_CLOSE(wkv(operands).narrow(1, 1, 39), expected, tolerance, tolerance);
  }

  void keysOfAnySizeAreExact_data() { addTypes(); }

  void keysOfAnySizeAreExact() {
    QFETCH(at::ScalarType, type);
    WkvOperands operands = drawnOperands(30, type);
    operands.keys = (operands.keys * 5000).requires_grad_();
    const at::Tensor y = wkv(operands);
    QVERIFY(y.isfinite().all().item<bool>());
    QVERIFY((y.abs() <= operands.values.abs().max() * 1.0001).all().item<bool>());
    const at::Tensor gradient = torch::autograd::grad({y.sum()}, {operands.keys})[0];
    QVERIFY(gradient.isfinite().all().item<bool>());
    at::Tensor sums = emptyWkvSums(2, 5, y.options());
    VERIFY_CLOSE(continueWkv(operands, sums), y, toleranceOf(type), toleranceOf(type));
  }

  void bfloat16KeepsTheSumsInFloat32() {
    RwkvTimeMixing layer = disturbedLayer(32, 32, at::kFloat);
    const at::Tensor x = at::randn({2, 32, 1, 40});
    const at::Tensor exact = layer(x);
    at::Tensor y;
    {
      const Autocast autocast(Precision::bfloat16, at::kCPU);
      y = layer(x.to(at::kBFloat16));
    }
    QCOMPARE(y.scalar_type(), at::kBFloat16);
    VERIFY_CLOSE(y, exact, 0.03 * exact.abs().max().item<double>(), 0.03);
    y.sum().backward();
    for (const auto& each : layer->named_parameters()) {
      QCOMPARE(each.value().grad().scalar_type(), at::kFloat);
      QVERIFY(each.value().grad().isfinite().all().item<bool>());
    }
  }

  void initialValuesAreTheAuthorsOfAMiddleLayer() {
    RwkvTimeMixing layer(64, 64);
    drawByName(*layer, 3);
    const at::Tensor decay = layer->timeDecay.detach(), bonus = layer->timeFirst.detach();
    QCOMPARE(decay[0].item<float>(), -5.0F);
    QCOMPARE(decay[63].item<float>(), 3.0F);
    QVERIFY((decay.diff() > 0).all().item<bool>());
    const float middle = std::log(0.3F);
    VERIFY_CLOSE(
        bonus.narrow(0, 0, 4), at::tensor({middle, middle + 0.5F, middle - 0.5F, middle}), 1e-6, 0);
    VERIFY_CLOSE(layer->timeMixK[16], at::scalar_tensor(0.5), 1e-6, 0);
    VERIFY_CLOSE(layer->timeMixV[16], at::scalar_tensor(0.65), 1e-6, 0);
    VERIFY_CLOSE(layer->timeMixR[4], at::scalar_tensor(0.5), 1e-6, 0);
    VERIFY_CLOSE(layer->value->weight.std(), at::scalar_tensor(0.125), 0.01, 0);
    // A block begins as the identity.
    QVERIFY(at::equal(layer(at::randn({1, 64, 1, 4})), at::zeros({1, 64, 1, 4})));
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestRwkv)
#include "tst_rwkv.moc"
