#include <algorithm>
#include <cmath>
#include <numeric>

#include <QTest>

#include "engine/data/augmentation/augmentation.h"
#include "engine/data/augmentation/rand_augment.h"
#include "engine/data/augmentation/random_erasing.h"
#include "engine/data/augmentation/tone_operations.h"
#include "engine/data/dataset.h"
#include "engine/data/shapes10.h"
#include "tests/support/hostile_bytes.h"

using namespace lambda;

namespace {

using Pixels = std::vector<std::uint8_t>;

constexpr MapShape kShape{3, 32, 32};
constexpr std::size_t kImageBytes = 3 * 32 * 32;

Pixels applied(const MapShape& shape, double magnitude, const RandDraw& draw, Pixels image) {
  RandAugment(shape, 1, magnitude, 0).apply(draw, image.data());
  return image;
}

// Numbers 0, step, 2 step, ... modulo 256.
Pixels ramp(const MapShape& shape, int step) {
  Pixels pixels(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::uint8_t>(i * static_cast<std::size_t>(step));
  }
  return pixels;
}

AugmentationConfig withRandAugment(int operations) {
  AugmentationConfig config;
  config.cutoutSize = 8;
  config.randAugmentOperations = operations;
  return config;
}

}  // namespace

class TestRandAugment : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init();
  void tonesAreThoseComputedByHand_data();
  void tonesAreThoseComputedByHand();
  void equalizeSpreadsTheTones();
  void colorBlendsWithGrey();
  void sharpnessBlendsWithTheSmoothedImage();
  void translationsAreRelativeToTheSide();
  void shearsGrowWithTheDistance();
  void rotationOfNinetyDegreesIsExact();
  void cutoutIsClippedAndGrey();
  void magnitudeZeroLeavesTheGeometry();
  void greyAndSmallImagesWork_data();
  void greyAndSmallImagesWork();
  void allOperationsAreDrawnEquallyOften();
  void moreOperationsBeginWithThoseOfFewer();
  void imagesDependOnTheirKeyAlone();
  void switchesDoNotDisturbEachOther();
  void previewShowsTheSameImage();
  void refusesWhatDoesNotFit();
  void timeOfABatch();

 private:
  LabeledImages images_;
  Normalization normalization_;
};

void TestRandAugment::init() {
  if (images_.count() > 0) return;
  images_ = drawShapes10(1, 100, Shapes10Part::training);
  normalization_ = measureNormalization(images_);
}

void TestRandAugment::tonesAreThoseComputedByHand_data() {
  QTest::addColumn<int>("operation");
  QTest::addColumn<double>("magnitude");
  QTest::addColumn<Pixels>("expected");
  const auto row =
      [](const char* name, RandOperation operation, double magnitude, const Pixels& expected) {
        QTest::newRow(name) << static_cast<int>(operation) << magnitude << expected;
      };
  // Of the tones 50, 100, 127, 150.
  row("auto contrast", RandOperation::autoContrast, 3, {0, 127, 196, 255});
  row("invert", RandOperation::invert, 3, {205, 155, 128, 105});
  row("posterize to 4 bits", RandOperation::posterize, 10, {48, 96, 112, 144});
  row("posterize to 2 bits", RandOperation::posterize, 5, {0, 64, 64, 128});
  row("posterize to 0 bits", RandOperation::posterize, 0, {0, 0, 0, 0});
  row("posterize beyond 8 bits", RandOperation::posterize, 30, {50, 100, 127, 150});
  row("solarize from 128", RandOperation::solarize, 5, {50, 100, 127, 105});
  row("solarize from 256", RandOperation::solarize, 10, {50, 100, 127, 150});
  row("solarize add 110", RandOperation::solarizeAdd, 10, {160, 210, 237, 150});
  row("solarize add 220", RandOperation::solarizeAdd, 20, {255, 255, 255, 150});
  row("color of grey", RandOperation::color, 10, {50, 100, 127, 150});
  row("contrast 1.9 about 106", RandOperation::contrast, 10, {0, 94, 145, 189});
  row("contrast 0.1 about 106", RandOperation::contrast, 0, {100, 105, 108, 110});
  row("brightness 1.9", RandOperation::brightness, 10, {95, 190, 241, 255});
  row("brightness 0.1", RandOperation::brightness, 0, {5, 10, 12, 15});
  row("sharpness without an inside", RandOperation::sharpness, 10, {50, 100, 127, 150});
}

