#include "engine/data/shapes10.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/runtime/error.h"
#include "engine/runtime/process_memory.h"
#include "engine/runtime/random.h"

// This file uses only + - * / and sqrt, which IEEE 754 defines to the last bit, so that the images
// are the same on every machine. The build disables fused multiply-add contraction for this file.

namespace lambda {

namespace {

constexpr int kSide = 32;
constexpr int kPlane = kSide * kSide;
constexpr int kClasses = 10;
constexpr int kDirections = 5;
constexpr double kMargin = 0.5;  // Pixels between any figure and the border.

// Separates these random streams from every other use of the seed.
constexpr std::uint64_t kLabelStream = 0x7368617065733130;
constexpr std::uint64_t kImageStream = 0x7368617065733131;

enum class Figure { square, ring };

struct Point {
  double x = 0;  // To the right, in pixels.
  double y = 0;  // Downwards, in pixels.
};

using Color = std::array<double, 3>;  // Red, green, blue in 0..1.

struct Scene {
  Figure figure = Figure::square;
  Point center;
  double radius = 0;
  Point axis;  // Unit vector along a side of the square.
  Point dot;
  double dotRadius = 0;
  Color figureColor{};
  Color dotColor{};
  Color backgroundStart{};
  Color backgroundEnd{};
  Point gradient;  // Background = start + (gradient . pixel) (end - start), in 0..1 on the image.
  double noise = 0;
};

double length(Point p) {
  return std::sqrt(p.x * p.x + p.y * p.y);
}

// The unit vector at angle 2 atan(t), computed by a rational formula without sine and cosine.
Point directionOf(double t) {
  const double scale = 1 / (1 + t * t);
  return {(1 - t * t) * scale, 2 * t * scale};
}

// A colour of hue 0..1, saturation 0..1 and brightest channel `value`.
Color colorOf(double hue, double saturation, double value) {
  Color color{};
  for (int channel = 0; channel < 3; ++channel) {
    double turn = hue + channel / 3.0;
    turn -= std::floor(turn);
    const double pure = std::clamp(std::fabs(turn * 6 - 3) - 1, 0.0, 1.0);
    color[channel] = value * (1 - saturation + saturation * pure);
  }
  return color;
}

Point dotDirection(int direction, KeyedRandom& random) {
  switch (direction) {
    case 0:
      return {-1, 0};
    case 1:
      return {1, 0};
    case 2:
      return {0, -1};
    case 3:
      return {0, 1};
    default:
      break;
  }
  const double half = std::sqrt(0.5);
  return {random.coin() ? half : -half, random.coin() ? half : -half};
}

double placeAlong(double offset, double radius, double dotRadius, KeyedRandom& random) {
  const double low = std::max(radius + kMargin, dotRadius + kMargin - offset);
  const double high = std::min(kSide - radius - kMargin, kSide - dotRadius - kMargin - offset);
  return random.uniform(low, high);
}

void place(int direction, Scene& scene, KeyedRandom& random) {
  scene.radius = random.uniform(4.0, 5.2);
  scene.dotRadius = random.uniform(1.5, 2.1);
  const Point toDot = dotDirection(direction, random);
  const double distance = random.uniform(12.0, 16.0);
  const double tilt = distance * random.uniform(-0.18, 0.18);
  const Point offset{distance * toDot.x - tilt * toDot.y, distance * toDot.y + tilt * toDot.x};
  scene.center = {placeAlong(offset.x, scene.radius, scene.dotRadius, random),
                  placeAlong(offset.y, scene.radius, scene.dotRadius, random)};
  scene.dot = {scene.center.x + offset.x, scene.center.y + offset.y};
  scene.axis = directionOf(random.uniform(-0.12, 0.12));
}

struct Range {
  double low = 0;
  double high = 1;
};

// The draws are separate statements, because a call may evaluate its arguments in any order.
Color drawColor(double hue, Range saturation, Range value, KeyedRandom& random) {
  const double brightest = random.uniform(value.low, value.high);
  return colorOf(hue, random.uniform(saturation.low, saturation.high), brightest);
}

// Draws a muted background, one vivid figure, and a dot whose brightness stands out on any of the
// backgrounds.
void paint(Scene& scene, KeyedRandom& random) {
  const bool dark = random.coin();
  const double groundHue = random.unit();
  const double groundHueEnd = groundHue + random.uniform(-0.12, 0.12);
  const double hue = random.unit();
  const double dotHue = hue + random.uniform(0.35, 0.65);
  if (dark) {
    scene.backgroundStart = drawColor(groundHue, {0.2, 0.55}, {0.12, 0.22}, random);
    scene.backgroundEnd = drawColor(groundHueEnd, {0.2, 0.55}, {0.22, 0.36}, random);
    scene.figureColor = drawColor(hue, {0.5, 0.8}, {0.75, 1.0}, random);
    scene.dotColor = drawColor(dotHue, {0.0, 0.3}, {0.93, 1.0}, random);
  } else {
    scene.backgroundStart = drawColor(groundHue, {0.03, 0.14}, {0.92, 1.0}, random);
    scene.backgroundEnd = drawColor(groundHueEnd, {0.08, 0.26}, {0.8, 0.93}, random);
    scene.figureColor = drawColor(hue, {0.6, 0.9}, {0.6, 0.9}, random);
    scene.dotColor = drawColor(dotHue, {0.4, 0.9}, {0.08, 0.3}, random);
  }
  const Point along = directionOf(random.uniform(-1.0, 1.0));
  const double turn = random.coin() ? 1 : -1;
  scene.gradient = {turn * along.x, turn * along.y};
  scene.noise = random.uniform(0.006, 0.03);
}

Scene composeScene(int label, KeyedRandom& random) {
  Scene scene;
  scene.figure = label < kDirections ? Figure::square : Figure::ring;
  place(label % kDirections, scene, random);
  paint(scene, random);
  return scene;
}

// Signed distances in pixels, negative inside.
double figureDistance(const Scene& scene, Point pixel) {
  const Point p{pixel.x - scene.center.x, pixel.y - scene.center.y};
  if (scene.figure == Figure::ring) {
    const double band = 0.24 * scene.radius;
    return std::fabs(length(p) - (scene.radius - band)) - band;
  }
  constexpr double kRounding = 0.8;
  const double half = 0.88 * scene.radius - kRounding;
  const double u = std::fabs(p.x * scene.axis.x + p.y * scene.axis.y) - half;
  const double v = std::fabs(p.y * scene.axis.x - p.x * scene.axis.y) - half;
  const double outside = length({std::max(u, 0.0), std::max(v, 0.0)});
  return outside + std::min(std::max(u, v), 0.0) - kRounding;
}

double coverage(double distance, double softness) {
  return std::clamp(0.5 - distance / softness, 0.0, 1.0);
}

void blend(Color& under, const Color& over, double opacity) {
  for (int channel = 0; channel < 3; ++channel) {
    under[channel] += opacity * (over[channel] - under[channel]);
  }
}

Color colorAt(const Scene& scene, Point pixel) {
  constexpr double kMiddle = kSide / 2.0;
  const double along =
      (scene.gradient.x * (pixel.x - kMiddle) + scene.gradient.y * (pixel.y - kMiddle)) / kSide;
  Color color = scene.backgroundStart;
  blend(color, scene.backgroundEnd, std::clamp(0.5 + along, 0.0, 1.0));

  constexpr Color kBlack{};
  const double shadow = figureDistance(scene, {pixel.x - 0.8, pixel.y - 1.0});
  blend(color, kBlack, 0.3 * coverage(shadow, 3.0));

  // Light from above makes the figure look like an object and not like a hole.
  Color lit = scene.figureColor;
  const double height = (scene.center.y - pixel.y) / scene.radius;
  blend(lit, height > 0 ? Color{1, 1, 1} : kBlack, 0.14 * std::min(std::fabs(height), 1.0));
  blend(color, lit, coverage(figureDistance(scene, pixel), 1.0));

  const double toDot = length({pixel.x - scene.dot.x, pixel.y - scene.dot.y});
  blend(color, scene.dotColor, coverage(toDot - scene.dotRadius, 1.0));
  return color;
}

// Four uniform numbers in [-1, 1) from one draw: 16 bits each are enough for noise.
std::array<double, 4> noiseOf(KeyedRandom& random) {
  const std::uint64_t bits = random.bits();
  std::array<double, 4> values{};
  for (int lane = 0; lane < 4; ++lane) {
    values[lane] = static_cast<double>((bits >> (16 * lane)) & 0xFFFF) * 0x1p-15 - 1;
  }
  return values;
}

void render(const Scene& scene, KeyedRandom& random, std::uint8_t* pixels) {
  for (int i = 0; i < kPlane; ++i) {
    const Color color = colorAt(scene, {i % kSide + 0.5, i / kSide + 0.5});
    const std::array<double, 4> noise = noiseOf(random);
    for (int channel = 0; channel < 3; ++channel) {
      const double value = color[channel] + scene.noise * (noise[3] + 0.6 * noise[channel]);
      pixels[channel * kPlane + i] =
          static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255 + 0.5);
    }
  }
}

// Every ten images are a shuffle of the ten classes, so the classes are balanced although each
// label depends only on its index.
std::uint8_t labelOf(std::uint64_t seed, std::uint64_t part, std::uint64_t index) {
  std::vector<std::uint8_t> order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  KeyedRandom({kLabelStream, seed, part, index / kClasses}).shuffle(order);
  return order[index % kClasses];
}

std::vector<std::string> classNames() {
  return {"dot left of square",
          "dot right of square",
          "dot above square",
          "dot below square",
          "dot diagonal to square",
          "dot left of ring",
          "dot right of ring",
          "dot above ring",
          "dot below ring",
          "dot diagonal to ring"};
}

}  // namespace

LabeledImages drawShapes10(std::uint64_t seed, int count, Shapes10Part part) {
  if (count < 1) {
    throw Error("shapes10", "asked for " + std::to_string(count) + " images, expected at least 1");
  }
  // Memory for the images and for their copy in the split.
  requireMemory("shapes10",
                std::to_string(count) + " images",
                2 * static_cast<std::uint64_t>(count) * 3 * kPlane,
                "ask for fewer: --set data.source.trainCount=N, data.source.testCount");
  LabeledImages images;
  images.channels = 3;
  images.height = kSide;
  images.width = kSide;
  images.classNames = classNames();
  images.labels.resize(static_cast<std::size_t>(count));
  images.pixels.resize(static_cast<std::size_t>(count) * 3 * kPlane);
  const auto partKey = static_cast<std::uint64_t>(part);
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    images.labels[i] = labelOf(seed, partKey, i);
    KeyedRandom random({kImageStream, seed, partKey, i});
    const Scene scene = composeScene(images.labels[i], random);
    render(scene, random, images.pixels.data() + i * 3 * kPlane);
  }
  return images;
}

}  // namespace lambda
