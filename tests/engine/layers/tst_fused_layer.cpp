#include <map>
#include <memory>
#include <string>
#include <vector>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/lambda/lambda_layer.h"
#include "engine/layers/pooling.h"
#include "tests/support/distance.h"
#include "tests/support/lambda_cases.h"

namespace lambda::test {

namespace {

struct Case {
  LambdaMixer mixer;
  std::int64_t inputDepth = 32;
  std::int64_t outputDepth = 32;
  bool isPooled = false;
};

LambdaMixer mixerWith(const std::function<void(LambdaMixer&)>& change) {
  LambdaMixer mixer;
  mixer.queryDepth = 16;
  mixer.heads = 4;
  change(mixer);
  return mixer;
}

LambdaLayer layerOf(const Case& one) {
  LambdaLayerOptions options;
  options.mixer = one.mixer;
  options.inputDepth = one.inputDepth;
  options.outputDepth = one.outputDepth;
  options.mapHeight = 6;
  options.mapWidth = 5;
  LambdaLayer layer(options);
  randomizeNorms(*layer);
  return layer;
}

/// A layer of the same weights in double, whose plain operations are the reference.
LambdaLayer exactOf(const Case& one, const LambdaLayer& layer) {
  LambdaLayer exact = layerOf(one);
  exact->to(at::kDouble);
  const at::NoGradGuard noGradients;
  const auto copy = [](const auto& to, const auto& from) {
    for (const auto& each : to) each.value().copy_(from[each.key()]);
  };
  copy(exact->named_parameters(), layer->named_parameters());
  copy(exact->named_buffers(), layer->named_buffers());
  return exact;
}

at::Tensor inputOf(const Case& one) {
  return at::randn({7, one.inputDepth, 6, 5}).contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor outputOf(const Case& one, LambdaLayer& layer, const at::Tensor& x) {
  return one.isPooled ? layer->forwardPooled(x) : layer->forward(x);
}

at::Tensor outputGradientOf(const Case& one) {
  return one.isPooled ? at::randn({7, one.outputDepth, 3, 3})
                      : at::randn({7, one.outputDepth, 6, 5});
}

/// Roundings of float32, and of sums of some hundred of them.
constexpr double kTolerance = 1e-6;

/// The gradients by name after a backward pass, that of the input as "x". Those that were not
/// computed are missing.
std::map<std::string, at::Tensor> gradientsOf(const Case& one,
                                              LambdaLayer& layer,
                                              const at::Tensor& x,
                                              const at::Tensor& dy) {
  outputOf(one, layer, x).backward(dy);
  std::map<std::string, at::Tensor> gradients;
  if (x.grad().defined()) gradients["x"] = x.grad();
  for (const auto& each : layer->named_parameters()) {
    if (each.value().grad().defined()) gradients[each.key()] = each.value().grad();
  }
  return gradients;
}

/// Counts the bytes of CPU tensors that are made and not freed while it is LibTorch's reporter.
class HeldBytes : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(
      void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override {
    count += bytes;
  }

  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t count = 0;
};

}  // namespace

class TestFusedLayer : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(1); }

  void equalsPlainOperationsInDouble_data();
  void equalsPlainOperationsInDouble();

  void evaluationEqualsPlainOperationsInDouble_data() { equalsPlainOperationsInDouble_data(); }

  void evaluationEqualsPlainOperationsInDouble();
  void runsWithoutOperationsInBetween();
  void keepsNoQueriesAndValues();
  void poolsInTheCoreWhereThatIsPossible();
  void frozenParametersGetNoGradientAndChangeNoOther_data();
  void frozenParametersGetNoGradientAndChangeNoOther();
  void anInputInBfloat16GivesAnOutputInBfloat16_data();
  void anInputInBfloat16GivesAnOutputInBfloat16();
  void secondDerivativesAreRefused();
};

