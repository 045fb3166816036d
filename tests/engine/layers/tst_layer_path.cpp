#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/layers/forward_trace.h"
#include "engine/layers/layer_path.h"
#include "engine/networks/network_paths.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/step/autocast.h"
#include "engine/values/architecture/cost.h"
#include "tests/support/resolved_on_cpu.h"
#include "tests/support/tiny_run.h"

namespace lambda::test {

namespace {

constexpr int kImages = 64;

RunConfig presetRun(const std::string& name) {
  std::vector<Problem> warnings;
  return name == "tiny" ? tinyRun() : loadPreset(name, warnings);
}

LambdaPlace placeOf(const LambdaMixer& mixer, const MapShape& map) {
  return {.mixer = mixer, .images = 8, .inputDepth = 64, .outputDepth = 64, .map = map};
}

LayerKernel kernelOf(const LambdaMixer& mixer,
                     const MapShape& map,
                     const LayerInput& input = {},
                     const ComputeUnits& units = {}) {
  return lambdaPath(placeOf(mixer, map), input, units).kernel;
}

/// Collects for each layer the names of the operations that autograd recorded for it.
class OperationTrace : public ForwardTrace {
 public:
  void visit(const std::string& layer, const at::Tensor& input, const at::Tensor& output) override {
    std::set<const torch::autograd::Node*> seen{input.grad_fn().get()};
    std::vector<std::shared_ptr<torch::autograd::Node>> open{output.grad_fn()};
    while (!open.empty()) {
      const auto node = open.back();
      open.pop_back();
      if (!node || !seen.insert(node.get()).second) continue;
      operations[layer].push_back(node->name());
      for (const auto& edge : node->next_edges()) open.push_back(edge.function);
    }
  }

  /// Whether an operation of the layer has the name, or is a template or a class of that name.
  bool ran(const std::string& layer, const std::string& name) const {
    const auto found = operations.find(layer);
    return found != operations.end() &&
           std::ranges::any_of(found->second, [&](const std::string& each) {
             return each == name || each.find("::" + name) != std::string::npos;
           });
  }

  std::map<std::string, std::vector<std::string>> operations;
};

/// The operation that a convolution or a lambda layer with this path records, among kOperations.
std::string operationOf(const NetworkPath& layer) {
  const auto says = [&](const char* part) { return layer.path.find(part) != std::string::npos; };
  if (layer.shape.starts_with("lambda layer"))
    return says("whole layer") ? "FusedLayer" : says("own kernel") ? "FusedCore" : "";
  if (says("own product")) return "PointwiseProduct";
  if (says("Winograd")) return "WinogradForm";
  if (says("AMX")) return "AmxForm";
  return says("as a product") ? "MmBackward0" : "ConvolutionBackward0";
}

constexpr const char* kOfConvolutions[] = {
    "PointwiseProduct", "WinogradForm", "AmxForm", "MmBackward0", "ConvolutionBackward0"};
constexpr const char* kOfLambdaLayers[] = {"FusedLayer", "FusedCore"};

}  // namespace

class TestLayerPath : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(2); }

  void everyLayerOfAPresetHasAPath();
  void theKernelOfThePathRuns_data();
  void theKernelOfThePathRuns();
  void convolutionsGoByTheUnitsOfTheMachine();
  void coresGoByTheUnitsOfTheMachine();
  void theFasterPathOfALocalScopeIsTaken();
  void theWindowKernelTakesWindowsThatSaveWork();
  void causalContentIsSummedInFloat32OnTheCpu();
  void causalLinearAttentionIsSummedInFloat32OnTheCpu();
  void widthsBesideMultiplesOf16HaveAHint();
};

void TestLayerPath::everyLayerOfAPresetHasAPath() {
  for (const std::string& name : presetNames()) {
    RunConfig config = presetRun(name);
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
      config.recipe.precision = precision;
      const NetworkPaths paths = pathsOf(config, {});
      const NetworkCost cost = costOf(config.architecture);
      QVERIFY(!paths.machine.empty());
      QCOMPARE(paths.layers.size(), cost.layers.size());
      for (std::size_t i = 0; i < paths.layers.size(); ++i) {
        QCOMPARE(paths.layers[i].name, cost.layers[i].name);
        QVERIFY(!paths.layers[i].path.empty() && !paths.layers[i].shape.empty());
      }
    }
  }
}

