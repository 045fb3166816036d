#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/kernels/wkv/reference.h"
#include "engine/layers/convolution/depthwise_convolution.h"
#include "engine/layers/sequences/rwkv_time_mixing.h"
#include "engine/networks/growing_sequence.h"
#include "engine/networks/inspection/token_view.h"
#include "engine/runtime/error.h"
#include "engine/values/config/validate.h"
#include "tests/support/attention_cases.h"
#include "tests/support/lambda_cases.h"
#include "tests/support/mixer_variants.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/verify_close.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kLength = 13;
constexpr int kVocabulary = 11;
constexpr int kWidth = 12;

Network networkOf(const Mixer& mixer) {
  Block block{mixer};
  block.expansion = 2;
  Architecture architecture;
  architecture.input = {1, 1, kLength};
  architecture.task = Task::tokens;
  architecture.outputs = kVocabulary;
  architecture.family = Family::sequence;
  architecture.stem = {EmbeddingStem{}, kWidth};
  architecture.stages = {{kWidth, 1, {block, block}}};
  Network network(architecture);
  const at::NoGradGuard noGradients;
  for (at::Tensor& parameter : network->parameters()) parameter.normal_(0.1, 0.4);
  network->eval();
  return network;
}

std::vector<std::int64_t> drawnTokens(int count) {
  const at::Tensor drawn = at::randint(kVocabulary, {count}, at::kLong);
  const auto* first = drawn.const_data_ptr<std::int64_t>();
  return {first, first + count};
}

at::Tensor tensorOf(const Array& array) {
  return at::tensor(array.values).view(array.shape).to(at::kDouble);
}

using Numbers = std::vector<double>;

/// A matrix [rows, d] times x [1, d, 1, n], as [n, rows].
Numbers projected(const Numbers& matrix, const at::Tensor& x) {
  const Numbers values = numbersOf(x);
  const std::size_t n = x.size(3), d = x.size(1), rows = matrix.size() / d;
  Numbers y(n * rows);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < d; ++c) {
        y[i * rows + row] += matrix[row * d + c] * values[c * n + i];
      }
    }
  }
  return y;
}

/// What the tokens m <= t add to the output of a layer at t, by loops in float64 that share no code
/// with the engine.
struct ObviousTerms {
  ObviousTerms(std::int64_t heads, std::int64_t tokens, std::int64_t depth)
      : weights(at::zeros({heads, tokens}, at::kDouble)),
        vectors(at::zeros({heads, tokens, depth}, at::kDouble)) {}

  at::Tensor weights;            // [h, m]
  at::Tensor vectors;            // [h, m, c]
  at::Tensor content, position;  // [h, m]
};

ObviousTerms obviousTerms(const LambdaLayer& layer, const at::Tensor& x, int t) {
  const NaiveLambda naive = naiveOf(layer);
  const NaiveLambda::Operands parts = naive.operands(numbersOf(x), 1);
  const int k = naive.mixer.queryDepth, u = naive.mixer.intraDepth, h = naive.mixer.heads;
  const int lambdas = naive.lambdas(), v = naive.valueDepth();
  const Numbers keys = naive.mixer.content ? naive.normalizedKeys(parts, 0, t) : Numbers();
  ObviousTerms terms(h, t + 1, v);
  terms.content = at::zeros_like(terms.weights);
  terms.position = at::zeros_like(terms.weights);
  for (int head = 0; head < h; ++head) {
    const int run = naive.mixer.multiHead ? head : 0;
    for (int m = 0; m <= t; ++m) {
      for (int j = 0; j < u; ++j) {
        double content = 0, position = 0;
        for (int i = 0; i < k; ++i) {
          const double q = parts.queries[(t * h + head) * k + i];
          if (!keys.empty()) content += q * keys[((m * lambdas + run) * u + j) * k + i];
          if (!naive.table.empty()) position += q * naive.embedding(t, m, j, i, run);
        }
        terms.content[head][m] += content;
        terms.position[head][m] += position;
        for (int c = 0; c < v; ++c) {
          terms.vectors[head][m][c] +=
              (content + position) * parts.values[((m * lambdas + run) * u + j) * v + c];
        }
      }
    }
  }
  terms.weights = terms.content + terms.position;
  return terms;
}

