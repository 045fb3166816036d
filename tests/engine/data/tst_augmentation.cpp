#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include <QTest>

#include "engine/data/augmentation/augmentation.h"
#include "engine/data/dataset.h"
#include "engine/data/shapes10.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

constexpr MapShape kShape{3, 32, 32};
constexpr std::size_t kImageBytes = 3 * 32 * 32;

AugmentationConfig nothing() {
  AugmentationConfig config;
  config.cropPadding = 0;
  config.horizontalFlip = false;
  config.cutoutSize = 0;
  return config;
}

AugmentationConfig everything(CropPadding padding) {
  AugmentationConfig config;
  config.padding = padding;
  config.cutoutSize = 8;
  return config;
}

// Computes one pixel by the definition, before normalisation. Returns -1 inside the cutout.
int pixelByDefinition(const std::uint8_t* image,
                      const AugmentationConfig& config,
                      const AugmentationDraw& draw,
                      int c,
                      int y,
                      int x) {
  const int half = config.cutoutSize / 2;
  const bool inX = x >= draw.cutoutX - half && x < draw.cutoutX - half + config.cutoutSize;
  const bool inY = y >= draw.cutoutY - half && y < draw.cutoutY - half + config.cutoutSize;
  if (inX && inY) return -1;
  int column = (draw.flip ? 31 - x : x) + draw.shiftX;
  int row = y + draw.shiftY;
  const bool outside = column < 0 || column > 31 || row < 0 || row > 31;
  if (outside && config.padding == CropPadding::zero) return 0;
  column = std::abs(column) > 31 ? 62 - column : std::abs(column);
  row = std::abs(row) > 31 ? 62 - row : std::abs(row);
  return image[(c * 32 + row) * 32 + column];
}

std::vector<std::uint32_t> firstIndices(std::uint32_t count) {
  std::vector<std::uint32_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

}  // namespace

class TestAugmentation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void nothingChangesWhenAllIsOff();
  void followsItsDefinition_data();
  void followsItsDefinition();
  void everyShiftIsReachedAndNoneBeyond();
  void flipTwiceIsTheImage();
  void halfOfTheImagesAreFlipped();
  void alternatingFlipsShowBothSidesInTwoEpochs();
  void sameKeySameBits();
  void epochsIndicesAndSeedsDiffer();
  void switchesDoNotDisturbEachOther();
  void layoutsHoldTheSameNumbers();
  void normalizedImagesHaveMeanZeroAndDeviationOne();
  void otherChannelCountsWork();
  void refusesWhatDoesNotFit();
  void timeOfABatch_data();
  void timeOfABatch();

 private:
  std::vector<float> batch(const Augmenter& augmenter,
                           std::uint64_t epoch,
                           PixelLayout layout) const;

  LabeledImages images_;
  Normalization normalization_;
};

void TestAugmentation::init() {
  if (images_.count() > 0) return;
  images_ = drawShapes10(1, 200, Shapes10Part::training);
  normalization_ = measureNormalization(images_);
}

std::vector<float> TestAugmentation::batch(const Augmenter& augmenter,
                                           std::uint64_t epoch,
                                           PixelLayout layout) const {
  std::vector<float> out(images_.pixels.size());
  augmenter.augment(images_, firstIndices(200), epoch, layout, out.data());
  return out;
}

void TestAugmentation::nothingChangesWhenAllIsOff() {
  const Augmenter augmenter(kShape, nothing(), normalization_, 1);
  std::vector<std::uint8_t> seen(kImageBytes);
  augmenter.preview(images_.pixels.data(), 5, 0, seen.data());
  QVERIFY(std::equal(seen.begin(), seen.end(), images_.pixels.begin()));
  std::vector<float> plain(images_.pixels.size());
  augmenter.normalize(images_, 0, 200, PixelLayout::nchw, plain.data());
  QVERIFY(batch(augmenter, 5, PixelLayout::nchw) == plain);
}

void TestAugmentation::followsItsDefinition_data() {
  QTest::addColumn<bool>("reflect");
  QTest::newRow("reflect") << true;
  QTest::newRow("zero") << false;
}

