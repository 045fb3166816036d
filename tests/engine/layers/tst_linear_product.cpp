#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/layers/linear_product.h"
#include "engine/training/step/autocast.h"
#include "tests/support/verify_close.h"

namespace lambda::test {

namespace {

const std::vector<std::vector<std::int64_t>> kInputs{{7}, {1, 7}, {1, 1, 7}, {3, 7}, {2, 1, 7}};

}  // namespace

/// Tests that a linear layer is that of LibTorch, whatever computes it.
class TestLinearProduct : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() {
    at::set_num_threads(2);
    at::manual_seed(5);
  }

  void rowsAreThoseOfLibTorch() {
    const at::NoGradGuard noGradients;
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16}) {
      const at::Tensor weight = at::randn({5, 7}, type), bias = at::randn({5}, type);
      for (const auto& sizes : kInputs) {
        const at::Tensor x = at::randn(sizes, type);
        for (const at::Tensor& added : {at::Tensor(), bias}) {
          const at::Tensor y = linearProduct(x, weight, added);
          const at::Tensor expected = at::linear(x, weight, added);
          QVERIFY(y.sizes() == expected.sizes() && y.scalar_type() == type);
          VERIFY_CLOSE(y.to(at::kDouble), expected.to(at::kDouble), 1e-6, 1e-6);
        }
      }
    }
  }

  void matricesThatAreNotDenseAreRead() {
    const at::NoGradGuard noGradients;
    const at::Tensor x = at::randn({7, 2}).select(1, 0), weight = at::randn({7, 5}).t();
    VERIFY_CLOSE(linearProduct(x, weight), at::linear(x, weight), 1e-6, 1e-6);
  }

  void oneRowHasGradients() {
    const at::Tensor x = at::randn({1, 7}).requires_grad_(), weight = at::randn({5, 7});
    const auto gradients = torch::autograd::grad({linearProduct(x, weight).sum()}, {x});
    VERIFY_CLOSE(gradients[0], weight.sum(0, /*keepdim=*/true), 1e-6, 1e-6);
  }

  void autocastIsObeyed() {
    const at::NoGradGuard noGradients;
    const Autocast autocast(Precision::bfloat16, at::kCPU);
    QCOMPARE(linearProduct(at::randn({1, 7}), at::randn({5, 7})).scalar_type(), at::kBFloat16);
  }

  void rowsOfAnotherDepthAreRefused() {
    const at::NoGradGuard noGradients;
    QVERIFY_THROWS_EXCEPTION(c10::Error, linearProduct(at::randn({2, 4}), at::randn({5, 8})));
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestLinearProduct)
#include "tst_linear_product.moc"