void TestRandAugment::tonesAreThoseComputedByHand() {
  QFETCH(int, operation);
  QFETCH(double, magnitude);
  QFETCH(Pixels, expected);
  const RandDraw draw{static_cast<RandOperation>(operation), false, 0, 0};
  QCOMPARE(applied({1, 2, 2}, magnitude, draw, {50, 100, 127, 150}), expected);
}

void TestRandAugment::equalizeSpreadsTheTones() {
  // 511 pixels: 256 of tone 7 and 255 of tone 9, so that the step is (511 - 255) / 255 = 1.
  Pixels image(511, 7);
  std::fill(image.begin() + 256, image.end(), 9);
  equalize({1, 1, 511}, image.data());
  QCOMPARE(static_cast<int>(image.front()), 0);
  QCOMPARE(static_cast<int>(image.back()), 255);
  // 1020 pixels, step (1020 - 510) / 255 = 2: tone 9 has (255 + 1) / 2, tone 20 has (510 + 1) / 2.
  Pixels three(1020, 20);
  std::fill(three.begin(), three.begin() + 255, 7);
  std::fill(three.begin() + 255, three.begin() + 510, 9);
  equalize({1, 1, 1020}, three.data());
  QCOMPARE((Pixels{three[0], three[300], three[1000]}), (Pixels{0, 128, 255}));
  // Too few pixels for a step.
  QCOMPARE(applied({1, 1, 2}, 10, {RandOperation::equalize}, {3, 8}), (Pixels{3, 8}));
}

void TestRandAugment::colorBlendsWithGrey() {
  // Grey 0.2989 100 + 0.587 50 + 0.1141 200 = 82.06; 82 + 1.9 (100 - 82) = 116.2, 21.2, 306.2.
  QCOMPARE(applied({3, 1, 1}, 10, {RandOperation::color}, {100, 50, 200}), (Pixels{116, 21, 255}));
  // 82 + 0.1 (100 - 82) = 83.8, 78.8, 93.8.
  QCOMPARE(applied({3, 1, 1}, 0, {RandOperation::color}, {100, 50, 200}), (Pixels{83, 78, 93}));
}

void TestRandAugment::sharpnessBlendsWithTheSmoothedImage() {
  // Smoothed: (8 10 + 5 49) / 13 = 25; 25 + 1.9 (49 - 25) = 70.6 and 25 + 0.1 (49 - 25) = 27.4.
  const Pixels image{10, 10, 10, 10, 49, 10, 10, 10, 10};
  Pixels expected = image;
  expected[4] = 70;
  QCOMPARE(applied({1, 3, 3}, 10, {RandOperation::sharpness}, image), expected);
  expected[4] = 27;
  QCOMPARE(applied({1, 3, 3}, 0, {RandOperation::sharpness}, image), expected);
}

void TestRandAugment::translationsAreRelativeToTheSide() {
  // 100 / 224 of 4 is 1.8 pixels, of 2 it is 0.9.
  const MapShape shape{1, 2, 4};
  const Pixels image{1, 2, 3, 4, 5, 6, 7, 8};
  QCOMPARE(applied(shape, 10, {RandOperation::translateX, false, 0, 0}, image),
           (Pixels{3, 4, 128, 128, 7, 8, 128, 128}));
  QCOMPARE(applied(shape, 10, {RandOperation::translateX, true, 0, 0}, image),
           (Pixels{128, 128, 1, 2, 128, 128, 5, 6}));
  QCOMPARE(applied(shape, 10, {RandOperation::translateY, false, 0, 0}, image),
           (Pixels{5, 6, 7, 8, 128, 128, 128, 128}));
}

void TestRandAugment::shearsGrowWithTheDistance() {
  // By 0.3 a line: 0, 0.3 and 0.6 pixels, to the nearest.
  const MapShape shape{1, 3, 3};
  const Pixels image{1, 2, 3, 4, 5, 6, 7, 8, 9};
  QCOMPARE(applied(shape, 10, {RandOperation::shearX, false, 0, 0}, image),
           (Pixels{1, 2, 3, 4, 5, 6, 8, 9, 128}));
  QCOMPARE(applied(shape, 10, {RandOperation::shearX, true, 0, 0}, image),
           (Pixels{1, 2, 3, 4, 5, 6, 128, 7, 8}));
  QCOMPARE(applied(shape, 10, {RandOperation::shearY, false, 0, 0}, image),
           (Pixels{1, 2, 6, 4, 5, 9, 7, 8, 128}));
}

