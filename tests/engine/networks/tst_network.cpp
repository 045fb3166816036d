#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/formats/json/presets.h"
#include "engine/networks/network.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/validate.h"
#include "engine/values/inspection/inspection.h"
#include "tests/support/gradient_check.h"
#include "tests/support/lambda_cases.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/parameter_count.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

constexpr int kLargestRunMap = 64;  // Pixels per side; larger presets are built but not run.

using NamedArchitecture = std::pair<std::string, Architecture>;

/// The architectures of oddArchitectures() and all presets in files.
std::vector<NamedArchitecture> architectures() {
  std::vector<NamedArchitecture> all = oddArchitectures();
  for (const std::string& name : presetFileNames()) {
    std::vector<Problem> warnings;
    all.emplace_back(name, loadPreset(name, warnings).architecture);
  }
  return all;
}

/// Images, or sequences of tokens.
at::Tensor inputsFor(const Architecture& architecture, std::int64_t count) {
  const MapShape& input = architecture.input;
  const std::vector<std::int64_t> shape{count, input.channels, input.height, input.width};
  if (traitsOf(architecture.stem).takesTokens) {
    return at::randint(architecture.outputs, shape, at::kLong);
  }
  return at::randn(shape);
}

/// The layer of the cost table to which a parameter belongs; for shared embeddings, their first
/// user.
std::string ownerOf(const std::string& parameter, const Network& network) {
  constexpr std::string_view kShared = "embeddings-";
  if (parameter.rfind(kShared, 0) == 0) {
    const std::string group =
        parameter.substr(kShared.size(), parameter.find('.') - kShared.size());
    for (const PlacedMixer& place : network->graph.mixers()) {
      const auto* mixer = std::get_if<LambdaMixer>(&place.mixer);
      if (mixer != nullptr && mixer->sharedEmbeddings == group) return place.name;
    }
  }
  for (const LayerCost& layer : costOf(network->architecture).layers) {
    if (parameter.rfind(layer.name + ".", 0) == 0) return layer.name;
  }
  return {};
}

class ShapeTrace : public ForwardTrace {
 public:
  void visit(const std::string& layer, const at::Tensor&, const at::Tensor& output) override {
    shapes.emplace_back(layer, output.sizes().vec());
  }

  std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes;
};

}  // namespace

class TestNetwork : public QObject {
  Q_OBJECT