void TestLayerPath::theKernelOfThePathRuns_data() {
  QTest::addColumn<QString>("preset");
  QTest::addColumn<bool>("rounds");
  for (const char* name : {"tiny", "quickstart"}) {
    QTest::addRow("%s, float32", name) << QString::fromLatin1(name) << false;
    QTest::addRow("%s, bfloat16", name) << QString::fromLatin1(name) << true;
  }
  QTest::newRow("resnet50-cifar-ccll, float32") << QStringLiteral("resnet50-cifar-ccll") << false;
}

void TestLayerPath::theKernelOfThePathRuns() {
  QFETCH(QString, preset);
  QFETCH(bool, rounds);
  RunConfig config = presetRun(preset.toStdString());
  config.recipe.precision = rounds ? Precision::bfloat16 : Precision::float32;
  config.recipe.batchSize = kImages;
  const MapShape& map = config.architecture.input;
  const TrainingState state(onCpu(config));
  Network network = state.network;
  network->train();
  const at::Tensor images = at::randn({kImages, map.channels, map.height, map.width})
                                .contiguous(at::MemoryFormat::ChannelsLast)
                                .requires_grad_(true);
  OperationTrace trace;
  {
    const Autocast autocast(config.recipe.precision, at::kCPU);
    network->forward(images, &trace);
  }
  for (const NetworkPath& layer : pathsOf(config, {}).layers) {
    const bool isLambda = layer.shape.starts_with("lambda layer");
    if (!isLambda && !layer.shape.starts_with("convolution")) continue;
    const std::string expected = operationOf(layer);
    const auto check = [&](const char* operation) {
      const bool runs = trace.ran(layer.name, operation);
      QVERIFY2(runs == (expected == operation),
               (layer.name + " by " + layer.path + ": " + operation).c_str());
    };
    if (isLambda) {
      for (const char* operation : kOfLambdaLayers) check(operation);
    } else {
      for (const char* operation : kOfConvolutions) check(operation);
    }
  }
}

void TestLayerPath::convolutionsGoByTheUnitsOfTheMachine() {
  const ConvolutionSizes same{.images = 32,
                              .inputDepth = 32,
                              .height = 8,
                              .width = 8,
                              .outputDepth = 32,
                              .kernel = {3, 3},
                              .padding = {1, 1}};
  ConvolutionSizes pointwise = same;
  pointwise.kernel = {1, 1};
  pointwise.padding = {0, 0};
  const ComputeUnits none{}, products{.multipliesMatrices = true};
  const ComputeUnits vectors{.pairUnit = PairUnit::vectors}, amx{.pairUnit = PairUnit::matrices};
  const LayerInput rounded{Element::bfloat16, Element::bfloat16};
  const auto kernel =
      [](const ConvolutionSizes& sizes, const LayerInput& input, const ComputeUnits& units) {
        return convolutionPath(sizes, input, units).kernel;
      };
  QVERIFY(kernel(same, {}, none) == LayerKernel::winograd);
  QVERIFY(kernel(same, rounded, none) == LayerKernel::library);
  QVERIFY(kernel(same, rounded, vectors) == LayerKernel::library);
  QVERIFY(kernel(same, rounded, amx) == LayerKernel::amxConvolution);
  QVERIFY(kernel(pointwise, {}, none) == LayerKernel::library);
  QVERIFY(kernel(pointwise, {}, products) == LayerKernel::product);
  QVERIFY(kernel(pointwise, rounded, products) == LayerKernel::library);
  for (ConvolutionSizes sizes : {same, pointwise}) {
    QVERIFY(kernel(sizes, {.isOnCpu = false, .isPixelRows = false}, products) ==
            LayerKernel::library);
    QVERIFY(kernel(sizes, {.isPixelRows = false}, products) == LayerKernel::library);
    QVERIFY(kernel(sizes, {.isAutocast = true}, products) == LayerKernel::library);
    sizes.isPlain = false;
    QVERIFY(kernel(sizes, {}, products) == LayerKernel::library);
  }
}