ObviousTerms obviousTerms(const NaiveResult& result,
                          const NaiveProjections& projections,
                          const at::Tensor& x,
                          int t) {
  const Numbers values = projected(projections.values, x);
  const int h = projections.heads, d = projections.depth, c = d / h;
  ObviousTerms terms(h, t + 1, c);
  for (int head = 0; head < h; ++head) {
    for (int m = 0; m <= t; ++m) {
      const double weight = result.weights[(head * kLength + t) * kLength + m];
      terms.weights[head][m] = weight;
      for (int i = 0; i < c; ++i) {
        terms.vectors[head][m][i] = weight * values[m * d + head * c + i];
      }
    }
  }
  return terms;
}

ObviousTerms obviousTerms(RwkvTimeMixingImpl& layer, const at::Tensor& x, int t) {
  const auto projectedAs = [&](const torch::nn::Linear& matrix, const at::Tensor& share) {
    const at::Tensor mixed = x.to(at::kDouble).clone(), factor = share.to(at::kDouble);
    for (int i = 0; i < kLength; ++i) {
      for (int c = 0; c < kWidth; ++c) {
        const at::Tensor own = factor[c] * x[0][c][0][i];
        mixed[0][c][0][i] = i == 0 ? own : own + (1 - factor[c]) * x[0][c][0][i - 1];
      }
    }
    return projected(numbersOf(matrix->weight), mixed);
  };
  ReferenceWkv<double> wkv{{.batch = 1, .length = kLength, .channels = kWidth},
                           projectedAs(layer.key, layer.timeMixK),
                           Numbers(kLength * kWidth),
                           numbersOf(layer.timeDecay),
                           numbersOf(layer.timeFirst),
                           {}};
  const Numbers values = projectedAs(layer.value, layer.timeMixV);
  const Numbers receptance = projectedAs(layer.receptance, layer.timeMixR);
  const Numbers output = numbersOf(layer.output->weight);
  ObviousTerms terms(1, t + 1, kWidth);
  for (int m = 0; m <= t; ++m) {
    // The mean is linear in the values: with 1 at one token alone, it is the token's weight.
    std::fill(wkv.values.begin(), wkv.values.end(), 0);
    std::fill_n(wkv.values.begin() + m * kWidth, kWidth, 1);
    const Numbers weights = wkv.outputs();
    for (int c = 0; c < kWidth; ++c) {
      const double weight = weights[t * kWidth + c];
      terms.weights[0][m] += weight / kWidth;
      const double gate = 1 / (1 + std::exp(-receptance[t * kWidth + c]));
      for (int i = 0; i < kWidth; ++i) {
        terms.vectors[0][m][i] += output[i * kWidth + c] * gate * weight * values[m * kWidth + c];
      }
    }
  }
  return terms;
}

ObviousTerms obviousTerms(const DepthwiseConvolutionImpl& layer, const at::Tensor& x, int t) {
  const int taps = layer.options.kernelSize;
  ObviousTerms terms(1, t + 1, kWidth);
  for (int m = std::max(0, t - taps + 1); m <= t; ++m) {
    for (int c = 0; c < kWidth; ++c) {
      const double tap = layer.filters[c][0][0][taps - 1 - (t - m)].item<double>();
      terms.weights[0][m] += tap / kWidth;
      terms.vectors[0][m][c] = tap * x[0][c][0][m].item<double>();
    }
  }
  return terms;
}

ObviousTerms obviousTerms(const MixerUnit& unit, const at::Tensor& x, int t) {
  if (const auto layer = unit->layerAs<LambdaLayerImpl>()) {
    return obviousTerms(LambdaLayer(layer), x, t);
  }
  if (const auto layer = unit->layerAs<RwkvTimeMixingImpl>()) return obviousTerms(*layer, x, t);
  if (const auto layer = unit->layerAs<DepthwiseConvolutionImpl>()) {
    return obviousTerms(*layer, x, t);
  }
  if (const auto layer = unit->layerAs<SelfAttentionImpl>()) {
    const NaiveProjections projections = projectionsOf(*layer);
    return obviousTerms(naiveSelfAttention(naiveMapOf(x),
                                           projections,
                                           numbersOfTable(layer->rowTable),
                                           numbersOfTable(layer->columnTable),
                                           true),
                        projections,
                        x,
                        t);
  }
  const auto layer = unit->layerAs<LinearAttentionImpl>();
  const NaiveProjections projections = projectionsOf(*layer);
  const bool isSoftmax = layer->featureMap == FeatureMap::softmax;
  return obviousTerms(
      naiveLinearAttention(naiveMapOf(x), projections, isSoftmax, true), projections, x, t);
}

}  // namespace

