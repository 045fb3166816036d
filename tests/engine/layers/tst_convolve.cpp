#include <tuple>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/kernels/products/bfloat16_products.h"
#include "engine/layers/convolution/convolve.h"
#include "engine/layers/layer_path.h"
#include "engine/training/step/autocast.h"
#include "tests/support/distance.h"
#include "tests/support/random_maps.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

/// A 3x3 convolution that keeps the map's size; its weights are channels-last.
torch::nn::Conv2d keepingConvolution(std::int64_t in, std::int64_t out) {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(in, out, 3).padding(1).bias(false));
  conv->weight.set_data(conv->weight.detach().contiguous(kChannelsLast));
  return conv;
}

/// The sizes of a convolution with the stride 1, or `stride`, and "same" padding.
ConvolutionSizes sizesOf(const at::Tensor& x, const at::Tensor& weight, std::int64_t stride = 1) {
  ConvolutionSizes sizes = ConvolutionSizes::of(x, weight);
  sizes.stride = {stride, stride};
  sizes.padding = {weight.size(2) / 2, weight.size(3) / 2};
  return sizes;
}

/// Whether a kernel for 3x3 convolutions of ours is taken.
bool takesOurs(const at::Tensor& x, const at::Tensor& weight) {
  const LayerKernel kernel = convolutionPath(sizesOf(x, weight), LayerInput::of(x, weight)).kernel;
  return kernel == LayerKernel::winograd || kernel == LayerKernel::amxConvolution;
}

/// The types in which this CPU has 3x3 convolutions of ours.
std::vector<at::ScalarType> typesOfOurKernels() {
  if (!hasPairUnit(PairUnit::matrices)) return {at::kFloat};
  return {at::kFloat, at::kBFloat16};
}

}  // namespace

class TestConvolve : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  // On tensors this small, threads would mostly wait for each other.
  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(2); }

  void isTheConvolution_data();
  void isTheConvolution();
  void stridesOfFewChannelsHaveTheirGradients_data();
  void stridesOfFewChannelsHaveTheirGradients();
  void takesSmallMapsAsAWhole_data();
  void takesSmallMapsAsAWhole();
  void goesByItsKernelWhereThatPays_data();
  void goesByItsKernelWhereThatPays();
  void leavesOtherConvolutionsToLibTorch();
  void makesTheGradientsThatAreAskedFor();
  void refusesGradientsOfGradients();
  void kernelsAreForWhatTheyPay_data();
  void kernelsAreForWhatTheyPay();
};

void TestConvolve::isTheConvolution_data() {
  QTest::addColumn<int>("kernel");
  QTest::addColumn<int>("stride");
  QTest::addColumn<int>("padding");
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::newRow("1x1, one position") << 1 << 1 << 0 << 1 << 1;
  QTest::newRow("1x1, 4x4") << 1 << 1 << 0 << 4 << 4;
  QTest::newRow("1x1, 3x5, stride 2") << 1 << 2 << 0 << 3 << 5;
  QTest::newRow("1x1, 4x4, stride 2") << 1 << 2 << 0 << 4 << 4;
  QTest::newRow("1x1, large") << 1 << 1 << 0 << 9 << 8;
  QTest::newRow("1x1, padded") << 1 << 1 << 1 << 2 << 2;
  QTest::newRow("3x3, one position") << 3 << 1 << 1 << 1 << 1;
  QTest::newRow("3x3, one position, stride 2") << 3 << 2 << 1 << 1 << 1;
  QTest::newRow("3x3, one row") << 3 << 1 << 1 << 1 << 4;
  QTest::newRow("7x7, one position") << 7 << 2 << 3 << 1 << 1;
  QTest::newRow("3x3, 2x2") << 3 << 1 << 1 << 2 << 2;
}

