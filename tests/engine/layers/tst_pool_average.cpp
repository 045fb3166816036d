#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/pooling.h"
#include "tests/support/distance.h"
#include "tests/support/random_maps.h"

namespace lambda::test {

namespace {

at::Tensor pooledByTorch(const at::Tensor& map) {
  return at::avg_pool2d(map, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
}

struct Passes {
  at::Tensor y, dx;
};

template <class Pool>
Passes passesOf(const Pool& pool, const at::Tensor& map, const at::Tensor& dy) {
  const at::Tensor x = map.detach().clone(at::MemoryFormat::Preserve).requires_grad_(true);
  const at::Tensor y = pool(x);
  return {y.detach(), torch::autograd::grad({y}, {x}, {dy})[0]};
}

}  // namespace

class TestPoolAverage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsTorchInDouble_data();
  void equalsTorchInDouble();
  void hasTheSameBitsOnAnyNumberOfThreads();
  void otherTensorsAreLeftToTorch();
  void gradientsThatAreNotChannelsLastAreTaken();
  void refusesGradientsOfGradients();
};

void TestPoolAverage::equalsTorchInDouble_data() {
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::addColumn<int>("channels");
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 6}, {2, 2}, {3, 5}, {7, 4}, {8, 8}}) {
    for (const int channels : {1, 3, 16, 33, 64})
      QTest::addRow("%dx%d, %d", height, width, channels) << height << width << channels;
  }
}

void TestPoolAverage::equalsTorchInDouble() {
  QFETCH(int, height);
  QFETCH(int, width);
  QFETCH(int, channels);
  at::manual_seed(1);
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const at::Tensor x = at::randn({5, channels, height, width}).to(type).contiguous(kChannelsLast);
    const at::Tensor dy = at::randn({5, channels, (height + 1) / 2, (width + 1) / 2})
                              .to(type)
                              .contiguous(kChannelsLast);
    const Passes found = passesOf(poolAverage, x, dy);
    const Passes exact = passesOf(pooledByTorch, x.to(at::kDouble), dy.to(at::kDouble));
    QCOMPARE(found.y.scalar_type(), type);
    QCOMPARE(found.dx.scalar_type(), type);
    QVERIFY(found.y.is_contiguous(kChannelsLast));
    QVERIFY(found.dx.is_contiguous(kChannelsLast));
    const double tolerance = type == at::kFloat ? 1e-6 : 4e-3;
    QVERIFY(distance(found.y, exact.y) < tolerance);
    QVERIFY(distance(found.dx, exact.dx) < tolerance);
  }
}

void TestPoolAverage::hasTheSameBitsOnAnyNumberOfThreads() {
  const at::Tensor x = mapOf({9, 20, 7, 7});
  const at::Tensor dy = mapOf({9, 20, 4, 4});
  at::set_num_threads(1);
  const Passes one = passesOf(poolAverage, x, dy);
  at::set_num_threads(3);
  const Passes three = passesOf(poolAverage, x, dy);
  QVERIFY(three.y.equal(one.y));
  QVERIFY(three.dx.equal(one.dx));
}

void TestPoolAverage::otherTensorsAreLeftToTorch() {
  const at::Tensor x = at::randn({2, 4, 6, 6});
  QVERIFY(!x.is_contiguous(kChannelsLast));
  QVERIFY(poolAverage(x).equal(pooledByTorch(x)));
  const at::Tensor doubles = x.to(at::kDouble).contiguous(kChannelsLast);
  QVERIFY(poolAverage(doubles).equal(pooledByTorch(doubles)));
}

void TestPoolAverage::gradientsThatAreNotChannelsLastAreTaken() {
  const at::Tensor x = mapOf({2, 8, 6, 6});
  const at::Tensor dy = at::randn({2, 8, 3, 3});
  QVERIFY(!dy.is_contiguous(kChannelsLast));
  const Passes usual = passesOf(poolAverage, x, dy.contiguous(kChannelsLast));
  QVERIFY(passesOf(poolAverage, x, dy).dx.equal(usual.dx));
}

void TestPoolAverage::refusesGradientsOfGradients() {
  const at::Tensor x = mapOf({2, 8, 4, 4}).requires_grad_(true);
  const at::Tensor y = poolAverage(x);
  try {
    torch::autograd::grad({y.square().sum()}, {x}, {}, true, /*create_graph=*/true);
    QFAIL("The kernel let autograd differentiate it twice.");
  } catch (const c10::Error& error) {
    QVERIFY(std::string(error.what()).find("average pooling") != std::string::npos);
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestPoolAverage)

#include "tst_pool_average.moc"
