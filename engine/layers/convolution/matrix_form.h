#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <ATen/core/Tensor.h>

namespace lambda {

/// A convolution and its maps.
struct ConvolutionSizes {
  std::int64_t images = 0;
  std::int64_t inputDepth = 0;                  ///< c
  std::int64_t height = 0;                      ///< H, of the input, in pixels.
  std::int64_t width = 0;                       ///< W
  std::int64_t outputDepth = 0;                 ///< o
  std::array<std::int64_t, 2> kernel = {1, 1};  ///< Its height and width, as the next.
  std::array<std::int64_t, 2> stride = {1, 1};
  std::array<std::int64_t, 2> padding = {0, 0};
  bool isPlain = true;  ///< No groups, no dilation, padding with zeros.
  bool hasBias = false;

  /// Those of x [b, c, H, W] and a weight [o, c, kernel height, kernel width].
  static ConvolutionSizes of(const at::Tensor& x, const at::Tensor& weight);
};

/// A plain convolution (no groups, no dilation, padding with zeros) as a product of matrices y = x
/// W^T. There are two forms. If a single tap of the kernel lies on the map, the rows
/// of x are the pixels that it meets, [b H' W', c], and W is the tap, [o, c]. Such are the 1x1
/// kernel, and larger ones on a map of one pixel. If the taps on the map connect all of its pixels
/// with all outputs, the rows of x are whole maps, [b, H W c], and W is [H' W' o, H W c]. Such is
/// the 3x3 kernel on maps of 2x2 pixels, where a convolution would meet the padding more often than
/// the map.
class MatrixForm {
 public:
  /// The form of a plain convolution; nothing if it has none.
  static std::optional<MatrixForm> of(const ConvolutionSizes& sizes);

  at::Tensor pixelsOf(const at::Tensor& x) const;

  /// W, through which gradients reach the weight.
  at::Tensor matrixOf(const at::Tensor& weight) const;

  /// y as a map [b, o, H', W'].
  at::Tensor mapOf(const at::Tensor& y) const;

  std::int64_t rows() const { return takesWholeMaps_ ? map_[0] : map_[0] * positions(); }

  /// H' W'
  std::int64_t positions() const { return map_[2] * map_[3]; }

  /// The outputs in a row of y: o of each of these positions.
  std::int64_t positionsOfRow() const { return takesWholeMaps_ ? positions() : 1; }

  bool takesWholeMaps() const { return takesWholeMaps_; }

  /// Whether a stride leaves pixels out.
  bool skipsPixels() const { return !takesWholeMaps_ && (stride_[0] > 1 || stride_[1] > 1); }

  /// The sizes of y as a map.
  const std::array<std::int64_t, 4>& map() const { return map_; }

 private:
  MatrixForm() = default;

  bool takesWholeMaps_ = false;
  std::array<std::int64_t, 2> stride_{};
  std::array<std::int64_t, 2> padding_{};
  std::array<std::int64_t, 2> side_{};  // Of x: H, W.
  std::array<std::int64_t, 2> tap_{};   // The only tap: its row and column.
  std::array<std::int64_t, 4> map_{};
};

}  // namespace lambda
