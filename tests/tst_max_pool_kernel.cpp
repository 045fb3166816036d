#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <QtTest/QtTest>

#include "engine/kernels/pooling/max_pool_kernel.h"
#include "tests/support/element_map.h"
#include "tests/support/kernel_checks.h"

namespace lambda::test {

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

MaxPoolShape shapeOf(std::int64_t images,
                     std::int64_t channels,
                     std::int64_t height,
                     std::int64_t width,
                     std::int64_t side,
                     std::int64_t stride,
                     std::int64_t padding,
                     bool countsUp,
                     Element element = Element::float32) {
  const auto outputOf = [&](std::int64_t size) {
    const std::int64_t reach = size + 2 * padding - side + (countsUp ? stride - 1 : 0);
    const std::int64_t output = reach / stride + 1;
    return (output - 1) * stride >= size + padding ? output - 1 : output;
  };
  return {images,
          channels,
          height,
          width,
          outputOf(height),
          outputOf(width),
          side,
          stride,
          padding,
          element};
}

std::size_t inputSize(const MaxPoolShape& shape) {
  return static_cast<std::size_t>(shape.images * shape.height * shape.width * shape.channels);
}

std::size_t outputSize(const MaxPoolShape& shape) {
  return static_cast<std::size_t>(shape.images * shape.outputHeight * shape.outputWidth *
                                  shape.channels);
}

std::size_t inputAt(const MaxPoolShape& shape, std::int64_t image, std::int64_t y, std::int64_t x) {
  return static_cast<std::size_t>(((image * shape.height + y) * shape.width + x) * shape.channels);
}

struct Pooled {
  ElementMap y;
  std::vector<std::uint8_t> taken;

  bool operator==(const Pooled&) const = default;
};

Pooled forward(const MaxPoolShape& shape, const ElementMap& x, std::int64_t threads) {
  Pooled found{ElementMap(std::vector<float>(outputSize(shape), kNaN), shape.element),
               std::vector<std::uint8_t>(outputSize(shape), 255)};
  maxPoolForward(shape, x.data(), found.y.data(), found.taken.data(), withThreads(threads));
  return found;
}

ElementMap backward(const MaxPoolShape& shape,
                    const ElementMap& dy,
                    const std::vector<std::uint8_t>& taken,
                    std::int64_t threads) {
  ElementMap dx(std::vector<float>(inputSize(shape), kNaN), shape.element);
  maxPoolBackward(shape, dy.data(), taken.data(), dx.data(), withThreads(threads));
  return dx;
}

/// For each output the index of the input that torch chooses as the maximum.
std::vector<std::size_t> expectedSources(const MaxPoolShape& shape, const std::vector<float>& x) {
  std::vector<std::size_t> sources;
  for (std::int64_t output = 0; output < static_cast<std::int64_t>(outputSize(shape)); ++output) {
    const std::int64_t channel = output % shape.channels;
    const std::int64_t windowX = output / shape.channels % shape.outputWidth;
    const std::int64_t windowY = output / shape.channels / shape.outputWidth % shape.outputHeight;
    const std::int64_t image = output / shape.channels / shape.outputWidth / shape.outputHeight;
    std::size_t source = 0;
    float largest = -kInfinity;
    bool isFirst = true;
    for (std::int64_t i = 0; i < shape.side * shape.side; ++i) {
      const std::int64_t pixelY = windowY * shape.stride - shape.padding + i / shape.side;
      const std::int64_t pixelX = windowX * shape.stride - shape.padding + i % shape.side;
      if (pixelY < 0 || pixelY >= shape.height || pixelX < 0 || pixelX >= shape.width) continue;
      const std::size_t at =
          inputAt(shape, image, pixelY, pixelX) + static_cast<std::size_t>(channel);
      if (isFirst || x[at] > largest || std::isnan(x[at])) {
        source = at;
        largest = x[at];
      }
      isFirst = false;
    }
    sources.push_back(source);
  }
  return sources;
}

std::vector<float> normal(std::size_t size, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(size);
  for (float& value : values) value = distribution(generator);
  return values;
}

/// Values of which many are equal and some are not finite.
std::vector<float> awkward(std::size_t size) {
  std::mt19937 generator(5);
  std::vector<float> values(size);
  for (float& value : values) {
    const auto draw = generator() % 12;
    value = draw == 0 ? kNaN : draw < 4 ? -kInfinity : static_cast<float>(draw % 3);
  }
  return values;
}

bool haveTheSameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

class TestMaxPoolKernel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void takesWhatTorchTakes_data();
  void takesWhatTorchTakes();
  void theSameBitsWithAnyNumberOfThreads();
};

