#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lambda {

/// The greatest number of classes that a label can represent.
inline constexpr std::size_t kMostClasses = 65536;

/// Images of one size with a class each.
struct LabeledImages {
  int channels = 3;
  int height = 32;
  int width = 32;
  std::vector<std::uint8_t> pixels;   ///< [count, channels, height, width], dense.
  std::vector<std::uint16_t> labels;  ///< [count], each an index into classNames.
  std::vector<std::string> classNames;

  std::size_t count() const { return labels.size(); }

  bool operator==(const LabeledImages&) const = default;
};

}  // namespace lambda
