#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/layers/lambda/causal_lambda.h"
#include "engine/layers/lambda/key_normalization.h"
#include "engine/networks/network.h"
#include "tests/support/lambda_cases.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

/// A layer in eval mode whose norms have changed statistics and scales.
LambdaLayer layerFor(const LambdaLayerOptions& options, at::ScalarType type = at::kDouble) {
  LambdaLayer layer(options);
  randomizeNorms(*layer);
  layer->to(type);
  layer->eval();
  return layer;
}

at::Tensor inputFor(const LambdaLayerOptions& options, at::ScalarType type = at::kDouble) {
  return at::randn({2, options.inputDepth, options.mapHeight, options.mapWidth}, type);
}

/// Copies all parameters and buffers that both have and whose shapes are the same.
void copyWeights(LambdaLayer& target, const LambdaLayer& source) {
  const at::NoGradGuard guard;
  const auto copy = [](auto targets, const auto& sources) {
    for (const auto& item : sources) {
      at::Tensor* found = targets.find(item.key());
      if (found != nullptr && found->sizes() == item.value().sizes()) found->copy_(item.value());
    }
  };
  copy(target->named_parameters(), source->named_parameters());
  copy(target->named_buffers(), source->named_buffers());
}

LambdaMixer causalMixer(KeyNormalization normalization = KeyNormalization::softmax) {
  LambdaMixer mixer = lambdaMixer(3, 2, 2);
  mixer.mask = ContextMask::causal;
  mixer.keyNormalization = normalization;
  return mixer;
}

/// What the TU Delft reproduction's layer learns and its two norms, as its report names them
/// (section 9.1).
struct DelftLayer {
  at::Tensor toQueries;  // [k h, d]
  at::Tensor toKeys;     // [k, d]
  at::Tensor toValues;   // [v, d]
  at::Tensor E;          // [n, m, k]
  at::Tensor valueScale, valueShift, queryScale, queryShift;
  std::int64_t k = 0, h = 0;

  /// Their forward pass, operation by operation; the norms in training mode, which they never left.
  at::Tensor forward(const at::Tensor& input) const {
    const std::int64_t b = input.size(0), d = input.size(1), n1 = input.size(2), n2 = input.size(3);
    const std::int64_t n = n1 * n2;
    const at::Tensor x = at::reshape(input, {b, n, d});
    const at::Tensor keys = at::softmax(at::linear(x, toKeys), 1);
    const at::Tensor values = norm(at::linear(x, toValues), valueScale, valueShift);
    at::Tensor queries = at::reshape(at::linear(x, toQueries), {b, n, k, h});
    queries = norm(at::transpose(queries, 1, 2), queryScale, queryShift);
    const at::Tensor content = at::einsum("bmk,bmv->bkv", {keys, values});
    const at::Tensor positions = at::einsum("nmk,bmv->bnkv", {E, values});
    const at::Tensor y = at::einsum("bknh,bkv->bhvn", {queries, content}) +
                         at::einsum("bknh,bnkv->bhvn", {queries, positions});
    return at::reshape(at::reshape(y, {b, -1, n}), {b, -1, n1, n2});
  }

 private:
  static at::Tensor norm(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift) {
    return at::batch_norm(x, scale, shift, {}, {}, /*training=*/true, 0.1, 1e-5, false);
  }
};

}  // namespace

