#include <tuple>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/kernels/products/bfloat16_products.h"
#include "engine/kernels/products/matrix_products.h"
#include "engine/layers/convolution/convolve.h"
#include "engine/layers/convolution/matrix_form.h"
#include "engine/layers/convolution/pointwise_product.h"
#include "engine/layers/convolution/same_convolution.h"
#include "engine/layers/matrix_product.h"
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

/// A norm in evaluation mode with the moments and weights of some training.
torch::nn::BatchNorm2d trainedNorm(std::int64_t channels) {
  const at::NoGradGuard noGradient;
  torch::nn::BatchNorm2d norm(channels);
  norm->eval();
  const at::Tensor spread = at::linspace(0.5, 2, channels);
  norm->weight.copy_(spread);
  norm->bias.copy_(spread.flip(0) - 1);
  norm->running_mean.copy_(spread - 1);
  norm->running_var.copy_(spread * spread);
  return norm;
}

/// The types in which this CPU has 3x3 convolutions of ours.
std::vector<at::ScalarType> typesOfOurKernels() {
  if (!hasPairUnit(PairUnit::matrices)) return {at::kFloat};
  return {at::kFloat, at::kBFloat16};
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
  void pointwiseProductsHaveTheirGradients();
  void pointwiseProductsHaveAnEpilogue();
  void matricesMayBeTransposed();
  void pointwiseProductsAreForWhatTheyPay();
  void normsFollowWithoutAPassOverMemory_data();
  void normsFollowWithoutAPassOverMemory();
  void normsOfTheBatchFollowInTheirOwnPass();
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
    const auto form = MatrixForm::of(conv->options, conv->weight, x);
    QCOMPARE(form && form->takesWholeMaps(), isWhole);
    const auto ofFewMaps = MatrixForm::of(conv->options, conv->weight, x.narrow(0, 0, 63));
    QVERIFY(!ofFewMaps || !ofFewMaps->takesWholeMaps());
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
    QVERIFY(!sameConvolutionPays(x, conv->weight));
    QSKIP("This CPU has no AMX, and LibTorch computes in bfloat16.");
  }
  QVERIFY(sameConvolutionPays(x, conv->weight));
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
    QVERIFY(sameConvolutionPays(x, conv->weight));
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
      QVERIFY(sameConvolutionPays(x, conv->weight));
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
  QTest::newRow("2x2 maps") << Sizes{128, 32, 2, 2} << Sizes{32, 32, 3, 3} << false << true;
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
  QCOMPARE(sameConvolutionPays(x, w), pays);
  QCOMPARE(sameConvolutionPays(x.to(at::kBFloat16), w.to(at::kBFloat16)),
           paysInBfloat16 && hasPairUnit(PairUnit::matrices));
  QVERIFY(!sameConvolutionPays(x.to(at::kDouble), w.to(at::kDouble)));
  QVERIFY(!sameConvolutionPays(x.to(at::kBFloat16), w));
  QVERIFY(!sameConvolutionPays(x.contiguous(), w));
  const Autocast autocast(Precision::bfloat16, at::kCPU);
  QVERIFY(!sameConvolutionPays(x, w));
}

void TestConvolve::pointwiseProductsHaveTheirGradients() {
  const at::Tensor x = at::randn({150, 48}).requires_grad_(true);
  // Every second column of a larger matrix: not dense.
  const at::Tensor all = at::randn({32, 48, 2}).requires_grad_(true);
  const at::Tensor w = all.select(2, 1);
  const at::Tensor y = pointwiseProduct(x, w);
  const at::Tensor dy = at::randn({32, 150}).t();
  const auto gradients = torch::autograd::grad({y}, {x, w}, {dy}, /*retain_graph=*/true);

  const auto exact = [](const at::Tensor& tensor) { return tensor.detach().to(at::kDouble); };
  QVERIFY(distance(y.detach(), exact(x).mm(exact(w).t())) < 1e-6);
  QVERIFY(distance(gradients[0], exact(dy).mm(exact(w))) < 1e-6);
  QVERIFY(distance(gradients[1], exact(dy).t().mm(exact(x))) < 1e-6);
  QVERIFY_THROWS_EXCEPTION(
      c10::Error, torch::autograd::grad({y.sum()}, {x}, {}, std::nullopt, /*create_graph=*/true));
}

void TestConvolve::pointwiseProductsHaveAnEpilogue() {
  const at::Tensor x = at::randn({70, 32}), w = at::randn({48, 32});
  const at::Tensor scale = at::randn({48}), shift = at::randn({48}), added = at::randn({70, 48});
  const at::Tensor y = pointwiseProduct(x,
                                        w,
                                        {scale.const_data_ptr<float>(),
                                         shift.const_data_ptr<float>(),
                                         added.const_data_ptr<float>(),
                                         /*hasRelu=*/true});
  const auto exact = [](const at::Tensor& tensor) { return tensor.to(at::kDouble); };
  const at::Tensor sums = exact(x).mm(exact(w).t());
  QVERIFY(distance(y, (sums * exact(scale) + exact(shift) + exact(added)).relu()) < 1e-6);
}

