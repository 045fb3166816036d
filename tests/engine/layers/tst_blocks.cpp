#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/networks/network.h"
#include "tests/support/gradient_check.h"
#include "tests/support/lambda_cases.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

/// A network whose one block is of a family, on a map of 8x6 positions with `inputDepth` channels.
Architecture oneBlock(Family family, const Block& block, int inputDepth, int width, int stride) {
  Architecture architecture;
  architecture.input = {3, 8, 6};
  architecture.family = family;
  architecture.stem = {CifarStem{}, inputDepth};
  architecture.stages = {{width, stride, {block}}};
  return architecture;
}

/// Runs the network and keeps what its block takes and gives. Passive, so that the last norm of a
/// branch adds the shortcut as it does in training.
class BlockTrace : public ForwardTrace {
 public:
  bool isPassive() const override { return true; }

  void visit(const std::string& layer, const at::Tensor& x, const at::Tensor& y) override {
    if (layer.starts_with("stem")) input = y;
    if (layer == "head") output = x;
  }

  at::Tensor input;
  at::Tensor output;
};

/// A network of float64 with one block, in evaluation mode.
class BlockUnderTest {
 public:
  explicit BlockUnderTest(const Architecture& architecture) : network(architecture) {
    randomizeNorms(*network);
    network->to(at::kDouble);
    network->eval();
  }

  /// Sends random images through the network.
  BlockTrace run(std::int64_t batch = 2) { return run(imagesFor(batch)); }

  BlockTrace run(const at::Tensor& images) {
    BlockTrace trace;
    network(images, &trace);
    return trace;
  }

  at::Tensor imagesFor(std::int64_t batch) const {
    const MapShape& input = network->architecture.input;
    return at::randn({batch, input.channels, input.height, input.width}, at::kDouble);
  }

  bool has(const std::string& part) const {
    return network->named_modules().contains("stage1.block1." + part);
  }

  ConvolutionUnit convolution(const std::string& part) const {
    return ConvolutionUnit(std::dynamic_pointer_cast<ConvolutionUnitImpl>(
        network->named_modules()["stage1.block1." + part]));
  }

  SqueezeExcitation squeeze() const {
    return SqueezeExcitation(std::dynamic_pointer_cast<SqueezeExcitationImpl>(
        network->named_modules()["stage1.block1.squeeze"]));
  }

  MixerUnit mixer() const { return network->mixers().front().second; }

  Network network;
};

// ---- reference blocks, written with tensor operations only ----

at::Tensor normed(const at::Tensor& x, const torch::nn::BatchNorm2d& norm) {
  const auto column = [](const at::Tensor& v) { return v.view({1, -1, 1, 1}); };
  return (x - column(norm->running_mean)) /
             (column(norm->running_var) + norm->options.eps()).sqrt() * column(norm->weight) +
         column(norm->bias);
}

at::Tensor convolved(const at::Tensor& x, const ConvolutionUnit& unit, int stride) {
  const std::int64_t side = unit->conv->weight.size(2);
  return at::conv2d(x, unit->conv->weight, {}, stride, side / 2);
}

at::Tensor convolved(const at::Tensor& x, const MixerUnit& unit, int stride) {
  const at::Tensor& weight = unit->layerAs<torch::nn::Conv2dImpl>()->weight;
  return at::conv2d(x, weight, {}, stride, weight.size(2) / 2);
}

at::Tensor convolvedAndNormed(const at::Tensor& x, const ConvolutionUnit& unit, int stride) {
  return normed(convolved(x, unit, stride), unit->norm);
}

at::Tensor lambdaBranch(const at::Tensor& x, const MixerUnit& unit, bool pooled) {
  at::Tensor y = unit->layerAs<LambdaLayerImpl>()->forward(x);
  if (pooled) y = at::avg_pool2d(y, 3, 2, 1);
  return normed(y, unit->norm);
}

at::Tensor excited(const at::Tensor& x, const SqueezeExcitation& unit) {
  const at::Tensor means = x.mean({2, 3});
  const auto linear = [](const at::Tensor& rows, const torch::nn::Conv2d& conv) {
    return at::matmul(rows, conv->weight.flatten(1).t()) + conv->bias;
  };
  const at::Tensor weights = linear(linear(means, unit->squeeze).relu(), unit->excite);
  return x / (1 + (-weights).exp()).view({x.size(0), -1, 1, 1});
}

}  // namespace

