#include <algorithm>
#include <cmath>
#include <vector>

#include <QTest>

#include "engine/data/augmentation/augmentation.h"
#include "engine/data/augmentation/random_erasing.h"
#include "engine/data/dataset.h"
#include "engine/data/shapes10.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

constexpr MapShape kShape{3, 32, 32};
constexpr std::size_t kImageBytes = 3 * 32 * 32;
constexpr int kPixelsOfErasing = 224;

}  // namespace

/// Random erasing: its rectangles, and what becomes of their pixels.
class TestRandomErasing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void erasedRectanglesAreThoseOfThePaper();
  void erasedPixelsAreTheMean();
  void refusesWhatIsNoProbability();

 private:
  LabeledImages images_;
  Normalization normalization_;
};

void TestRandomErasing::initTestCase() {
  images_ = drawShapes10(1, 20, Shapes10Part::training);
  normalization_ = measureNormalization(images_);
}

void TestRandomErasing::erasedRectanglesAreThoseOfThePaper() {
  int erased = 0;
  double smallest = 1, largest = 0;
  for (std::uint64_t index = 0; index < 10'000; ++index) {
    const auto found = drawErasing(kPixelsOfErasing, kPixelsOfErasing, 0.25, 1, 0, index);
    if (!found) continue;
    ++erased;
    QVERIFY(found->left >= 0 && found->top >= 0);
    QVERIFY(found->right <= kPixelsOfErasing && found->bottom <= kPixelsOfErasing);
    const double width = found->right - found->left, height = found->bottom - found->top;
    const double area = width * height / (kPixelsOfErasing * kPixelsOfErasing);
    smallest = std::min(smallest, area);
    largest = std::max(largest, area);
    // The sides are rounded, by 0.5 of 17 pixels at the least.
    QVERIFY(height / width > 0.3 * 0.95 && height / width < 1.05 / 0.3);
  }
  QVERIFY(std::abs(erased - 2500) < 217);  // Five standard deviations.
  QVERIFY(smallest > 0.019 && smallest < 0.03);
  QVERIFY(largest < 0.405 && largest > 0.38);
  // Images on which most rectangles do not fit.
  for (std::uint64_t index = 0; index < 100; ++index) {
    const auto found = drawErasing(5, 7, 1, 1, 0, index);
    QVERIFY(found && found->right <= 5 && found->bottom <= 7 && found->left < found->right);
    drawErasing(1000, 1, 1, 1, 0, index);
    QVERIFY(!drawErasing(32, 32, 0, 1, 0, index));
  }
}

void TestRandomErasing::erasedPixelsAreTheMean() {
  AugmentationConfig config{.cropPadding = 0, .horizontalFlip = false};
  config.erasingProbability = 1;
  const Augmenter augmenter(kShape, config, normalization_, 3);
  std::vector<float> floats(kImageBytes), plain(kImageBytes);
  for (std::uint32_t index = 0; index < 20; ++index) {
    augmenter.augment(images_, {&index, 1}, 1, PixelLayout::nchw, floats.data());
    augmenter.normalize(images_, index, 1, PixelLayout::nchw, plain.data());
    const PixelRectangle erased = *drawErasing(32, 32, 1, 3, 1, index);
    for (int p = 0; p < static_cast<int>(kImageBytes); ++p) {
      const int x = p % 32, y = p / 32 % 32;
      const bool isErased =
          x >= erased.left && x < erased.right && y >= erased.top && y < erased.bottom;
      const auto at = static_cast<std::size_t>(p);
      QCOMPARE(floats[at], isErased ? 0.0F : plain[at]);
    }
  }
}

void TestRandomErasing::refusesWhatIsNoProbability() {
  for (const double probability : {-0.1, 1.1, std::nan("")}) {
    AugmentationConfig config;
    config.erasingProbability = probability;
    QVERIFY(errorOf([&] { Augmenter(kShape, config, normalization_, 1); }));
  }
}

QTEST_GUILESS_MAIN(TestRandomErasing)
#include "tst_random_erasing.moc"