void TestConvolve::isTheConvolution() {
  QFETCH(int, kernel);
  QFETCH(int, stride);
  QFETCH(int, padding);
  QFETCH(int, height);
  QFETCH(int, width);
  for (const bool hasBias : {false, true}) {
    const auto options =
        torch::nn::Conv2dOptions(6, 5, kernel).stride(stride).padding(padding).bias(hasBias);
    torch::nn::Conv2d conv(options);
    conv->to(at::kDouble);
    const at::Tensor x = at::randn({3, 6, height, width}, at::kDouble)
                             .contiguous(kChannelsLast)
                             .requires_grad_(true);
    const at::Tensor expected = conv(x), found = convolve(conv, x);
    VERIFY_CLOSE(found, expected, 1e-12, 1e-12);
    QVERIFY(found.is_contiguous(kChannelsLast));
    const at::Tensor dy = at::randn_like(expected);
    const auto expectedGradients = torch::autograd::grad({expected}, {x, conv->weight}, {dy});
    const auto foundGradients = torch::autograd::grad({found}, {x, conv->weight}, {dy});
    for (std::size_t i = 0; i < 2; ++i)
      VERIFY_CLOSE(foundGradients[i], expectedGradients[i], 1e-12, 1e-12);
  }
}

void TestConvolve::stridesOfFewChannelsHaveTheirGradients_data() {
  QTest::addColumn<int>("channels");
  for (const int channels : {1, 2, 3, 4, 6, 7, 8, 12, 15, 16, 20}) {
    QTest::addRow("%d", channels) << channels;
  }
}

void TestConvolve::stridesOfFewChannelsHaveTheirGradients() {
  QFETCH(int, channels);
  for (const bool hasBias : {false, true}) {
    torch::nn::Conv2d conv(torch::nn::Conv2dOptions(channels, 8, 1).stride(2).bias(hasBias));
    const at::Tensor x = mapOf({4, channels, 16, 16}).requires_grad_(true);
    const at::Tensor y = convolve(conv, x);
    const at::Tensor dy = at::randn_like(y);
    const auto gradients = torch::autograd::grad({y}, {x, conv->weight}, {dy});
    const at::Tensor exactX = x.detach().to(at::kDouble).requires_grad_(true);
    const at::Tensor exactWeight = conv->weight.detach().to(at::kDouble).requires_grad_(true);
    const at::Tensor exact = at::conv2d(exactX, exactWeight, {}, 2);
    const auto exactGradients =
        torch::autograd::grad({exact}, {exactX, exactWeight}, {dy.to(at::kDouble)});
    for (std::size_t i = 0; i < 2; ++i) QVERIFY(distance(gradients[i], exactGradients[i]) < 1e-5);
  }
}

void TestConvolve::takesSmallMapsAsAWhole_data() {
  QTest::addColumn<int>("kernel");
  QTest::addColumn<int>("stride");
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::addColumn<bool>("isWhole");
  QTest::newRow("3x3, 2x2") << 3 << 1 << 2 << 2 << true;
  QTest::newRow("3x3, 2x2, stride 2") << 3 << 2 << 2 << 2 << true;
  QTest::newRow("3x3, 1x2") << 3 << 1 << 1 << 2 << true;
  QTest::newRow("5x5, 3x1") << 5 << 1 << 3 << 1 << true;
  QTest::newRow("5x5, 3x1, stride 2") << 5 << 2 << 3 << 1 << true;
  QTest::newRow("5x5, 3x3: too many pixels") << 5 << 1 << 3 << 3 << false;
  QTest::newRow("3x3, 3x1: ends do not meet") << 3 << 1 << 3 << 1 << false;
  QTest::newRow("1x1, 2x2: one tap") << 1 << 1 << 2 << 2 << false;
}

