#include "engine/values/inspection/colormap.h"

#include <algorithm>
#include <cmath>

namespace lambda {

namespace {

// Nine samples of viridis (van der Walt and Smith, 2015; public domain) and the eleven colours of
// ColorBrewer's RdBu (Brewer, 2002), blue first. Colours between them are interpolated linearly.
constexpr Rgb kViridis[] = {{0x44, 0x01, 0x54},
                            {0x47, 0x2D, 0x7B},
                            {0x3B, 0x52, 0x8B},
                            {0x2C, 0x72, 0x8E},
                            {0x21, 0x90, 0x8C},
                            {0x27, 0xAD, 0x81},
                            {0x5D, 0xC8, 0x63},
                            {0xAA, 0xDC, 0x32},
                            {0xFD, 0xE7, 0x25}};
constexpr Rgb kDiverging[] = {{0x05, 0x30, 0x61},
                              {0x21, 0x66, 0xAC},
                              {0x43, 0x93, 0xC3},
                              {0x92, 0xC5, 0xDE},
                              {0xD1, 0xE5, 0xF0},
                              {0xF7, 0xF7, 0xF7},
                              {0xFD, 0xDB, 0xC7},
                              {0xF4, 0xA5, 0x82},
                              {0xD6, 0x60, 0x4D},
                              {0xB2, 0x18, 0x2B},
                              {0x67, 0x00, 0x1F}};

Rgb mixed(std::span<const Rgb> stops, double t) {
  const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const double share = place - static_cast<double>(below);
  Rgb color{};
  for (std::size_t i = 0; i < color.size(); ++i) {
    const double value = stops[below][i] * (1 - share) + stops[below + 1][i] * share;
    color[i] = static_cast<std::uint8_t>(std::lround(value));
  }
  return color;
}

}  // namespace

Rgb colorAt(ColorMap map, double t) {
  if (std::isnan(t)) return kNotFiniteColor;
  switch (map) {
    case ColorMap::viridis:
      return mixed(kViridis, t);
    case ColorMap::diverging:
      return mixed(kDiverging, t);
  }
  return kNotFiniteColor;
}

Rgb colorOf(ColorMap map, const ColorRange& range, float value) {
  if (!std::isfinite(value)) return kNotFiniteColor;
  return colorAt(map, (value - range.low) / (range.high - range.low));
}

ColorRange rangeOf(ColorMap map, std::span<const float> values) {
  double low = 0, high = 0;
  bool any = false;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    low = any ? std::min<double>(low, value) : value;
    high = any ? std::max<double>(high, value) : value;
    any = true;
  }
  if (map == ColorMap::diverging) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  if (low < high) return {low, high};
  return map == ColorMap::diverging ? ColorRange{-1, 1}
                                    : ColorRange{low, low + std::max(1.0, std::abs(low))};
}

}  // namespace lambda
