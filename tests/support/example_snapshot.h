#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "engine/values/inspection/inspection.h"
#include "tests/support/jacobi_patterns.h"

namespace lambda::test {

/// The options of a synthetic snapshot.
struct ExampleOptions {
  InspectableLayer layer{.name = "stage2.block1.mixer",
                         .queryDepth = 4,
                         .heads = 2,
                         .intraDepth = 1,
                         .valueDepth = 6,
                         .height = 5,
                         .width = 6,
                         .embedding = PositionEmbedding::relative};
  int imageSide = 30;
  int label = 3;
  int predicted = 5;
  InspectionRequest request = {};
  std::int64_t step = 120;
  int epoch = 3;
};

/// A smooth function of the position (y, x) with values in -1..1, different for each `seed`.
inline float waveAt(int seed, double y, double x) {
  const double angle = 0.7 * seed, scale = 0.35 + 0.09 * (seed % 5);
  return static_cast<float>(
      std::cos(scale * (y * std::cos(angle) + x * std::sin(angle)) + 1.3 * seed) *
      std::exp(-0.02 * (y * y + x * x)));
}

/// A synthetic snapshot of a layer with correct arithmetic: total = content + position, lambdas and
/// contributions are computed from one set of queries, keys, values and embeddings, and the
/// residual is that of these sums.
class ExampleSnapshot {
 public:
  explicit ExampleSnapshot(const ExampleOptions& options) : options_(options), l_(options.layer) {}

  InspectionSnapshot make() {
    s_.request = options_.request;
    s_.step = options_.step;
    s_.epoch = options_.epoch;
    s_.layer = l_;
    s_.queryRow = options_.request.queryRow < 0 ? l_.height / 2 : options_.request.queryRow;
    s_.queryColumn = options_.request.queryColumn < 0 ? l_.width / 2 : options_.request.queryColumn;
    fillImage();
    fillQueries();
    fillKeys();
    fillEmbeddings();
    fillSums();
    s_.singularValues = {singularValuesOf(s_.lambdas.content),
                         singularValuesOf(s_.lambdas.position),
                         singularValuesOf(s_.lambdas.total)};
    return std::move(s_);
  }

 private:
  static Array zeros(std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const std::int64_t side : shape) count *= static_cast<std::size_t>(side);
    return {std::move(shape), std::vector<float>(count, 0)};
  }

  static Array sumOf(const Array& a, const Array& b) {
    Array sum = a;
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += b.values[i];
    return sum;
  }

  static Array singularValuesOf(const Array& matrix) {
    const std::int64_t rows = matrix.shape[0], columns = matrix.shape[1];
    const JacobiPatterns svd = jacobiPatterns({{rows, 1, columns}, matrix.values},
                                              static_cast<int>(std::min(rows, columns)));
    Array values{{std::min(rows, columns)}, svd.strength};
    values.values.resize(static_cast<std::size_t>(values.shape[0]), 0);
    return values;
  }

  static PrincipalPatterns patternsOf(const Array& tiles) {
    JacobiPatterns found = jacobiPatterns(tiles, kPrincipalPatterns);
    return {std::move(found.patterns), std::move(found.share)};
  }

  int positions() const { return l_.height * l_.width; }

  float value(int m, int u, int v) const {
    return waveAt(11 * v + u + options_.request.image, m / l_.width * 0.9, m % l_.width * 0.7);
  }

  float key(int k, int u, int m) const {
    return s_.keys.regions
        .values[static_cast<std::size_t>((k * l_.intraDepth + u) * positions() + m)];
  }

  float embedding(int k, int u, int m) const {
    const int height = 2 * l_.height - 1, width = 2 * l_.width - 1;
    const int row = m / l_.width - s_.queryRow + l_.height - 1;
    const int column = m % l_.width - s_.queryColumn + l_.width - 1;
    return s_.embeddings.tiles.values[static_cast<std::size_t>(
        ((k * l_.intraDepth + u) * height + row) * width + column)];
  }

