#include <algorithm>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/cuda/cuda_kernels_state.h"
#include "engine/layers/cuda/cuda_plugin.h"
#include "engine/layers/lambda/cuda_fused_core.h"
#include "engine/layers/lambda/fused_core.h"
#include "engine/runtime/device.h"

extern "C" const lambda::CudaKernels* lambdaCudaKernels();

namespace lambda::test {

namespace {

/// The shape of a core on a square map.
struct Case {
  int side, heads, queryDepth, valueDepth, intraDepth, scope;
  bool hasContent, hasPositions;
};

constexpr Case kUsual{5, 4, 16, 16, 1, 0, true, true};

constexpr std::int64_t kBatch = 6;

/// A core's operands as leaves, and the gradient of its output.
struct Leaves {
  LambdaOperands operands;
  PositionEmbeddingTable embedding{nullptr};
  at::Tensor dy;
};

at::Tensor leaf(const at::Tensor& tensor) {
  return tensor.detach().clone().requires_grad_(true);
}

Leaves leavesOf(const Case& one) {
  const std::int64_t n = static_cast<std::int64_t>(one.side) * one.side;
  const std::int64_t context = n * one.intraDepth;
  Leaves leaves;
  leaves.operands.queries = leaf(at::randn({kBatch, n, one.heads, one.queryDepth}));
  leaves.operands.values = leaf(at::randn({kBatch, context, one.valueDepth}));
  leaves.dy = at::randn({kBatch, n, one.heads, one.valueDepth});
  if (one.hasContent) {
    leaves.operands.keys = leaf(at::randn({kBatch, context, one.queryDepth}).softmax(1));
  }
  if (one.hasPositions) {
    PositionEmbeddingOptions options;
    options.scope = one.scope;
    options.queryDepth = one.queryDepth;
    options.intraDepth = one.intraDepth;
    options.height = options.width = one.side;
    leaves.embedding = PositionEmbeddingTable(options);
  }
  return leaves;
}

/// The same leaves in other types. Autocast leaves the keys, which come from a softmax, and the
/// table, which is a parameter, in float32.
Leaves as(const Leaves& leaves, at::ScalarType type, at::ScalarType keysAndTable) {
  Leaves other;
  other.operands.queries = leaf(leaves.operands.queries.to(type));
  other.operands.values = leaf(leaves.operands.values.to(type));
  other.dy = leaves.dy.to(type);
  if (leaves.operands.keys.defined())
    other.operands.keys = leaf(leaves.operands.keys.to(keysAndTable));
  if (leaves.embedding) {
    other.embedding = PositionEmbeddingTable(leaves.embedding->options);
    other.embedding->table.set_data(leaves.embedding->table.detach().to(keysAndTable));
  }
  return other;
}

/// The output, then the gradients of queries, values, keys and table, if the core has them.
using Results = std::vector<at::Tensor>;

Results resultsOf(const at::Tensor& y, const Leaves& leaves) {
  std::vector<at::Tensor> inputs{leaves.operands.queries, leaves.operands.values};
  if (leaves.operands.keys.defined()) inputs.push_back(leaves.operands.keys);
  if (leaves.embedding) inputs.push_back(leaves.embedding->table);
  Results results = torch::autograd::grad({y}, inputs, {leaves.dy});
  results.insert(results.begin(), y.detach());
  return results;
}

at::Tensor plain(Leaves leaves, int side) {
  at::Tensor y;
  if (leaves.embedding) {
    y = applyPositionLambdas(leaves.operands, leaves.embedding->expand(side, side));
  }
  if (!leaves.operands.keys.defined()) return y;
  const at::Tensor content = applyContentLambda(leaves.operands);
  return y.defined() ? y + content : content;
}

/// Computes the core with the emulated kernels.
at::Tensor fused(Leaves leaves, int side, const PairIndex& index = {}) {
  if (!leaves.embedding) {
    return applyCudaFusedCore(*lambdaCudaKernels(), leaves.operands, {}, {});
  }
  return applyCudaFusedCore(*lambdaCudaKernels(),
                            leaves.operands,
                            leaves.embedding->table,
                            {leaves.embedding->pairRows(side, side), index});
}

double furthest(const Results& found, const Results& expected) {
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const at::Tensor difference = found[i].to(at::kCPU, at::kDouble) - expected[i];
    most = std::max<double>(most, (difference.norm() / expected[i].norm()).item<double>());
  }
  return most;
}

}  // namespace

