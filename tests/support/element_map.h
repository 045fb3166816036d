#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/kernels/element.h"

namespace lambda::test {

/// The values of a map in the element type that the kernel reads; to bfloat16 they are truncated.
class ElementMap {
 public:
  ElementMap() = default;

  ElementMap(std::vector<float> values, Element element) : element_(element) {
    if (element == Element::float32) {
      floats_ = std::move(values);
    } else {
      for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        halves_.push_back(static_cast<Bfloat16>(bits >> 16));
      }
    }
  }

  void* data() {
    return element_ == Element::float32 ? static_cast<void*>(floats_.data()) : halves_.data();
  }

  const void* data() const { return const_cast<ElementMap*>(this)->data(); }

  std::vector<std::byte> bytes() const {
    const auto* first = static_cast<const std::byte*>(data());
    const std::size_t size = floats_.size() * sizeof(float) + halves_.size() * sizeof(Bfloat16);
    return {first, first + size};
  }

  std::vector<float> values() const {
    if (element_ == Element::float32) return floats_;
    std::vector<float> values;
    for (const Bfloat16 half : halves_)
      values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16));
    return values;
  }

  bool operator==(const ElementMap&) const = default;

 private:
  Element element_ = Element::float32;
  std::vector<float> floats_;
  std::vector<Bfloat16> halves_;
};

}  // namespace lambda::test
