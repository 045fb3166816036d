#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <QtTest/QtTest>

#include "engine/kernels/products/matrix_products.h"
#include "engine/layers/convolution/pointwise_product.h"
#include "engine/layers/layer_path.h"
#include "engine/layers/matrix_product.h"
#include "engine/training/step/autocast.h"
#include "tests/support/distance.h"
#include "tests/support/random_maps.h"

namespace lambda::test {

class TestPointwiseProduct : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { at::set_num_threads(1); }

  void init() { at::manual_seed(2); }

  void pointwiseProductsHaveTheirGradients();
  void pointwiseProductsHaveAnEpilogue();
  void matricesMayBeTransposed();
  void pointwiseProductsAreForWhatTheyPay();
};

void TestPointwiseProduct::pointwiseProductsHaveTheirGradients() {
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

void TestPointwiseProduct::pointwiseProductsHaveAnEpilogue() {
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

void TestPointwiseProduct::matricesMayBeTransposed() {
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

void TestPointwiseProduct::pointwiseProductsAreForWhatTheyPay() {
  const at::Tensor x = mapOf({8, 32, 4, 4}), w = at::randn({48, 32, 1, 1});
  const auto pays = [](const at::Tensor& map, const at::Tensor& weight) {
    const LayerPath path =
        convolutionPath(ConvolutionSizes::of(map, weight), LayerInput::of(map, weight));
    return path.kernel == LayerKernel::product;
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

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestPointwiseProduct)

#include "tst_pointwise_product.moc"