void TestAugmentation::followsItsDefinition() {
  QFETCH(bool, reflect);
  const AugmentationConfig config = everything(reflect ? CropPadding::reflect : CropPadding::zero);
  const Augmenter augmenter(kShape, config, normalization_, 1);
  const std::vector<float> floats = batch(augmenter, 2, PixelLayout::nchw);
  std::vector<std::uint8_t> bytes(kImageBytes);
  for (std::size_t i = 0; i < 100; ++i) {
    const std::uint8_t* image = images_.pixels.data() + i * kImageBytes;
    augmenter.preview(image, 2, i, bytes.data());
    const AugmentationDraw draw = augmenter.draw(2, i);
    for (int p = 0; p < static_cast<int>(kImageBytes); ++p) {
      const auto c = static_cast<std::size_t>(p / 1024);
      const double mean = normalization_.mean[c];
      const int expected = pixelByDefinition(image, config, draw, p / 1024, p / 32 % 32, p % 32);
      const double value = expected < 0 ? mean : expected / 255.0;
      QCOMPARE(static_cast<int>(bytes[static_cast<std::size_t>(p)]),
               expected < 0 ? static_cast<int>(std::lround(mean * 255)) : expected);
      const double found = floats[i * kImageBytes + static_cast<std::size_t>(p)];
      QVERIFY(std::fabs(found - (value - mean) / normalization_.deviation[c]) < 1e-5);
    }
  }
}

void TestAugmentation::everyShiftIsReachedAndNoneBeyond() {
  const Augmenter augmenter(kShape, AugmentationConfig{}, normalization_, 1);
  std::set<std::pair<int, int>> seen;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const AugmentationDraw draw = augmenter.draw(0, index);
    QVERIFY(std::abs(draw.shiftX) <= 4 && std::abs(draw.shiftY) <= 4);
    seen.insert({draw.shiftX, draw.shiftY});
  }
  QCOMPARE(seen.size(), std::size_t{81});
}

void TestAugmentation::flipTwiceIsTheImage() {
  AugmentationConfig config = nothing();
  config.horizontalFlip = true;
  const Augmenter augmenter(kShape, config, normalization_, 1);
  std::uint64_t index = 0;
  while (!augmenter.draw(0, index).flip) ++index;
  std::vector<std::uint8_t> once(kImageBytes), twice(kImageBytes);
  augmenter.preview(images_.pixels.data(), 0, index, once.data());
  augmenter.preview(once.data(), 0, index, twice.data());
  QVERIFY(!std::equal(once.begin(), once.end(), images_.pixels.begin()));
  QVERIFY(std::equal(twice.begin(), twice.end(), images_.pixels.begin()));
}

void TestAugmentation::halfOfTheImagesAreFlipped() {
  const Augmenter augmenter(kShape, AugmentationConfig{}, normalization_, 1);
  int flipped = 0;
  for (std::uint64_t index = 0; index < 10'000; ++index) flipped += augmenter.draw(0, index).flip;
  QVERIFY(std::abs(flipped - 5000) < 250);  // Five standard deviations.
}

void TestAugmentation::alternatingFlipsShowBothSidesInTwoEpochs() {
  AugmentationConfig config;
  config.alternatingFlip = true;
  const Augmenter augmenter(kShape, config, normalization_, 1);
  const Augmenter byChance(kShape, AugmentationConfig{}, normalization_, 1);
  int flipped = 0;
  for (std::uint64_t index = 0; index < 10'000; ++index) {
    const AugmentationDraw first = augmenter.draw(0, index);
    const AugmentationDraw second = augmenter.draw(1, index);
    flipped += first.flip;
    QCOMPARE(second.flip, !first.flip);
    QCOMPARE(augmenter.draw(6, index).flip, first.flip);
    QCOMPARE(first.shiftX, byChance.draw(0, index).shiftX);
    QCOMPARE(first.cutoutY, byChance.draw(0, index).cutoutY);
  }
  QVERIFY(std::abs(flipped - 5000) < 250);  // Five standard deviations.

  config.horizontalFlip = false;
  const Augmenter never(kShape, config, normalization_, 1);
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    for (std::uint64_t index = 0; index < 100; ++index) QVERIFY(!never.draw(epoch, index).flip);
  }
}

void TestAugmentation::sameKeySameBits() {
  const Augmenter first(kShape, everything(CropPadding::reflect), normalization_, 9);
  const Augmenter second(kShape, everything(CropPadding::reflect), normalization_, 9);
  const std::vector<float> whole = batch(first, 3, PixelLayout::nhwc);
  QVERIFY(batch(second, 3, PixelLayout::nhwc) == whole);
  // The bits of an image do not depend on the other images of the batch.
  std::vector<float> alone(kImageBytes);
  const std::uint32_t index = 17;
  second.augment(images_, {&index, 1}, 3, PixelLayout::nhwc, alone.data());
  QVERIFY(std::equal(alone.begin(), alone.end(), whole.begin() + 17 * kImageBytes));
}

