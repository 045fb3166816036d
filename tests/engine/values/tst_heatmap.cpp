#include <cmath>
#include <limits>

#include <QtTest/QtTest>

#include "engine/values/inspection/heatmap.h"
#include "engine/values/inspection/inspection.h"

namespace lambda::test {

namespace {

Rgb pixelAt(const Image& image, int x, int y) {
  const std::size_t at = 3 * (static_cast<std::size_t>(y) * image.width + x);
  return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}

/// The number of pixels with this colour.
int countOf(const Image& image, const Rgb& color) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += pixelAt(image, x, y) == color;
  }
  return count;
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

}  // namespace

class TestHeatmap : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void colorMapsHaveTheirEnds() {
    QVERIFY((colorAt(ColorMap::viridis, 0) == Rgb{0x44, 0x01, 0x54}));
    QVERIFY((colorAt(ColorMap::viridis, 1) == Rgb{0xFD, 0xE7, 0x25}));
    QVERIFY((colorAt(ColorMap::diverging, 0.5) == Rgb{0xF7, 0xF7, 0xF7}));
    QVERIFY(colorAt(ColorMap::diverging, -3) == colorAt(ColorMap::diverging, 0));
    QVERIFY(colorAt(ColorMap::diverging, std::nan("")) == kNotFiniteColor);
    const Rgb negative = colorAt(ColorMap::diverging, 0.1);
    const Rgb positive = colorAt(ColorMap::diverging, 0.9);
    QVERIFY(negative[2] > negative[0] && positive[0] > positive[2]);
  }

  void viridisGetsLighterAllTheWay() {
    double last = -1;
    for (int i = 0; i <= 256; ++i) {
      const Rgb color = colorAt(ColorMap::viridis, i / 256.0);
      const double light = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
      QVERIFY(light > last - 1);  // The tolerance is for rounded channels.
      last = light;
    }
  }

  void rangesFitTheirMap() {
    const std::vector<float> values{-1, kNaN, 3, std::numeric_limits<float>::infinity()};
    QVERIFY((rangeOf(ColorMap::viridis, values) == ColorRange{-1, 3}));
    QVERIFY((rangeOf(ColorMap::diverging, values) == ColorRange{-3, 3}));
    for (const ColorMap map : {ColorMap::viridis, ColorMap::diverging}) {
      for (const float alike : {0.0f, 2.0f, -1e30f, 3.4e38f}) {
        const ColorRange range = rangeOf(map, std::vector<float>{alike, alike});
        QVERIFY(range.low < range.high);
      }
      const ColorRange empty = rangeOf(map, {});
      QVERIFY(empty.low < empty.high);
    }
  }

  void everyCellHasItsColor() {
    const Array array{{2, 3}, {-1, 0, 1, 0.5, kNaN, -0.5}};
    const Image image = renderHeatmap(array, {.colorBar = false});
    const int cell = (image.width - 16) / 3;
    QVERIFY(cell >= kCellSide);
    QCOMPARE(image.height, 16 + 2 * cell);
    for (int i = 0; i < 6; ++i) {
      const Rgb expected = colorOf(ColorMap::diverging, {-1, 1}, array.values[i]);
      const int left = 8 + i % 3 * cell, top = 8 + i / 3 * cell;
      QVERIFY(pixelAt(image, left, top) == expected);
      QVERIFY(pixelAt(image, left + cell - 1, top + cell - 1) == expected);
    }
  }

  void tilesStandApart() {
    Array array{{2, 2, 5, 5}, std::vector<float>(100, 1.0f)};
    const Image image = renderHeatmap(array, {.range = ColorRange{-1, 1}, .colorBar = false});
    const Rgb red = colorAt(ColorMap::diverging, 1);
    const int cell = (image.width - 16 - 6) / 10;
    QCOMPARE(countOf(image, red), 100 * cell * cell);
    const Image row = renderHeatmap(array, {.range = ColorRange{-1, 1}, .tilesPerRow = 4});
    QVERIFY(row.width > 3 * row.height);
  }

  void tilesMayHaveTheirOwnScale() {
    const Array array{{2, 1, 2}, {0, 1, 50, 100}};
    const HeatmapStyle style{.map = ColorMap::viridis, .rangePerTile = true, .colorBar = false};
    const Image image = renderHeatmap(array, style);
    const Rgb brightest = colorAt(ColorMap::viridis, 1), middle = colorAt(ColorMap::viridis, 0.5);
    QVERIFY(countOf(image, brightest) > 0);
    QCOMPARE(countOf(image, brightest), 2 * countOf(image, middle));
    QCOMPARE(countOf(image, colorAt(ColorMap::viridis, 0)), countOf(image, middle));
  }

  void largeArraysKeepTheirLeastCell() {
    const Array array{{111, 111}, std::vector<float>(111 * 111, 0.0f)};
    QCOMPARE(renderHeatmap(array, {.colorBar = false}).width, 16 + 111 * kCellSide);
  }

  void colorBarRunsFromHighToLow() {
    const Array array{{2, 2}, {0, 1, 2, 3}};
    const Image image = renderHeatmap(array, {.map = ColorMap::viridis});
    const int x = image.width - 8 - 4;
    QVERIFY(pixelAt(image, x, 8) == colorAt(ColorMap::viridis, 1));
    QVERIFY(pixelAt(image, x, image.height - 9) == colorAt(ColorMap::viridis, 0));
  }

  void markFramesItsCell() {
    const Array array{{3, 3}, std::vector<float>(9, 0.0f)};
    const Image plain = renderHeatmap(array, {.colorBar = false});
    const Image marked = renderHeatmap(array, {.mark = Cell{1, 2}, .colorBar = false});
    const int cell = (plain.width - 16) / 3;
    QVERIFY(pixelAt(marked, 8 + 2 * cell, 8 + cell) != pixelAt(plain, 8 + 2 * cell, 8 + cell));
    const int middle = 8 + 2 * cell + cell / 2;
    QVERIFY(pixelAt(marked, middle, 8 + cell + cell / 2) == pixelAt(plain, 9, 9));
    QVERIFY(pixelAt(marked, 9, 9) == pixelAt(plain, 9, 9));
  }

  void magnifiesWithoutMixing() {
    const Image image{2, 1, {1, 2, 3, 4, 5, 6}};
    const Image large = magnified(image, 3);
    QCOMPARE(large.width, 6);
    QVERIFY((pixelAt(large, 2, 2) == Rgb{1, 2, 3}));
    QVERIFY((pixelAt(large, 3, 0) == Rgb{4, 5, 6}));
  }

  void refusesWhatIsNoPicture() {
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, renderHeatmap(Array{{3}, {1, 2, 3}}, {}));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, renderHeatmap(Array{}, {}));
  }

  void listsTheLambdaLayersOfANetwork() {
    LambdaMixer mixer;
    mixer.scope = 5;
    Block lambda, convolution;
    lambda.mixer = mixer;
    Architecture architecture;
    architecture.input = {3, 20, 14};
    architecture.stages = {{16, 1, {convolution}}, {32, 2, {lambda, lambda}}};
    const std::vector<InspectableLayer> layers = inspectableLayers(architecture);
    QCOMPARE(layers.size(), std::size_t{2});
    QCOMPARE(layers[0].name, std::string("stage2.block1.mixer"));
    QCOMPARE(layers[0].height, 20);  // Pooling for the stride comes after the layer.
    QCOMPARE(layers[1].height, 10);
    QCOMPARE(layers[1].width, 7);
    QCOMPARE(layers[0].valueDepth, 8);
    QCOMPARE(layers[0].scope, 5);
  }
};

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestHeatmap)
#include "tst_heatmap.moc"
