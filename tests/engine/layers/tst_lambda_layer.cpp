#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include <QtTest/QtTest>

#include "engine/layers/layer_path.h"
#include "tests/support/gradient_check.h"
#include "tests/support/lambda_case_rows.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

constexpr std::int64_t kBatch = 2;
constexpr double kFloatEpsilon = 1.1920929e-7;

at::Tensor inputFor(const LambdaLayerOptions& options, at::ScalarType type) {
  return at::randn({kBatch, options.inputDepth, options.mapHeight, options.mapWidth}, type);
}

/// A layer whose norms have changed statistics and scales.
LambdaLayer layerFor(const LambdaLayerOptions& options, at::ScalarType type, bool training) {
  LambdaLayer layer(options);
  randomizeNorms(*layer);
  layer->to(type);
  layer->train(training);
  return layer;
}

LambdaPlace placeOf(const LambdaLayerOptions& options) {
  return {.mixer = options.mixer,
          .images = 1,
          .inputDepth = options.inputDepth,
          .outputDepth = options.outputDepth,
          .map = {1, options.mapHeight, options.mapWidth}};
}

bool convolves(const LambdaLayerOptions& options) {
  return plainCore(placeOf(options)) == LayerKernel::lambdaConvolution;
}

/// An 11x12 map that is zero except for the middle 3x4 pixels.
at::Tensor inputWithSupportInTheMiddle() {
  at::Tensor x = at::zeros({1, 4, 11, 12}, at::kDouble);
  x.slice(2, 4, 7).slice(3, 4, 8).copy_(at::randn({1, 4, 3, 4}, at::kDouble));
  return x;
}

std::string textOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return {};
}

}  // namespace