void TestLayerPath::coresGoByTheUnitsOfTheMachine() {
  const LambdaMixer mixer;
  const MapShape map{64, 8, 8};
  const LayerInput rounded{Element::bfloat16, Element::bfloat16};
  const LayerInput onGpu{.isOnCpu = false, .isPixelRows = false};
  QVERIFY(kernelOf(mixer, map) == LayerKernel::floatCore);
  QVERIFY(kernelOf(mixer, map, rounded) == LayerKernel::floatCore);
#if defined(__x86_64__)
  QVERIFY(kernelOf(mixer, map, rounded, {.pairUnit = PairUnit::vectors}) ==
          LayerKernel::vectorCore);
  QVERIFY(kernelOf(mixer, map, rounded, {.pairUnit = PairUnit::matrices}) == LayerKernel::amxCore);
#endif
  QVERIFY(kernelOf(mixer, map, {.type = std::nullopt}) == LayerKernel::library);
  QVERIFY(kernelOf(mixer, map, onGpu) == LayerKernel::library);
  QVERIFY(kernelOf(mixer, map, onGpu, {.hasCudaKernels = true}) == LayerKernel::cudaCore);
  LambdaMixer deep = mixer, local = mixer, perPosition = mixer;
  deep.queryDepth = 65;
  QVERIFY(kernelOf(deep, map, onGpu, {.hasCudaKernels = true}) == LayerKernel::library);
  local.scope = 7;
  QVERIFY(kernelOf(local, map) == LayerKernel::windowCore);
  QVERIFY(lambdaPath(placeOf(mixer, map), {}, {}).fusesOperands);
  QVERIFY(!lambdaPath(placeOf(mixer, map), {.isPixelRows = false}, {}).fusesOperands);
  QVERIFY(!lambdaPath(placeOf(mixer, map), {.isAutocast = true}, {}).fusesOperands);
  perPosition.normAxes = NormAxes::positions;
  QVERIFY(!lambdaPath(placeOf(perPosition, map), {}, {}).fusesOperands);
}

void TestLayerPath::theFasterPathOfALocalScopeIsTaken() {
  const MapShape map{64, 32, 32}, large{64, 128, 128};
  LambdaMixer mixer;
  const auto convolves = [&mixer](const MapShape& on) {
    return kernelOf(mixer, on) == LayerKernel::lambdaConvolution;
  };
  const auto convolvesPlainly = [](const LambdaMixer& one, const MapShape& on) {
    return plainCore(placeOf(one, on)) == LayerKernel::lambdaConvolution;
  };
  for (const int scope : {0, 23}) {
    mixer.scope = scope;
    QVERIFY(!convolves(map) && !convolvesPlainly(mixer, map));
  }
  mixer.scope = 255;
  QVERIFY(convolves(large) && !convolvesPlainly(mixer, large));
  mixer.scope = 3;
  QVERIFY(!convolves(large) && convolvesPlainly(mixer, large));
  LambdaMixer masked = mixer, multiHead = mixer;
  masked.mask = ContextMask::causal;
  multiHead.multiHead = true;
  for (const LambdaMixer& other : {masked, multiHead}) {
    QVERIFY(kernelOf(other, large) != LayerKernel::lambdaConvolution);
    QVERIFY(!convolvesPlainly(other, large));
  }
  // The convolution needs fewer multiply-adds than all pairs, but the fused kernels are faster.
  mixer.scope = 7;
  QVERIFY(!convolves(map) && convolvesPlainly(mixer, map));
  mixer.embedding = PositionEmbedding::none;
  QVERIFY(!convolves(map) && !convolvesPlainly(mixer, map));
}

void TestLayerPath::theWindowKernelTakesWindowsThatSaveWork() {
  const auto takes = [](std::int64_t scope, std::int64_t height, std::int64_t width) {
    return takesWindow({height, width, scope});
  };
  QVERIFY(takes(7, 8, 8));
  QVERIFY(takes(15, 14, 14));
  QVERIFY(takes(31, 28, 28));
  QVERIFY2(!takes(9, 8, 8), "most of the map is in reach");
  QVERIFY2(!takes(23, 16, 16), "nearly all of the map is in reach");
  QVERIFY2(!takes(3, 4, 4), "half of a vector of queries is empty");
  QVERIFY2(takes(3, 24, 4), "half is empty, but the window has few of the rows");
  QVERIFY2(takes(9, 1, 40), "a map of one row");
  QVERIFY2(!takes(9, 40, 1), "a map of one column");
  QVERIFY2(!takes(5, 3, 3), "a window that leaves out nothing");
  QVERIFY2(takes(193, 100, 100), "a map with too many pairs");
  QVERIFY(!takes(201, 100, 100));
  QVERIFY(!takes(0, 128, 128));
}

