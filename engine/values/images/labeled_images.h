#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lambda {

/// The greatest number of classes that a label can represent.
inline constexpr std::size_t kMostClasses = 65536;

/// Images of one size with what is to be learnt of each: a class, or numbers.
struct LabeledImages {
  int channels = 3;
  int height = 32;
  int width = 32;
  std::vector<std::uint8_t> pixels;   ///< [count, channels, height, width], dense.
  std::vector<std::uint16_t> labels;  ///< [count], each an index into classNames; or none.
  std::vector<std::string> classNames;
  std::vector<float> numbers = {};  ///< [count, numberNames]; where images have no class.
  std::vector<std::string> numberNames = {};

  std::size_t count() const {
    return numberNames.empty() ? labels.size() : numbers.size() / numberNames.size();
  }

  bool operator==(const LabeledImages&) const = default;
};

}  // namespace lambda
