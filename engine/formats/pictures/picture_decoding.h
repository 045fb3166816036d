#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/values/images/image.h"

namespace lambda {

/// The largest picture that is decoded. Its header is checked before any memory is allocated.
struct PictureLimits {
  std::uint32_t side = 20'000;         ///< Pixels in width and in height.
  std::uint64_t pixels = 64ULL << 20;  ///< Width times height.
};

/// Decodes a JPEG or PNG file in memory to eight bits for each of red, green and blue. Grey,
/// palette and CMYK pictures are converted, an alpha channel is dropped, and an orientation in EXIF
/// is not applied, as is usual for training. Throws Error naming `place` for another format, for a
/// picture that is damaged or cut off, and for a picture that exceeds the limits.
Image decodePicture(std::span<const std::byte> bytes,
                    const std::string& place,
                    const PictureLimits& limits = {});

}  // namespace lambda
