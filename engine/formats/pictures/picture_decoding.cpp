#include "engine/formats/pictures/picture_decoding.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/pictures/picture_format.h"
#include "engine/formats/pictures/raw_picture.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// Whole numbers in a block of EXIF data, in the byte order that it begins with.
class ExifNumbers {
 public:
  explicit ExifNumbers(std::span<const std::byte> bytes)
      : bytes_(bytes), isLittle_(!bytes.empty() && bytes[0] == std::byte{'I'}) {}

  /// The number of `size` bytes at `at`; 0 beyond the end.
  std::uint32_t at(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) return 0;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < size; ++i) {
      number =
          number << 8 | std::to_integer<std::uint32_t>(bytes_[at + (isLittle_ ? size - 1 - i : i)]);
    }
    return number;
  }

 private:
  std::span<const std::byte> bytes_;
  bool isLittle_;
};

/// The pixels on white, [height, width, 3].
std::vector<std::uint8_t> opaquePixels(RawPicture& raw, bool& isTransparent) {
  if (raw.channels == 3) return std::move(raw.pixels);
  std::vector<std::uint8_t> rgb(raw.pixels.size() / 4 * 3);
  for (std::size_t i = 0; i < raw.pixels.size() / 4; ++i) {
    const int alpha = raw.pixels[4 * i + 3];
    isTransparent = isTransparent || alpha < 255;
    for (std::size_t c = 0; c < 3; ++c) {
      const int value = raw.pixels[4 * i + c];
      rgb[3 * i + c] = static_cast<std::uint8_t>((value * alpha + 255 * (255 - alpha) + 127) / 255);
    }
  }
  return rgb;
}

/// The picture upright. The eight orientations are those of EXIF 2.3, tag 0x0112.
Image turned(Image image, int orientation) {
  if (orientation == 1) return image;
  const bool isTransposed = orientation >= 5;
  const bool mirrorsX =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool mirrorsY =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Image upright{
      isTransposed ? image.height : image.width, isTransposed ? image.width : image.height, {}};
  upright.rgb.resize(image.rgb.size());
  std::uint8_t* next = upright.rgb.data();
  for (int y = 0; y < upright.height; ++y) {
    for (int x = 0; x < upright.width; ++x, next += 3) {
      const int column = isTransposed ? y : x;
      const int row = isTransposed ? x : y;
      const auto fromX = static_cast<std::size_t>(mirrorsX ? image.width - 1 - column : column);
      const auto fromY = static_cast<std::size_t>(mirrorsY ? image.height - 1 - row : row);
      std::copy_n(&image.rgb[3 * (fromY * static_cast<std::size_t>(image.width) + fromX)], 3, next);
    }
  }
  return upright;
}

RawPicture decodeRaw(std::span<const std::byte> bytes,
                     const std::string& place,
                     const PictureLimits& limits) {
  const std::string_view format = formatOf(bytes);
  if (format == kJpeg) return decodeJpeg(bytes, place, limits);
  if (format == kPng) return decodePng(bytes, place, limits);
  if (format == kWebp) return decodeWebp(bytes, place, limits);
  if (bytes.empty()) throw Error(place, "the file is empty", kPictureHint);
  if (format.empty()) throw Error(place, "is no JPEG, PNG or WebP picture", kPictureHint);
  throw Error(
      place, "is " + std::string(format) + ", not a JPEG, PNG or WebP picture", kPictureHint);
}

}  // namespace

void requireWithin(const PictureLimits& limits,
                   std::uint64_t width,
                   std::uint64_t height,
                   const std::string& place) {
  if (width == 0 || height == 0) throw Error(place, "the picture has no pixels", kPictureHint);
  if (width <= limits.side && height <= limits.side && width * height <= limits.pixels) return;
  throw Error(place,
              "the picture has " + std::to_string(width) + "x" + std::to_string(height) +
                  " pixels, more than are decoded",
              "Make the picture smaller.");
}

int exifOrientation(std::span<const std::byte> exif) {
  constexpr std::uint32_t kOrientation = 0x0112;
  constexpr std::uint32_t kShort = 3;
  constexpr std::size_t kEntryBytes = 12;
  constexpr std::string_view kPrefix("Exif\0\0", 6);
  const std::string_view text(reinterpret_cast<const char*>(exif.data()), exif.size());
  if (text.starts_with(kPrefix)) exif = exif.subspan(kPrefix.size());
  const ExifNumbers numbers(exif);
  if (numbers.at(2, 2) != 42) return 1;
  const std::size_t folder = numbers.at(4, 4);
  const std::size_t entries = numbers.at(folder, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = folder + 2 + i * kEntryBytes;
    if (numbers.at(entry, 2) != kOrientation) continue;
    const std::uint32_t value = numbers.at(entry + 8, numbers.at(entry + 2, 2) == kShort ? 2 : 4);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Picture decodePicture(std::span<const std::byte> bytes,
                      const std::string& place,
                      const PictureLimits& limits) {
  RawPicture raw = decodeRaw(bytes, place, limits);
  Picture picture;
  picture.isTurned = raw.orientation != 1;
  Image image{raw.width, raw.height, opaquePixels(raw, picture.isTransparent)};
  picture.image = turned(std::move(image), raw.orientation);
  return picture;
}

}  // namespace lambda