void TestRandAugment::rotationOfNinetyDegreesIsExact() {
  const Pixels image{1, 2, 3, 4, 5, 6, 7, 8, 9};
  QCOMPARE(applied({1, 3, 3}, 30, {RandOperation::rotate, false, 0, 0}, image),
           (Pixels{3, 6, 9, 2, 5, 8, 1, 4, 7}));
  QCOMPARE(applied({1, 3, 3}, 30, {RandOperation::rotate, true, 0, 0}, image),
           (Pixels{7, 4, 1, 8, 5, 2, 9, 6, 3}));
}

void TestRandAugment::cutoutIsClippedAndGrey() {
  // Half the side is 40 / 224 of 5: 1 pixel.
  Pixels expected(25, 9);
  expected[0] = 128;
  QCOMPARE(applied({1, 5, 5}, 10, {RandOperation::cutout, false, 0, 0}, Pixels(25, 9)), expected);
  expected.assign(25, 9);
  for (const std::size_t i : {6U, 7U, 11U, 12U}) expected[i] = 128;
  QCOMPARE(applied({1, 5, 5}, 10, {RandOperation::cutout, false, 2, 2}, Pixels(25, 9)), expected);
}

void TestRandAugment::magnitudeZeroLeavesTheGeometry() {
  const MapShape shape{3, 5, 7};
  for (const RandOperation operation : {RandOperation::rotate,
                                        RandOperation::shearX,
                                        RandOperation::shearY,
                                        RandOperation::translateX,
                                        RandOperation::translateY,
                                        RandOperation::cutout,
                                        RandOperation::solarizeAdd}) {
    QCOMPARE(applied(shape, 0, {operation, true, 3, 3}, ramp(shape, 17)), ramp(shape, 17));
  }
}

void TestRandAugment::greyAndSmallImagesWork_data() {
  QTest::addColumn<int>("channels");
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::newRow("grey 5x7") << 1 << 5 << 7;
  QTest::newRow("colour 5x7") << 3 << 5 << 7;
  QTest::newRow("one pixel") << 3 << 1 << 1;
  QTest::newRow("one row") << 1 << 1 << 9;
}

// The channels of a colour image without colour stay equal, and are the grey image's.
void TestRandAugment::greyAndSmallImagesWork() {
  QFETCH(int, channels);
  QFETCH(int, height);
  QFETCH(int, width);
  const MapShape plane{1, height, width};
  for (int operation = 0; operation < kRandOperations; ++operation) {
    for (const double magnitude : {0.0, 10.0, 15.0, 30.0}) {
      const RandDraw draw{static_cast<RandOperation>(operation), true, width / 2, height / 2};
      const Pixels grey = applied(plane, magnitude, draw, ramp(plane, 7));
      Pixels image, expected;
      for (int c = 0; c < channels; ++c) {
        const Pixels one = ramp(plane, 7);
        image.insert(image.end(), one.begin(), one.end());
        expected.insert(expected.end(), grey.begin(), grey.end());
      }
      QCOMPARE(applied({channels, height, width}, magnitude, draw, image), expected);
    }
  }
}

void TestRandAugment::allOperationsAreDrawnEquallyOften() {
  const RandAugment augment(kShape, 2, 10, 5);
  std::vector<int> counts(kRandOperations);
  int negative = 0;
  for (std::uint64_t index = 0; index < 8000; ++index) {
    for (const RandDraw& draw : augment.draw(0, index)) {
      ++counts[static_cast<std::size_t>(draw.operation)];
      negative += draw.negative;
    }
  }
  for (const int count : counts) QVERIFY(std::abs(count - 1000) < 155);  // Five deviations.
  QVERIFY(std::abs(negative - 8000) < 320);
}

void TestRandAugment::moreOperationsBeginWithThoseOfFewer() {
  const std::vector<RandDraw> two = RandAugment(kShape, 2, 10, 5).draw(1, 7);
  const std::vector<RandDraw> three = RandAugment(kShape, 3, 4, 5).draw(1, 7);
  QCOMPARE(two.size(), std::size_t{2});
  QVERIFY(std::equal(two.begin(), two.end(), three.begin()));
  QVERIFY(two != RandAugment(kShape, 2, 10, 5).draw(2, 7));
  QVERIFY(two != RandAugment(kShape, 2, 10, 5).draw(1, 8));
  QVERIFY(two != RandAugment(kShape, 2, 10, 6).draw(1, 7));
}