class TestLambdaOptions : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(3); }

  // A mask must hide the keys' normalisation too, whatever the size of what it hides.
  void causalOutputsDoNotDependOnLaterPixels_data() {
    QTest::addColumn<KeyNormalization>("normalization");
    QTest::addColumn<PositionEmbedding>("embedding");
    for (const KeyNormalization normalization :
         {KeyNormalization::softmax, KeyNormalization::l2, KeyNormalization::none}) {
      for (const PositionEmbedding embedding :
           {PositionEmbedding::relative, PositionEmbedding::absolute, PositionEmbedding::none}) {
        const QByteArray name =
            QByteArray(nameOf(normalization).data()) + ", " + QByteArray(nameOf(embedding).data());
        QTest::newRow(name) << normalization << embedding;
      }
    }
  }

  void causalOutputsDoNotDependOnLaterPixels() {
    QFETCH(KeyNormalization, normalization);
    QFETCH(PositionEmbedding, embedding);
    LambdaMixer mixer = causalMixer(normalization);
    mixer.embedding = embedding;
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      LambdaLayer layer = layerFor({mixer, 4, 6, 3, 4}, type);
      const at::Tensor x = inputFor(layer->options, type);
      const at::Tensor y = layer(x).flatten(2);
      for (const double size : {1.0, 1e4}) {
        for (std::int64_t m = 0; m < 12; ++m) {
          at::Tensor changed = x.clone();
          changed.select(2, m / 4).select(2, m % 4).mul_(-size).add_(size);
          const at::Tensor moved = layer(changed).flatten(2);
          QVERIFY(moved.slice(2, 0, m).equal(y.slice(2, 0, m)));
          QVERIFY(!moved.slice(2, m).equal(y.slice(2, m)));
        }
      }
    }
  }

  void theRunningSumEqualsMaskedKeys_data() {
    QTest::addColumn<KeyNormalization>("normalization");
    QTest::addColumn<PositionEmbedding>("embedding");
    QTest::addColumn<bool>("multiHead");
    QTest::addColumn<int>("height");
    for (const KeyNormalization normalization :
         {KeyNormalization::softmax, KeyNormalization::l2, KeyNormalization::none}) {
      for (const PositionEmbedding embedding :
           {PositionEmbedding::relative, PositionEmbedding::none}) {
        for (const bool multiHead : {false, true}) {
          for (const int height : {1, 3}) {
            QTest::addRow("%s, %s, %s, height %d",
                          nameOf(normalization).data(),
                          nameOf(embedding).data(),
                          multiHead ? "multi-head" : "multi-query",
                          height)
                << normalization << embedding << multiHead << height;
          }
        }
      }
    }
  }

  void theRunningSumEqualsMaskedKeys() {
    QFETCH(KeyNormalization, normalization);
    QFETCH(PositionEmbedding, embedding);
    QFETCH(bool, multiHead);
    QFETCH(int, height);
    LambdaMixer mixer = causalMixer(normalization);
    mixer.embedding = embedding;
    mixer.multiHead = multiHead;
    const LambdaLayerOptions options{mixer, 5, 8, height, 12 / height};
    LambdaLayer layer = layerFor(options, at::kFloat);
    LambdaLayer exact(options);
    exact->to(at::kDouble);
    exact->eval();
    copyWeights(exact, layer);
    const at::Tensor x = inputFor(options, at::kFloat);
    VERIFY_CLOSE(layer(x), naiveOf(exact).forward(numbersOf(x), 2), 1e-4, 1e-4);
    // The layer in float64 uses LibTorch's form.
    const at::Tensor dy = at::randn_like(layer(x));
    const auto gradientsOf = [&](LambdaLayer& of, at::ScalarType type) {
      std::vector<at::Tensor> leaves = of->parameters();
      leaves.push_back(x.to(type).detach().clone().requires_grad_());
      return torch::autograd::grad({of(leaves.back())}, leaves, {dy.to(type)});
    };
    const auto found = gradientsOf(layer, at::kFloat), expected = gradientsOf(exact, at::kDouble);
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double distance = (found[i].to(at::kDouble) - expected[i]).norm().item<double>();
      QVERIFY(distance < 1e-4 * expected[i].norm().item<double>());
    }
  }

  void theRunningSumHasNoSecondDerivatives() {
    const LambdaOperands parts{at::randn({1, 3, 2, 4}).requires_grad_(),
                               at::randn({1, 3, 4}).requires_grad_(),
                               at::randn({1, 3, 5}).requires_grad_()};
    const at::Tensor y = applyCausalLambda(parts, KeyNormalization::softmax);
    try {
      torch::autograd::grad({y.sum()}, {parts.keys}, {}, /*retain_graph=*/true, true);
      QFAIL("The backward pass gave a gradient without its own gradients.");
    } catch (const c10::Error& error) {
      const std::string text = error.what_without_backtrace();
      QVERIFY2(text.find("causal lambda") != std::string::npos, text.c_str());
    }
  }

  void keysOfAnySizeAreNormalised_data() {
    QTest::addColumn<KeyNormalization>("normalization");
    QTest::addColumn<double>("size");
    for (const double size : {1e-30, 1e-3, 100.0, 1e4, 1e30}) {
      QTest::addRow("softmax, %g", size) << KeyNormalization::softmax << size;
      QTest::addRow("L2, %g", size) << KeyNormalization::l2 << size;
    }
  }

  void keysOfAnySizeAreNormalised() {
    QFETCH(KeyNormalization, normalization);
    QFETCH(double, size);
    const at::Tensor seen = at::tensor({1, 0, 0, 1, 1, 0, 0, 0, 0}).view({3, 3}).to(at::kBool);
    const at::Tensor keys = (at::randn({1, 3, 2}) * size).requires_grad_();
    const at::Tensor found = normalizeKeys(keys, normalization, seen);
    QVERIFY(found.sizes() == at::IntArrayRef({1, 3, 3, 2}));
    const at::Tensor exact = keys.detach().to(at::kDouble)[0];
    const auto normalized = [&](const at::Tensor& context) {
      if (normalization == KeyNormalization::l2) return context / context.norm(2, {0}, true);
      return context.softmax(0);
    };
    at::Tensor expected = at::zeros({3, 3, 2}, at::kDouble);
    expected[0].slice(0, 0, 1).copy_(normalized(exact.slice(0, 0, 1)));
    expected[1].slice(0, 0, 2).copy_(normalized(exact.slice(0, 0, 2)));
    VERIFY_CLOSE(found[0], expected, 1e-6, 1e-6);
    (found * at::randn({3, 3, 2})).sum().backward();
    QVERIFY(keys.grad().isfinite().all().item<bool>());
  }

  void keysOfZeroStayZero() {
    const at::Tensor keys = at::zeros({1, 4, 2}).requires_grad_();
    const at::Tensor found = normalizeKeys(keys, KeyNormalization::l2, {});
    QVERIFY(found.equal(at::zeros({1, 4, 2})));
    found.sum().backward();
    QVERIFY(keys.grad().isfinite().all().item<bool>());
  }

  void aQueryWithoutContextGivesZero_data() {
    QTest::addColumn<KeyNormalization>("normalization");
    QTest::newRow("softmax") << KeyNormalization::softmax;
    QTest::newRow("L2") << KeyNormalization::l2;
    QTest::newRow("none") << KeyNormalization::none;
  }

  void aQueryWithoutContextGivesZero() {
    QFETCH(KeyNormalization, normalization);
    LambdaMixer mixer = lambdaMixer(3, 2);
    mixer.keyNormalization = normalization;
    mixer.mask = ContextMask::custom;
    mixer.maskRows = "1100 0000 1111 0000";
    LambdaLayer layer = layerFor({mixer, 4, 6, 2, 2}, at::kFloat);
    const at::Tensor x = inputFor(layer->options, at::kFloat).requires_grad_();
    const at::Tensor y = layer(x).flatten(2);
    for (const std::int64_t n : {1, 3}) QVERIFY((y.select(2, n) == 0).all().item<bool>());
    for (const std::int64_t n : {0, 2}) QVERIFY((y.select(2, n) != 0).any().item<bool>());
    y.square().sum().backward();
    QVERIFY(x.grad().isfinite().all().item<bool>());
    for (const at::Tensor& parameter : layer->parameters()) {
      QVERIFY(parameter.grad().isfinite().all().item<bool>());
    }
  }

  void aMaskThatSeesAllChangesNothing() {
    for (const std::string rows : {"111111", "111111 111111 111111 111111 111111 111111"}) {
      LambdaMixer mixer = lambdaMixer(3, 2, 2, 3);
      LambdaLayer open = layerFor({mixer, 4, 6, 2, 3});
      mixer.mask = ContextMask::custom;
      mixer.maskRows = rows;
      LambdaLayer masked(LambdaLayerOptions{mixer, 4, 6, 2, 3});
      masked->to(at::kDouble);
      masked->eval();
      copyWeights(masked, open);
      const at::Tensor x = inputFor(open->options);
      VERIFY_CLOSE(masked(x), open(x), 1e-12, 1e-12);
    }
  }

  void aMaskForAnotherMapIsRefused() {
    LambdaMixer mixer = lambdaMixer(3, 2, 1, 3);
    mixer.mask = ContextMask::custom;
    mixer.maskRows = "111111";
    LambdaLayer layer(LambdaLayerOptions{mixer, 4, 6, 2, 3});
    try {
      layer(at::zeros({1, 4, 3, 3}));
      QFAIL("The layer accepted a map of another size.");
    } catch (const c10::Error& error) {
      const std::string text = error.what_without_backtrace();
      QVERIFY2(text.find("row 1 of the mask has 6 characters; it needs 9") != std::string::npos,
               text.c_str());
    }
  }

  // Both forms of a local scope are the dense layer without the embeddings outside the window.
  void aLocalScopeIsTheMaskedDenseLayer() {
    for (const int scope : {1, 3, 5}) {
      LambdaMixer mixer = lambdaMixer(2, 4, 2, scope);
      const LambdaLayerOptions options{mixer, 5, 8, 6, 5};
      LambdaLayer local = layerFor(options);
      LambdaLayerOptions dense = options;
      dense.mixer.scope = 0;
      LambdaLayer global(dense);
      global->to(at::kDouble);
      global->eval();
      copyWeights(global, local);
      {
        const at::NoGradGuard guard;
        const at::Tensor& table = local->embedding->table;
        const std::int64_t reach = scope / 2, rows = 2 * 6 - 1, columns = 2 * 5 - 1;
        at::Tensor offsets = global->embedding->table.view({rows, columns, 2, 2});
        offsets.zero_();
        offsets.slice(0, 5 - reach, 6 + reach)
            .slice(1, 4 - reach, 5 + reach)
            .copy_(table.view({scope, scope, 2, 2}));
      }
      const at::Tensor x = inputFor(options);
      const at::Tensor expected = global(x);
      VERIFY_CLOSE(local(x), expected, 1e-11, 1e-11);
      const LambdaOperands parts = local->operands(x).front();
      const at::Tensor attention =
          applyPositionLambdas(parts, local->embedding->expand(6, 5)) + applyContentLambda(parts);
      const at::Tensor convolution =
          applyLambdaConvolution(parts, local->embedding->table, 6, 5) + applyContentLambda(parts);
      const auto mapOf = [](const at::Tensor& y) {
        return y.reshape({2, 6, 5, 8}).permute({0, 3, 1, 2});
      };
      VERIFY_CLOSE(mapOf(attention), expected, 1e-11, 1e-11);
      VERIFY_CLOSE(mapOf(convolution), expected, 1e-11, 1e-11);
      local->to(at::kFloat);  // The fused kernels.
      VERIFY_CLOSE(local(x.to(at::kFloat)), expected, 1e-3, 1e-4);
    }
  }

  void tiedHeadsAreAMultiQueryLayer_data() {
    QTest::addColumn<bool>("isMasked");
    QTest::newRow("all") << false;
    QTest::newRow("causal") << true;
  }

  void tiedHeadsAreAMultiQueryLayer() {
    QFETCH(bool, isMasked);
    LambdaMixer mixer = lambdaMixer(3, 4, 2);
    if (isMasked) mixer.mask = ContextMask::causal;
    const LambdaLayerOptions options{mixer, 5, 8, 3, 4};
    LambdaLayer query = layerFor(options);
    LambdaLayerOptions tied = options;
    tied.mixer.multiHead = true;
    LambdaLayer heads(tied);
    heads->to(at::kDouble);
    heads->eval();
    copyWeights(heads, query);
    const at::NoGradGuard guard;
    const auto tie = [](const at::Tensor& own, const at::Tensor& shared) {
      std::vector<std::int64_t> times(static_cast<std::size_t>(shared.dim()), 1);
      times[shared.dim() == 3 ? 1 : 0] = 4;
      own.copy_(shared.repeat(times));
    };
    tie(heads->keys->weight, query->keys->weight);
    tie(heads->values->weight, query->values->weight);
    tie(heads->embedding->table, query->embedding->table);
    const auto buffers = query->valueNorm->named_buffers();
    for (const auto& item : heads->valueNorm->named_buffers()) {
      if (item.value().dim() == 1) tie(item.value(), buffers[item.key()]);
    }
    for (const auto& item : heads->valueNorm->named_parameters()) {
      tie(item.value(), query->valueNorm->named_parameters()[item.key()]);
    }
    const at::Tensor x = inputFor(options);
    VERIFY_CLOSE(heads(x), query(x), 1e-12, 1e-12);
  }

  void isTheLayerThatDelftPublished_data() {
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("depth");
    QTest::newRow("a token is a channel") << 4 << 4 << 16;
    QTest::newRow("a token is two channels") << 2 << 4 << 16;
    QTest::newRow("a token is part of a channel") << 4 << 6 << 8;
    QTest::newRow("one pixel") << 1 << 1 << 8;
  }

  void isTheLayerThatDelftPublished() {
    QFETCH(int, height);
    QFETCH(int, width);
    QFETCH(int, depth);
    const int k = 3, h = 4, n = height * width;
    LambdaMixer mixer = lambdaMixer(k, h, 1, 0, PositionEmbedding::absolute);
    mixer.tokenOrder = TokenOrder::channelRuns;
    mixer.normAxes = NormAxes::positions;
    LambdaLayer layer(LambdaLayerOptions{mixer, depth, depth, height, width});
    randomizeNorms(*layer);
    layer->to(at::kDouble);
    const at::NoGradGuard guard;
    const auto matrixOf = [](const torch::nn::Conv2d& conv) { return conv->weight.flatten(1); };
    // Ours are ordered by head, then depth.
    const at::Tensor queries = matrixOf(layer->queries).view({h, k, depth}).transpose(0, 1);
    const DelftLayer delft{queries.reshape({k * h, depth}),
                           matrixOf(layer->keys),
                           matrixOf(layer->values),
                           layer->embedding->table.view({n, n, k}),
                           layer->valueNorm->weight,
                           layer->valueNorm->bias,
                           layer->queryNorm->weight,
                           layer->queryNorm->bias,
                           k,
                           h};
    const at::Tensor x = at::randn({3, depth, height, width}, at::kDouble);
    VERIFY_CLOSE(layer(x), delft.forward(x), 1e-11, 1e-11);
    VERIFY_CLOSE(layer(x.contiguous(at::MemoryFormat::ChannelsLast)), layer(x), 1e-12, 1e-12);
    // Evaluated with the statistics of the batch, as a network with NormStatistics::batch does.
    const at::Tensor trained = layer(x);
    layer->queryNorm->options.track_running_stats(false);
    layer->valueNorm->options.track_running_stats(false);
    layer->eval();
    VERIFY_CLOSE(layer(x), trained, 1e-12, 1e-12);
  }

  void headsShareATableOfTheirOwnEmbeddings() {
    Architecture architecture;
    architecture.input = {3, 4, 4};
    architecture.family = Family::plain;
    LambdaMixer mixer = lambdaMixer(3, 2, 2);
    mixer.multiHead = true;
    mixer.sharedEmbeddings = "both";
    architecture.stages = {{6, 1, {Block{mixer}, Block{mixer}}}};
    const Network network(architecture);
    int tables = 0;
    for (const auto& parameter : network->named_parameters()) {
      if (parameter.key().find("table") == std::string::npos) continue;
      QCOMPARE(parameter.key(), std::string("embeddings-both.table"));
      QVERIFY(parameter.value().sizes() == at::IntArrayRef({7 * 7, 2 * 2, 3}));
      ++tables;
    }
    QCOMPARE(tables, 1);
  }

  void everyCaseSurvivesJson() {
    for (const LambdaCase& one : lambdaCases()) {
      RunConfig config;
      config.architecture.stages = {{8, 1, {Block{one.options.mixer}}}};
      std::vector<Problem> warnings;
      const RunConfig read = runConfigFromJson(toJson(config), one.name, warnings);
      QVERIFY2(read.architecture.stages == config.architecture.stages, one.name.c_str());
      QVERIFY(warnings.empty());
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaOptions)
#include "tst_lambda_options.moc"