void TestConvolve::takesSmallMapsAsAWhole() {
  QFETCH(int, kernel);
  QFETCH(int, stride);
  QFETCH(int, height);
  QFETCH(int, width);
  QFETCH(bool, isWhole);
  for (const bool hasBias : {false, true}) {
    const auto options =
        torch::nn::Conv2dOptions(32, 16, kernel).stride(stride).padding(kernel / 2).bias(hasBias);
    torch::nn::Conv2d conv(options), exactConv(options);
    const at::Tensor x = mapOf({64, 32, height, width}).requires_grad_(true);
    const auto takesWholeMaps = [&](const at::Tensor& map) {
      const auto form =
          matrixFormOf(sizesOf(map, conv->weight, stride), LayerInput::of(map, conv->weight));
      return form && form->takesWholeMaps();
    };
    QCOMPARE(takesWholeMaps(x), isWhole);
    QVERIFY(!takesWholeMaps(x.narrow(0, 0, 63)));
    const at::Tensor exactX = x.detach().to(at::kDouble).requires_grad_(true);
    exactConv->to(at::kDouble);
    {
      const at::NoGradGuard noGradient;
      for (std::size_t i = 0; i < conv->parameters().size(); ++i)
        exactConv->parameters()[i].copy_(conv->parameters()[i]);
    }
    const at::Tensor y = convolve(conv, x), exact = exactConv(exactX);
    QVERIFY(y.is_contiguous(kChannelsLast));
    QVERIFY(distance(y.detach(), exact.detach()) < 1e-6);
    const at::Tensor dy = at::randn_like(y);
    std::vector<at::Tensor> leaves = conv->parameters(), exactLeaves = exactConv->parameters();
    leaves.push_back(x);
    exactLeaves.push_back(exactX);
    const auto found = torch::autograd::grad({y}, leaves, {dy});
    const auto expected = torch::autograd::grad({exact}, exactLeaves, {dy.to(at::kDouble)});
    for (std::size_t i = 0; i < found.size(); ++i) QVERIFY(distance(found[i], expected[i]) < 1e-6);
  }
}

void TestConvolve::goesByItsKernelWhereThatPays_data() {
  QTest::addColumn<at::ScalarType>("type");
  QTest::addColumn<double>("tolerance");
  QTest::addColumn<int>("in");
  QTest::addColumn<int>("out");
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  // The results in bfloat16 are rounded once, by at most 2^-8 of each.
  for (const auto& [type, name, tolerance] :
       {std::tuple{at::kFloat, "float32", 1e-5}, std::tuple{at::kBFloat16, "bfloat16", 0.004}}) {
    const auto row = [&, type = type, name = name](const char* size) -> QTestData& {
      return QTest::addRow("%s, %s", name, size) << type;
    };
    row("8x8") << tolerance << 32 << 48 << 8 << 8;
    row("4x4") << tolerance << 64 << 32 << 4 << 4;
    row("12x7") << tolerance << 48 << 48 << 12 << 7;
    row("16x16") << tolerance << 32 << 64 << 16 << 16;
  }
}

void TestConvolve::goesByItsKernelWhereThatPays() {
  QFETCH(at::ScalarType, type);
  QFETCH(double, tolerance);
  QFETCH(int, in);
  QFETCH(int, out);
  QFETCH(int, height);
  QFETCH(int, width);
  torch::nn::Conv2d conv = keepingConvolution(in, out);
  conv->to(type);
  const at::Tensor x = mapOf({32, in, height, width}).to(type).requires_grad_(true);
  if (type == at::kBFloat16 && !hasPairUnit(PairUnit::matrices)) {
    QVERIFY(!takesOurs(x, conv->weight));
    QSKIP("This CPU has no AMX, and LibTorch computes in bfloat16.");
  }
  QVERIFY(takesOurs(x, conv->weight));
  const at::Tensor y = convolve(conv, x);
  QVERIFY(y.is_contiguous(kChannelsLast));
  const at::Tensor dy = at::randn_like(y);
  const auto gradients = torch::autograd::grad({y}, {x, conv->weight}, {dy});
  QVERIFY(gradients[1].strides() == conv->weight.strides());

  const at::Tensor exactX = x.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor exactWeight = conv->weight.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor exact = at::conv2d(exactX, exactWeight, {}, 1, 1);
  const auto exactGradients =
      torch::autograd::grad({exact}, {exactX, exactWeight}, {dy.to(at::kDouble)});
  QVERIFY(distance(y.detach(), exact.detach()) < tolerance);
  for (std::size_t i = 0; i < 2; ++i)
    QVERIFY(distance(gradients[i], exactGradients[i]) < tolerance);
}

void TestConvolve::leavesOtherConvolutionsToLibTorch() {
  const auto usual = torch::nn::Conv2dOptions(32, 32, 3).padding(1).bias(false);
  for (torch::nn::Conv2dOptions options : {torch::nn::Conv2dOptions(usual).stride(2),
                                           torch::nn::Conv2dOptions(usual).padding(0),
                                           torch::nn::Conv2dOptions(usual).bias(true)}) {
    torch::nn::Conv2d conv(options);
    const at::Tensor x = mapOf({32, 32, 8, 8});
    QVERIFY(takesOurs(x, conv->weight));
    QVERIFY(convolve(conv, x).equal(conv(x)));
  }
}

