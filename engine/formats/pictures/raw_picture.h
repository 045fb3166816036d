#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/formats/pictures/picture_decoding.h"

// The three decoders behind decodePicture(). Each throws Error naming `place` for a picture that is
// damaged, cut off or larger than the limits, which it checks before it allocates pixels.
namespace lambda {

inline constexpr const char* kPictureHint =
    "Replace or remove the picture, or leave corrupt pictures out.";

/// A picture as its file stores it.
struct RawPicture {
  int width = 0;
  int height = 0;
  int channels = 3;                  ///< 3 = RGB, 4 = RGB and alpha, not premultiplied.
  std::vector<std::uint8_t> pixels;  ///< [height, width, channels]
  int orientation = 1;               ///< Of EXIF, 1 to 8; 1 = upright.
};

/// Throws Error if the picture is empty or exceeds the limits.
void requireWithin(const PictureLimits& limits,
                   std::uint64_t width,
                   std::uint64_t height,
                   const std::string& place);

/// The orientation that an EXIF block gives; 1 where it gives none or is damaged.
int exifOrientation(std::span<const std::byte> exif);

RawPicture decodeJpeg(std::span<const std::byte> bytes,
                      const std::string& place,
                      const PictureLimits& limits);
RawPicture decodePng(std::span<const std::byte> bytes,
                     const std::string& place,
                     const PictureLimits& limits);
RawPicture decodeWebp(std::span<const std::byte> bytes,
                      const std::string& place,
                      const PictureLimits& limits);

}  // namespace lambda
