#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/attention/window_sums.h"
#include "engine/training/step/autocast.h"
#include "tests/support/attention_cases.h"
#include "tests/support/gradient_check.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

constexpr std::int64_t kBatch = 2;
constexpr double kFloatEpsilon = 1.1920929e-7;

std::string textOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return {};
}

NamedLeaves parametersOf(const LayerSubject& subject) {
  NamedLeaves leaves;
  for (const auto& parameter : subject.module->named_parameters()) {
    leaves.emplace_back(parameter.key(), parameter.value());
  }
  return leaves;
}

/// The output for x and the gradients of all parameters and of x.
std::vector<at::Tensor> outcomesOf(const LayerSubject& subject, const at::Tensor& x) {
  const at::Tensor leaf = x.detach().requires_grad_();
  const at::Tensor y = subject.forward(leaf);
  std::vector<at::Tensor> leaves = subject.module->parameters();
  leaves.push_back(leaf);
  std::vector<at::Tensor> all = torch::autograd::grad({y.square().sum()}, leaves);
  all.push_back(y.detach());
  return all;
}

}  // namespace

/// Tests the relatives of the lambda layer as modules.
class TestAttentionLayers : public QObject {
  Q_OBJECT

 private:
  static void addCases() {
    QTest::addColumn<int>("index");
    const std::vector<LayerTestCase> cases = attentionCases();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
    }
  }

  static LayerTestCase currentCase() {
    QFETCH(int, index);
    return attentionCases()[static_cast<std::size_t>(index)];
  }

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(5); }

  void equalsNaiveLoops_data() { addCases(); }

  void equalsNaiveLoops() {
    const LayerTestCase one = currentCase();
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
      const LayerSubject subject = one.make();
      subject.module->to(type);
      const at::Tensor x = one.inputOf(kBatch, type);
      const NaiveResult expected = subject.naive(naiveMapOf(x));
      const double epsilon = type == at::kDouble ? 2.3e-16 : kFloatEpsilon;
      VERIFY_CLOSE(subject.forward(x), tensorOf(expected.output), 1000 * epsilon, 500 * epsilon);
      if (!subject.weights) continue;
      VERIFY_CLOSE(subject.weights(x), expected.weights, 1000 * epsilon, 500 * epsilon);
    }
  }

  void gradientMatchesCentralDifference_data() { addCases(); }

  void gradientMatchesCentralDifference() {
    const LayerTestCase one = currentCase();
    const LayerSubject subject = one.make();
    subject.module->to(at::kDouble);
    const at::Tensor x = one.inputOf(kBatch, at::kDouble).requires_grad_();
    const at::Tensor factors = at::randn_like(subject.forward(x));
    NamedLeaves leaves = parametersOf(subject);
    leaves.emplace_back("x", x);
    const std::string mismatch =
        gradientMismatch([&] { return (subject.forward(x) * factors).sum(); }, leaves);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  void channelsLastStaysChannelsLast_data() { addCases(); }

  void channelsLastStaysChannelsLast() {
    const LayerTestCase one = currentCase();
    const LayerSubject subject = one.make();
    const at::Tensor x = one.inputOf(kBatch, at::kFloat);
    const at::Tensor y = subject.forward(x.contiguous(at::MemoryFormat::ChannelsLast));
    VERIFY_CLOSE(y, subject.forward(x), 1e-5, 1e-5);
    QVERIFY(y.is_contiguous(at::MemoryFormat::ChannelsLast));
    QVERIFY(y.sizes() == at::IntArrayRef({kBatch,
                                          one.depth,
                                          (one.input.height + one.stride - 1) / one.stride,
                                          (one.input.width + one.stride - 1) / one.stride}));
  }

  void permutingTheBatchPermutesTheOutput_data() { addCases(); }

  void permutingTheBatchPermutesTheOutput() {
    const LayerTestCase one = currentCase();
    const LayerSubject subject = one.make();
    subject.module->to(at::kDouble);
    const at::Tensor x = one.inputOf(3, at::kDouble);
    VERIFY_CLOSE(subject.forward(x.flip(0)), subject.forward(x).flip(0), 1e-12, 1e-12);
  }

  void weightsOfAQueryAddUpToOne_data() { addCases(); }

  void weightsOfAQueryAddUpToOne() {
    const LayerTestCase one = currentCase();
    const LayerSubject subject = one.make();
    if (!subject.weights || !one.sumsToOne) return;
    const at::Tensor weights = subject.weights(one.inputOf(kBatch, at::kFloat));
    QVERIFY(weights.min().item<double>() >= 0);
    VERIFY_CLOSE(weights.sum(3), at::ones({kBatch, weights.size(1), weights.size(2)}), 1e-5, 0.0);
  }

  void bfloat16AutocastIsCloseToFloat32_data() { addCases(); }

  void bfloat16AutocastIsCloseToFloat32() {
    const LayerTestCase one = currentCase();
    const LayerSubject subject = one.make();
    const at::Tensor x = one.inputOf(kBatch, at::kBFloat16).to(at::kFloat);
    const std::vector<at::Tensor> expected = outcomesOf(subject, x);
    std::vector<at::Tensor> actual;
    {
      const Autocast autocast(Precision::bfloat16, at::kCPU);
      actual = outcomesOf(subject, x);
      QVERIFY(subject.forward(x.to(at::kBFloat16)).scalar_type() == at::kBFloat16);
    }
    double largestOfAll = 0;
    for (const at::Tensor& each : expected) {
      largestOfAll = std::max(largestOfAll, each.abs().max().item<double>());
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Scores are rounded to 8 bits before their exponential. Gradients that cancel leave the
      // rounding of others.
      const double largest = expected[i].abs().max().item<double>();
      VERIFY_CLOSE(actual[i], expected[i], 0.1 * largest + 0.01 * largestOfAll, 0.0);
    }
  }

  void theSameSeedGivesTheSameBits_data() { addCases(); }

  void theSameSeedGivesTheSameBits() {
    const LayerTestCase one = currentCase();
    std::vector<std::vector<at::Tensor>> outcomes;
    for (int time = 0; time < 2; ++time) {
      at::manual_seed(8);
      const LayerSubject subject = one.make();
      outcomes.push_back(outcomesOf(subject, one.inputOf(kBatch, at::kFloat)));
    }
    for (std::size_t i = 0; i < outcomes[0].size(); ++i) {
      QVERIFY(outcomes[0][i].equal(outcomes[1][i]));
    }
  }

  void anyNumberOfThreadsGivesTheSameBits_data() {
    QTest::addColumn<int>("index");
    const std::vector<LayerTestCase> cases = largeCases();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
    }
  }

  /// Outputs and their gradients for the input. Sums over all positions, as the gradients of
  /// weights and the context of linear attention are, repeat to the bit with the same number of
  /// threads only: LibTorch's products and convolutions divide them among threads.
  void anyNumberOfThreadsGivesTheSameBits() {
    QFETCH(int, index);
    const LayerTestCase one = largeCases()[static_cast<std::size_t>(index)];
    const LayerSubject subject = one.make();
    const at::Tensor x = one.inputOf(8, at::kFloat).contiguous(at::MemoryFormat::ChannelsLast);
    const std::vector<at::Tensor> expected = outcomesOf(subject, x);
    for (const int threads : {2, 3}) {
      at::set_num_threads(threads);
      const std::vector<at::Tensor> actual = outcomesOf(subject, x), again = outcomesOf(subject, x);
      at::set_num_threads(1);
      for (std::size_t i = 0; i < expected.size(); ++i) QVERIFY(actual[i].equal(again[i]));
      if (one.sumsOverPositions) continue;
      for (std::size_t i = expected.size() - 2; i < expected.size(); ++i) {
        QVERIFY2(actual[i].equal(expected[i]), std::to_string(i).c_str());
      }
    }
  }

  void refusesOtherDepthsAndSizes_data() { addCases(); }

  void refusesOtherDepthsAndSizes() {
    const LayerTestCase one = currentCase();
    const LayerSubject subject = one.make();
    const MapShape& map = one.input;
    const auto refusalOf = [&](at::IntArrayRef sizes) {
      return textOf([&] { subject.forward(at::zeros(sizes)); });
    };
    const std::string depth = refusalOf({1, map.channels + 1, map.height, map.width});
    QVERIFY2(depth.find("expected") != std::string::npos, depth.c_str());
    const std::string got = std::to_string(map.channels + 1) + ", " + std::to_string(map.height);
    QVERIFY2(depth.find(got) != std::string::npos, depth.c_str());
    QVERIFY(!refusalOf({map.channels, map.height}).empty());
    const std::string size = refusalOf({1, map.channels, map.height + 1, map.width});
    QVERIFY2(size.empty() == one.fitsAnyMap, size.c_str());
    if (!one.fitsAnyMap) QVERIFY2(size.find("expected") != std::string::npos, size.c_str());
  }

  void refusesImpossibleOptions() {
    const auto built = [](const std::function<void()>& build) { return textOf(build); };
    const AttentionOptions thirds{5, 8, 3, 4, 4};
    for (const std::string& text : {built([&] {
                                      SelfAttention{thirds, true};
                                    }),
                                    built([&] {
                                      LocalAttention{thirds, 3};
                                    }),
                                    built([&] {
                                      AxialAttention{thirds, true};
                                    }),
                                    built([&] {
                                      LinearAttention{thirds, FeatureMap::elu};
                                    })}) {
      QVERIFY2(text.find("3 heads do not divide the depth 8") != std::string::npos, text.c_str());
    }
    const std::string even = built([] { LocalAttention{AttentionOptions{5, 8, 2, 4, 4}, 4}; });
    QVERIFY2(even.find("odd, got 4") != std::string::npos, even.c_str());
    const std::string odd = built([] { LocalAttention{AttentionOptions{5, 6, 2, 4, 4}, 3}; });
    QVERIFY2(odd.find("even, got 3") != std::string::npos, odd.c_str());
    const std::string filter = built([] { SpatialAttention{4, 4, 6}; });
    QVERIFY2(filter.find("odd, got 6") != std::string::npos, filter.c_str());
  }

  void weightsGiveTheOutput() {
    const at::Tensor x = at::randn({kBatch, 5, 4, 6}, at::kDouble);
    const AttentionOptions options{5, 8, 2, 4, 6};
    const auto verify = [&](auto layer) {
      layer->to(at::kDouble);
      const at::Tensor values = toHeads(layer->values(x), options.heads);
      const at::Tensor y = fromHeads(at::matmul(layer->weights(x), values), 4, 6);
      VERIFY_CLOSE(layer(x), y, 1e-13, 1e-12);
    };
    verify(SelfAttention(options, true));
    verify(LocalAttention(options, 3));
    verify(LinearAttention(options, FeatureMap::softmax));
    verify(LinearAttention(options, FeatureMap::elu));
    verify(SelfAttention(options, true, true));
    verify(LinearAttention(options, FeatureMap::softmax, true));
    verify(LinearAttention(options, FeatureMap::elu, true));
  }

  void causalLayersSeeNoLaterPosition_data() {
    QTest::addColumn<int>("index");
    const std::vector<LayerTestCase> cases = causalCases();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
    }
  }

  void causalLayersSeeNoLaterPosition() {
    QFETCH(int, index);
    const LayerTestCase one = causalCases()[static_cast<std::size_t>(index)];
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const LayerSubject subject = one.make();
      subject.module->to(type);
      const at::Tensor x = one.inputOf(kBatch, type);
      const at::Tensor y = subject.forward(x).flatten(2);
      const std::int64_t width = one.input.width;
      for (const double size : {1.0, 30.0}) {
        for (std::int64_t m = 0; m < y.size(2); ++m) {
          const at::Tensor changed = x.clone();
          changed.select(2, m / width).select(2, m % width).mul_(-size).add_(size);
          const at::Tensor moved = subject.forward(changed).flatten(2);
          QVERIFY(moved.isfinite().all().item<bool>());
          QVERIFY(moved.slice(2, 0, m).equal(y.slice(2, 0, m)));
          QVERIFY(!moved.select(2, m).equal(y.select(2, m)));
        }
      }
    }
  }

  void runningSumsHaveTheGradientsOfAllPairs_data() {
    QTest::addColumn<FeatureMap>("featureMap");
    QTest::newRow("softmax") << FeatureMap::softmax;
    QTest::newRow("elu") << FeatureMap::elu;
  }

  /// In float64 the layer makes the weights of all pairs.
  void runningSumsHaveTheGradientsOfAllPairs() {
    QFETCH(FeatureMap, featureMap);
    LinearAttention layer(AttentionOptions{7, 15, 3, 1, 37}, featureMap, true);
    const LayerSubject subject{
        layer.ptr(), [&](const at::Tensor& x) { return layer(x); }, nullptr, nullptr};
    const at::Tensor x = at::randn({3, 7, 1, 37});
    const std::vector<at::Tensor> found = outcomesOf(subject, x);
    layer->to(at::kDouble);
    const std::vector<at::Tensor> expected = outcomesOf(subject, x.to(at::kDouble));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double distance = (found[i].to(at::kDouble) - expected[i]).norm().item<double>();
      QVERIFY(distance < 1e-5 * expected[i].norm().item<double>());
    }
  }

  void bothFormsOfLocalAttentionAreEqual_data() {
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("scope");
    QTest::newRow("3 on 7x6") << 7 << 6 << 3;
    QTest::newRow("5 on 6x4") << 6 << 4 << 5;
    QTest::newRow("7 on 3x5, beyond the map") << 3 << 5 << 7;
    QTest::newRow("1 on 4x4") << 4 << 4 << 1;
  }

  void bothFormsOfLocalAttentionAreEqual() {
    QFETCH(int, height);
    QFETCH(int, width);
    QFETCH(int, scope);
    LocalAttention layer(AttentionOptions{5, 12, 3, height, width}, scope);
    QCOMPARE(layer->sumsWindows, 8 * scope * scope < height * width);
    layer->to(at::kDouble);
    const LayerSubject subject{
        layer.ptr(), [&](const at::Tensor& x) { return layer(x); }, nullptr, nullptr};
    const at::Tensor x = at::randn({kBatch, 5, height, width}, at::kDouble);
    layer->sumsWindows = true;
    const std::vector<at::Tensor> windows = outcomesOf(subject, x);
    layer->sumsWindows = false;
    const std::vector<at::Tensor> dense = outcomesOf(subject, x);
    for (std::size_t i = 0; i < dense.size(); ++i) VERIFY_CLOSE(windows[i], dense[i], 1e-11, 1e-11);
  }

  /// Each function of a window is the derivative of another, so any derivative can be checked.
  void windowsHaveSecondDerivatives() {
    const at::Tensor map = at::randn({1, 2, 3, 4, 3}, at::kDouble).requires_grad_();
    const at::Tensor padded = at::randn({1, 2, 3, 6, 5}, at::kDouble).requires_grad_();
    const at::Tensor spread = at::randn({1, 2, 3, 6, 5}, at::kDouble);
    const auto penalty = [&] {
      const at::AutoGradMode isDifferentiated(true);
      const at::Tensor products = windowProducts(map, padded).tanh();
      const at::Tensor sums = windowSums(products, padded);
      const at::Tensor all = sums.square().sum() + (windowSpread(products, map) * spread).sum();
      const auto gradients =
          torch::autograd::grad({all}, {map, padded}, {}, std::nullopt, /*create_graph=*/true);
      return gradients[0].square().sum() + gradients[1].square().sum();
    };
    const std::string mismatch =
        gradientMismatch(penalty, {{"map", map}, {"padded", padded}}, 1e-5, 1e-4);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  /// A position outside every window of the others changes nothing there.
  void localAttentionSeesItsWindowAlone() {
    LocalAttention layer(AttentionOptions{4, 8, 2, 9, 8}, 5);
    const at::Tensor x = at::randn({1, 4, 9, 8});
    at::Tensor changed = x.clone();
    changed.select(2, 4).select(2, 3).add_(1.0);
    const at::Tensor moved = (layer(changed) - layer(x)).abs().amax({0, 1}) > 0;
    QCOMPARE(moved.sum().item<int>(), 25);
    QVERIFY(moved.slice(0, 2, 7).slice(1, 1, 6).all().item<bool>());
  }

  /// One layer sees its row; the second spreads that over the columns.
  void axialAttentionReachesTheWholeMap() {
    AxialAttention layer(AttentionOptions{4, 8, 2, 5, 6}, true);
    const at::Tensor x = at::randn({1, 4, 5, 6});
    at::Tensor changed = x.clone();
    changed.select(2, 3).select(2, 2).add_(1.0);
    const at::Tensor rows = (layer->rows(changed) - layer->rows(x)).abs().amax({0, 1}) > 0;
    QCOMPARE(rows.sum().item<int>(), 6);
    QVERIFY(rows[3].all().item<bool>());
    QVERIFY(((layer(changed) - layer(x)).abs().amax({0, 1}) > 0).all().item<bool>());
  }

  /// Relative positions alone make the weights depend on the place.
  void relativePositionsTellPlacesApart() {
    const at::Tensor x = at::randn({1, 4, 1, 1}).expand({1, 4, 4, 5}).contiguous();
    const AttentionOptions options{4, 8, 2, 4, 5};
    const auto spreadOf = [&](auto layer) {
      const at::Tensor weights = layer->weights(x);
      return (weights.amax(3) - weights.amin(3)).max().template item<double>();
    };
    QVERIFY(spreadOf(SelfAttention(options, true)) > 1e-3);
    QVERIFY(spreadOf(SelfAttention(options, false)) < 1e-6);
    QVERIFY(spreadOf(AxialAttention(options, true)) > 1e-3);
    QVERIFY(spreadOf(AxialAttention(options, false)) < 1e-6);
  }

  /// What Inspect shows of one query is a row of the weights of all.
  void termsOfAQueryAreARowOfTheWeights() {
    constexpr int kHeight = 4, kWidth = 5;
    const AttentionOptions options{6, 8, 2, kHeight, kWidth};
    const at::Tensor x = at::randn({2, 6, kHeight, kWidth}, at::kDouble);
    const auto verify = [&](auto layer) {
      layer->to(at::kDouble);
      for (const std::int64_t query : {0, 7, 19}) {
        const AttentionTerms terms = layer->terms(x, query);
        VERIFY_CLOSE(terms.weights, layer->weights(x).select(2, query), 1e-12, 1e-12);
        if (!terms.values.defined()) continue;
        VERIFY_CLOSE(
            at::einsum("bhm,bhmc->bhc", {terms.weights, terms.values}), terms.output, 1e-10, 1e-10);
      }
    };
    verify(SelfAttention(options, true));
    verify(SelfAttention(options, false));
    verify(AxialAttention(options, true));
    verify(LinearAttention(options, FeatureMap::softmax));
    verify(LinearAttention(options, FeatureMap::elu));
    verify(SelfAttention(options, true, true));
    verify(LinearAttention(options, FeatureMap::softmax, true));
    verify(LinearAttention(options, FeatureMap::elu, true));
    verify(NonLocal(6, 8, PairwiseFunction::embeddedGaussian));
    verify(NonLocal(6, 6, PairwiseFunction::dotProduct));
    for (const bool sumsWindows : {false, true}) {
      LocalAttention layer(options, 3);
      layer->sumsWindows = sumsWindows;
      verify(layer);
    }
  }

  /// A position without any input has queries and keys of 0, where elu has the slope 1.
  void eluFeaturesHaveTheSlopeOneAtZero() {
    LinearAttention layer(AttentionOptions{2, 2, 2, 2, 2}, FeatureMap::elu);
    layer->to(at::kDouble);
    const at::Tensor base = at::randn({1, 2, 2, 2}, at::kDouble);
    const auto outputAt = [&](double value) {
      const at::Tensor x = base.clone();
      x.select(2, 0).select(2, 0).fill_(value);
      return layer(x).sum();
    };
    at::Tensor x = base.clone();
    x.select(2, 0).select(2, 0).zero_();
    x.requires_grad_();
    const at::Tensor slope =
        torch::autograd::grad({layer(x).sum()}, {x}).front().select(2, 0).select(2, 0).sum();
    constexpr double kStep = 1e-6;
    VERIFY_CLOSE((outputAt(kStep) - outputAt(-kStep)) / (2 * kStep), slope, 1e-5, 1e-5);
  }

  /// Features far below 0, where elu(x) + 1 rounds to 0, still divide.
  void eluFeaturesStayPositive() {
    LinearAttention layer(AttentionOptions{2, 2, 2, 2, 2}, FeatureMap::elu);
    const at::NoGradGuard guard;
    for (const auto& projection : {layer->queries, layer->keys}) {
      projection->weight.fill_(-15);
    }
    const at::Tensor y = layer(at::ones({1, 2, 2, 2}));
    VERIFY_CLOSE(y, layer->values(at::ones({1, 2, 2, 2})), 1e-5, 1e-5);
  }

  void startsFromThePapersDistributions() {
    const AttentionOptions options{256, 256, 4, 16, 16};
    const auto deviation = [](const at::Tensor& weight) { return weight.std().item<double>(); };
    const SelfAttention self(options, true);
    for (const auto& projection : {self->queries, self->keys, self->values}) {
      QVERIFY(std::abs(deviation(projection->weight) * 16 - 1) < 0.05);
    }
    // N(0, h / d) with d / h = 64.
    QVERIFY(std::abs(deviation(self->rowTable) * 8 - 1) < 0.1);
    QVERIFY(std::abs(deviation(LocalAttention(options, 7)->columnTable) * 8 - 1) < 0.1);
    QVERIFY(std::abs(deviation(AxialAttention(options, true)->rows->table) * 8 - 1) < 0.1);
    // 2 over the outputs of a group: 128 / 4 channels and 9 taps.
    const LayerSubject grouped = convolutionCase("", {128, 4, 4}, 128, {3, 4}, 1).make();
    const double fanOut = 128.0 / 4 * 9;
    QVERIFY(std::abs(deviation(grouped.module->parameters()[0]) / std::sqrt(2 / fanOut) - 1) <
            0.05);
  }

  /// A batch of large maps whose pairs of positions would take 8.6 GB.
  void localAttentionOfLargeMapsHasNoMatrixOfPairs() {
    LocalAttention layer(AttentionOptions{4, 8, 2, 128, 128}, 3);
    QVERIFY(layer->sumsWindows);
    const at::Tensor y = layer(at::randn({4, 4, 128, 128}));
    y.sum().backward();
    QVERIFY(layer->rowTable.grad().isfinite().all().item<bool>());
  }

 private:
  static std::vector<LayerTestCase> causalCases() {
    const MapShape row{5, 1, 11}, map{5, 3, 4};
    return {selfAttentionCase("self-attention", row, 8, 2, true, true),
            selfAttentionCase("self-attention on a map", map, 8, 2, true, true),
            selfAttentionCase("self-attention, content only", row, 6, 3, false, true),
            linearAttentionCase("linear attention, softmax", row, 8, 2, FeatureMap::softmax, true),
            linearAttentionCase("linear attention, elu", row, 6, 3, FeatureMap::elu, true),
            linearAttentionCase("linear attention on a map", map, 8, 2, FeatureMap::elu, true)};
  }

  /// Cases that are large enough for LibTorch to divide their work among threads.
  static std::vector<LayerTestCase> largeCases() {
    const MapShape map{32, 16, 12};
    return {selfAttentionCase("self-attention", map, 64, 4, true),
            localAttentionCase("local attention, windows", map, 64, 4, 5, true),
            localAttentionCase("local attention, dense", map, 64, 4, 5, false),
            axialAttentionCase("axial attention", map, 64, 4, true),
            linearAttentionCase("linear attention, softmax", map, 64, 4, FeatureMap::softmax),
            linearAttentionCase("linear attention, elu", map, 64, 4, FeatureMap::elu),
            linearAttentionCase(
                "linear attention, causal", map, 64, 4, FeatureMap::softmax, /*causal=*/true),
            nonLocalCase("non-local", map, 32, PairwiseFunction::embeddedGaussian),
            channelAttentionCase("channel attention", map, 32, 4),
            spatialAttentionCase("spatial attention", map, 32, 7),
            convolutionCase("grouped convolution", map, 64, {3, 4}, 1)};
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestAttentionLayers)
#include "tst_attention_layers.moc"
