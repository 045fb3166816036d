#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace lambda {

/// SHA-1 (FIPS 180-4) as 40 lower-case hexadecimal digits, to compare with digests that others have
/// published. It detects accidental damage, not an attack.
std::string sha1Hex(std::span<const std::byte> bytes);

}  // namespace lambda