void TestRandAugment::imagesDependOnTheirKeyAlone() {
  AugmentationConfig config = withRandAugment(2);
  config.erasingProbability = 0.5;
  const Augmenter augmenter(kShape, config, normalization_, 3);
  std::vector<std::uint32_t> indices(100);
  std::iota(indices.begin(), indices.end(), 0U);
  std::vector<float> forward(images_.pixels.size()), backward(images_.pixels.size());
  augmenter.augment(images_, indices, 4, PixelLayout::nhwc, forward.data());
  std::reverse(indices.begin(), indices.end());
  augmenter.augment(images_, indices, 4, PixelLayout::nhwc, backward.data());
  for (std::size_t i = 0; i < 100; ++i) {
    QVERIFY(std::equal(forward.begin() + static_cast<std::ptrdiff_t>(i * kImageBytes),
                       forward.begin() + static_cast<std::ptrdiff_t>((i + 1) * kImageBytes),
                       backward.begin() + static_cast<std::ptrdiff_t>((99 - i) * kImageBytes)));
  }
}

// RandAugment comes after shift and flip, and before cutout, whose draws are as without it.
void TestRandAugment::switchesDoNotDisturbEachOther() {
  AugmentationConfig config = withRandAugment(0);
  config.randAugmentMagnitude = 3;
  config.cutoutSize = 0;
  const Augmenter plain(kShape, config, normalization_, 3);
  config = withRandAugment(2);
  config.erasingProbability = 1;
  const Augmenter full(kShape, config, normalization_, 3);
  const RandAugment randAugment(kShape, 2, config.randAugmentMagnitude, 3);
  Pixels expected(kImageBytes), found(kImageBytes);
  for (std::uint64_t index = 0; index < 100; ++index) {
    const std::uint8_t* image = images_.pixels.data() + index * kImageBytes;
    QVERIFY(plain.draw(6, index) == full.draw(6, index));
    plain.preview(image, 6, index, expected.data());
    randAugment.augment(6, index, expected.data());
    full.preview(image, 6, index, found.data());
    const PixelRectangle erased = *drawErasing(32, 32, 1, 3, 6, index);
    const AugmentationDraw draw = full.draw(6, index);
    const PixelRectangle cut = squareAround(draw.cutoutX, draw.cutoutY, 8, 32, 32);
    for (int p = 0; p < static_cast<int>(kImageBytes); ++p) {
      const int x = p % 32, y = p / 32 % 32;
      bool isRemoved = false;
      for (const PixelRectangle& each : {erased, cut}) {
        isRemoved |= x >= each.left && x < each.right && y >= each.top && y < each.bottom;
      }
      const double mean = normalization_.mean[static_cast<std::size_t>(p / 1024)];
      const auto at = static_cast<std::size_t>(p);
      QCOMPARE(static_cast<int>(found[at]),
               isRemoved ? static_cast<int>(std::lround(mean * 255)) : expected[at]);
    }
  }
}

void TestRandAugment::previewShowsTheSameImage() {
  AugmentationConfig config = withRandAugment(2);
  config.cutoutSize = 0;
  const Augmenter augmenter(kShape, config, normalization_, 3);
  Pixels bytes(kImageBytes);
  std::vector<float> floats(kImageBytes);
  for (std::uint32_t index = 0; index < 50; ++index) {
    augmenter.preview(images_.pixels.data() + index * kImageBytes, 1, index, bytes.data());
    augmenter.augment(images_, {&index, 1}, 1, PixelLayout::nchw, floats.data());
    for (std::size_t i = 0; i < kImageBytes; ++i) {
      const std::size_t c = i / 1024;
      const float scaled = static_cast<float>(bytes[i]) * augmenter.scale()[c];
      QVERIFY(std::fabs(floats[i] - scaled - augmenter.shift()[c]) < 1e-5);
    }
  }
}

void TestRandAugment::refusesWhatDoesNotFit() {
  QVERIFY(errorOf([] { RandAugment(kShape, -1, 10, 0); }));
  QVERIFY(errorOf([] { RandAugment(kShape, 2, -1, 0); }));
  QVERIFY(errorOf([] { RandAugment(kShape, 2, std::nan(""), 0); }));
  QVERIFY(errorOf([] { RandAugment({2, 8, 8}, 2, 10, 0); }));
  QVERIFY(!errorOf([] { RandAugment({2, 8, 8}, 0, 10, 0); }));
}

void TestRandAugment::timeOfABatch() {
  const Augmenter augmenter(kShape, withRandAugment(2), normalization_, 1);
  std::vector<std::uint32_t> indices(100);
  std::iota(indices.begin(), indices.end(), 0U);
  std::vector<float> out(images_.pixels.size());
  std::uint64_t epoch = 0;
  QBENCHMARK {
    augmenter.augment(images_, indices, epoch++, PixelLayout::nhwc, out.data());
  }
}

QTEST_GUILESS_MAIN(TestRandAugment)
#include "tst_rand_augment.moc"
