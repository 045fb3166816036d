#pragma once

#include <cstdint>

namespace lambda {

/// What the values of an activation map are in memory; arithmetic is in float32.
enum class Element { float32, bfloat16 };

/// The upper half of a float32.
using Bfloat16 = std::uint16_t;

}  // namespace lambda
