#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace lambda {

using Rgb = std::array<std::uint8_t, 3>;

enum class ColorMap {
  viridis,    ///< Quantities from small to large.
  diverging,  ///< Signed quantities: blue, white at 0, red.
};

/// The values at the two ends of a colour map.
struct ColorRange {
  double low = 0;
  double high = 1;

  bool operator==(const ColorRange&) const = default;
};

/// The colour of NaN and infinities.
inline constexpr Rgb kNotFiniteColor{0x80, 0x80, 0x80};

/// The colour at `t`, clamped to 0..1; kNotFiniteColor for NaN.
Rgb colorAt(ColorMap map, double t);

/// The colour of a value within a range.
Rgb colorOf(ColorMap map, const ColorRange& range, float value);

/// The colour range for a picture of these values: symmetric, -x..x, for the diverging map, and
/// from the smallest to the largest for viridis. Values that are not finite are left out; an empty
/// range is widened.
ColorRange rangeOf(ColorMap map, std::span<const float> values);

}  // namespace lambda
