#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <ATen/Parallel.h>

#include <QtCore/QJsonArray>
#include <QtTest/QtTest>

#include "engine/formats/json/config_json.h"
#include "engine/formats/json/config_override.h"
#include "engine/layers/convolution/depthwise_convolution.h"
#include "engine/networks/network.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/validate.h"
#include "tests/support/gradient_check.h"
#include "tests/support/parameter_count.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"
#include "tests/support/verify_close.h"

using namespace std::string_literals;
using namespace Qt::Literals::StringLiterals;

namespace lambda::test {

namespace {

/// The depthwise convolution by its definition, pixel by pixel.
at::Tensor naiveDepthwise(const at::Tensor& x, const at::Tensor& filters, int stride) {
  const std::int64_t k = filters.size(2), height = x.size(2), width = x.size(3);
  const std::int64_t rows = (height + stride - 1) / stride, columns = (width + stride - 1) / stride;
  at::Tensor y = at::zeros({x.size(0), x.size(1), rows, columns}, x.options());
  const auto in = x.accessor<double, 4>();
  const auto w = filters.accessor<double, 4>();
  auto out = y.accessor<double, 4>();
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    for (std::int64_t c = 0; c < x.size(1); ++c) {
      for (std::int64_t i = 0; i < rows * columns * k * k; ++i) {
        const std::int64_t tap = i % (k * k), row = i / (k * k) / columns;
        const std::int64_t column = i / (k * k) % columns;
        const std::int64_t from = row * stride + tap / k - k / 2;
        const std::int64_t at = column * stride + tap % k - k / 2;
        if (from < 0 || from >= height || at < 0 || at >= width) continue;
        out[b][c][row][column] += w[c][0][tap / k][tap % k] * in[b][c][from][at];
      }
    }
  }
  return y;
}

/// The causal window of one row by its definition, position by position.
at::Tensor naiveCausal(const at::Tensor& x, const at::Tensor& filters, std::int64_t stride) {
  const std::int64_t k = filters.size(3), columns = (x.size(3) + stride - 1) / stride;
  at::Tensor y = at::zeros({x.size(0), x.size(1), 1, columns}, x.options());
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t before = 0; before < k && before <= column * stride; ++before) {
      y.select(3, column) +=
          x.select(3, column * stride - before) * filters.select(3, k - 1 - before).flatten(1);
    }
  }
  return y;
}

/// A network of tokens whose mixers are causal depthwise convolutions.
Architecture sequenceOf(int kernelSize) {
  Architecture architecture;
  architecture.input = {1, 1, 9};
  architecture.task = Task::tokens;
  architecture.outputs = 7;
  architecture.family = Family::sequence;
  architecture.stem = {EmbeddingStem{}, 6};
  architecture.stages = {
      {6, 1, {Block{DepthwiseConvolutionMixer{.kernelSize = kernelSize, .causal = true}}}}};
  return architecture;
}

/// The tiny run with depthwise convolutions only; the second stage changes the channels.
RunConfig depthwiseRun() {
  RunConfig config = tinyRun();
  applyOverride(config, "architecture.stages[*].blocks[*].mixer=depthwiseConvolution");
  applyOverride(config, "architecture.stages[0].blocks[*].mixer.kernelSize=5");
  return config;
}

}  // namespace

