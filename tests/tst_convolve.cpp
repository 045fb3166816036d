#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/convolution/winograd_convolution.h"
#include "engine/training/step/autocast.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

constexpr at::MemoryFormat kChannelsLast = at::MemoryFormat::ChannelsLast;

double distance(const at::Tensor& found, const at::Tensor& expected) {
  return ((found.to(at::kDouble) - expected).norm() / expected.norm()).item<double>();
}

/// A 3x3 convolution that keeps the map's size; its weights are channels-last.
torch::nn::Conv2d keepingConvolution(std::int64_t in, std::int64_t out) {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(in, out, 3).padding(1).bias(false));
  conv->weight.set_data(conv->weight.detach().contiguous(kChannelsLast));
  return conv;
}

at::Tensor mapOf(at::IntArrayRef sizes) {
  return at::randn(sizes).contiguous(kChannelsLast);
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
  void goesByWinogradWhereThatPays_data();
  void goesByWinogradWhereThatPays();
  void leavesOtherConvolutionsToLibTorch();
  void makesTheGradientsThatAreAskedFor();
  void refusesGradientsOfGradients();
  void winogradIsForWhatItPays_data();
  void winogradIsForWhatItPays();
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

void TestConvolve::goesByWinogradWhereThatPays_data() {
  QTest::addColumn<int>("in");
  QTest::addColumn<int>("out");
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::newRow("8x8") << 32 << 48 << 8 << 8;
  QTest::newRow("4x4") << 64 << 32 << 4 << 4;
  QTest::newRow("12x7") << 48 << 48 << 12 << 7;
  QTest::newRow("16x16") << 32 << 64 << 16 << 16;
}

void TestConvolve::goesByWinogradWhereThatPays() {
  QFETCH(int, in);
  QFETCH(int, out);
  QFETCH(int, height);
  QFETCH(int, width);
  torch::nn::Conv2d conv = keepingConvolution(in, out);
  const at::Tensor x = mapOf({32, in, height, width}).requires_grad_(true);
  QVERIFY(winogradPays(x, conv->weight));
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
  QVERIFY(distance(y.detach(), exact.detach()) < 1e-5);
  for (std::size_t i = 0; i < 2; ++i) QVERIFY(distance(gradients[i], exactGradients[i]) < 1e-5);
}

void TestConvolve::leavesOtherConvolutionsToLibTorch() {
  const auto usual = torch::nn::Conv2dOptions(32, 32, 3).padding(1).bias(false);
  for (torch::nn::Conv2dOptions options : {torch::nn::Conv2dOptions(usual).stride(2),
                                           torch::nn::Conv2dOptions(usual).padding(0),
                                           torch::nn::Conv2dOptions(usual).bias(true)}) {
    torch::nn::Conv2d conv(options);
    const at::Tensor x = mapOf({32, 32, 8, 8});
    QVERIFY(winogradPays(x, conv->weight));
    QVERIFY(convolve(conv, x).equal(conv(x)));
  }
}

void TestConvolve::makesTheGradientsThatAreAskedFor() {
  for (const bool learns : {false, true}) {
    torch::nn::Conv2d conv = keepingConvolution(32, 32);
    conv->weight.requires_grad_(learns);
    const at::Tensor x = mapOf({32, 32, 8, 8}).requires_grad_(!learns);
    QVERIFY(winogradPays(x, conv->weight));
    convolve(conv, x).sum().backward();
    QCOMPARE(conv->weight.grad().defined(), learns);
    QCOMPARE(x.grad().defined(), !learns);
  }
}

void TestConvolve::refusesGradientsOfGradients() {
  torch::nn::Conv2d conv = keepingConvolution(32, 32);
  const at::Tensor x = mapOf({32, 32, 8, 8}).requires_grad_(true);
  const at::Tensor y = convolve(conv, x);
  QVERIFY_THROWS_EXCEPTION(
      c10::Error, torch::autograd::grad({y.sum()}, {x}, {}, std::nullopt, /*create_graph=*/true));
}

void TestConvolve::winogradIsForWhatItPays_data() {
  QTest::addColumn<std::vector<std::int64_t>>("map");
  QTest::addColumn<std::vector<std::int64_t>>("weight");
  QTest::addColumn<bool>("pays");
  using Sizes = std::vector<std::int64_t>;
  QTest::newRow("usual") << Sizes{32, 32, 8, 8} << Sizes{32, 32, 3, 3} << true;
  QTest::newRow("1x1") << Sizes{32, 32, 8, 8} << Sizes{32, 32, 1, 1} << false;
  QTest::newRow("5x5") << Sizes{32, 32, 8, 8} << Sizes{32, 32, 5, 5} << false;
  QTest::newRow("odd input depth") << Sizes{32, 24, 8, 8} << Sizes{32, 24, 3, 3} << false;
  QTest::newRow("odd output depth") << Sizes{32, 32, 8, 8} << Sizes{40, 32, 3, 3} << false;
  QTest::newRow("2x2 maps") << Sizes{128, 32, 2, 2} << Sizes{32, 32, 3, 3} << false;
  QTest::newRow("5x5 maps, mostly outside of their tiles")
      << Sizes{128, 32, 5, 5} << Sizes{32, 32, 3, 3} << false;
  QTest::newRow("shallow") << Sizes{32, 16, 8, 8} << Sizes{16, 16, 3, 3} << true;
  QTest::newRow("few images") << Sizes{4, 32, 8, 8} << Sizes{32, 32, 3, 3} << false;
}

void TestConvolve::winogradIsForWhatItPays() {
  QFETCH(std::vector<std::int64_t>, map);
  QFETCH(std::vector<std::int64_t>, weight);
  QFETCH(bool, pays);
  const at::Tensor x = mapOf(map), w = at::randn(weight);
  QCOMPARE(winogradPays(x, w), pays);
  QVERIFY(!winogradPays(x.to(at::kDouble), w.to(at::kDouble)));
  QVERIFY(!winogradPays(x.to(at::kBFloat16), w));
  QVERIFY(!winogradPays(x.contiguous(), w));
  const Autocast autocast(Precision::bfloat16, at::kCPU);
  QVERIFY(!winogradPays(x, w));
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestConvolve)

#include "tst_convolve.moc"