/// Inspection of the causal layers on a sequence of tokens.
class TestTokenView : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(17); }

  void termsAreThoseOfObviousLoops_data() { addVariants(); }

  void termsAreThoseOfObviousLoops() {
    const at::NoGradGuard noGradients;
    Network network = currentNetwork();
    const MixerUnit unit = network->mixers().front().second;
    const at::Tensor x = at::randn({1, kWidth, 1, kLength});
    const auto arithmetic = TokenArithmetic::of(unit, x);
    for (const int t : {0, 1, 6, kLength - 1}) {
      const TokenTerms terms = arithmetic->at(t);
      const ObviousTerms obvious = obviousTerms(unit, x, t);
      VERIFY_CLOSE(terms.weights, obvious.weights, 2e-6, 2e-5);
      VERIFY_CLOSE(terms.vectors, obvious.vectors, 2e-6, 2e-5);
      if (terms.content.defined()) VERIFY_CLOSE(terms.content, obvious.content, 2e-6, 2e-5);
      if (terms.position.defined()) VERIFY_CLOSE(terms.position, obvious.position, 2e-6, 2e-5);
      if (terms.channelWeights.defined()) {
        VERIFY_CLOSE(terms.channelWeights.mean(0), obvious.weights[0], 2e-6, 2e-5);
      }
      const bool hasParts = unit->layerAs<LambdaLayerImpl>() != nullptr;
      QCOMPARE(terms.content.defined() || terms.position.defined(), hasParts);
    }
  }

  void contributionsSumToTheLayersOutput_data() { addVariants(); }

  void contributionsSumToTheLayersOutput() {
    Network network = currentNetwork();
    for (const char* layer : {"stage1.block1", "stage1.block2.mixer"}) {
      TokenView view(network, drawnTokens(kLength), layer);
      for (int t = 0; t < kLength; ++t) {
        const ContributionResidual residual = view.at(t).residual;
        QVERIFY2(residual.relative < 2e-6, qPrintable(QString::number(residual.relative)));
      }
    }
  }

  void theSumOfAnotherLayerIsNotTheOutput() {
    // The residual is measured: where a token is left out, it is large.
    const at::NoGradGuard noGradients;
    Network network = networkOf(RwkvMixer{});
    const at::Tensor x = at::randn({1, kWidth, 1, kLength});
    MixerUnit unit = network->mixers().front().second;
    const at::Tensor vectors = TokenArithmetic::of(unit, x)->at(5).vectors;
    const at::Tensor output = unit(x)[0].select(2, 5).flatten();
    VERIFY_CLOSE(vectors.sum(1).flatten(), output, 1e-5, 1e-5);
    QVERIFY(!differenceOf(vectors.narrow(1, 1, 5).sum(1).flatten(), output, 1e-5, 1e-5).empty());
  }

  void mapsHaveARowForEveryTokenAndNothingAfterIt_data() { addVariants(); }

  void mapsHaveARowForEveryTokenAndNothingAfterIt() {
    const at::NoGradGuard noGradients;
    Network network = currentNetwork();
    const std::vector<std::int64_t> tokens = drawnTokens(9);  // Fewer than the network takes.
    TokenView view(network, tokens, "");
    const TokenSnapshot snapshot = view.at(-1);
    QCOMPARE(snapshot.position, 8);
    QCOMPARE(snapshot.layer.name, std::string("stage1.block1.mixer"));
    QCOMPARE(view.at(3).maps.get(), snapshot.maps.get());
    const TokenMaps& maps = *snapshot.maps;
    for (const Array* map :
         {&maps.weights.content, &maps.weights.position, &maps.weights.total, &maps.effect}) {
      if (map->empty()) continue;
      const at::Tensor all = tensorOf(*map);
      QVERIFY(all.sizes() == at::IntArrayRef({snapshot.layer.heads, 9, 9}));
      QCOMPARE(all.triu(1).abs().sum().item<double>(), 0.0);
    }
    // Tokens after a position have no influence on its row.
    std::vector<std::int64_t> other = tokens;
    for (std::size_t i = 5; i < other.size(); ++i) other[i] = (other[i] + 1) % kVocabulary;
    const TokenSnapshot changed = TokenView(network, other, "").at(4);
    VERIFY_CLOSE(tensorOf(changed.maps->effect).narrow(1, 0, 5),
                 tensorOf(maps.effect).narrow(1, 0, 5),
                 1e-6,
                 1e-6);
    VERIFY_CLOSE(
        at::tensor(changed.probabilities), at::tensor(view.at(4).probabilities), 1e-6, 0.0);
  }

  void aShortTextIsSeenAsByTheNetworkThatReadsIt_data() { addVariants(); }

  void aShortTextIsSeenAsByTheNetworkThatReadsIt() {
    Network network = currentNetwork();
    const std::vector<std::int64_t> tokens = drawnTokens(7);
    TokenView view(network, tokens, "stage1.block2");
    GrowingSequence sequence(network);
    for (int t = 0; t < 7; ++t) {
      const at::Tensor logits = sequence.append(std::span(tokens).subspan(t, 1));
      VERIFY_CLOSE(at::tensor(view.at(t).probabilities), logits.softmax(0), 1e-5, 1e-5);
    }
  }

  void whatIsKeptIsThatOfTheTokensSoFar_data() { addVariants(); }

  void whatIsKeptIsThatOfTheTokensSoFar() {
    const at::NoGradGuard noGradients;
    Network network = currentNetwork();
    const MixerUnit unit = network->mixers().front().second;
    const at::Tensor x = at::randn({1, kWidth, 1, kLength});
    at::Tensor later = x.clone();
    later.narrow(3, 6, kLength - 6).normal_();
    const std::vector<KeptPart> kept = TokenArithmetic::of(unit, x)->keptAfter(5);
    QCOMPARE(TokenArithmetic::of(unit, later)->keptAfter(5).size(), kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const KeptPart again = TokenArithmetic::of(unit, later)->keptAfter(5)[i];
      QCOMPARE(again.name, kept[i].name);
      VERIFY_CLOSE(tensorOf(again.values), tensorOf(kept[i].values), 1e-6, 1e-6);
      QVERIFY(!kept[i].meaning.empty());
    }
    if (const auto layer = unit->layerAs<LambdaLayerImpl>()) {
      // Queries make the output of what is kept.
      const NaiveLambda naive = naiveOf(LambdaLayer(layer));
      const NaiveLambda::Operands parts = naive.operands(numbersOf(x), 1);
      const Numbers content = naive.contentLambda(parts, 0, 5);
      const Numbers position = naive.positionLambda(parts, 0, 5);
      const at::Tensor sum = at::tensor(content, at::kDouble) + at::tensor(position, at::kDouble);
      VERIFY_CLOSE(tensorOf(kept.back().values).flatten(), sum, 1e-5, 1e-5);
    }
  }

  void channelsOfRwkvAreSortedByTheirHalfLife() {
    const at::NoGradGuard noGradients;
    Network network = networkOf(RwkvMixer{});
    TokenView view(network, drawnTokens(4), "");
    const std::vector<ChannelDecay> decays = view.at(0).decays;
    QCOMPARE(decays.size(), std::size_t{kWidth});
    const auto layer = network->mixers().front().second->layerAs<RwkvTimeMixingImpl>();
    for (std::size_t i = 0; i < decays.size(); ++i) {
      const double rate = std::exp(layer->timeDecay[decays[i].channel].item<double>());
      QVERIFY(std::abs(decays[i].rate - rate) < 1e-12 * rate);
      QVERIFY(std::abs(std::exp(-rate * decays[i].halfLife) - 0.5) < 1e-12);
      QCOMPARE(decays[i].bonus, layer->timeFirst[decays[i].channel].item<double>());
      if (i > 0) QVERIFY(decays[i].halfLife <= decays[i - 1].halfLife);
    }
    Network other = networkOf(SelfAttentionMixer{.heads = 2, .causal = true});
    QVERIFY(TokenView(other, drawnTokens(4), "").at(0).decays.empty());
  }

  void allLayersOfANetworkOfTokensAreListed() {
    for (const auto& [name, architecture] : sequenceArchitectures()) {
      Network network(architecture);
      const std::vector<InspectableLayer> layers = tokenLayers(architecture);
      QCOMPARE(layers.size(), network->mixers().size());
      for (std::size_t i = 0; i < layers.size(); ++i) {
        QCOMPARE(layers[i].name, network->mixers()[i].first);
        QCOMPARE(layers[i].width, architecture.input.width);
        QVERIFY(TokenView(network, {1, 2, 3}, layers[i].name).at(2).residual.relative < 1e-5);
      }
    }
  }

  void theNetworkIsLeftAsItWas() {
    Network network = networkOf(RwkvMixer{});
    network->train();
    TokenView view(network, drawnTokens(5), "");
    view.at(2);
    QVERIFY(network->is_training() && network->mixers().front().second->is_training());
    QVERIFY(at::GradMode::is_enabled());
    for (const at::Tensor& parameter : network->parameters()) QVERIFY(!parameter.grad().defined());
  }

  void requestsThatCannotBeAnsweredSayWhy_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<QString>("layer");
    QTest::addColumn<int>("position");
    QTest::addColumn<QString>("reason");
    QTest::newRow("no token") << 0 << "" << -1 << "it has 0 tokens";
    QTest::newRow("one token") << 1 << "" << -1 << "it has 1 token, too few";
    QTest::newRow("too many") << kLength + 1 << "" << -1 << "the network takes 13 at once";
    QTest::newRow("layer") << 5 << "stage9.block1" << -1 << "layers: stage1.block1.mixer, stage1";
    QTest::newRow("position") << 5 << "" << 5 << "positions go from 0 to 4";
    QTest::newRow("negative position") << 5 << "" << -2 << "positions go from 0 to 4";
  }

  void requestsThatCannotBeAnsweredSayWhy() {
    QFETCH(int, count);
    QFETCH(QString, layer);
    QFETCH(int, position);
    QFETCH(QString, reason);
    Network network = networkOf(RwkvMixer{});
    const QString said =
        errorOf([&] { TokenView(network, drawnTokens(count), layer.toStdString()).at(position); });
    QVERIFY2(said.contains(reason), qPrintable(said));
  }

  void tokensBeyondTheVocabularyAreRefused() {
    Network network = networkOf(RwkvMixer{});
    for (const std::int64_t wrong : {-1, kVocabulary}) {
      const QString said = errorOf([&] { TokenView(network, {0, wrong, 1}, ""); });
      QVERIFY2(said.contains(u"the network knows those below 11"_s), qPrintable(said));
    }
  }

  void aNetworkOfImagesIsRefused() {
    Network network(oddArchitectures().front().second);
    const QString said = errorOf([&] { TokenView(network, {0, 1}, ""); });
    QVERIFY2(said.contains(u"takes images"_s), qPrintable(said));
  }

  void valuesThatAreNotFiniteAreRefused() {
    const at::NoGradGuard noGradients;
    Network network = networkOf(RwkvMixer{});
    network->mixers().front().second->layerAs<RwkvTimeMixingImpl>()->output->weight.fill_(NAN);
    const QString said = errorOf([&] { TokenView(network, {0, 1}, ""); });
    QVERIFY2(said.contains(u"not finite"_s), qPrintable(said));
  }

 private:
  static void addVariants() {
    QTest::addColumn<int>("index");
    const auto variants = causalMixerVariants();
    for (std::size_t i = 0; i < variants.size(); ++i) {
      QTest::newRow(variants[i].first.c_str()) << static_cast<int>(i);
    }
  }

  static Network currentNetwork() {
    QFETCH(int, index);
    return networkOf(causalMixerVariants()[static_cast<std::size_t>(index)].second);
  }

  template <class Call>
  static QString errorOf(const Call& call) {
    try {
      call();
    } catch (const Error& error) {
      return QString::fromStdString(error.what());
    }
    return {};
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestTokenView)
#include "tst_token_view.moc"