void TestFusedLayer::equalsPlainOperationsInDouble_data() {
  QTest::addColumn<Case>("one");
  const auto row = [](const char* name, const std::function<void(LambdaMixer&)>& change) {
    QTest::newRow(name) << Case{mixerWith(change)};
    QTest::addRow("%s, pooled", name) << Case{mixerWith(change), 48, 64, true};
  };
  row("relative embeddings", [](LambdaMixer&) {});
  row("intra-depth 2", [](LambdaMixer& mixer) { mixer.intraDepth = 2; });
  row("window", [](LambdaMixer& mixer) { mixer.scope = 3; });
  row("window of most positions", [](LambdaMixer& mixer) { mixer.scope = 7; });
  row("content alone", [](LambdaMixer& mixer) { mixer.embedding = PositionEmbedding::none; });
  row("positions alone", [](LambdaMixer& mixer) { mixer.content = false; });
  row("no norm of queries", [](LambdaMixer& mixer) { mixer.normalizeQueries = false; });
  row("no norm of values", [](LambdaMixer& mixer) { mixer.normalizeValues = false; });
  row("channel runs", [](LambdaMixer& mixer) { mixer.tokenOrder = TokenOrder::channelRuns; });
  row("odd depths", [](LambdaMixer& mixer) { mixer.queryDepth = 5, mixer.heads = 2; });
  QTest::newRow("other output depth") << Case{mixerWith([](LambdaMixer&) {}), 48, 64};
}

void TestFusedLayer::equalsPlainOperationsInDouble() {
  QFETCH(Case, one);
  LambdaLayer layer = layerOf(one);
  LambdaLayer exact = exactOf(one, layer);
  at::Tensor x = inputOf(one);
  at::Tensor wide = x.to(at::kDouble);
  QVERIFY(distance(outputOf(one, layer, x), outputOf(one, exact, wide)) < kTolerance);
  const at::Tensor dy = outputGradientOf(one);
  const auto found = gradientsOf(one, layer, x.requires_grad_(), dy);
  const auto expected = gradientsOf(one, exact, wide.requires_grad_(), dy.to(at::kDouble));
  QCOMPARE(found.size(), expected.size());
  for (const auto& [name, gradient] : expected) {
    QVERIFY2(found.contains(name), name.c_str());
    const double difference = distance(found.at(name), gradient);
    QVERIFY2(difference < 3 * kTolerance,
             (name + ": " + QString::number(difference).toStdString()).c_str());
  }
  for (const auto& each : exact->named_buffers()) {
    QVERIFY2(distance(layer->named_buffers()[each.key()], each.value()) < kTolerance,
             each.key().c_str());
  }
}

void TestFusedLayer::evaluationEqualsPlainOperationsInDouble() {
  QFETCH(Case, one);
  LambdaLayer layer = layerOf(one);
  LambdaLayer exact = exactOf(one, layer);
  layer->eval();
  exact->eval();
  at::Tensor x = inputOf(one);
  at::Tensor wide = x.to(at::kDouble);
  QVERIFY(distance(outputOf(one, layer, x), outputOf(one, exact, wide)) < kTolerance);
  const at::Tensor dy = outputGradientOf(one);
  const auto found = gradientsOf(one, layer, x.requires_grad_(), dy);
  for (const auto& [name, gradient] :
       gradientsOf(one, exact, wide.requires_grad_(), dy.to(at::kDouble))) {
    const double difference = distance(found.at(name), gradient);
    QVERIFY2(difference < 3 * kTolerance,
             (name + ": " + QString::number(difference).toStdString()).c_str());
  }
}

void TestFusedLayer::runsWithoutOperationsInBetween() {
  const Case one{mixerWith([](LambdaMixer&) {})};
  LambdaLayer layer = layerOf(one);
  const at::Tensor y = layer->forward(inputOf(one));
  // From the output's views down to the layer.
  auto node = y.grad_fn();
  while (node->name().find("View") != std::string::npos ||
         node->name().find("Permute") != std::string::npos) {
    node = node->next_edge(0).function;
  }
  int parameters = 0;
  for (const auto& edge : node->next_edges())
    parameters +=
        edge.function && edge.function->name().find("AccumulateGrad") != std::string::npos;
  QCOMPARE(parameters, 8);  // Three weights, scale and shift of two norms, the table.
}

/// They are made again in the backward pass. What is kept besides the output are the projections,
/// each of which begins at a multiple of 16 channels, the keys after their softmax, and a few
/// numbers for each channel.
void TestFusedLayer::keepsNoQueriesAndValues() {
  const Case one{mixerWith([](LambdaMixer&) {})};
  LambdaLayer layer = layerOf(one);
  const at::Tensor x = inputOf(one);
  layer->forward(x);  // The first call also makes what the layer keeps for all its calls.
  const auto held = std::make_shared<HeldBytes>();
  at::Tensor y;
  {
    const c10::DebugInfoGuard counting(c10::DebugInfoKind::PROFILER_STATE, held);
    y = layer->forward(x);
  }
  const std::int64_t projections = 64 + 16 + 16, keys = 16, output = 32, others = 4;
  const std::int64_t rows = x.numel() / x.size(1);
  QVERIFY(held->count >= static_cast<std::int64_t>(sizeof(float)) * rows * (projections + output));
  QVERIFY(held->count <=
          static_cast<std::int64_t>(sizeof(float)) * rows * (projections + keys + output + others));
}