void TestMaxPoolKernel::takesWhatTorchTakes_data() {
  QTest::addColumn<MaxPoolShape>("shape");
  for (const std::int64_t channels : {1, 3, 16, 17, 64, 130}) {
    for (const Element element : {Element::float32, Element::bfloat16}) {
      const char* type = element == Element::float32 ? "" : ", bfloat16";
      const auto row = [&](const char* name, const MaxPoolShape& shape) {
        QTest::addRow("%s, %d channels%s", name, static_cast<int>(channels), type) << shape;
      };
      row("2x2", shapeOf(3, channels, 8, 6, 2, 2, 0, true, element));
      row("2x2, odd map", shapeOf(2, channels, 7, 5, 2, 2, 0, true, element));
      row("2x2, odd map, floor", shapeOf(2, channels, 7, 5, 2, 2, 0, false, element));
      row("3x3 each second, padded", shapeOf(2, channels, 16, 9, 3, 2, 1, false, element));
      row("3x3 each", shapeOf(2, channels, 5, 6, 3, 1, 1, false, element));
      row("window beyond the map", shapeOf(1, channels, 3, 2, 4, 4, 0, true, element));
      row("16x16", shapeOf(1, channels, 20, 33, 16, 16, 0, true, element));
    }
  }
}

void TestMaxPoolKernel::takesWhatTorchTakes() {
  QFETCH(MaxPoolShape, shape);
  for (const std::vector<float>& values :
       {normal(inputSize(shape), 1), awkward(inputSize(shape))}) {
    const ElementMap x(values, shape.element);
    const ElementMap dy(normal(outputSize(shape), 2), shape.element);
    const std::vector<float> inputs = x.values(), gradients = dy.values();
    const std::vector<std::size_t> sources = expectedSources(shape, inputs);
    const Pooled found = forward(shape, x, 1);
    std::vector<float> y;
    std::vector<double> dx(inputs.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      y.push_back(inputs[sources[i]]);
      dx[sources[i]] += static_cast<double>(gradients[i]);
    }
    QVERIFY(haveTheSameBits(found.y.values(), y));
    const double tolerance = shape.element == Element::float32 ? 1e-6 : 3e-3;
    QVERIFY(distance(backward(shape, dy, found.taken, 1).values(), dx) < tolerance);
  }
}

void TestMaxPoolKernel::theSameBitsWithAnyNumberOfThreads() {
  for (const Element element : {Element::float32, Element::bfloat16}) {
    const MaxPoolShape shape = shapeOf(3, 20, 17, 13, 3, 2, 1, true, element);
    const ElementMap x(normal(inputSize(shape), 1), element);
    const ElementMap dy(normal(outputSize(shape), 2), element);
    const Pooled found = forward(shape, x, 1);
    const ElementMap dx = backward(shape, dy, found.taken, 1);
    for (const std::int64_t threads : {2, 5}) {
      QVERIFY(forward(shape, x, threads) == found);
      QVERIFY(backward(shape, dy, found.taken, threads) == dx);
    }
  }
}

}  // namespace lambda::test

QTEST_GUILESS_MAIN(lambda::test::TestMaxPoolKernel)
#include "tst_max_pool_kernel.moc"
