#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/blocks/residual_block.h"
#include "engine/layers/norm/activation.h"
#include "tests/support/gradient_check.h"
#include "tests/support/lambda_cases.h"
#include "tests/support/odd_architectures.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

/// The plan of the first block of a network with one stage, after a stem of `inputDepth` channels
/// and 8x6 pixels.
BlockPlan planFor(Family family, const Block& block, int inputDepth, int width, int stride) {
  Architecture architecture;
  architecture.input = {3, 8, 6};
  architecture.family = family;
  architecture.stem = {StemKind::cifar, inputDepth, 4};
  architecture.stages = {{width, stride, {block}}};
  return planOf(architecture).blocks.front();
}

ResidualBlock blockFor(const BlockPlan& plan, const BlockContext& context) {
  ResidualBlock block(plan, context, nullptr);
  randomizeNorms(*block);
  block->to(at::kDouble);
  block->eval();
  return block;
}

at::Tensor inputOf(const BlockPlan& plan, std::int64_t batch = 2) {
  return at::randn({batch, plan.input.channels, plan.input.height, plan.input.width}, at::kDouble);
}

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

at::Tensor lambdaBranch(const at::Tensor& x, const MixerUnit& unit, bool pooled) {
  at::Tensor y = unit->layerAs<LambdaLayerImpl>()->forward(x);
  if (pooled) y = at::avg_pool2d(y, 3, 2, 1);
  return normed(y, unit->norm);
}