class TestLambdaCoreCuda : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() {
    cudaFacts();  // Before LibTorch is first asked about CUDA, which manual_seed() does.
    at::set_num_threads(1);
  }

  void init() { at::manual_seed(1); }

  void equalsPlainTensors_data();
  void equalsPlainTensors();
  void gradientsHaveTheTypesOfTheirInputs();
  void refusesGradientsOfGradients();
  void takesOperandsThatAreNotContiguous();
  void theIndexListsThePairsOfEachRow();
  void anIndexChangesNothing();
  void aCoreOnTheCpuHasNoCudaKernels();
  void aPluginThatIsMissingSaysSo();
  void aPluginOfAnotherVersionSaysSo();
  void theBuiltPluginOpens();
  void whatKeepsAGpuFromTheKernelsIsReported();
  void equalsPlainTensorsOnAGpu_data();
  void equalsPlainTensorsOnAGpu();
};

void TestLambdaCoreCuda::equalsPlainTensors_data() {
  QTest::addColumn<Case>("one");
  QTest::newRow("global") << kUsual;
  QTest::newRow("window") << Case{6, 4, 16, 8, 1, 3, true, true};
  QTest::newRow("intra-depth 2, v 24") << Case{4, 2, 16, 24, 2, 0, true, true};
  QTest::newRow("k 20, v 40") << Case{3, 4, 20, 40, 1, 0, true, true};
  QTest::newRow("odd sizes") << Case{3, 3, 7, 5, 1, 0, true, true};
  QTest::newRow("content alone") << Case{4, 4, 16, 16, 1, 0, true, false};
  QTest::newRow("positions alone") << Case{4, 4, 16, 16, 1, 0, false, true};
}

void TestLambdaCoreCuda::equalsPlainTensors() {
  QFETCH(Case, one);
  const Leaves leaves = leavesOf(one);
  const Leaves exact = as(leaves, at::kDouble, at::kDouble);
  const Results expected = resultsOf(plain(exact, one.side), exact);
  QVERIFY(furthest(resultsOf(fused(leaves, one.side), leaves), expected) < 1e-6);

  const Leaves rounded = as(leaves, at::kBFloat16, at::kFloat);
  QVERIFY(furthest(resultsOf(fused(rounded, one.side), rounded), expected) < 1e-2);
}

void TestLambdaCoreCuda::gradientsHaveTheTypesOfTheirInputs() {
  const Leaves leaves = as(leavesOf(kUsual), at::kBFloat16, at::kFloat);
  const Results results = resultsOf(fused(leaves, kUsual.side), leaves);
  const std::vector<at::ScalarType> expected{
      at::kBFloat16, at::kBFloat16, at::kBFloat16, at::kFloat, at::kFloat};
  for (std::size_t i = 0; i < expected.size(); ++i)
    QVERIFY(results[i].scalar_type() == expected[i]);
}

void TestLambdaCoreCuda::refusesGradientsOfGradients() {
  const Leaves leaves = leavesOf(kUsual);
  const at::Tensor y = fused(leaves, kUsual.side);
  QVERIFY_THROWS_EXCEPTION(
      c10::Error,
      torch::autograd::grad(
          {y.sum()}, {leaves.operands.queries}, {}, std::nullopt, /*create_graph=*/true));
}

void TestLambdaCoreCuda::takesOperandsThatAreNotContiguous() {
  Leaves leaves = leavesOf(kUsual);
  const Leaves exact = as(leaves, at::kDouble, at::kDouble);
  const auto strided = [](const at::Tensor& tensor) {
    return tensor.detach().transpose(0, 1).contiguous().transpose(0, 1).requires_grad_(true);
  };
  leaves.operands.queries = strided(leaves.operands.queries);
  leaves.operands.keys = strided(leaves.operands.keys);
  leaves.operands.values = strided(leaves.operands.values);
  leaves.dy = strided(leaves.dy).detach();
  QVERIFY(!leaves.operands.queries.is_contiguous() && !leaves.dy.is_contiguous());
  QVERIFY(furthest(resultsOf(fused(leaves, kUsual.side), leaves),
                   resultsOf(plain(exact, kUsual.side), exact)) < 1e-6);
}

void TestLambdaCoreCuda::theIndexListsThePairsOfEachRow() {
  const at::Tensor rows = at::tensor({2, -1, 0, 2, -1, 0}, at::kInt).view({2, 3});
  const PairIndex index = pairIndexOf(rows, 4);
  QVERIFY(index.pairs.equal(at::tensor({2, 5, 0, 3}, at::kInt)));
  QVERIFY(index.starts.equal(at::tensor({0, 2, 2, 4, 4}, at::kInt)));
}

