#include <optional>

#include <ATen/Parallel.h>

#include <QtTest/QtTest>

#include "engine/layers/convolution/convolve.h"
#include "tests/support/distance.h"
#include "tests/support/random_maps.h"

namespace lambda::test {

namespace {

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

}  // namespace

class TestConvolvedNorm : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(2); }

  void normsFollowWithoutAPassOverMemory_data();
  void normsFollowWithoutAPassOverMemory();
  void normsOfTheBatchFollowInTheirOwnPass();
};

void TestConvolvedNorm::normsFollowWithoutAPassOverMemory_data() {
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

void TestConvolvedNorm::normsFollowWithoutAPassOverMemory() {
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
void TestConvolvedNorm::normsOfTheBatchFollowInTheirOwnPass() {
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

QTEST_GUILESS_MAIN(lambda::test::TestConvolvedNorm)

#include "tst_convolved_norm.moc"
