#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <QTest>

#include "engine/data/augmentation/mixing.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

constexpr MapShape kShape{3, 24, 32};

BatchMixer mixerOf(double mixupAlpha, double cutmixAlpha, std::uint64_t seed = 1) {
  AugmentationConfig config;
  config.mixupAlpha = mixupAlpha;
  config.cutmixAlpha = cutmixAlpha;
  return {kShape, config, seed};
}

}  // namespace

class TestMixing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nothingIsMixedByDefault();
  void partnersAreAPermutation();
  void drawsDependOnThePositionAlone();
  void sharesAreBetaDistributed_data();
  void sharesAreBetaDistributed();
  void theShareOfCutMixIsTheAreaOutsideItsBox();
  void boxesReachEveryPixel();
  void withBothEachBatchDrawsOne();
  void refusesAnAlphaThatIsNone();
};

void TestMixing::nothingIsMixedByDefault() {
  QVERIFY(!mixerOf(0, 0).mixes());
  QVERIFY(mixerOf(0.2, 0).mixes());
  QVERIFY(mixerOf(0, 1).mixes());
}

void TestMixing::partnersAreAPermutation() {
  std::vector<std::uint32_t> all(50);
  std::iota(all.begin(), all.end(), 0U);
  for (const double cutmixAlpha : {0.0, 1.0}) {
    std::vector<std::uint32_t> partners = mixerOf(1, cutmixAlpha).draw({2, 3}, 50).partners;
    QVERIFY(partners != all);
    std::ranges::sort(partners);
    QVERIFY(partners == all);
  }
}

void TestMixing::drawsDependOnThePositionAlone() {
  const BatchMixer mixer = mixerOf(0.4, 1), resumed = mixerOf(0.4, 1);
  for (std::uint32_t batch = 0; batch < 20; ++batch) mixer.draw({4, batch}, 10);
  QVERIFY(mixer.draw({5, 6}, 10) == resumed.draw({5, 6}, 10));
  QVERIFY(mixer.draw({5, 6}, 10) != mixer.draw({5, 7}, 10));
  QVERIFY(mixer.draw({5, 6}, 10) != mixer.draw({6, 6}, 10));
  QVERIFY(mixer.draw({5, 6}, 10) != mixerOf(0.4, 1, 2).draw({5, 6}, 10));
}

void TestMixing::sharesAreBetaDistributed_data() {
  QTest::addColumn<double>("alpha");
  for (const double alpha : {0.01, 0.2, 1.0, 2.5, 10.0}) {
    QTest::addRow("alpha %g", alpha) << alpha;
  }
}

void TestMixing::sharesAreBetaDistributed() {
  QFETCH(double, alpha);
  const BatchMixer mixer = mixerOf(alpha, 0);
  constexpr int kDraws = 20000;
  double sum = 0, squares = 0, fourths = 0;
  for (std::uint32_t batch = 0; batch < kDraws; ++batch) {
    const double share = mixer.draw({0, batch}, 1).share;
    QVERIFY(share >= 0 && share <= 1);
    const double distance = share - 0.5;
    sum += distance;
    squares += distance * distance;
    fourths += std::pow(distance, 4);
  }
  // Central moments of Beta(a, a): variance 1/(4(2a+1)), fourth moment 3/(16(2a+1)(2a+3)).
  const double variance = 1 / (4 * (2 * alpha + 1));
  const double fourth = 3 / (16 * (2 * alpha + 1) * (2 * alpha + 3));
  // Five standard errors of each mean.
  const double root = std::sqrt(static_cast<double>(kDraws));
  QVERIFY(std::abs(sum / kDraws) < 5 * std::sqrt(variance) / root);
  QVERIFY(std::abs(squares / kDraws - variance) <
          5 * std::sqrt(fourth - variance * variance) / root);
  // The eighth moment is below 1/16 of the fourth, because no distance is above 1/2.
  QVERIFY(std::abs(fourths / kDraws - fourth) < 5 * std::sqrt(fourth / 16) / root);
}

void TestMixing::theShareOfCutMixIsTheAreaOutsideItsBox() {
  const BatchMixer mixer = mixerOf(0, 1);
  int clipped = 0;
  for (std::uint32_t batch = 0; batch < 1000; ++batch) {
    const MixingDraw draw = mixer.draw({0, batch}, 1);
    const PixelRectangle& box = draw.box;
    QVERIFY(draw.kind == MixingKind::cutmix);
    QVERIFY(box.left >= 0 && box.width() >= 0 && box.right <= kShape.width);
    QVERIFY(box.top >= 0 && box.height() >= 0 && box.bottom <= kShape.height);
    int outside = 0;
    for (int y = 0; y < kShape.height; ++y) {
      for (int x = 0; x < kShape.width; ++x) {
        const bool isInside = x >= box.left && x < box.right && y >= box.top && y < box.bottom;
        outside += isInside ? 0 : 1;
      }
    }
    QCOMPARE(draw.share, static_cast<double>(outside) / (kShape.width * kShape.height));
    // A box that the border cuts off has not the sides' ratio.
    clipped +=
        std::abs(box.width() * kShape.height - box.height() * kShape.width) > kShape.width ? 1 : 0;
  }
  QVERIFY(clipped > 200 && clipped < 900);
}

void TestMixing::boxesReachEveryPixel() {
  const BatchMixer mixer = mixerOf(0, 1);
  std::vector<int> columns(kShape.width), rows(kShape.height);
  for (std::uint32_t batch = 0; batch < 500; ++batch) {
    const PixelRectangle box = mixer.draw({0, batch}, 1).box;
    for (int x = 0; x < box.width(); ++x) ++columns[box.left + x];
    for (int y = 0; y < box.height(); ++y) ++rows[box.top + y];
  }
  QVERIFY(*std::ranges::min_element(columns) > 0);
  QVERIFY(*std::ranges::min_element(rows) > 0);
}

void TestMixing::withBothEachBatchDrawsOne() {
  const BatchMixer mixer = mixerOf(0.2, 1);
  int mixups = 0;
  for (std::uint32_t batch = 0; batch < 1000; ++batch) {
    const MixingDraw draw = mixer.draw({0, batch}, 4);
    if (draw.kind != MixingKind::mixup) continue;
    ++mixups;
    QVERIFY(draw.box == PixelRectangle{});
  }
  QVERIFY(mixups > 420 && mixups < 580);
}

void TestMixing::refusesAnAlphaThatIsNone() {
  QVERIFY(errorOf([] { mixerOf(-1, 0); }));
  QVERIFY(errorOf([] { mixerOf(0, std::numeric_limits<double>::quiet_NaN()); }));
}

QTEST_GUILESS_MAIN(TestMixing)
#include "tst_mixing.moc"
