#include <ATen/ATen.h>

#include <QTest>

#include "engine/layers/convolution/patch_whitening.h"

using namespace lambda;

namespace {

/// Images whose neighbouring pixels and channels are correlated, as in photographs.
at::Tensor smoothImages(std::int64_t count) {
  const at::Tensor noise = at::randn({count, 3, 14, 12});
  const at::Tensor smooth = at::avg_pool2d(noise, 3, 1);
  return (smooth + 0.5 * smooth.mean(1, /*keepdim=*/true)) / smooth.std();
}

/// The covariance about 0 of the filters' outputs, [depth, depth].
at::Tensor covarianceOf(const at::Tensor& images, const at::Tensor& filters) {
  const at::Tensor maps = at::conv2d(images.to(at::kDouble), filters.to(at::kDouble));
  const at::Tensor values = maps.transpose(0, 1).flatten(1);
  return values.mm(values.t()) / values.size(1);
}

}  // namespace

class TestPatchWhitening : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { at::manual_seed(4); }

  void channelsAreUncorrelatedAndOfOneVariance() {
    const at::Tensor images = 3 * smoothImages(40);
    PatchWhitening patches(3, 2);
    // The images come in unequal parts, one of them channels-last; the filters are those of all.
    patches.add(images.narrow(0, 0, 7));
    patches.add(images.narrow(0, 7, 33).contiguous(at::MemoryFormat::ChannelsLast));
    QCOMPARE(patches.patches(), std::int64_t{40 * 11 * 9});
    const at::Tensor filters = patches.filters(24);
    QVERIFY(filters.sizes() == at::IntArrayRef({24, 3, 2, 2}));
    QVERIFY(filters.narrow(0, 12, 12).equal(-filters.narrow(0, 0, 12)));

    const at::Tensor covariance = covarianceOf(images, filters.narrow(0, 0, 12));
    const at::Tensor variances = covariance.diagonal();
    QVERIFY((covariance - variances.diag()).abs().max().item<double>() < 1e-5);
    // The variances are a little below 1, and lower for directions of smaller variance.
    QVERIFY(variances.max().item<double>() < 1);
    QVERIFY(variances[0].item<double>() > 0.999);
    QVERIFY(variances.min().item<double>() > 0.8);
    QVERIFY((variances.narrow(0, 1, 11) <= variances.narrow(0, 0, 11)).all().item<bool>());
  }

  void fewFiltersAreThoseOfTheGreatestVariance() {
    PatchWhitening patches(3, 3);
    patches.add(smoothImages(20));
    const at::Tensor all = patches.filters(54);
    const at::Tensor few = patches.filters(5);
    QVERIFY(few.narrow(0, 0, 3).equal(all.narrow(0, 0, 3)));
    QVERIFY(few.narrow(0, 3, 2).equal(-all.narrow(0, 0, 2)));
  }

  void patchesThatAreAllAlikeGiveFiniteFilters() {
    PatchWhitening patches(1, 2);
    patches.add(at::zeros({2, 1, 4, 4}));
    QVERIFY(patches.filters(8).isfinite().all().item<bool>());
  }

  void whatDoesNotFitIsRefused() {
    PatchWhitening patches(3, 3);
    QVERIFY_THROWS_EXCEPTION(c10::Error, patches.filters(4));
    QVERIFY_THROWS_EXCEPTION(c10::Error, patches.add(at::zeros({1, 3, 2, 8})));
    QVERIFY_THROWS_EXCEPTION(c10::Error, patches.add(at::zeros({1, 4, 8, 8})));
    patches.add(at::zeros({1, 3, 8, 8}));
    QVERIFY_THROWS_EXCEPTION(c10::Error, patches.filters(0));
    QVERIFY_THROWS_EXCEPTION(c10::Error, patches.filters(55));
  }
};

QTEST_GUILESS_MAIN(TestPatchWhitening)

#include "tst_patch_whitening.moc"