void TestConvolve::makesTheGradientsThatAreAskedFor() {
  for (const at::ScalarType type : typesOfOurKernels()) {
    for (const bool learns : {false, true}) {
      torch::nn::Conv2d conv = keepingConvolution(32, 32);
      conv->to(type);
      conv->weight.requires_grad_(learns);
      const at::Tensor x = mapOf({32, 32, 8, 8}).to(type).requires_grad_(!learns);
      QVERIFY(takesOurs(x, conv->weight));
      convolve(conv, x).sum().backward();
      QCOMPARE(conv->weight.grad().defined(), learns);
      QCOMPARE(x.grad().defined(), !learns);
    }
  }
}

void TestConvolve::refusesGradientsOfGradients() {
  for (const at::ScalarType type : typesOfOurKernels()) {
    torch::nn::Conv2d conv = keepingConvolution(32, 32);
    conv->to(type);
    const at::Tensor x = mapOf({32, 32, 8, 8}).to(type).requires_grad_(true);
    const at::Tensor y = convolve(conv, x);
    QVERIFY_THROWS_EXCEPTION(
        c10::Error, torch::autograd::grad({y.sum()}, {x}, {}, std::nullopt, /*create_graph=*/true));
  }
}

void TestConvolve::kernelsAreForWhatTheyPay_data() {
  QTest::addColumn<std::vector<std::int64_t>>("map");
  QTest::addColumn<std::vector<std::int64_t>>("weight");
  QTest::addColumn<bool>("pays");
  QTest::addColumn<bool>("paysInBfloat16");  // With AMX: whatever the kernels support.
  using Sizes = std::vector<std::int64_t>;
  QTest::newRow("usual") << Sizes{32, 32, 8, 8} << Sizes{32, 32, 3, 3} << true << true;
  QTest::newRow("1x1") << Sizes{32, 32, 8, 8} << Sizes{32, 32, 1, 1} << false << false;
  QTest::newRow("5x5") << Sizes{32, 32, 8, 8} << Sizes{32, 32, 5, 5} << false << false;
  QTest::newRow("odd input depth") << Sizes{32, 24, 8, 8} << Sizes{32, 24, 3, 3} << false << false;
  QTest::newRow("odd output depth") << Sizes{32, 32, 8, 8} << Sizes{40, 32, 3, 3} << false << false;
  QTest::newRow("2x2 maps, taken as a whole")
      << Sizes{128, 32, 2, 2} << Sizes{32, 32, 3, 3} << false << false;
  QTest::newRow("5x5 maps, mostly outside of their tiles")
      << Sizes{128, 32, 5, 5} << Sizes{32, 32, 3, 3} << false << true;
  QTest::newRow("shallow") << Sizes{32, 16, 8, 8} << Sizes{16, 16, 3, 3} << true << true;
  QTest::newRow("few images") << Sizes{4, 32, 8, 8} << Sizes{32, 32, 3, 3} << false << true;
}

void TestConvolve::kernelsAreForWhatTheyPay() {
  QFETCH(std::vector<std::int64_t>, map);
  QFETCH(std::vector<std::int64_t>, weight);
  QFETCH(bool, pays);
  QFETCH(bool, paysInBfloat16);
  const at::Tensor x = mapOf(map), w = at::randn(weight);
  QCOMPARE(takesOurs(x, w), pays);
  QCOMPARE(takesOurs(x.to(at::kBFloat16), w.to(at::kBFloat16)),
           paysInBfloat16 && hasPairUnit(PairUnit::matrices));
  QVERIFY(!takesOurs(x.to(at::kDouble), w.to(at::kDouble)));
  QVERIFY(!takesOurs(x.to(at::kBFloat16), w));
  QVERIFY(!takesOurs(x.contiguous(), w));
  const Autocast autocast(Precision::bfloat16, at::kCPU);
  QVERIFY(!takesOurs(x, w));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestConvolve)

#include "tst_convolve.moc"
