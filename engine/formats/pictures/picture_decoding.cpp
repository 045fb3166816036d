#include "engine/formats/pictures/picture_decoding.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>
#include <vector>

#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr const char* kHint = "Replace or remove the picture, or leave corrupt pictures out.";
constexpr int kMaxScans = 200;  // A progressive file may repeat a scan without end.

void requireWithin(const PictureLimits& limits,
                   std::uint64_t width,
                   std::uint64_t height,
                   const std::string& place) {
  if (width == 0 || height == 0) throw Error(place, "the picture has no pixels", kHint);
  if (width <= limits.side && height <= limits.side && width * height <= limits.pixels) return;
  throw Error(place,
              "the picture has " + std::to_string(width) + "x" + std::to_string(height) +
                  " pixels, more than are decoded",
              "Make the picture smaller.");
}

// ---- JPEG ----

/// libjpeg reports errors by longjmp(), so no object with a destructor may live between its calls
/// and setjmp().
struct JpegErrors {
  jpeg_error_mgr base{};
  std::jmp_buf leave{};
  std::array<char, JMSG_LENGTH_MAX> text{};
};

[[noreturn]] void leaveJpeg(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  info->err->format_message(info, errors->text.data());
  std::longjmp(errors->leave, 1);
}

/// Most warnings of libjpeg mean damage that it conceals in the picture; some lose nothing.
void noteJpeg(j_common_ptr info, int level) {
  if (level >= 0) return;
  const int code = info->err->msg_code;
  if (code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR ||
      code == JWRN_TOO_MUCH_DATA) {
    return;
  }
  leaveJpeg(info);
}

void countScans(j_common_ptr info) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  if (decompress->input_scan_number <= kMaxScans) return;
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  std::snprintf(errors->text.data(), errors->text.size(), "it has more than %d scans", kMaxScans);
  std::longjmp(errors->leave, 1);
}

struct JpegReader {
  JpegErrors errors;
  jpeg_progress_mgr progress{};
  jpeg_decompress_struct info{};

  JpegReader() {
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = leaveJpeg;
    errors.base.emit_message = noteJpeg;
  }

  ~JpegReader() { jpeg_destroy_decompress(&info); }

  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  /// Reads the header. False if it is damaged.
  bool open(std::span<const std::byte> bytes) {
    if (setjmp(errors.leave)) return false;  // NOLINT(cert-err52-cpp): libjpeg's way
    jpeg_create_decompress(&info);
    progress.progress_monitor = countScans;
    info.progress = &progress;
    jpeg_mem_src(&info,
                 reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&info, TRUE);
    return true;
  }

  bool isCmyk() const {
    return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  }

  /// Fills rows with `components` bytes per pixel. False if the picture is damaged.
  bool decode(std::uint8_t* rows, int components) {
    if (setjmp(errors.leave)) return false;  // NOLINT(cert-err52-cpp): libjpeg's way
    info.out_color_space = components == 4 ? JCS_CMYK : JCS_RGB;
    info.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&info);
    const std::size_t stride =
        std::size_t{info.output_width} * static_cast<std::size_t>(components);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = rows + info.output_scanline * stride;
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    return true;
  }
};

/// Converts CMYK to RGB. Adobe's files, which are nearly all CMYK files, hold inverted inks.
void convertCmyk(const std::vector<std::uint8_t>& inks, bool isInverted, Image& image) {
  for (std::size_t i = 0; i < inks.size() / 4; ++i) {
    const auto light = [&](std::size_t ink) {
      const int value = inks[4 * i + ink];
      return isInverted ? value : 255 - value;
    };
    for (std::size_t c = 0; c < 3; ++c) {
      image.rgb[3 * i + c] = static_cast<std::uint8_t>((light(c) * light(3) + 127) / 255);
    }
  }
}

Image decodeJpeg(std::span<const std::byte> bytes,
                 const std::string& place,
                 const PictureLimits& limits) {
  JpegReader reader;
  const auto fail = [&] {
    throw Error(place, std::string("the JPEG is damaged: ") + reader.errors.text.data(), kHint);
  };
  if (!reader.open(bytes)) fail();
  requireWithin(limits, reader.info.image_width, reader.info.image_height, place);
  Image image{
      static_cast<int>(reader.info.image_width), static_cast<int>(reader.info.image_height), {}};
  const std::size_t pixels = std::size_t{reader.info.image_width} * reader.info.image_height;
  image.rgb.resize(3 * pixels);
  if (!reader.isCmyk()) {
    if (!reader.decode(image.rgb.data(), 3)) fail();
    return image;
  }
  std::vector<std::uint8_t> inks(4 * pixels);
  if (!reader.decode(inks.data(), 4)) fail();
  convertCmyk(inks, reader.info.saw_Adobe_marker == TRUE, image);
  return image;
}

// ---- PNG ----

struct PngReader {
  png_image image{};

  PngReader() { image.version = PNG_IMAGE_VERSION; }

  ~PngReader() { png_image_free(&image); }

  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

Image decodePng(std::span<const std::byte> bytes,
                const std::string& place,
                const PictureLimits& limits) {
  PngReader reader;
  png_image& png = reader.image;
  const auto fail = [&] {
    throw Error(place, std::string("the PNG is damaged: ") + png.message, kHint);
  };
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size())) fail();
  requireWithin(limits, png.width, png.height, place);
  const std::size_t pixels = std::size_t{png.width} * png.height;
  png.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> rgba(4 * pixels);
  if (!png_image_finish_read(&png, nullptr, rgba.data(), 0, nullptr)) fail();
  Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.rgb.resize(3 * pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    std::copy_n(rgba.begin() + static_cast<std::ptrdiff_t>(4 * i), 3, &image.rgb[3 * i]);
  }
  return image;
}

bool beginsWith(std::span<const std::byte> bytes, std::span<const unsigned char> magic) {
  return bytes.size() >= magic.size() &&
         std::ranges::equal(bytes.first(magic.size()), magic, {}, [](std::byte b) {
           return std::to_integer<unsigned char>(b);
         });
}

}  // namespace

Image decodePicture(std::span<const std::byte> bytes,
                    const std::string& place,
                    const PictureLimits& limits) {
  constexpr std::array<unsigned char, 3> kJpeg{0xFF, 0xD8, 0xFF};
  constexpr std::array<unsigned char, 8> kPng{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (beginsWith(bytes, kJpeg)) return decodeJpeg(bytes, place, limits);
  if (beginsWith(bytes, kPng)) return decodePng(bytes, place, limits);
  throw Error(place, "is neither a JPEG nor a PNG picture", kHint);
}

}  // namespace lambda
