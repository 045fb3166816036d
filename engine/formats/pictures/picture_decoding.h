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

/// A decoded picture and what was changed in it.
struct Picture {
  Image image;
  bool isTurned = false;       ///< Its EXIF data has an orientation other than upright.
  bool isTransparent = false;  ///< It has pixels that are not opaque; they lie on white.
};

/// How decodePicture() and inputImage() read a picture, in words for the readers of exported
/// weights.
inline constexpr const char* kPictureReading =
    "8 bits per channel, of 16 bits the high byte; gamma and colour profiles are ignored; turned "
    "by the orientation in EXIF; transparent pixels on white; scaled by an antialiasing triangle "
    "filter until it covers the input, then cropped to the middle";

/// Decodes a JPEG, PNG or WebP file in memory to eight bits for each of red, green and blue, as
/// Pillow and torchvision do. Grey, palette and CMYK pictures are converted; of 16 bits the high
/// byte is used; gamma and colour profiles are ignored. The orientation in EXIF is applied, and
/// what is not opaque is composited on white. Of an animation, the first picture is decoded. Throws
/// Error naming `place` for another format, which it names, for a picture that is damaged or cut
/// off, and for a picture that exceeds the limits.
Picture decodePicture(std::span<const std::byte> bytes,
                      const std::string& place,
                      const PictureLimits& limits = {});

}  // namespace lambda
