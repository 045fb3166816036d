#pragma once

#include <cstdint>

namespace lambda {

/// The type of an activation map's values in memory. Arithmetic is in float32.
enum class Element { float32, bfloat16 };

/// The bits of a bfloat16: the upper half of a float32.
using Bfloat16 = std::uint16_t;

}  // namespace lambda