/// Tests one mixer in every part of the engine and on the command line.
class TestDepthwiseConvolution : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() {
    at::set_num_threads(1);
    std::ofstream(folder_.path() / "tiny.json") << toJson(tinyRun());
    std::ofstream(folder_.path() / "depthwise.json") << toJson(depthwiseRun());
  }

  void init() { at::manual_seed(4); }

  void equalsItsDefinition_data() {
    QTest::addColumn<int>("kernelSize");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("outputDepth");
    QTest::newRow("3x3") << 3 << 1 << 5;
    QTest::newRow("5x5, stride 2") << 5 << 2 << 5;
    QTest::newRow("1x1") << 1 << 1 << 5;
    QTest::newRow("3x3, stride 2, separable") << 3 << 2 << 7;
  }

  void equalsItsDefinition() {
    QFETCH(int, kernelSize);
    QFETCH(int, stride);
    QFETCH(int, outputDepth);
    DepthwiseConvolution layer(DepthwiseConvolutionOptions{5, outputDepth, kernelSize, stride});
    layer->to(at::kDouble);
    const at::Tensor x = at::randn({2, 5, 7, 6}, at::kDouble).requires_grad_();
    at::Tensor expected = naiveDepthwise(x.detach(), layer->filters.detach(), stride);
    if (outputDepth != 5) {
      expected = at::einsum("oc,bchw->bohw", {layer->pointwise->weight.flatten(1), expected});
    }
    VERIFY_CLOSE(layer(x), expected, 1e-12, 1e-12);
    NamedLeaves leaves{{"x", x}};
    for (const auto& parameter : layer->named_parameters()) {
      leaves.emplace_back(parameter.key(), parameter.value());
    }
    QCOMPARE(leaves.size(), outputDepth == 5 ? std::size_t{2} : std::size_t{3});
    const at::Tensor weights = at::randn_like(expected);
    const std::string mismatch =
        gradientMismatch([&] { return (layer(x) * weights).sum(); }, leaves);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  void causalEqualsItsDefinition_data() {
    QTest::addColumn<int>("kernelSize");
    QTest::addColumn<int>("stride");
    QTest::newRow("3") << 3 << 1;
    QTest::newRow("4") << 4 << 1;
    QTest::newRow("1") << 1 << 1;
    QTest::newRow("beyond the row") << 13 << 1;
    QTest::newRow("5, stride 2") << 5 << 2;
  }

  void causalEqualsItsDefinition() {
    QFETCH(int, kernelSize);
    QFETCH(int, stride);
    DepthwiseConvolution layer(
        DepthwiseConvolutionOptions{5, 5, kernelSize, stride, /*causal=*/true});
    QVERIFY(layer->filters.sizes() == at::IntArrayRef({5, 1, 1, kernelSize}));
    layer->to(at::kDouble);
    const at::Tensor x = at::randn({2, 5, 1, 11}, at::kDouble).requires_grad_();
    VERIFY_CLOSE(layer(x), naiveCausal(x.detach(), layer->filters.detach(), stride), 1e-12, 1e-12);
    const at::Tensor weights = at::randn_like(layer(x));
    const std::string mismatch = gradientMismatch([&] { return (layer(x) * weights).sum(); },
                                                  {{"x", x}, {"filters", layer->filters}});
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  void causalSeesNoLaterPosition() {
    DepthwiseConvolution layer(DepthwiseConvolutionOptions{5, 5, 3, 1, /*causal=*/true});
    const at::Tensor x = at::randn({2, 5, 1, 11}), y = layer(x);
    for (std::int64_t m = 0; m < 11; ++m) {
      const at::Tensor changed = x.clone();
      changed.select(3, m).mul_(-1e4).add_(1);
      const at::Tensor moved = layer(changed);
      QVERIFY(moved.slice(3, 0, m).equal(y.slice(3, 0, m)));
      QVERIFY(!moved.select(3, m).equal(y.select(3, m)));
      QVERIFY(moved.slice(3, std::min<std::int64_t>(m + 3, 11))
                  .equal(y.slice(3, std::min<std::int64_t>(m + 3, 11))));
    }
  }

  void causalCostIsThatOfTheBuiltModule() {
    const Architecture architecture = sequenceOf(4);
    QVERIFY(validate(architecture).empty());
    const NetworkCost cost = costOf(architecture);
    QCOMPARE(cost.parameters, static_cast<long long>(test::parameterCount(*Network(architecture))));
    const auto mixer = std::ranges::find(cost.layers, "stage1.block1.mixer", &LayerCost::name);
    QVERIFY(mixer != cost.layers.end());
    QCOMPARE(mixer->parameters, 6LL * 4);
    QCOMPARE(mixer->flops, 2LL * 6 * 4 * 9);
  }

  void causalWindowsNeedMapsOfOneRow() {
    RunConfig config = depthwiseRun();
    applyOverride(config, "architecture.stages[1].blocks[0].mixer.causal=true");
    const std::vector<Problem> problems = validate(config.architecture);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].path, "architecture.stages[1].blocks[0].mixer.causal"s);
    QVERIFY(problems[0].severity == Severity::error);
    applyFix(config, *problems[0].fix);
    QVERIFY(config == depthwiseRun());
  }

  void refusesOtherChannels() {
    DepthwiseConvolution layer(DepthwiseConvolutionOptions{});
    QVERIFY_THROWS_EXCEPTION(c10::Error, layer(at::zeros({1, 32, 4, 4})));
  }

  void jsonKeepsIt() {
    const RunConfig config = depthwiseRun();
    std::vector<Problem> warnings;
    QVERIFY(runConfigFromJson(toJson(config), "a test", warnings) == config);
    QVERIFY(warnings.empty());
    QCOMPARE(patternOf(config.architecture), "D-D"s);
    const auto& first = config.architecture.stages[0].blocks[0].mixer;
    QCOMPARE(std::get<DepthwiseConvolutionMixer>(first).kernelSize, 5);
  }

  void evenKernelsAreFixed() {
    RunConfig config = depthwiseRun();
    applyOverride(config, "architecture.stages[1].blocks[0].mixer.kernelSize=4");
    const std::vector<Problem> problems = validate(config.architecture);
    QCOMPARE(problems.size(), std::size_t{1});
    QCOMPARE(problems[0].path, "architecture.stages[1].blocks[0].mixer.kernelSize"s);
    QVERIFY(problems[0].severity == Severity::error);
    applyFix(config, *problems[0].fix);
    QVERIFY(validate(config.architecture).empty());
    const auto outside = [&] {
      applyOverride(config, "architecture.stages[0].blocks[0].mixer.kernelSize=33");
    };
    QVERIFY_THROWS_EXCEPTION(std::exception, outside());
  }

  void costIsThatOfTheBuiltModule_data() {
    QTest::addColumn<int>("family");
    QTest::addColumn<int>("flops");
    // 2 x channels x window x output positions; the plain family adds the 1x1 convolution from 8 to
    // 16 channels, both before the pooling.
    QTest::newRow("bottleneck") << int(Family::bottleneck) << 2 * 16 * 9 * 8 * 8;
    QTest::newRow("basic") << int(Family::basic) << 2 * 16 * 9 * 8 * 8;
    QTest::newRow("plain") << int(Family::plain) << 2 * (8 * 9 + 8 * 16) * 16 * 16;
  }

  void costIsThatOfTheBuiltModule() {
    QFETCH(int, family);
    QFETCH(int, flops);
    RunConfig config = depthwiseRun();
    config.architecture.family = static_cast<Family>(family);
    const NetworkCost cost = costOf(config.architecture);
    const Network network(config.architecture);
    QCOMPARE(cost.parameters, static_cast<long long>(test::parameterCount(*network)));
    const auto mixer = std::find_if(cost.layers.begin(), cost.layers.end(), [](const auto& layer) {
      return layer.name == "stage2.block1.mixer";
    });
    QVERIFY(mixer != cost.layers.end());
    QCOMPARE(mixer->kind, "depthwiseConvolution"s);
    QCOMPARE(mixer->flops, static_cast<long long>(flops));
    QVERIFY((mixer->output == MapShape{16, 8, 8}));
  }

  void everyParameterLearns() {
    Network network(depthwiseRun().architecture);
    network->train();
    network(at::randn({4, 3, 32, 32})).pow(2).sum().backward();
    for (const auto& parameter : network->named_parameters()) {
      const at::Tensor gradient = parameter.value().grad();
      QVERIFY2(gradient.defined() && gradient.isfinite().all().item<bool>(),
               parameter.key().c_str());
      if (parameter.key().find(".layer.") == std::string::npos) continue;
      QVERIFY2(gradient.abs().max().item<double>() > 0, parameter.key().c_str());
    }
  }

  void theCommandLineDescribesIt() {
    const QJsonObject report =
        program_.run({u"describe"_s, u"depthwise.json"_s, u"--json"_s}).json();
    QCOMPARE(report[u"pattern"_s].toString(), u"D-D"_s);
    QCOMPARE(report[u"parameters"_s].toInteger(),
             qint64(costOf(depthwiseRun().architecture).parameters));
    bool isListed = false;
    for (const QJsonValue& layer : report[u"layers"_s].toArray()) {
      isListed |= layer[u"kind"_s].toString() == u"depthwiseConvolution"_s;
    }
    QVERIFY(isListed);
    const QJsonArray mixers =
        program_.run({u"layers"_s, u"--json"_s}).json()[u"mixers"_s].toArray();
    const QJsonValue ours = mixers[qsizetype(mixerKindOf<DepthwiseConvolutionMixer>())];
    QCOMPARE(ours[u"name"_s].toString(), u"depthwiseConvolution"_s);
    QCOMPARE(ours[u"settings"_s][0][u"name"_s].toString(), u"kernelSize"_s);
    QCOMPARE(ours[u"settings"_s][0][u"default"_s].toInt(), 3);
  }

  void theCommandLineTrainsIt_data() {
    QTest::addColumn<QString>("precision");
    QTest::newRow("float32") << u"float32"_s;
    QTest::newRow("bfloat16") << u"bfloat16"_s;
  }

  void theCommandLineTrainsIt() {
    QFETCH(QString, precision);
    const ProgramOutcome outcome = program_.run(
        {u"train"_s,
         u"tiny.json"_s,
         u"--set"_s,
         u"architecture.stages[0].blocks[*].mixer=depthwiseConvolution"_s,
         u"--set"_s,
         u"architecture.stages[1].blocks[0].mixer={\"kind\": \"depthwiseConvolution\", "
         u"\"kernelSize\": 5}"_s,
         u"--set"_s,
         u"recipe.precision="_s + precision,
         u"--epochs"_s,
         u"1"_s,
         u"--out"_s,
         u"runs"_s,
         u"--json"_s});
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QCOMPARE(outcome.json()[u"status"_s].toString(), u"finished"_s);
    const ProgramOutcome again =
        program_.run({u"evaluate"_s, outcome.json()[u"run"_s].toString(), u"--json"_s});
    QVERIFY2(again.status == 0, again.errors.constData());
  }

 private:
  TemporaryFolder folder_;
  Program program_{folder_.path()};
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestDepthwiseConvolution)
#include "tst_depthwise_convolution.moc"