  void fillImage() {
    const int side = options_.imageSide;
    s_.image = options_.request.picture.value_or(Image{.width = side, .height = side, .rgb = {}});
    for (int i = 0; s_.image.rgb.size() < static_cast<std::size_t>(3 * side * side); ++i) {
      const int pixel = i / 3, channel = i % 3;
      const double wave = static_cast<double>(waveAt(channel + options_.request.image,
                                                     (pixel / side - side / 2.0) * 0.4,
                                                     (pixel % side - side / 2.0) * 0.4));
      s_.image.rgb.push_back(static_cast<std::uint8_t>(128 + 110 * wave));
    }
    s_.label = options_.request.picture ? -1 : options_.label;
    s_.predicted = options_.predicted;
    s_.classNames = {
        "plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
    s_.probabilities.assign(s_.classNames.size(), 0.02F);
    s_.probabilities[static_cast<std::size_t>(s_.predicted)] = 0.62F;
    s_.probabilities[static_cast<std::size_t>((s_.predicted + 2) % 10)] = 0.22F;
  }

  void fillQueries() {
    s_.queries = zeros({l_.heads, l_.queryDepth});
    for (std::size_t i = 0; i < s_.queries.values.size(); ++i) {
      s_.queries.values[i] =
          waveAt(static_cast<int>(i) + 5, s_.queryRow * 0.5, s_.queryColumn * 0.4);
    }
  }

  void fillKeys() {
    s_.keys.regions = zeros({l_.queryDepth, l_.intraDepth, l_.height, l_.width});
    for (int slot = 0; slot < l_.queryDepth * l_.intraDepth; ++slot) {
      float* region = s_.keys.regions.values.data() + static_cast<std::size_t>(slot * positions());
      for (int m = 0; m < positions(); ++m) {
        // The first slot has its weight at one position, the second has equal weights everywhere.
        const float sharpness = slot == 0 ? 80.0F : slot == 1 ? 0.0F : 3.0F;
        region[m] = std::exp(sharpness * waveAt(slot + 3, m / l_.width * 0.8, m % l_.width * 0.8));
      }
      const float sum = std::accumulate(region, region + positions(), 0.0F);
      double entropy = 0;
      for (int m = 0; m < positions(); ++m) {
        region[m] /= sum;
        if (region[m] > 0) entropy -= static_cast<double>(region[m] * std::log(region[m]));
      }
      s_.keys.entropy.push_back(static_cast<float>(entropy));
    }
  }

  void fillEmbeddings() {
    const int height = 2 * l_.height - 1, width = 2 * l_.width - 1;
    const int tiles = l_.queryDepth * l_.intraDepth;
    s_.embeddings.tiles = zeros({l_.queryDepth, l_.intraDepth, height, width});
    s_.embeddings.change = s_.embeddings.tiles;
    for (int tile = 0; tile < tiles; ++tile) {
      double squares = 0;
      for (int i = 0; i < height * width; ++i) {
        const double dy = i / width - l_.height + 1, dx = i % width - l_.width + 1;
        const float wave = (0.3F + 0.1F * static_cast<float>(tile % 7)) * waveAt(tile, dy, dx);
        const auto at = static_cast<std::size_t>(tile * height * width + i);
        s_.embeddings.tiles.values[at] = wave;
        s_.embeddings.change.values[at] = 0.5F * wave;
        squares += static_cast<double>(wave * wave);
      }
      s_.embeddings.norms.push_back(static_cast<float>(std::sqrt(squares)));
    }
    s_.embeddings.order.resize(static_cast<std::size_t>(tiles));
    std::iota(s_.embeddings.order.begin(), s_.embeddings.order.end(), 0);
    std::stable_sort(s_.embeddings.order.begin(), s_.embeddings.order.end(), [this](int a, int b) {
      return s_.embeddings.norms[static_cast<std::size_t>(a)] >
             s_.embeddings.norms[static_cast<std::size_t>(b)];
    });
    s_.embeddings.patterns = patternsOf(s_.embeddings.tiles);
    s_.embeddings.changePatterns = patternsOf(s_.embeddings.change);
  }

  void fillSums() {
    const int h = l_.heads, k = l_.queryDepth, u = l_.intraDepth, v = l_.valueDepth;
    s_.lambdas.content = zeros({k, v});
    s_.lambdas.position = zeros({k, v});
    s_.contributions.content = zeros({h, u, l_.height, l_.width});
    s_.contributions.position = s_.contributions.content;
    for (int m = 0; m < positions(); ++m) {
      for (int slot = 0; slot < k * u; ++slot) {
        const int row = slot / u, depth = slot % u;
        const float c = key(row, depth, m), p = embedding(row, depth, m);
        for (int column = 0; column < v; ++column) {
          const auto at = static_cast<std::size_t>(row * v + column);
          s_.lambdas.content.values[at] += c * value(m, depth, column);
          s_.lambdas.position.values[at] += p * value(m, depth, column);
        }
        for (int head = 0; head < h; ++head) {
          const float q = s_.queries.values[static_cast<std::size_t>(head * k + row)];
          const auto at = static_cast<std::size_t>((head * u + depth) * positions() + m);
          s_.contributions.content.values[at] += q * c;
          s_.contributions.position.values[at] += q * p;
        }
      }
    }
    s_.lambdas.total = sumOf(s_.lambdas.content, s_.lambdas.position);
    s_.contributions.total = sumOf(s_.contributions.content, s_.contributions.position);
    fillOutputs();
  }

  /// Fills the effect, the balance, and the residual between the two ways to compute the output.
  void fillOutputs() {
    const int h = l_.heads, k = l_.queryDepth, u = l_.intraDepth, v = l_.valueDepth;
    s_.effect = zeros({h, l_.height, l_.width});
    std::vector<double> sums(static_cast<std::size_t>(h * v), 0);
    for (int head = 0; head < h; ++head) {
      for (int m = 0; m < positions(); ++m) {
        double squares = 0;
        for (int column = 0; column < v; ++column) {
          double part = 0;
          for (int depth = 0; depth < u; ++depth) {
            const auto at = static_cast<std::size_t>((head * u + depth) * positions() + m);
            part +=
                static_cast<double>(s_.contributions.total.values[at] * value(m, depth, column));
          }
          sums[static_cast<std::size_t>(head * v + column)] += part;
          squares += part * part;
        }
        s_.effect.values[static_cast<std::size_t>(head * positions() + m)] =
            static_cast<float>(std::sqrt(squares));
      }
    }
    double product = 0, greatest = 0;
    for (int head = 0; head < h; ++head) {
      for (int column = 0; column < v; ++column) {
        double content = 0, position = 0;
        for (int row = 0; row < k; ++row) {
          const double q = s_.queries.values[static_cast<std::size_t>(head * k + row)];
          content += q * s_.lambdas.content.values[static_cast<std::size_t>(row * v + column)];
          position += q * s_.lambdas.position.values[static_cast<std::size_t>(row * v + column)];
        }
        s_.balance.contentEnergy += content * content;
        s_.balance.positionEnergy += position * position;
        product += content * position;
        const double output = content + position;
        greatest = std::max(greatest, std::abs(output));
        s_.residual.absolute =
            std::max(s_.residual.absolute,
                     std::abs(sums[static_cast<std::size_t>(head * v + column)] - output));
      }
    }
    s_.balance.cosine = product / std::sqrt(s_.balance.contentEnergy * s_.balance.positionEnergy);
    s_.residual.relative = s_.residual.absolute / greatest;
  }

  ExampleOptions options_;
  InspectableLayer l_;
  InspectionSnapshot s_;
};

inline InspectionSnapshot exampleSnapshot(const ExampleOptions& options = {}) {
  return ExampleSnapshot(options).make();
}

}  // namespace lambda::test
