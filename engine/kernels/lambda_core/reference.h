#pragma once

// The lambda core by its definition, term by term and in double. Every kernel computes the same.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "engine/kernels/lambda_core/core_shape.h"

namespace lambda {

/// The means y that a pixel x [H, W] is part of, as their places in [ceil(H / 2), ceil(W / 2)]:
/// each is a ninth of the sum over the 3x3 pixels around pixel (2 row, 2 column); a border of one
/// pixel of zeros counts.
inline std::vector<std::int64_t> meansOfPixel(std::int64_t pixel,
                                              std::int64_t height,
                                              std::int64_t width) {
  const std::int64_t rows = (height + 1) / 2, columns = (width + 1) / 2;
  std::vector<std::int64_t> means;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      if (std::abs(pixel / width - 2 * row) <= 1 && std::abs(pixel % width - 2 * column) <= 1)
        means.push_back(row * columns + column);
    }
  }
  return means;
}

/// The operands of a core and the gradient of its output, as CoreInputs has them.
struct ReferenceCoreOperands {
  const std::vector<float>& queries;            ///< q [b, n, h, k]
  const std::vector<float>& keys;               ///< kbar [b, m u, k]; empty without content.
  const std::vector<float>& values;             ///< v [b, m u, v]
  const std::vector<float>& table;              ///< R [rows, u, k]; empty without positions.
  const std::vector<std::int32_t>& tableRowOf;  ///< [n, m]: the row of e_nm, or negative.
  const std::vector<float>& dy;                 ///< [b, outputs(), h, v]
};

/// The output y of a core, and the gradients of its operands, in their shapes.
struct CoreResults {
  std::vector<double> y, queries, keys, values, table;
};

/// For each image, query n, row (m, u) of the context and head, with e_nm = 0 where the table has
/// no row for the pair:
///
///   s  = q_n . (kbar_m + e_nm)        y_n += s v_m
///   ds = dy_n . v_m                   dv_m += s dy_n
///   dq_n += ds (kbar_m + e_nm)        dkbar_m += ds q_n        dR_row += ds q_n
///
/// With a pooling, the outputs are means over 3x3 queries with a stride of 2, a border of zeros
/// included: each of them takes a ninth of y_n.
class ReferenceCore {
 public:
  ReferenceCore(const CoreShape& shape, const ReferenceCoreOperands& operands)
      : shape_(shape), in_(operands) {}

  CoreResults results() {
    all_ = {std::vector<double>(in_.dy.size()),
            std::vector<double>(in_.queries.size()),
            std::vector<double>(in_.keys.size()),
            std::vector<double>(in_.values.size()),
            std::vector<double>(in_.table.size())};
    for (std::int64_t b = 0; b < shape_.images; ++b) {
      for (std::int64_t n = 0; n < shape_.queries; ++n) {
        for (std::int64_t row = 0; row < shape_.contextRows(); ++row) {
          for (std::int64_t h = 0; h < shape_.heads; ++h) add(b, n, row, h);
        }
      }
    }
    return all_;
  }

 private:
  /// Where the outputs are means: the numbers of those that query n belongs to. Otherwise n.
  std::vector<std::int64_t> outputsOf(std::int64_t n) const {
    if (!shape_.pooling) return {n};
    return meansOfPixel(n, shape_.pooling->mapHeight, shape_.pooling->mapWidth);
  }

  void add(std::int64_t b, std::int64_t n, std::int64_t row, std::int64_t h) {
    const std::int64_t k = shape_.queryDepth, v = shape_.valueDepth, u = shape_.intraDepth;
    const std::int32_t found =
        in_.tableRowOf[static_cast<std::size_t>(n * shape_.positions + row / u)];
    const std::int64_t tableAt =
        shape_.tableRows > 0 && found >= 0 ? (found * u + row % u) * k : -1;
    const auto query = static_cast<std::size_t>(((b * shape_.queries + n) * shape_.heads + h) * k);
    const auto key = static_cast<std::size_t>((b * shape_.contextRows() + row) * k);
    const auto value = static_cast<std::size_t>((b * shape_.contextRows() + row) * v);
    const double share = shape_.pooling ? 1.0 / 9 : 1;
    double s = 0, ds = 0;
    const auto weight = [&](std::size_t c) {
      double sum = shape_.hasContent ? static_cast<double>(in_.keys[key + c]) : 0.0;
      if (tableAt >= 0)
        sum += static_cast<double>(in_.table[static_cast<std::size_t>(tableAt) + c]);
      return sum;
    };
    for (std::size_t c = 0; c < static_cast<std::size_t>(k); ++c)
      s += static_cast<double>(in_.queries[query + c]) * weight(c);
    const std::vector<std::int64_t> outputs = outputsOf(n);
    for (std::size_t c = 0; c < static_cast<std::size_t>(v); ++c) {
      const auto in = static_cast<double>(in_.values[value + c]);
      for (const std::int64_t output : outputs) {
        const auto out =
            static_cast<std::size_t>(((b * shape_.outputs() + output) * shape_.heads + h) * v) + c;
        const double d = share * static_cast<double>(in_.dy[out]);
        all_.y[out] += share * s * in;
        all_.values[value + c] += s * d;
        ds += d * in;
      }
    }
    for (std::size_t c = 0; c < static_cast<std::size_t>(k); ++c) {
      const double byQuery = ds * static_cast<double>(in_.queries[query + c]);
      all_.queries[query + c] += ds * weight(c);
      if (shape_.hasContent) all_.keys[key + c] += byQuery;
      if (tableAt >= 0) all_.table[static_cast<std::size_t>(tableAt) + c] += byQuery;
    }
  }

  const CoreShape& shape_;
  ReferenceCoreOperands in_;
  CoreResults all_;
};

}  // namespace lambda