class TestBlocks : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(2); }

  void squeezeExcitationScalesChannels() {
    SqueezeExcitation unit(9, 4);
    unit->to(at::kDouble);
    const at::Tensor x = at::randn({3, 9, 4, 5}, at::kDouble);
    VERIFY_CLOSE(unit(x), excited(x, unit), 1e-12, 1e-12);
    QCOMPARE(unit->squeeze->weight.size(0), std::int64_t{2});
  }

  void bottleneckEqualsItsOperations_data() {
    QTest::addColumn<bool>("lambda");
    QTest::addColumn<bool>("squeeze");
    QTest::addColumn<bool>("squeezesOutput");
    QTest::addColumn<bool>("pooledShortcut");
    QTest::newRow("convolution") << false << false << false << false;
    QTest::newRow("convolution, resnet-d, squeeze") << false << true << false << true;
    QTest::newRow("convolution, squeezed output") << false << true << true << false;
    QTest::newRow("lambda") << true << false << false << false;
    QTest::newRow("lambda, resnet-d, squeeze") << true << true << false << true;
    QTest::newRow("lambda, resnet-d, squeezed output") << true << true << true << true;
  }

  void bottleneckEqualsItsOperations() {
    QFETCH(bool, lambda);
    QFETCH(bool, squeeze);
    QFETCH(bool, squeezesOutput);
    QFETCH(bool, pooledShortcut);
    Block options = lambda ? lambdaBlock(3, 2, squeeze) : convolutionBlock(3, squeeze);
    if (squeezesOutput) options.squeezePlace = SqueezePlace::afterExpansion;
    Architecture architecture = oneBlock(Family::bottleneck, options, 6, 4, 2);
    architecture.activation = Activation::silu;
    if (pooledShortcut) {
      architecture.stem.kind = ResNetDStem{};
      architecture.input = {3, 32, 24};
    }
    BlockUnderTest block(architecture);
    const BlockTrace found = block.run();
    const at::Tensor& x = found.input;
    QCOMPARE(x.size(2), std::int64_t{8});
    at::Tensor y = at::silu(convolvedAndNormed(x, block.convolution("reduce"), 1));
    y = at::silu(lambda ? lambdaBranch(y, block.mixer(), true)
                        : normed(convolved(y, block.mixer(), 2), block.mixer()->norm));
    if (squeeze && !squeezesOutput) y = excited(y, block.squeeze());
    y = convolvedAndNormed(y, block.convolution("expand"), 1);
    if (squeezesOutput) y = excited(y, block.squeeze());
    const at::Tensor source = pooledShortcut ? at::avg_pool2d(x, 2, 2) : x;
    y = y + convolvedAndNormed(source, block.convolution("shortcut"), pooledShortcut ? 1 : 2);
    VERIFY_CLOSE(found.output, at::silu(y), 1e-12, 1e-12);
  }

  void basicEqualsItsOperations_data() {
    QTest::addColumn<bool>("lambda");
    QTest::newRow("convolution") << false;
    QTest::newRow("lambda") << true;
  }

  void basicEqualsItsOperations() {
    QFETCH(bool, lambda);
    const Block options = lambda ? lambdaBlock(3, 2) : convolutionBlock(5);
    Architecture architecture = oneBlock(Family::basic, options, 6, 4, 2);
    architecture.activation = Activation::gelu;
    BlockUnderTest block(architecture);
    const BlockTrace found = block.run();
    const at::Tensor& x = found.input;
    at::Tensor y = at::gelu(convolvedAndNormed(x, block.convolution("conv"), 2));
    y = lambda ? lambdaBranch(y, block.mixer(), false)
               : normed(convolved(y, block.mixer(), 1), block.mixer()->norm);
    y = y + convolvedAndNormed(x, block.convolution("shortcut"), 2);
    VERIFY_CLOSE(found.output, at::gelu(y), 1e-12, 1e-12);
  }

  void invertedBottleneckEqualsItsOperations_data() {
    QTest::addColumn<bool>("lambda");
    QTest::addColumn<int>("expansion");
    QTest::addColumn<int>("stride");
    QTest::newRow("convolution") << false << 2 << 1;
    QTest::newRow("convolution, stride 2") << false << 3 << 2;
    QTest::newRow("convolution without expansion") << false << 0 << 1;
    QTest::newRow("lambda") << true << 1 << 1;
    QTest::newRow("lambda, stride 2") << true << 2 << 2;
  }

  void invertedBottleneckEqualsItsOperations() {
    QFETCH(bool, lambda);
    QFETCH(int, expansion);
    QFETCH(int, stride);
    const Block options = expanded(lambda ? lambdaBlock(3, 2) : convolutionBlock(), expansion);
    Architecture architecture = oneBlock(Family::invertedBottleneck, options, 6, 6, stride);
    architecture.activation = Activation::relu6;
    architecture.zeroInitResidual = false;
    BlockUnderTest block(architecture);
    QCOMPARE(block.has("expand"), expansion > 0);
    const auto relu6 = [](const at::Tensor& x) { return x.clamp(0, 6); };
    const BlockTrace found = block.run(3 * block.imagesFor(2));
    const at::Tensor& x = found.input;
    at::Tensor y = x;
    if (expansion > 0) y = relu6(convolvedAndNormed(y, block.convolution("expand"), 1));
    y = relu6(lambda ? lambdaBranch(y, block.mixer(), stride == 2)
                     : normed(convolved(y, block.mixer(), stride), block.mixer()->norm));
    y = convolvedAndNormed(y, block.convolution("project"), 1);
    // A block that keeps its shape adds its input, without an activation after it.
    VERIFY_CLOSE(found.output, stride == 1 ? y + x : y, 1e-12, 1e-12);
  }

  // The activation is smooth, as central differences need.
  void gradientsEqualCentralDifferences_data() {
    QTest::addColumn<int>("family");
    QTest::addColumn<bool>("lambda");
    QTest::addColumn<int>("stride");
    for (const Family family : {Family::bottleneck, Family::invertedBottleneck}) {
      for (const bool lambda : {false, true}) {
        for (const int stride : {1, 2}) {
          QTest::addRow(
              "%s, %s, stride %d", nameOf(family).data(), lambda ? "lambda" : "convolution", stride)
              << int(family) << lambda << stride;
        }
      }
    }
  }

  void gradientsEqualCentralDifferences() {
    QFETCH(int, family);
    QFETCH(bool, lambda);
    QFETCH(int, stride);
    const auto kind = static_cast<Family>(family);
    const Block options =
        squeezedOutput(expanded(lambda ? lambdaBlock(2, 2) : Block{ConvolutionMixer{3, 2}}, 1), 2);
    Architecture architecture = oneBlock(kind, options, 4, 4, stride);
    architecture.activation = Activation::silu;
    architecture.zeroInitResidual = false;
    architecture.stem.kind = ResNetRsStem{};
    architecture.input = {1, 32, 24};
    BlockUnderTest block(architecture);
    const at::Tensor images = block.imagesFor(1);
    const at::Tensor weights = at::randn_like(block.network(images));
    // The parameters of the stem's last layer have the gradients of the block's input.
    NamedLeaves leaves;
    for (const auto& parameter : block.network->named_parameters()) {
      const std::string& name = parameter.key();
      if (!name.starts_with("stage1") && !name.starts_with("stem.conv4.norm")) continue;
      leaves.emplace_back(name, parameter.value());
    }
    QVERIFY(leaves.size() > 10);
    const std::string mismatch =
        gradientMismatch([&] { return (block.network(images) * weights).sum(); }, leaves);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  void plainConvolutionPoolsBeforeItsNorm() {
    BlockUnderTest block(oneBlock(Family::plain, convolutionBlock(), 6, 4, 2));
    const BlockTrace found = block.run();
    const at::Tensor y = at::max_pool2d(convolved(found.input, block.mixer(), 1), 2);
    VERIFY_CLOSE(found.output, normed(y, block.mixer()->norm).relu(), 1e-12, 1e-12);
  }

  void plainResidualConvolutionAddsItsShortcut() {
    BlockUnderTest block(oneBlock(Family::plain, residualBlock(), 6, 4, 2));
    const BlockTrace found = block.run();
    const at::Tensor y = at::max_pool2d(convolved(found.input, block.mixer(), 1), 2);
    const at::Tensor sum = normed(y, block.mixer()->norm) +
                           convolvedAndNormed(found.input, block.convolution("shortcut"), 2);
    VERIFY_CLOSE(found.output, sum.relu(), 1e-12, 1e-12);
  }

  void aLambdaLayerPoolsForItsStride() {
    PlacedMixer place;
    place.mixer = lambdaBlock(16, 4).mixer;
    place.input = place.output = {16, 8, 6};
    MixerUnit unit(place, MixerUnitOptions{.pool = PoolNode{Pooling::average, 3}});
    randomizeNorms(*unit);
    unit->eval();
    const at::Tensor x = at::randn({2, 16, 8, 6}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor y = unit->layerAs<LambdaLayerImpl>()->forwardPooled(x);
    QVERIFY(unit(x).equal(applyNorm(unit->norm, y)));
  }

  void plainLambdaAddsItsInput() {
    BlockUnderTest block(oneBlock(Family::plain, lambdaBlock(3, 2), 4, 4, 1));
    QVERIFY(!block.has("shortcut"));
    const BlockTrace found = block.run();
    const at::Tensor& x = found.input;
    const at::Tensor y = lambdaBranch(x, block.mixer(), false) + x;
    VERIFY_CLOSE(found.output, y.relu(), 1e-12, 1e-12);
  }

  void zeroInitStartsAsTheShortcut_data() {
    QTest::addColumn<int>("family");
    QTest::addColumn<bool>("lambda");
    for (const bool lambda : {false, true}) {
      const std::string mixer = lambda ? " lambda" : " convolution";
      QTest::newRow(("bottleneck" + mixer).c_str()) << int(Family::bottleneck) << lambda;
      QTest::newRow(("basic" + mixer).c_str()) << int(Family::basic) << lambda;
    }
    QTest::newRow("plain lambda") << int(Family::plain) << true;
  }

  void zeroInitStartsAsTheShortcut() {
    QFETCH(int, family);
    QFETCH(bool, lambda);
    const auto kind = static_cast<Family>(family);
    const Block options = lambda ? lambdaBlock(3, 2) : convolutionBlock();
    const int width = kind == Family::bottleneck ? 2 : 8;
    Architecture architecture = oneBlock(kind, options, 8, width, 1);
    for (const bool isZero : {true, false}) {
      architecture.zeroInitResidual = isZero;
      Network network(architecture);
      network->eval();
      BlockTrace trace;
      network(at::randn({2, 3, 8, 6}), &trace);
      QCOMPARE(trace.output.equal(trace.input.relu()), isZero);
    }
  }

  // The input is so large that ReLU changes nothing: output - input is the branch.
  void stochasticDepthKeepsTheExpectation() {
    constexpr std::int64_t kImages = 1000;
    constexpr double kRate = 0.25;
    Block options = convolutionBlock();
    options.stochasticDepth = kRate;
    const auto branchOf = [&](bool isTraining) {
      at::manual_seed(3);
      Architecture architecture = oneBlock(Family::basic, options, 4, 4, 1);
      architecture.zeroInitResidual = false;
      BlockUnderTest block(architecture);
      const at::NoGradGuard guard;
      block.network->named_parameters()["stem.norm.bias"].fill_(1000);
      block.network->train(isTraining);
      const BlockTrace found =
          block.run(at::randn({1, 3, 8, 6}, at::kDouble).repeat({kImages, 1, 1, 1}));
      return found.output - found.input;
    };
    const at::Tensor evaluated = branchOf(false);
    VERIFY_CLOSE(evaluated, evaluated.slice(0, 0, 1).expand_as(evaluated), 1e-9, 0.0);

    const at::Tensor size = branchOf(true).abs().amax({1, 2, 3});
    const double kept = (size > 0).to(at::kDouble).mean().item<double>();
    const double spread = std::sqrt(kRate * (1 - kRate) / kImages);
    QVERIFY2(std::abs(kept - (1 - kRate)) < 5 * spread, std::to_string(kept).c_str());
    // All images are equal, so each kept branch must have the same value: branch / (1 - rate).
    options.stochasticDepth = 0;
    const double whole = branchOf(true)[0].abs().max().item<double>();
    const at::Tensor expected = at::where(size > 0, whole / (1 - kRate), 0.0).to(at::kDouble);
    VERIFY_CLOSE(size, expected, 1e-9, 1e-6);
  }

  void traceSeesEveryLayerInOrder() {
    class Names : public ForwardTrace {
     public:
      void visit(const std::string& layer, const at::Tensor&, const at::Tensor&) override {
        names.push_back(layer);
      }

      std::vector<std::string> names;
    };

    BlockUnderTest block(oneBlock(Family::bottleneck, lambdaBlock(3, 2, true), 6, 4, 2));
    Names trace;
    block.network(block.imagesFor(2), &trace);
    const std::vector<std::string> expected{"stem",
                                            "stage1.block1.reduce",
                                            "stage1.block1.mixer",
                                            "stage1.block1.squeeze",
                                            "stage1.block1.expand",
                                            "stage1.block1.shortcut",
                                            "head"};
    QVERIFY(trace.names == expected);
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestBlocks)
#include "tst_blocks.moc"