void TestAugmentation::epochsIndicesAndSeedsDiffer() {
  const Augmenter augmenter(kShape, everything(CropPadding::reflect), normalization_, 9);
  const Augmenter other(kShape, everything(CropPadding::reflect), normalization_, 10);
  QVERIFY(augmenter.draw(0, 0) != augmenter.draw(1, 0));
  QVERIFY(augmenter.draw(0, 0) != augmenter.draw(0, 1));
  QVERIFY(augmenter.draw(0, 0) != other.draw(0, 0));
}

void TestAugmentation::switchesDoNotDisturbEachOther() {
  AugmentationConfig config = everything(CropPadding::reflect);
  const Augmenter full(kShape, config, normalization_, 9);
  config.horizontalFlip = false;
  const Augmenter unflipped(kShape, config, normalization_, 9);
  for (std::uint64_t index = 0; index < 100; ++index) {
    AugmentationDraw expected = full.draw(4, index);
    expected.flip = false;
    QVERIFY(unflipped.draw(4, index) == expected);
  }
}

void TestAugmentation::layoutsHoldTheSameNumbers() {
  const Augmenter augmenter(kShape, everything(CropPadding::zero), normalization_, 9);
  const std::vector<float> planes = batch(augmenter, 1, PixelLayout::nchw);
  const std::vector<float> pixels = batch(augmenter, 1, PixelLayout::nhwc);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t p = 0; p < 1024; ++p) {
        QCOMPARE(pixels[i * kImageBytes + p * 3 + c], planes[i * kImageBytes + c * 1024 + p]);
      }
    }
  }
}

void TestAugmentation::normalizedImagesHaveMeanZeroAndDeviationOne() {
  const Augmenter augmenter(kShape, nothing(), normalization_, 1);
  const std::vector<float> values = batch(augmenter, 0, PixelLayout::nhwc);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = c; i < values.size(); i += 3) {
      sum += values[i];
      squares += static_cast<double>(values[i]) * values[i];
    }
    const double count = static_cast<double>(values.size()) / 3;
    QVERIFY(std::fabs(sum / count) < 1e-5);
    QVERIFY(std::fabs(squares / count - 1) < 1e-5);
  }
}

void TestAugmentation::otherChannelCountsWork() {
  const Normalization single{{0.5}, {0.25}};
  const Augmenter augmenter({1, 2, 3}, nothing(), single, 1);
  LabeledImages images;
  images.channels = 1;
  images.height = 2;
  images.width = 3;
  images.pixels = {0, 51, 102, 153, 204, 255};
  images.labels = {0};
  std::vector<float> out(6);
  augmenter.normalize(images, 0, 1, PixelLayout::nhwc, out.data());
  for (std::size_t i = 0; i < 6; ++i) {
    QVERIFY(std::fabs(out[i] - (0.2 * static_cast<double>(i) - 0.5) / 0.25) < 1e-6);
  }
}

void TestAugmentation::refusesWhatDoesNotFit() {
  AugmentationConfig config;
  config.cropPadding = 32;
  QVERIFY(errorOf([&] { Augmenter(kShape, config, normalization_, 1); }));
  config.cropPadding = -1;
  QVERIFY(errorOf([&] { Augmenter(kShape, config, normalization_, 1); }));
  config.cropPadding = 0;
  config.cutoutSize = -1;
  QVERIFY(errorOf([&] { Augmenter(kShape, config, normalization_, 1); }));
  QVERIFY(errorOf([&] { Augmenter({1, 32, 32}, nothing(), normalization_, 1); }));
}

void TestAugmentation::timeOfABatch_data() {
  QTest::addColumn<bool>("interleaved");
  QTest::newRow("128 images, nchw") << false;
  QTest::newRow("128 images, nhwc") << true;
}

void TestAugmentation::timeOfABatch() {
  QFETCH(bool, interleaved);
  const Augmenter augmenter(kShape, everything(CropPadding::reflect), normalization_, 1);
  const std::vector<std::uint32_t> indices = firstIndices(128);
  std::vector<float> out(128 * kImageBytes);
  const PixelLayout layout = interleaved ? PixelLayout::nhwc : PixelLayout::nchw;
  QBENCHMARK {
    augmenter.augment(images_, indices, 0, layout, out.data());
  }
}

QTEST_GUILESS_MAIN(TestAugmentation)
#include "tst_augmentation.moc"