 private:
  /// Adds rows for the architectures whose images are at most `largestSide` pixels high.
  static void addArchitectures(int largestSide = 1024) {
    QTest::addColumn<int>("index");
    const auto all = architectures();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].second.input.height > largestSide) continue;
      QTest::newRow(all[i].first.c_str()) << static_cast<int>(i);
    }
  }

  static Architecture currentArchitecture() {
    QFETCH(int, index);
    return architectures()[static_cast<std::size_t>(index)].second;
  }

  static void addOddArchitectures() {
    QTest::addColumn<int>("index");
    const auto all = oddArchitectures();
    for (std::size_t i = 0; i < all.size(); ++i) {
      QTest::newRow(all[i].first.c_str()) << static_cast<int>(i);
    }
  }

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(3); }

  void oddArchitecturesAreValid_data() { addOddArchitectures(); }

  void oddArchitecturesAreValid() {
    for (const Problem& problem : validate(currentArchitecture())) {
      QVERIFY2(problem.severity != Severity::error, (problem.path + ": " + problem.text).c_str());
    }
  }

  void costEqualsBuiltParameters_data() { addArchitectures(); }

  void costEqualsBuiltParameters() {
    const Network network(currentArchitecture());
    const NetworkCost cost = costOf(network->architecture);
    QCOMPARE(static_cast<long long>(test::parameterCount(*network)), cost.parameters);
    std::map<std::string, long long> built;
    for (const auto& parameter : network->named_parameters()) {
      const std::string owner = ownerOf(parameter.key(), network);
      QVERIFY2(!owner.empty(), parameter.key().c_str());
      built[owner] += parameter.value().numel();
    }
    for (const LayerCost& layer : cost.layers) {
      const std::string text = layer.name + ": " + std::to_string(built[layer.name]) +
                               " parameters built, cost says " + std::to_string(layer.parameters);
      QVERIFY2(built[layer.name] == layer.parameters, text.c_str());
    }
  }

  void outputsHaveTheShapesOfTheCostTable_data() { addArchitectures(kLargestRunMap); }

  void outputsHaveTheShapesOfTheCostTable() {
    const Architecture architecture = currentArchitecture();
    Network network(architecture);
    network->eval();
    const at::NoGradGuard guard;
    ShapeTrace trace;
    network->forward(inputsFor(architecture, 1), &trace);
    std::map<std::string, std::vector<std::int64_t>> expected;
    for (const LayerCost& layer : costOf(architecture).layers) {
      const MapShape& output = layer.output;
      std::vector<std::int64_t>& shape = expected[layer.name];
      shape = {1, output.channels, output.height, output.width};
      if (layer.name != "head") continue;
      shape = {1, output.channels};
      if (architecture.task == Task::tokens) shape = {1, output.width, output.channels};
    }
    QCOMPARE(trace.shapes.size(), expected.size());
    for (const auto& [layer, shape] : trace.shapes) {
      const std::string text = layer + ": " + c10::str(at::IntArrayRef(shape)) + ", cost says " +
                               c10::str(at::IntArrayRef(expected[layer]));
      QVERIFY2(shape == expected[layer], text.c_str());
    }
  }

  void resnet50HasItsKnownParameters() {
    Architecture resnet;
    resnet.outputs = 1000;
    resnet.input = {3, 224, 224};
    resnet.stem = {ImageNetStem{}, 64};
    const int depths[] = {3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage) {
      resnet.stages.push_back(
          {64 << stage, stage == 0 ? 1 : 2, std::vector<Block>(depths[stage], convolutionBlock())});
    }
    // torchvision's resnet50: 25,557,032.
    QCOMPARE(costOf(resnet).parameters, 25557032LL);
    QCOMPARE(test::parameterCount(*Network(resnet)), std::int64_t{25557032});
  }

  void inspectableLayersAreThoseOfTheNetwork_data() { addArchitectures(); }

  void inspectableLayersAreThoseOfTheNetwork() {
    const Network network(currentArchitecture());
    auto listed = inspectableLayers(network->architecture);
    std::erase_if(listed, [](const InspectableLayer& each) {
      return each.kind != mixerKindOf<LambdaMixer>();
    });
    auto built = network->lambdaLayers();
    // Their tokens are no pixels.
    std::erase_if(built, [](const NamedLambda& each) {
      return each.layer->options.mixer.tokenOrder == TokenOrder::channelRuns;
    });
    QCOMPARE(listed.size(), built.size());
    for (std::size_t i = 0; i < listed.size(); ++i) {
      const LambdaLayerOptions& options = built[i].layer->options;
      QCOMPARE(listed[i].name, built[i].name);
      QCOMPARE(listed[i].height, options.mapHeight);
      QCOMPARE(listed[i].width, options.mapWidth);
      QCOMPARE(std::int64_t{listed[i].valueDepth} * listed[i].heads, options.outputDepth);
      QCOMPARE(listed[i].lambdas, options.mixer.multiHead ? options.mixer.heads : 1);
      QCOMPARE(listed[i].queryDepth, options.mixer.queryDepth);
    }
  }

  void loadedWeightsGiveTheSameBits_data() { addOddArchitectures(); }

  void loadedWeightsGiveTheSameBits() {
    const Architecture architecture = currentArchitecture();
    Network saved(architecture), loaded(architecture);
    const at::Tensor x = inputsFor(architecture, 2);
    useStatisticsOf(saved, x);
    const at::NoGradGuard guard;
    for (const auto& item : saved->named_parameters()) {
      loaded->named_parameters()[item.key()].copy_(item.value());
    }
    for (const auto& item : saved->named_buffers()) {
      loaded->named_buffers()[item.key()].copy_(item.value());
    }
    loaded->eval();
    QVERIFY(saved(x).isfinite().all().item<bool>());
    QVERIFY(loaded(x).equal(saved(x)));
  }

  void everyParameterThatIsLearntGetsAGradient_data() { addOddArchitectures(); }

  void everyParameterThatIsLearntGetsAGradient() {
    Architecture architecture = currentArchitecture();
    architecture.zeroInitResidual = false;  // A scale of 0 would make gradients before it 0.
    Network network(architecture);
    for (const auto& parameter : network->named_parameters()) {
      const at::NoGradGuard guard;  // Units that are 0 after ReLU for all images get no gradient.
      if (parameter.key().ends_with("squeeze.bias")) parameter.value().fill_(3);
    }
    network(inputsFor(architecture, 4)).square().sum().backward();
    for (const auto& parameter : network->named_parameters()) {
      const at::Tensor gradient = parameter.value().grad();
      if (architecture.stem.whitened && parameter.value().is_same(network->parameters().front())) {
        QVERIFY(!gradient.defined());
        continue;
      }
      QVERIFY2(gradient.defined() && gradient.isfinite().all().item<bool>() &&
                   gradient.abs().max().item<double>() > 0,
               parameter.key().c_str());
    }
  }

  void batchStatisticsHaveGradientsInEvaluation() {
    Architecture architecture;
    architecture.input = {1, 5, 4};
    architecture.outputs = 2;
    architecture.family = Family::plain;
    architecture.activation = Activation::silu;
    architecture.normStatistics = NormStatistics::batch;
    architecture.stem.width = 2;
    architecture.stages = {{2, 1, {convolutionBlock(), lambdaBlock(2, 2)}}};
    architecture.zeroInitResidual = false;
    Network network(architecture);
    network->to(at::kDouble);
    network->eval();
    const at::Tensor x = inputsFor(architecture, 3).to(at::kDouble).requires_grad_(true);
    NamedLeaves leaves{{"images", x}};
    for (const auto& parameter : network->named_parameters()) {
      leaves.emplace_back(parameter.key(), parameter.value());
    }
    const std::string mismatch =
        gradientMismatch([&] { return network(x).square().sum(); }, leaves);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
    // What training collected has no effect.
    const at::NoGradGuard guard;
    const at::Tensor before = network(x);
    for (const at::Tensor& buffer : network->buffers()) buffer.add_(3);
    QVERIFY(network(x).equal(before));
  }

  void permutingTheBatchPermutesTheLogits_data() { addOddArchitectures(); }

  void permutingTheBatchPermutesTheLogits() {
    const Architecture architecture = currentArchitecture();
    Network network(architecture);
    network->to(at::kDouble);
    const at::Tensor x = inputsFor(architecture, 3).to(at::kDouble);
    useStatisticsOf(network, x);
    const at::Tensor order = at::tensor({2, 0, 1}, at::kLong);
    VERIFY_CLOSE(
        network(x.index_select(0, order)), network(x).index_select(0, order), 1e-10, 1e-10);
  }

  void channelsLastGivesTheSame_data() { addOddArchitectures(); }

  void channelsLastGivesTheSame() {
    const Architecture architecture = currentArchitecture();
    Network network(architecture);
    network->to(at::kDouble);
    const at::Tensor x = inputsFor(architecture, 2).to(at::kDouble);
    useStatisticsOf(network, x);
    VERIFY_CLOSE(network(x.contiguous(at::MemoryFormat::ChannelsLast)), network(x), 1e-10, 1e-10);
  }

  void rejectsImagesOfAnotherSizeWithExpectedAndGot() {
    Network network(oddArchitectures().front().second);
    try {
      network(at::zeros({1, 3, 19, 14}));
      QFAIL("The network accepted a wrong width.");
    } catch (const c10::Error& error) {
      const std::string text = error.what_without_backtrace();
      QVERIFY2(text.find("[b, 3, 19, 13]") != std::string::npos, text.c_str());
      QVERIFY2(text.find("[1, 3, 19, 14]") != std::string::npos, text.c_str());
    }
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestNetwork)
#include "tst_network.moc"