void TestLayerPath::causalContentIsSummedInFloat32OnTheCpu() {
  LambdaMixer mixer;
  mixer.mask = ContextMask::causal;
  const auto sums = [](const LambdaMixer& one, const LayerInput& input = {}) {
    return lambdaPath(placeOf(one, {64, 8, 8}), input, {}).sumsCausally;
  };
  for (const auto embedding : {PositionEmbedding::relative, PositionEmbedding::none}) {
    mixer.embedding = embedding;
    for (const auto normalization :
         {KeyNormalization::softmax, KeyNormalization::l2, KeyNormalization::none}) {
      mixer.keyNormalization = normalization;
      QVERIFY(sums(mixer));
    }
    QVERIFY(!sums(mixer, {.type = Element::bfloat16, .weight = Element::bfloat16}));
    QVERIFY(!sums(mixer, {.isAutocast = true}));
    QVERIFY(!sums(mixer, {.type = std::nullopt, .weight = std::nullopt}));
    QVERIFY(!sums(mixer, {.isOnCpu = false}));
  }
  RunConfig config = tinyRun();
  const auto pathText = [&] {
    for (Stage& stage : config.architecture.stages) stage.blocks = {Block{mixer}};
    std::string all;
    for (const NetworkPath& layer : pathsOf(config, {}).layers) all += layer.path + "\n";
    return all;
  };
  const auto says = [&](const char* part) { return pathText().find(part) != std::string::npos; };
  config.recipe.precision = Precision::float32;
  QVERIFY(says("masked content: own kernel, running sums") && !says("core: "));
  mixer.embedding = PositionEmbedding::relative;
  QVERIFY(says("core: own kernel") && says("; masked content: own kernel, running sums"));
  config.recipe.precision = Precision::bfloat16;
  QVERIFY(says("masked content: LibTorch"));
  mixer.mask = ContextMask::custom;
  QVERIFY(!sums(mixer));
  mixer.mask = ContextMask::none;
  QVERIFY(!sums(mixer) && !says("masked content"));
  mixer.mask = ContextMask::causal;
  mixer.content = false;
  QVERIFY(!sums(mixer) && !says("masked content"));
}

void TestLayerPath::causalLinearAttentionIsSummedInFloat32OnTheCpu() {
  const auto pathOf = [](bool causal, Precision precision) {
    RunConfig config = tinyRun();
    config.recipe.precision = precision;
    config.architecture.stages[0].blocks = {
        Block{LinearAttentionMixer{.heads = 2, .causal = causal}}};
    for (const NetworkPath& layer : pathsOf(config, {}).layers) {
      if (layer.name == "stage1.block1.mixer") return layer.path;
    }
    return std::string();
  };
  QVERIFY(pathOf(true, Precision::float32).starts_with("own kernel, running sums"));
  QVERIFY(pathOf(true, Precision::bfloat16).starts_with("LibTorch; projections"));
  QVERIFY(pathOf(false, Precision::float32).starts_with("LibTorch; projections"));
}

void TestLayerPath::widthsBesideMultiplesOf16HaveAHint() {
  RunConfig config = tinyRun();
  config.recipe.precision = Precision::float32;
  config.recipe.batchSize = kImages;
  for (Stage& stage : config.architecture.stages) {
    stage.blocks = {Block{ConvolutionMixer{}}};
    stage.width = 40;
  }
  const auto hints = [&] {
    std::string all;
    for (const NetworkPath& layer : pathsOf(config, {}).layers) all += layer.hint;
    return all;
  };
  QVERIFY(hints().find("40 (nearest: 32 or 48)") != std::string::npos);
  for (Stage& stage : config.architecture.stages) stage.width = 48;
  config.architecture.stem.width = 48;
  QVERIFY2(hints().empty(), hints().c_str());
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLayerPath)

#include "tst_layer_path.moc"