void TestLambdaCoreCuda::anIndexChangesNothing() {
  Leaves leaves = leavesOf({6, 4, 16, 8, 1, 3, true, true});
  const PairIndex index =
      pairIndexOf(leaves.embedding->pairRows(6, 6), leaves.embedding->table.size(0));
  const Results without = resultsOf(fused(leaves, 6), leaves);
  const Results with = resultsOf(fused(leaves, 6, index), leaves);
  for (std::size_t i = 0; i < with.size(); ++i) QVERIFY(with[i].equal(without[i]));
}

void TestLambdaCoreCuda::aCoreOnTheCpuHasNoCudaKernels() {
  QVERIFY(cudaKernelsFor(leavesOf(kUsual).operands) == nullptr);
}

void TestLambdaCoreCuda::aPluginThatIsMissingSaysSo() {
  const CudaPlugin plugin = openCudaPlugin("/nowhere/lambda-kernels-cuda.so");
  QVERIFY(plugin.kernels == nullptr);
  QVERIFY(plugin.obstacle.find("/nowhere/lambda-kernels-cuda.so") != std::string::npos);
  QVERIFY(plugin.obstacle.find("app/setup") != std::string::npos);
}

void TestLambdaCoreCuda::aPluginOfAnotherVersionSaysSo() {
  const CudaPlugin plugin = openCudaPlugin(LAMBDA_OLD_PLUGIN);
  QVERIFY(plugin.kernels == nullptr);
  QVERIFY(plugin.obstacle.find("of version 0") != std::string::npos);
}

void TestLambdaCoreCuda::theBuiltPluginOpens() {
  if (!exists(cudaPluginFile())) QSKIP("the plugin is not built, because there was no nvcc");
  const CudaPlugin plugin = openCudaPlugin(cudaPluginFile());
  QVERIFY2(plugin.kernels != nullptr, plugin.obstacle.c_str());
  const CudaOutcome outcome = plugin.kernels->checkDevice(0);
  QVERIFY((outcome.code == 0) == (outcome.text == nullptr));
}

void TestLambdaCoreCuda::whatKeepsAGpuFromTheKernelsIsReported() {
  QVERIFY(cudaKernelsObstacle(at::kCPU).empty());
  const at::Device gpu(at::kCUDA, 0);
  const std::string obstacle = cudaKernelsObstacle(gpu);
  QCOMPARE(obstacle.empty(), cudaKernelsFor(gpu) != nullptr);
  ComputeDevice device;
  device.kind = DeviceKind::cuda;
  const std::string state = cudaKernelsState(device);
  QVERIFY(obstacle.empty() ? state == "in use" : state.ends_with(": " + obstacle));
}

void TestLambdaCoreCuda::equalsPlainTensorsOnAGpu_data() {
  equalsPlainTensors_data();
}

void TestLambdaCoreCuda::equalsPlainTensorsOnAGpu() {
  const ComputeDevice device = selectDevice({});
  if (device.kind != DeviceKind::cuda) QSKIP(("no GPU: " + device.reason).c_str());
  QFETCH(Case, one);
  const Leaves leaves = leavesOf(one);
  const Leaves exact = as(leaves, at::kDouble, at::kDouble);
  const Results expected = resultsOf(plain(exact, one.side), exact);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    Leaves onGpu = as(leaves, type, at::kFloat);
    onGpu.operands.queries = leaf(onGpu.operands.queries.cuda());
    onGpu.operands.values = leaf(onGpu.operands.values.cuda());
    if (one.hasContent) onGpu.operands.keys = leaf(onGpu.operands.keys.cuda());
    if (one.hasPositions) onGpu.embedding->to(at::kCUDA);
    onGpu.dy = onGpu.dy.cuda();
    QVERIFY2(cudaKernelsFor(onGpu.operands) != nullptr, "the plugin can't be used");
    const auto run = [&] {
      if (!one.hasPositions) return resultsOf(applyFusedCore(onGpu.operands, {}), onGpu);
      return resultsOf(applyFusedCore(onGpu.operands,
                                      onGpu.embedding->table,
                                      onGpu.embedding->tableRows(one.side, one.side)),
                       onGpu);
    };
    const Results found = run();
    QVERIFY(furthest(found, expected) < (type == at::kFloat ? 1e-5 : 1e-2));
    const Results again = run();
    for (std::size_t i = 0; i < found.size(); ++i) QVERIFY(again[i].equal(found[i]));
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLambdaCoreCuda)

#include "tst_lambda_core_cuda.moc"