void TestConvolve::matricesMayBeTransposed() {
  const at::Tensor a = at::randn({64, 128}), b = at::randn({128, 80});
  const at::Tensor exact = a.to(at::kDouble).mm(b.to(at::kDouble));
  const auto transposed = [](const at::Tensor& matrix) { return matrix.t().contiguous().t(); };
  QVERIFY(distance(matrixProduct(a, b), exact) < 1e-6);
  QVERIFY(distance(matrixProduct(a, transposed(b)), exact) < 1e-6);
  QVERIFY(distance(matrixProduct(transposed(a), b), exact) < 1e-6);
  QVERIFY(distance(matrixProduct(transposed(a), transposed(b)), exact) < 1e-6);
  // Depths and columns that the kernels do not support.
  QVERIFY(distance(matrixProduct(a.narrow(1, 0, 50), b.narrow(0, 0, 50).narrow(1, 0, 7)),
                   a.narrow(1, 0, 50)
                       .to(at::kDouble)
                       .mm(b.narrow(0, 0, 50).narrow(1, 0, 7).to(at::kDouble))) < 1e-6);
}

void TestConvolve::pointwiseProductsAreForWhatTheyPay() {
  const at::Tensor x = mapOf({8, 32, 4, 4}), w = at::randn({48, 32, 1, 1});
  const auto pays = [](const at::Tensor& map, const at::Tensor& weight) {
    return pointwiseProductPays(map, map.size(0) * map.size(2) * map.size(3), weight);
  };
  QCOMPARE(pays(x, w), matrixProductsPay());
  QVERIFY(!pays(x.narrow(0, 0, 2).contiguous(kChannelsLast), w));
  QVERIFY(!pays(x.contiguous(), w));
  QVERIFY(!pays(x.to(at::kBFloat16), w));
  QVERIFY(!pays(x.to(at::kDouble), w.to(at::kDouble)));
  QVERIFY(!pays(x, w.narrow(0, 0, 40)));
  QVERIFY(!pays(mapOf({8, 24, 4, 4}), at::randn({48, 24, 1, 1})));
  const Autocast autocast(Precision::bfloat16, at::kCPU);
  QVERIFY(!pays(x, w));
}

void TestConvolve::normsFollowWithoutAPassOverMemory_data() {
  QTest::addColumn<int>("kernel");
  QTest::addColumn<int>("stride");
  QTest::addColumn<int>("side");
  QTest::newRow("1x1") << 1 << 1 << 8;
  QTest::newRow("1x1, stride 2") << 1 << 2 << 8;
  QTest::newRow("3x3 by Winograd") << 3 << 1 << 8;
  QTest::newRow("3x3, one position") << 3 << 1 << 1;
  QTest::newRow("3x3, 2x2") << 3 << 1 << 2;
  QTest::newRow("3x3, 2x2, stride 2") << 3 << 2 << 2;
  QTest::newRow("3x3, stride 2") << 3 << 2 << 8;
}

void TestConvolve::normsFollowWithoutAPassOverMemory() {
  QFETCH(int, kernel);
  QFETCH(int, stride);
  QFETCH(int, side);
  const auto options =
      torch::nn::Conv2dOptions(32, 48, kernel).stride(stride).padding(kernel / 2).bias(false);
  torch::nn::Conv2d conv(options), exactConv(options);
  torch::nn::BatchNorm2d norm = trainedNorm(48), exactNorm = trainedNorm(48);
  const at::Tensor x = mapOf({128, 32, side, side});
  const at::NoGradGuard noGradient;
  exactConv->weight.copy_(conv->weight);
  exactConv->to(at::kDouble);
  exactNorm->to(at::kDouble);
  const at::Tensor plain = exactConv(x.to(at::kDouble));
  const at::Tensor residual = mapOf(plain.sizes());
  for (const at::Tensor& added : {at::Tensor(), residual}) {
    for (const auto activation : {std::optional<Activation>(),
                                  std::optional(Activation::relu),
                                  std::optional(Activation::celu)}) {
      const at::Tensor y = convolveAndNormalize(conv, norm, x, {added, activation});
      QVERIFY(y.is_contiguous(kChannelsLast));
      QVERIFY(distance(y, applyPlainNorm(exactNorm, plain, {added, activation})) < 1e-5);
    }
  }
}

// Also where gradients are recorded: its backward pass needs the convolution's output.
void TestConvolve::normsOfTheBatchFollowInTheirOwnPass() {
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(32, 48, 1).bias(false));
  torch::nn::BatchNorm2d norm = trainedNorm(48);
  const at::Tensor x = mapOf({128, 32, 8, 8});
  QVERIFY(convolveAndNormalize(conv, norm, x, {}).requires_grad());
  const at::NoGradGuard noGradient;
  norm->train();
  const at::Tensor y = convolveAndNormalize(conv, norm, x, {});
  const at::Tensor mean = y.mean({0, 2, 3}) - norm->bias;
  QVERIFY(mean.abs().max().item<double>() < 1e-4);
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestConvolve)

#include "tst_convolve.moc"