/// Means of scores are not rounded as means of outputs are; that shows which were taken.
void TestFusedLayer::poolsInTheCoreWhereThatIsPossible() {
  for (const int scope : {0, 3}) {
    const Case one{mixerWith([&](LambdaMixer& mixer) { mixer.scope = scope; })};
    LambdaLayer layer = layerOf(one);
    const at::Tensor x = inputOf(one);
    const at::Tensor afterwards = poolAverage(layer->forward(x));
    QCOMPARE(layer->forwardPooled(x).equal(afterwards), scope > 0);
  }
}

void TestFusedLayer::frozenParametersGetNoGradientAndChangeNoOther_data() {
  QTest::addColumn<QString>("frozen");
  for (const char* name : {"x",
                           "queries.weight",
                           "values.weight",
                           "keys.weight",
                           "queryNorm.weight",
                           "valueNorm.bias",
                           "embedding.table"})
    QTest::newRow(name) << QString::fromLatin1(name);
}

void TestFusedLayer::frozenParametersGetNoGradientAndChangeNoOther() {
  QFETCH(QString, frozen);
  const std::string name = frozen.toStdString();
  for (const bool isPooled : {false, true}) {
    const Case one{mixerWith([](LambdaMixer&) {}), 32, 32, isPooled};
    const auto gradients = [&](const std::string& without) {
      at::manual_seed(1);
      LambdaLayer layer = layerOf(one);
      const at::Tensor x = inputOf(one).requires_grad_(without != "x");
      for (const auto& each : layer->named_parameters())
        each.value().requires_grad_(each.key() != without);
      return gradientsOf(one, layer, x, outputGradientOf(one));
    };
    const auto all = gradients("");
    QVERIFY2(all.contains(name), name.c_str());
    const auto found = gradients(name);
    QVERIFY(!found.contains(name));
    QCOMPARE(found.size(), all.size() - 1);
    for (const auto& [each, gradient] : found) QVERIFY2(gradient.equal(all.at(each)), each.c_str());
  }
}

void TestFusedLayer::anInputInBfloat16GivesAnOutputInBfloat16_data() {
  QTest::addColumn<Case>("one");
  // The kernel for bfloat16 has no window.
  for (const int scope : {0, 3}) {
    const LambdaMixer mixer = mixerWith([&](LambdaMixer& changed) { changed.scope = scope; });
    QTest::addRow("scope %d", scope) << Case{mixer};
    QTest::addRow("scope %d, pooled", scope) << Case{mixer, 64, 64, true};
    // Nor has it values of fewer than 16 channels.
    QTest::addRow("scope %d, v 8, pooled", scope) << Case{mixer, 32, 32, true};
  }
}

void TestFusedLayer::anInputInBfloat16GivesAnOutputInBfloat16() {
  QFETCH(Case, one);
  LambdaLayer layer = layerOf(one);
  LambdaLayer exact = exactOf(one, layer);
  const at::Tensor x = inputOf(one).to(at::kBFloat16).requires_grad_();
  const at::Tensor wide = x.detach().to(at::kDouble).requires_grad_();
  const at::Tensor y = outputOf(one, layer, x), expected = outputOf(one, exact, wide);
  QCOMPARE(y.scalar_type(), at::kBFloat16);
  // CPUs that multiply bfloat16 round the weights to it, others only the result.
  QVERIFY(distance(y, expected) < 5e-3);
  const at::Tensor dy = at::randn(y.sizes()).to(at::kBFloat16);
  y.backward(dy);
  expected.backward(dy.to(at::kDouble));
  QCOMPARE(x.grad().scalar_type(), at::kBFloat16);
  QVERIFY(distance(x.grad(), wide.grad()) < 1e-2);
}

void TestFusedLayer::secondDerivativesAreRefused() {
  for (const bool isPooled : {false, true}) {
    const Case one{mixerWith([](LambdaMixer&) {}), 32, 32, isPooled};
    LambdaLayer layer = layerOf(one);
    const at::Tensor x = inputOf(one).requires_grad_();
    const at::Tensor y = outputOf(one, layer, x).sum();
    QVERIFY_THROWS_EXCEPTION(
        c10::Error, torch::autograd::grad({y}, {x}, {}, std::nullopt, /*create_graph=*/true));
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestFusedLayer)
#include "tst_fused_layer.moc"