class TestLambdaLayer : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(1); }

  void casesTakeBothPathsOfALocalScope() {
    int convolved = 0, dense = 0;
    for (const LambdaCase& one : lambdaCases()) {
      if (one.options.mixer.scope == 0) continue;
      const bool expected = one.name.find("dense") == std::string::npos;
      if (one.name.find("local") == 0) QCOMPARE(convolves(one.options), expected);
      (convolves(one.options) ? convolved : dense)++;
    }
    QVERIFY(convolved >= 2 && dense >= 2);
  }

  void equalsNaiveLoops_data() { addCases(); }

  void equalsNaiveLoops() {
    const LambdaLayerOptions options = currentOptions();
    for (const bool training : {true, false}) {
      for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        LambdaLayer layer = layerFor(options, type, training);
        const at::Tensor x = inputFor(options, type);
        const std::vector<double> expected = naiveOf(layer).forward(numbersOf(x), kBatch);
        const double epsilon = type == at::kDouble ? 2.3e-16 : kFloatEpsilon;
        VERIFY_CLOSE(layer(x), expected, 2000 * epsilon, 500 * epsilon);
      }
    }
  }

  void gradientMatchesCentralDifference_data() { addCases(); }

  void gradientMatchesCentralDifference() {
    const LambdaLayerOptions options = currentOptions();
    for (const bool training : {true, false}) {
      LambdaLayer layer = layerFor(options, at::kDouble, training);
      const at::Tensor x = inputFor(options, at::kDouble).requires_grad_();
      const at::Tensor weights = at::randn_like(layer(x));
      NamedLeaves leaves{{"x", x}};
      for (const auto& parameter : layer->named_parameters()) {
        leaves.emplace_back(parameter.key(), parameter.value());
      }
      const std::string mismatch =
          gradientMismatch([&] { return (layer(x) * weights).sum(); }, leaves);
      QVERIFY2(mismatch.empty(), mismatch.c_str());
    }
  }

  void channelsLastInputGivesTheSame_data() { addCases(); }

  void channelsLastInputGivesTheSame() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer layer = layerFor(options, at::kDouble, false);
    const at::Tensor x = inputFor(options, at::kDouble);
    VERIFY_CLOSE(layer(x.contiguous(at::MemoryFormat::ChannelsLast)), layer(x), 1e-12, 1e-12);
  }

  void permutingTheBatchPermutesTheOutput_data() { addCases(); }

  void permutingTheBatchPermutesTheOutput() {
    const LambdaLayerOptions options = currentOptions();
    for (const bool training : {true, false}) {
      LambdaLayer layer = layerFor(options, at::kDouble, training);
      const at::Tensor x = inputFor(options, at::kDouble);
      VERIFY_CLOSE(layer(x.flip(0)), layer(x).flip(0), 1e-11, 1e-11);
    }
  }

  void bfloat16AutocastIsCloseToFloat32_data() { addCases(); }

  void bfloat16AutocastIsCloseToFloat32() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer layer = layerFor(options, at::kFloat, false);
    const at::Tensor x = inputFor(options, at::kFloat);
    const at::Tensor expected = layer(x);
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const at::Tensor actual = layer(x);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    QVERIFY(actual.scalar_type() == at::kBFloat16);
    // The tolerance covers rounding to 8 bits in five products, relative to the largest output.
    VERIFY_CLOSE(actual, expected, 0.05 * expected.abs().max().item<double>(), 0.0);
  }

  void loadedWeightsGiveTheSameBits_data() { addCases(); }

  void loadedWeightsGiveTheSameBits() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer saved = layerFor(options, at::kFloat, false);
    LambdaLayer loaded = layerFor(options, at::kFloat, false);
    const at::NoGradGuard guard;
    for (const auto& item : saved->named_parameters()) {
      loaded->named_parameters()[item.key()].copy_(item.value());
    }
    for (const auto& item : saved->named_buffers()) {
      loaded->named_buffers()[item.key()].copy_(item.value());
    }
    const at::Tensor x = inputFor(options, at::kFloat);
    QVERIFY(loaded(x).equal(saved(x)));
  }

  void attentionOrderEqualsMaterializedLambdas_data() { addCases(); }

  void attentionOrderEqualsMaterializedLambdas() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer layer = layerFor(options, at::kDouble, false);
    const std::vector<LambdaOperands> heads = layer->operands(inputFor(options, at::kDouble));
    QCOMPARE(std::ssize(heads), options.mixer.multiHead ? options.mixer.heads : 1);
    for (std::int64_t head = 0; head < std::ssize(heads); ++head) {
      const LambdaOperands& parts = heads[static_cast<std::size_t>(head)];
      if (!layer->embedding.is_empty()) {
        const at::Tensor e = layer->embedding->expand(options.mapHeight, options.mapWidth, head);
        const at::Tensor lambdas = at::einsum("nmk,bmv->bnkv", {e, parts.values});
        VERIFY_CLOSE(applyPositionLambdas(parts, e),
                     at::einsum("bnhk,bnkv->bnhv", {parts.queries, lambdas}),
                     1e-11,
                     1e-11);
        if (options.mixer.scope > 0) {
          VERIFY_CLOSE(
              applyLambdaConvolution(
                  parts, layer->embedding->tableOf(head), options.mapHeight, options.mapWidth),
              applyPositionLambdas(parts, e),
              1e-11,
              1e-11);
        }
      }
      if (!parts.keys.defined()) continue;
      const bool isMasked = options.mixer.mask != ContextMask::none;
      const at::Tensor lambdas =
          at::einsum(isMasked ? "bnmk,bmv->bnkv" : "bmk,bmv->bkv", {parts.keys, parts.values});
      VERIFY_CLOSE(
          isMasked ? applyMaskedContentLambdas(parts) : applyContentLambda(parts),
          at::einsum(isMasked ? "bnhk,bnkv->bnhv" : "bnhk,bkv->bnhv", {parts.queries, lambdas}),
          1e-11,
          1e-11);
    }
  }

  void embeddingsOfOneQueryAreThoseOfAll_data() { addCases(); }

  void embeddingsOfOneQueryAreThoseOfAll() {
    const LambdaLayerOptions options = currentOptions();
    LambdaLayer layer(options);
    if (layer->embedding.is_empty()) return;
    const std::int64_t height = options.mapHeight, width = options.mapWidth;
    for (int head = 0; head < (options.mixer.multiHead ? options.mixer.heads : 1); ++head) {
      const at::Tensor all = layer->embedding->expand(height, width, head);
      const at::Tensor seen = layer->context.embeddings(layer->embedding, height, width, head);
      for (std::int64_t n = 0; n < height * width; ++n) {
        QVERIFY(layer->embedding->expandQuery(n, height, width, head).equal(all[n]));
        QVERIFY(layer->context.embeddingsOfQuery(layer->embedding, n, height, width, head)
                    .equal(seen[n]));
      }
    }
    const std::string beyond =
        textOf([&] { layer->embedding->expandQuery(height * width, height, width); });
    QVERIFY2(beyond.find("expected a query in 0..") != std::string::npos, beyond.c_str());
  }

  // A layer that uses no other pixel shows that its tokens are pixels.
  void tokensArePixels() {
    LambdaMixer mixer = lambdaMixer(3, 2, 1, 1);
    mixer.content = false;
    LambdaLayer layer = layerFor({mixer, 4, 6, 3, 5}, at::kDouble, false);
    const at::Tensor x = inputFor(layer->options, at::kDouble);
    at::Tensor changed = x.clone();
    changed.select(2, 1).select(2, 3).add_(1.0);
    const at::Tensor moved = (layer(changed) - layer(x)).abs().amax({0, 1}) > 0;
    QCOMPARE(moved.sum().item<int>(), 1);
    QVERIFY(moved[1][3].item<bool>());
  }

  void shiftingTheInputShiftsTheInteriorOfALocalScope() {
    for (const bool convolution : {true, false}) {
      const LambdaMixer mixer = lambdaMixer(convolution ? 2 : 12, 1, 1, 3);
      LambdaLayer layer = layerFor({mixer, 4, convolution ? 2 : 16, 6, 6}, at::kDouble, false);
      QCOMPARE(convolves(layer->options), convolution);
      const at::Tensor x = inputFor(layer->options, at::kDouble);
      // Rolling keeps the set of pixels, and with it the content lambda.
      const at::Tensor shifted = layer(x.roll({1, 2}, {2, 3}));
      const at::Tensor y = layer(x);
      VERIFY_CLOSE(
          shifted.slice(2, 2, 5).slice(3, 3, 5), y.slice(2, 1, 4).slice(3, 1, 3), 1e-12, 1e-12);
      const at::Tensor border = shifted.roll({-1, -2}, {2, 3}) - y;
      QVERIFY(border.abs().max().item<double>() > 1e-3);
    }
  }

  void shiftingAnObjectShiftsTheOutputOfRelativeEmbeddingsAlone() {
    for (const auto embedding : {PositionEmbedding::relative, PositionEmbedding::absolute}) {
      LambdaMixer mixer = lambdaMixer(3, 2, 1, 0, embedding);
      mixer.normalizeValues = false;  // A norm's shift would make the background nonzero.
      LambdaLayer layer = layerFor({mixer, 4, 6, 11, 12}, at::kDouble, false);
      const at::Tensor x = inputWithSupportInTheMiddle();
      const at::Tensor shifted = layer(x.roll({2, -3}, {2, 3}));
      const at::Tensor expected = layer(x).roll({2, -3}, {2, 3});
      const auto inside = [](const at::Tensor& y) { return y.slice(2, 2, 11).slice(3, 0, 9); };
      if (embedding == PositionEmbedding::relative) {
        VERIFY_CLOSE(inside(shifted), inside(expected), 1e-12, 1e-12);
      } else {
        QVERIFY((inside(shifted) - inside(expected)).abs().max().item<double>() > 0.1);
      }
    }
  }

  void startsFromThePapersDistributions() {
    LambdaLayer layer(LambdaLayerOptions{lambdaMixer(16, 4), 256, 256, 16, 16});
    const auto deviation = [](const at::Tensor& weight) { return weight.std().item<double>(); };
    QVERIFY(std::abs(deviation(layer->queries->weight) * std::sqrt(16 * 256.0) - 1) < 0.05);
    QVERIFY(std::abs(deviation(layer->keys->weight) * std::sqrt(256.0) - 1) < 0.05);
    QVERIFY(std::abs(deviation(layer->values->weight) * std::sqrt(256.0) - 1) < 0.05);
    QVERIFY(std::abs(deviation(layer->embedding->table) - 1) < 0.05);
  }

  void embeddingsStartWithTheirDeviation() {
    for (const double deviation : {0.0, 0.02, 1.0}) {
      LambdaMixer mixer = lambdaMixer(16, 4);
      mixer.embeddingDeviation = deviation;
      LambdaLayer layer(LambdaLayerOptions{mixer, 8, 8, 16, 16});
      const double found = layer->embedding->table.std().item<double>();
      QVERIFY(std::abs(found - deviation) <= 0.05 * deviation);
    }
  }

  void rejectsWrongShapesWithExpectedAndGot() {
    LambdaLayer layer(LambdaLayerOptions{lambdaMixer(16, 2), 5, 8, 3, 4});
    const std::string depth = textOf([&] { layer(at::zeros({1, 6, 3, 4})); });
    QVERIFY2(depth.find("[b, 5, H, W]") != std::string::npos, depth.c_str());
    QVERIFY2(depth.find("[1, 6, 3, 4]") != std::string::npos, depth.c_str());
    const std::string rank = textOf([&] { layer(at::zeros({5, 3, 4})); });
    QVERIFY2(rank.find("[5, 3, 4]") != std::string::npos, rank.c_str());
    const std::string size = textOf([&] { layer(at::zeros({1, 5, 4, 4})); });
    QVERIFY2(size.find("3x4") != std::string::npos, size.c_str());
    QVERIFY2(size.find("4x4") != std::string::npos, size.c_str());
    const auto built = [](const LambdaMixer& mixer) {
      return textOf([&] { LambdaLayerImpl(LambdaLayerOptions{mixer, 5, 8, 8, 8}); });
    };
    const std::string heads = built(lambdaMixer(16, 3));
    QVERIFY2(heads.find("3 heads") != std::string::npos, heads.c_str());
    LambdaMixer empty = lambdaMixer(16, 2, 1, 0, PositionEmbedding::none);
    empty.content = false;
    const std::string nothing = built(empty);
    QVERIFY2(nothing.find("content or a position") != std::string::npos, nothing.c_str());
    const std::string even = built(lambdaMixer(16, 2, 1, 4));
    QVERIFY2(even.find("odd, got 4") != std::string::npos, even.c_str());
  }

  void aLocalScopeFitsAnyMap() {
    LambdaLayer layer(LambdaLayerOptions{lambdaMixer(16, 2, 1, 3), 5, 8, 3, 4});
    QVERIFY(layer(at::zeros({1, 5, 7, 6})).sizes() == at::IntArrayRef({1, 8, 7, 6}));
  }

  void aWindowOnALargeMapEqualsTheConvolution() {
    const LambdaLayerOptions options{lambdaMixer(4, 2, 1, 5), 16, 8, 90, 100};
    QVERIFY(convolves(options));
    LambdaLayer layer = layerFor(options, at::kFloat, true);
    QVERIFY(lambdaPath(placeOf(options), {}, {}).kernel == LayerKernel::windowCore);
    const at::Tensor x = at::randn({1, 16, 90, 100}).requires_grad_();
    const at::Tensor dy = at::randn({1, 8, 90, 100});
    const auto results = [&](bool fuses) {
      layer->fusesCore = fuses;
      const at::Tensor y = layer(x);
      const at::Tensor table = layer->embedding->table;
      auto all = torch::autograd::grad({y}, {x, table}, {dy});
      all.push_back(y.detach());
      return all;
    };
    const auto found = results(true), expected = results(false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double distance = (found[i] - expected[i]).norm().item<double>();
      QVERIFY(distance < 1e-5 * expected[i].norm().item<double>());
    }
  }

  /// A recorded step needs rows that are made only once, even if layers on several maps share a
  /// table.
  void rowsOfEveryMapAreMadeOnce() {
    PositionEmbeddingTable table(PositionEmbeddingOptions{.scope = 3, .queryDepth = 2});
    const at::Tensor large = table->pairRows(8, 8), small = table->pairRows(4, 4);
    const at::Tensor expanded = table->expand(8, 8);
    table->expand(4, 4);
    QVERIFY(large.sizes() == at::IntArrayRef({64, 64}));
    QVERIFY(small.sizes() == at::IntArrayRef({16, 16}));
    QVERIFY(table->pairRows(8, 8).is_same(large));
    QVERIFY(table->pairRows(4, 4).is_same(small));
    QVERIFY(table->expand(8, 8).equal(expanded));
  }

  void aWindowOnTheCpuNeedsNoRows() {
    PositionEmbeddingTable table(PositionEmbeddingOptions{.scope = 5, .queryDepth = 2});
    const TableRows rows = table->tableRows(3, 9);
    QVERIFY(!rows.pairRows.defined());
    QVERIFY(rows.window.has_value());
    QCOMPARE(rows.window->mapHeight, 3);
    QCOMPARE(rows.window->mapWidth, 9);
    QCOMPARE(rows.window->scope, 5);
    for (const int width : {3, 5}) {
      const TableRows all = table->tableRows(3, width);
      QVERIFY2(!all.window.has_value(), "most of the map is in the window");
      QVERIFY(all.pairRows.equal(table->pairRows(3, width)));
    }
  }

  void sharedEmbeddingsAreOneParameterWithSummedGradients() {
    const LambdaLayerOptions options{lambdaMixer(2, 2), 4, 4, 3, 3};
    const PositionEmbeddingTable table(
        PositionEmbeddingOptions{.queryDepth = 2, .height = 3, .width = 3});
    LambdaLayer first(options, table), second(options, table);
    QVERIFY(!first->named_parameters().contains("embedding.table"));
    const at::Tensor x = at::randn({1, 4, 3, 3});
    const auto gradientOf = [&](const at::Tensor& y) {
      table->table.mutable_grad() = at::Tensor();
      y.square().sum().backward();
      return table->table.grad().clone();
    };
    const at::Tensor both = gradientOf(at::cat({first(x), second(x)}));
    VERIFY_CLOSE(both, gradientOf(first(x)) + gradientOf(second(x)), 1e-4, 1e-5);
  }

  void repeatedGradientsAreTheSameBits_data() {
    QTest::addColumn<LambdaMixer>("mixer");
    QTest::newRow("usual") << lambdaMixer(16, 2);
    for (const auto& [name, options] : lambdaOptionCases()) {
      LambdaMixer mixer = options.mixer;
      if (mixer.mask == ContextMask::custom) continue;
      mixer.queryDepth = 16, mixer.heads = 2;
      QTest::newRow(name.c_str()) << mixer;
    }
  }

  void repeatedGradientsAreTheSameBits() {
    QFETCH(LambdaMixer, mixer);
    LambdaLayer layer(LambdaLayerOptions{mixer, 16, 16, 8, 8});
    const at::Tensor x = at::randn({4, 16, 8, 8});
    const auto gradients = [&](int threads) {
      at::set_num_threads(threads);
      layer->zero_grad();
      layer(x).square().sum().backward();
      std::vector<at::Tensor> all;
      for (const at::Tensor& parameter : layer->parameters())
        all.push_back(parameter.grad().clone());
      return all;
    };
    const std::vector<at::Tensor> first = gradients(2), second = gradients(2), alone = gradients(1);
    for (std::size_t i = 0; i < first.size(); ++i) {
      QVERIFY(first[i].equal(second[i]));
      VERIFY_CLOSE(first[i], alone[i], 1e-4 * alone[i].abs().max().item<double>(), 0.0);
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaLayer)
#include "tst_lambda_layer.moc"
