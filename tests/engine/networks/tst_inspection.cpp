#include <algorithm>
#include <limits>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>

#include <QtTest/QtTest>

#include "engine/networks/inspection/first_nonfinite.h"
#include "engine/networks/inspection/inspect_network.h"
#include "engine/runtime/error.h"
#include "tests/support/jacobi_patterns.h"
#include "tests/support/lambda_case_rows.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

at::Tensor imageFor(const Architecture& architecture) {
  const MapShape& input = architecture.input;
  return at::randn({1, input.channels, input.height, input.width});
}

/// A plain network with one lambda block that has the options of a case; its map has the size of
/// the image.
Architecture architectureOf(const LambdaLayerOptions& options) {
  Architecture architecture;
  architecture.input = {3, options.mapHeight, options.mapWidth};
  architecture.outputs = 4;
  architecture.family = Family::plain;
  architecture.zeroInitResidual = false;
  architecture.stem = {CifarStem{}, static_cast<int>(options.inputDepth)};
  Block block;
  block.mixer = options.mixer;
  architecture.stages = {{static_cast<int>(options.outputDepth), 1, {block}}};
  return architecture;
}

/// Trains with a few steps of gradient descent, so that no parameter keeps its initial value.
void train(Network& network, int steps) {
  network->train();
  const MapShape& input = network->architecture.input;
  for (int step = 0; step < steps; ++step) {
    const at::Tensor x = at::randn({8, input.channels, input.height, input.width});
    const at::Tensor target = at::randint(network->architecture.outputs, {8}, at::kLong);
    network->zero_grad();
    at::cross_entropy_loss(network(x), target).backward();
    const at::NoGradGuard guard;
    for (at::Tensor& parameter : network->parameters()) {
      if (parameter.requires_grad()) parameter.sub_(parameter.grad() * 0.05);
    }
  }
}

/// Every mode, buffer and parameter of a network, for comparison.
struct NetworkState {
  explicit NetworkState(const Network& network) {
    for (const auto& module : network->modules()) modes.push_back(module->is_training());
    for (const at::Tensor& tensor : network->buffers()) tensors.push_back(tensor.clone());
    for (const at::Tensor& tensor : network->parameters()) tensors.push_back(tensor.clone());
    random = at::globalContext().defaultGenerator(at::kCPU).get_state();
  }

  bool operator==(const NetworkState& other) const {
    if (modes != other.modes || !random.equal(other.random)) return false;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].equal(other.tensors[i])) return false;
    }
    return true;
  }

  std::vector<bool> modes;
  std::vector<at::Tensor> tensors;
  at::Tensor random;
};

class InputOf : public ForwardTrace {
 public:
  explicit InputOf(std::string name) : name_(std::move(name)) {}

  void visit(const std::string& layer, const at::Tensor& x, const at::Tensor& y) override {
    if (layer == name_) input = x, output = y;
  }

  at::Tensor input, output;

 private:
  std::string name_;
};

/// Compares with a decomposition by Jacobi rotations; patterns of almost equal strength are not
/// unique.
void verifyPatterns(const PrincipalPatterns& found, const Array& tiles) {
  const JacobiPatterns expected = jacobiPatterns(tiles, kPrincipalPatterns);
  QCOMPARE(found.share.size(), expected.share.size());
  VERIFY_CLOSE(at::tensor(found.share), at::tensor(expected.share), 1e-4, 1e-4);
  QVERIFY(found.patterns.shape == expected.patterns.shape);
  const std::size_t cells = found.patterns.values.size() / found.share.size();
  for (std::size_t i = 0; i < found.share.size(); ++i) {
    const float next = i + 1 < found.share.size() ? found.share[i + 1] : 0;
    const float before = i > 0 ? found.share[i - 1] : 2;
    const bool isDistinct = found.share[i] > 1.05F * next && before > 1.05F * found.share[i];
    if (!isDistinct || i + 1 == found.share.size()) continue;
    const auto pattern = [&](const std::vector<float>& values) {
      return at::tensor(
          std::vector<float>(values.begin() + static_cast<std::ptrdiff_t>(i * cells),
                             values.begin() + static_cast<std::ptrdiff_t>((i + 1) * cells)));
    };
    VERIFY_CLOSE(pattern(found.patterns.values), pattern(expected.patterns.values), 1e-3, 1e-3);
  }
}

