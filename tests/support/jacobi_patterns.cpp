#include "tests/support/jacobi_patterns.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace lambda::test {

namespace {

constexpr int kMostSweeps = 60;
constexpr double kConverged = 1e-14;  // off-diagonal entries as a share of the trace
constexpr double kRankTolerance =
    1e-6;  // singular values below this share of the greatest count as 0

/// A symmetric matrix, row-major, and the rotation that makes it diagonal.
struct Symmetric {
  std::size_t size = 0;
  std::vector<double> entries;
  std::vector<double> vectors;  // columns are eigenvectors

  double& at(std::size_t row, std::size_t column) { return entries[row * size + column]; }

  double& vectorAt(std::size_t row, std::size_t column) { return vectors[row * size + column]; }
};

/// Rotates rows and columns p and q so that the entry (p, q) becomes 0 (Jacobi; Golub and Van Loan,
/// section 8.5).
void rotate(Symmetric& matrix, std::size_t p, std::size_t q) {
  const double offDiagonal = matrix.at(p, q);
  if (offDiagonal == 0) return;
  const double tau = (matrix.at(q, q) - matrix.at(p, p)) / (2 * offDiagonal);
  const double t = (tau >= 0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1 + tau * tau));
  const double c = 1 / std::sqrt(1 + t * t), s = t * c;
  for (std::size_t i = 0; i < matrix.size; ++i) {
    const double ip = matrix.at(i, p), iq = matrix.at(i, q);
    matrix.at(i, p) = c * ip - s * iq;
    matrix.at(i, q) = s * ip + c * iq;
  }
  for (std::size_t i = 0; i < matrix.size; ++i) {
    const double pi = matrix.at(p, i), qi = matrix.at(q, i);
    matrix.at(p, i) = c * pi - s * qi;
    matrix.at(q, i) = s * pi + c * qi;
    const double vp = matrix.vectorAt(i, p), vq = matrix.vectorAt(i, q);
    matrix.vectorAt(i, p) = c * vp - s * vq;
    matrix.vectorAt(i, q) = s * vp + c * vq;
  }
}

void diagonalize(Symmetric& matrix) {
  const std::size_t n = matrix.size;
  matrix.vectors.assign(n * n, 0);
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) {
    matrix.vectorAt(i, i) = 1;
    trace += matrix.at(i, i);
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double greatest = 0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        greatest = std::max(greatest, std::abs(matrix.at(p, q)));
        rotate(matrix, p, q);
      }
    }
    if (greatest <= kConverged * trace) return;
  }
}

double dot(const float* a, const float* b, std::size_t aStep, std::size_t bStep, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(a[i * aStep]) * b[i * bStep];
  return sum;
}

/// T T^T or T^T T of a matrix T [rows, columns], whichever is smaller.
Symmetric gramOf(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  const bool ofRows = rows <= columns;
  Symmetric gram{.size = std::min(rows, columns), .entries = {}, .vectors = {}};
  gram.entries.resize(gram.size * gram.size);
  for (std::size_t i = 0; i < gram.size; ++i) {
    for (std::size_t j = i; j < gram.size; ++j) {
      const double product = ofRows ? dot(&values[i * columns], &values[j * columns], 1, 1, columns)
                                    : dot(&values[i], &values[j], columns, columns, rows);
      gram.at(i, j) = product;
      gram.at(j, i) = product;
    }
  }
  return gram;
}

/// The singular vector of the other side: T^T u / s of a left one, T v / s of a right one.
std::vector<double> partnerOf(const std::vector<double>& vector,
                              const std::vector<float>& values,
                              std::size_t rows,
                              std::size_t columns,
                              bool isLeft) {
  std::vector<double> partner(isLeft ? columns : rows, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double value = values[row * columns + column];
      if (isLeft) {
        partner[column] += value * vector[row];
      } else {
        partner[row] += value * vector[column];
      }
    }
  }
  const double norm =
      std::sqrt(std::inner_product(partner.begin(), partner.end(), partner.begin(), 0.0));
  for (double& entry : partner) entry /= norm > 0 ? norm : 1;
  return partner;
}

/// 1 or -1: the sign that makes the entry of greatest absolute value positive.
double signOf(const std::vector<double>& pattern) {
  const auto greatest = std::max_element(
      pattern.begin(), pattern.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  return *greatest < 0 ? -1 : 1;
}

}  // namespace

JacobiPatterns jacobiPatterns(const Array& tiles, int count) {
  JacobiPatterns result;
  if (tiles.shape.size() < 2 || tiles.empty()) return result;
  const bool isFinite = std::all_of(
      tiles.values.begin(), tiles.values.end(), [](float value) { return std::isfinite(value); });
  if (!isFinite) return result;
  const std::int64_t height = tiles.shape[tiles.shape.size() - 2], width = tiles.shape.back();
  const auto columns = static_cast<std::size_t>(height * width);
  const std::size_t rows = tiles.values.size() / columns;

  Symmetric gram = gramOf(tiles.values, rows, columns);
  diagonalize(gram);
  std::vector<std::size_t> order(gram.size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&gram](std::size_t a, std::size_t b) {
    return gram.at(a, a) > gram.at(b, b);
  });
  double energy = 0;
  for (std::size_t i = 0; i < gram.size; ++i) energy += std::max(0.0, gram.at(i, i));
  const double greatest = energy > 0 ? std::sqrt(std::max(0.0, gram.at(order[0], order[0]))) : 0;

  const bool isLeft = rows <= columns;
  for (std::size_t place = 0; place < std::min<std::size_t>(gram.size, std::max(0, count));
       ++place) {
    const std::size_t column = order[place];
    const double squared = std::max(0.0, gram.at(column, column));
    const double strength = std::sqrt(squared);
    if (strength <= kRankTolerance * greatest || strength == 0) break;
    std::vector<double> vector(gram.size);
    for (std::size_t i = 0; i < gram.size; ++i) vector[i] = gram.vectorAt(i, column);
    const std::vector<double> partner = partnerOf(vector, tiles.values, rows, columns, isLeft);
    const std::vector<double>& pattern = isLeft ? partner : vector;
    const std::vector<double>& loading = isLeft ? vector : partner;
    const double sign = signOf(pattern);
    result.strength.push_back(static_cast<float>(strength));
    result.share.push_back(static_cast<float>(squared / energy));
    for (const double entry : pattern) {
      result.patterns.values.push_back(static_cast<float>(sign * entry));
    }
    for (const double entry : loading) {
      result.loadings.values.push_back(static_cast<float>(sign * entry));
    }
  }
  const auto found = static_cast<std::int64_t>(result.strength.size());
  if (found == 0) return result;
  result.patterns.shape = {found, height, width};
  result.loadings.shape = {found, static_cast<std::int64_t>(rows)};
  return result;
}

}  // namespace lambda::test