at::Tensor excited(const at::Tensor& x, SqueezeExcitation& unit) {
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
    const BlockPlan plan = planFor(Family::bottleneck, options, 6, 4, 2);
    ResidualBlock block =
        blockFor(plan, {Family::bottleneck, Activation::silu, true, pooledShortcut});
    const at::Tensor x = inputOf(plan);
    at::Tensor y = at::silu(normed(convolved(x, block->entry, 1), block->entry->norm));
    y = at::silu(lambda ? lambdaBranch(y, block->mixer, true)
                        : normed(convolved(y, block->mixer, 2), block->mixer->norm));
    if (squeeze && !squeezesOutput) y = excited(y, block->squeeze);
    y = normed(convolved(y, block->exit, 1), block->exit->norm);
    if (squeezesOutput) y = excited(y, block->squeeze);
    const at::Tensor source = pooledShortcut ? at::avg_pool2d(x, 2, 2) : x;
    y = y +
        normed(convolved(source, block->shortcut, pooledShortcut ? 1 : 2), block->shortcut->norm);
    VERIFY_CLOSE(block(x), at::silu(y), 1e-12, 1e-12);
  }

  void basicEqualsItsOperations_data() {
    QTest::addColumn<bool>("lambda");
    QTest::newRow("convolution") << false;
    QTest::newRow("lambda") << true;
  }

  void basicEqualsItsOperations() {
    QFETCH(bool, lambda);
    const Block options = lambda ? lambdaBlock(3, 2) : convolutionBlock(5);
    const BlockPlan plan = planFor(Family::basic, options, 6, 4, 2);
    ResidualBlock block = blockFor(plan, {Family::basic, Activation::gelu, true, false});
    const at::Tensor x = inputOf(plan);
    at::Tensor y = at::gelu(normed(convolved(x, block->entry, 2), block->entry->norm));
    y = lambda ? lambdaBranch(y, block->mixer, false)
               : normed(convolved(y, block->mixer, 1), block->mixer->norm);
    y = y + normed(convolved(x, block->shortcut, 2), block->shortcut->norm);
    VERIFY_CLOSE(block(x), at::gelu(y), 1e-12, 1e-12);
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
    const BlockPlan plan = planFor(Family::invertedBottleneck, options, 6, 6, stride);
    ResidualBlock block =
        blockFor(plan, {Family::invertedBottleneck, Activation::relu6, false, false});
    QCOMPARE(block->entry.is_empty(), expansion == 0);
    const auto relu6 = [](const at::Tensor& x) { return x.clamp(0, 6); };
    const at::Tensor x = 3 * inputOf(plan);
    at::Tensor y = x;
    if (expansion > 0) y = relu6(normed(convolved(y, block->entry, 1), block->entry->norm));
    y = relu6(lambda ? lambdaBranch(y, block->mixer, stride == 2)
                     : normed(convolved(y, block->mixer, stride), block->mixer->norm));
    y = normed(convolved(y, block->exit, 1), block->exit->norm);
    // A block that keeps its shape adds its input, without an activation after it.
    VERIFY_CLOSE(block(x), stride == 1 ? y + x : y, 1e-12, 1e-12);
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
    BlockPlan plan = planFor(kind, options, 4, 4, stride);
    ResidualBlock block = blockFor(plan, {kind, Activation::silu, false, true});
    const at::Tensor x = inputOf(plan, 1).requires_grad_(true);
    const at::Tensor weights = at::randn_like(block(x));
    NamedLeaves leaves{{"input", x}};
    for (const auto& parameter : block->named_parameters()) {
      leaves.emplace_back(parameter.key(), parameter.value());
    }
    const std::string mismatch =
        gradientMismatch([&] { return (block(x) * weights).sum(); }, leaves);
    QVERIFY2(mismatch.empty(), mismatch.c_str());
  }

  void plainConvolutionPoolsBeforeItsNorm() {
    const BlockPlan plan = planFor(Family::plain, convolutionBlock(), 6, 4, 2);
    ResidualBlock block = blockFor(plan, {Family::plain, Activation::relu, true, false});
    const at::Tensor x = inputOf(plan);
    const at::Tensor y = at::max_pool2d(convolved(x, block->mixer, 1), 2);
    VERIFY_CLOSE(block(x), normed(y, block->mixer->norm).relu(), 1e-12, 1e-12);
  }

  void plainResidualConvolutionAddsItsShortcut() {
    const BlockPlan plan = planFor(Family::plain, residualBlock(), 6, 4, 2);
    ResidualBlock block = blockFor(plan, {Family::plain, Activation::relu, true, false});
    const at::Tensor x = inputOf(plan);
    const at::Tensor y = at::max_pool2d(convolved(x, block->mixer, 1), 2);
    const at::Tensor sum = normed(y, block->mixer->norm) +
                           normed(convolved(x, block->shortcut, 2), block->shortcut->norm);
    VERIFY_CLOSE(block(x), sum.relu(), 1e-12, 1e-12);
  }

  void aLambdaLayerPoolsForItsStride() {
    const BlockPlan plan = planFor(Family::bottleneck, lambdaBlock(16, 4), 32, 16, 2);
    MixerUnit unit(plan, MixerUnitOptions());
    randomizeNorms(*unit);
    unit->eval();
    const at::Tensor x =
        at::randn({2, plan.mixerInput.channels, plan.mixerInput.height, plan.mixerInput.width})
            .contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor y = unit->layerAs<LambdaLayerImpl>()->forwardPooled(x);
    QVERIFY(unit(x).equal(applyNorm(unit->norm, y)));
  }

  void plainLambdaAddsItsInput() {
    const BlockPlan plan = planFor(Family::plain, lambdaBlock(3, 2), 4, 4, 1);
    ResidualBlock block = blockFor(plan, {Family::plain, Activation::relu, true, false});
    QVERIFY(block->shortcut.is_empty());
    const at::Tensor x = inputOf(plan);
    VERIFY_CLOSE(block(x), (lambdaBranch(x, block->mixer, false) + x).relu(), 1e-12, 1e-12);
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
    const BlockPlan plan = planFor(kind, options, 8, width, 1);
    const at::Tensor x = inputOf(plan).to(at::kFloat);
    ResidualBlock zero(plan, BlockContext{kind, Activation::relu, true, false}, nullptr);
    QVERIFY(zero(x).equal(x.relu()));
    ResidualBlock other(plan, BlockContext{kind, Activation::relu, false, false}, nullptr);
    QVERIFY(!other(x).equal(x.relu()));
  }

  // The input is so large that ReLU changes nothing: output - input is the branch.
  void stochasticDepthKeepsTheExpectation() {
    constexpr std::int64_t kImages = 1000;
    constexpr double kRate = 0.25;
    Block options = convolutionBlock();
    options.stochasticDepth = kRate;
    const BlockPlan plan = planFor(Family::basic, options, 4, 4, 1);
    ResidualBlock block = blockFor(plan, {Family::basic, Activation::relu, false, false});
    const at::Tensor x = inputOf(plan, 1).repeat({kImages, 1, 1, 1}) + 1000;
    const at::NoGradGuard guard;
    const at::Tensor evaluated = block(x) - x;
    VERIFY_CLOSE(evaluated, evaluated.slice(0, 0, 1).expand_as(evaluated), 1e-9, 0.0);

    block->train();
    const at::Tensor size = (block(x) - x).abs().amax({1, 2, 3});
    const double kept = (size > 0).to(at::kDouble).mean().item<double>();
    const double spread = std::sqrt(kRate * (1 - kRate) / kImages);
    QVERIFY2(std::abs(kept - (1 - kRate)) < 5 * spread, std::to_string(kept).c_str());
    // All images are equal, so each kept branch must have the same value: branch / (1 - rate).
    block->plan.options.stochasticDepth = 0;
    const double whole = (block(x) - x)[0].abs().max().item<double>();
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

    const BlockPlan plan = planFor(Family::bottleneck, lambdaBlock(3, 2, true), 6, 4, 2);
    ResidualBlock block = blockFor(plan, {});
    Names trace;
    block(inputOf(plan), &trace);
    const std::vector<std::string> expected{"stage1.block1.reduce",
                                            "stage1.block1.mixer",
                                            "stage1.block1.squeeze",
                                            "stage1.block1.expand",
                                            "stage1.block1.shortcut"};
    QVERIFY(trace.names == expected);
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestBlocks)
#include "tst_blocks.moc"