std::string errorOf(Network& network, const InspectionRequest& request) {
  try {
    inspectNetwork(network, imageFor(network->architecture), request, {});
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

class TestInspection : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(4); }

  void contributionsSumToTheLayersOutput_data() { addCases(); }

  void contributionsSumToTheLayersOutput() {
    Network network(architectureOf(currentOptions()));
    train(network, 3);
    const at::Tensor image = imageFor(network->architecture);
    if (currentOptions().mixer.tokenOrder == TokenOrder::channelRuns) {
      for (const std::string asked : {"", "stage1.block1", "stage1.block1.mixer"}) {
        const std::string reason = errorOf(network, {.layer = asked});
        QVERIFY2(contains(reason, "runs of channels, not pixels"), reason.c_str());
      }
      return;
    }
    const InspectableLayer layer = inspectableLayers(network->architecture).front();
    for (int row = 0; row < layer.height; ++row) {
      for (int column = 0; column < layer.width; ++column) {
        const InspectionSnapshot seen =
            inspectNetwork(network, image, {.queryRow = row, .queryColumn = column}, {});
        QVERIFY2(seen.residual.relative < 1e-5, std::to_string(seen.residual.relative).c_str());
      }
    }
  }

  void headsWithTheirOwnLambdasComeOneBelowTheOther_data() { addCases(); }

  void headsWithTheirOwnLambdasComeOneBelowTheOther() {
    const LambdaMixer& mixer = currentOptions().mixer;
    if (mixer.tokenOrder == TokenOrder::channelRuns) return;
    Network network(architectureOf(currentOptions()));
    const InspectionSnapshot seen =
        inspectNetwork(network, imageFor(network->architecture), {}, {});
    const InspectableLayer& layer = seen.layer;
    QCOMPARE(layer.queryDepth, mixer.queryDepth);
    QCOMPARE(layer.lambdas, mixer.multiHead ? mixer.heads : 1);
    const std::int64_t rows = layer.lambdaRows();
    QCOMPARE(seen.lambdas.total.shape[0], rows);
    QVERIFY(seen.queries.shape == (std::vector<std::int64_t>{layer.heads, rows}));
    for (std::size_t i = 0; i < seen.queries.values.size(); ++i) {
      const auto head = static_cast<int>(i) / layer.lambdaRows();
      const auto row = static_cast<int>(i) % layer.lambdaRows();
      if (layer.lambdas > 1 && row / layer.queryDepth != head) QCOMPARE(seen.queries.values[i], 0);
    }
  }

  void everyLayerOfATrainedNetworkCanBeInspected_data() {
    QTest::addColumn<int>("index");
    const auto all = oddArchitectures();
    for (std::size_t i = 0; i < all.size(); ++i) {
      QTest::newRow(all[i].first.c_str()) << static_cast<int>(i);
    }
  }

  void everyLayerOfATrainedNetworkCanBeInspected() {
    QFETCH(int, index);
    Network network(oddArchitectures()[static_cast<std::size_t>(index)].second);
    const EmbeddingTables initial = embeddingTablesOf(network);
    train(network, 3);
    const at::Tensor image = imageFor(network->architecture);
    network->eval();
    const at::Tensor probabilities = network(image).softmax(1)[0];
    network->train();
    for (const InspectableLayer& layer : inspectableLayers(network->architecture)) {
      const InspectionSnapshot seen =
          inspectNetwork(network,
                         image,
                         {.id = 7, .layer = layer.name, .withPatterns = true},
                         {.label = 1, .step = 3, .epoch = 2, .initialEmbeddings = &initial});
      QVERIFY(seen.layer == layer);
      QCOMPARE(seen.request.id, std::uint64_t{7});
      QCOMPARE(seen.step, std::int64_t{3});
      QCOMPARE(seen.queryRow, layer.height / 2);
      QVERIFY2(seen.residual.relative < 1e-5, std::to_string(seen.residual.relative).c_str());
      VERIFY_CLOSE(at::tensor(seen.probabilities), probabilities, 1e-5, 1e-5);
      QCOMPARE(seen.embeddings.change.shape == seen.embeddings.tiles.shape, true);
      QCOMPARE(seen.embeddings.change.empty(), layer.embedding == PositionEmbedding::none);
      if (!seen.embeddings.change.empty()) {
        QVERIFY(std::ranges::any_of(seen.embeddings.change.values, [](float x) { return x != 0; }));
        verifyPatterns(seen.embeddings.patterns, seen.embeddings.tiles);
        verifyPatterns(seen.embeddings.changePatterns, seen.embeddings.change);
      }
    }
  }

  // The residual must be measured against the output that the network computed.
  void theLayersOwnOutputIsThatOfTheNetwork() {
    Network network(oddArchitectures().front().second);
    network->eval();
    const at::NoGradGuard guard;
    const NamedLambda lambda = network->lambdaLayers().front();
    InputOf trace(lambda.name);
    network->forward(imageFor(network->architecture), &trace);
    MixerUnit unit = lambda.unit;
    QVERIFY(unit(trace.input).equal(trace.output));
  }

  void leavesNoTraceInTheNetwork() {
    Network network(oddArchitectures()[2].second);
    QVERIFY(network->architecture.stem.whitened);
    network->train();
    network->lambdaLayers()[1].layer->eval();  // The modules may have different modes.
    const at::Tensor image = imageFor(network->architecture);
    const NetworkState before(network);
    inspectNetwork(network, image, {}, {});
    QVERIFY(NetworkState(network) == before);
    QVERIFY(at::GradMode::is_enabled());
    for (const at::Tensor& parameter : network->parameters()) {
      const bool isFixed = parameter.is_same(network->parameters().front());
      QVERIFY(!parameter.grad().defined() && parameter.requires_grad() == !isFixed);
    }
  }

  void computesInFloat32UnderAutocast() {
    Network network(oddArchitectures().front().second);
    const at::Tensor image = imageFor(network->architecture);
    const InspectionSnapshot expected = inspectNetwork(network, image, {}, {});
    at::autocast::set_autocast_enabled(at::kCPU, true);
    const InspectionSnapshot seen = inspectNetwork(network, image, {}, {});
    const bool stillOn = at::autocast::is_autocast_enabled(at::kCPU);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    QVERIFY(stillOn);
    QVERIFY(seen == expected);
  }

  void snapshotOutlivesTrainingAndNetwork() {
    Network network(oddArchitectures().front().second);
    const at::Tensor image = imageFor(network->architecture);
    const InspectionSnapshot seen = inspectNetwork(network, image, {}, {});
    const InspectionSnapshot copy = seen;
    train(network, 2);
    QVERIFY(seen == copy);
    QVERIFY(!(inspectNetwork(network, image, {}, {}) == copy));
  }

  void findsLayersByNameAndBlock() {
    Network network(oddArchitectures().front().second);
    const at::Tensor image = imageFor(network->architecture);
    QCOMPARE(inspectNetwork(network, image, {}, {}).layer.name, std::string("stage1.block2.mixer"));
    QCOMPARE(inspectNetwork(network, image, {.layer = "stage2.block1"}, {}).layer.name,
             std::string("stage2.block1.mixer"));
  }

  void errorsSayWhatThereIs() {
    Network network(oddArchitectures().front().second);
    network->train();
    const std::string layer = errorOf(network, {.layer = "stage1.block1"});
    QVERIFY2(contains(layer, "stage1.block2.mixer, stage2.block1.mixer"), layer.c_str());
    const std::string row = errorOf(network, {.queryRow = 10});
    QVERIFY2(contains(row, "row 10 is not on its 10x7 map"), row.c_str());
    QVERIFY2(contains(row, "rows go from 0 to 9"), row.c_str());
    const std::string column = errorOf(network, {.queryColumn = -2});
    QVERIFY2(contains(column, "column -2"), column.c_str());
    QVERIFY(network->is_training());

    Architecture convolutions = oddArchitectures().front().second;
    for (Stage& stage : convolutions.stages) stage.blocks = {convolutionBlock()};
    Network without(convolutions);
    const std::string none = errorOf(without, {});
    QVERIFY2(contains(none, "no layer that can be inspected"), none.c_str());
    try {
      inspectNetwork(network, at::zeros({3, 19, 14}), {}, {});
      QFAIL("The inspection accepted a wrong image.");
    } catch (const Error& error) {
      QVERIFY2(contains(error.what(), "[3, 19, 13]"), error.what());
    }
  }

  void firstNonFiniteNamesTheLayer() {
    Network network(oddArchitectures()[2].second);
    network->train();
    const at::Tensor images = at::randn({2, 4, 41, 36});
    QVERIFY(!firstNonFinite(network, images));
    QVERIFY(!firstNonFinite(network, images.to(at::kBFloat16)));

    MixerUnit unit = network->lambdaLayers()[2].unit;
    const at::Tensor scale = unit->norm->weight.detach();
    scale[0] = std::numeric_limits<float>::infinity();
    const NetworkState before(network);
    const auto found = firstNonFinite(network, images);
    QVERIFY(found.has_value());
    QCOMPARE(found->layer, std::string("stage2.block1.mixer"));
    QVERIFY2(contains(found->what, "output values") && contains(found->what, "norm.weight"),
             found->what.c_str());
    QVERIFY(NetworkState(network).modes == before.modes);
    QVERIFY(NetworkState(network).random.equal(before.random));
    for (std::size_t i = 0; i < before.tensors.size(); ++i) {
      if (i < network->buffers().size()) QVERIFY(network->buffers()[i].equal(before.tensors[i]));
    }
  }

  void firstNonFiniteNamesImagesAndGradients() {
    Network network(oddArchitectures().front().second);
    at::Tensor images = at::randn({2, 3, 19, 13});
    network(images).sum().backward();
    at::Tensor gradient = network->lambdaLayers()[1].layer->queries->weight.grad();
    gradient.view(-1)[0] = std::numeric_limits<float>::quiet_NaN();
    const auto inGradient = firstNonFinite(network, images);
    QVERIFY(inGradient.has_value());
    QCOMPARE(inGradient->layer, std::string("stage2.block1.mixer"));
    QVERIFY2(contains(inGradient->what, "1 of"), inGradient->what.c_str());
    QVERIFY2(contains(inGradient->what, "gradients of"), inGradient->what.c_str());

    images.view(-1)[5] = std::numeric_limits<float>::quiet_NaN();
    QCOMPARE(firstNonFinite(network, images)->layer, std::string("images"));
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestInspection)
#include "tst_inspection.moc"
