#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <string_view>

#include <jerror.h>
#include <jpeglib.h>

#include "engine/formats/pictures/raw_picture.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr int kMaxScans = 200;  // A progressive file may repeat a scan without end.
constexpr int kExifMarker = JPEG_APP0 + 1;

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
    jpeg_save_markers(&info, kExifMarker, 0xFFFF);
    jpeg_mem_src(&info,
                 reinterpret_cast<const unsigned char*>(bytes.data()),
                 static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&info, TRUE);
    return true;
  }

  bool isCmyk() const {
    return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  }

  /// Of the first EXIF block, as Pillow reads it.
  int orientation() const {
    constexpr std::string_view kExif("Exif\0\0", 6);
    for (auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (marker->marker == kExifMarker && data.starts_with(kExif)) {
        return exifOrientation(std::as_bytes(std::span(data)));
      }
    }
    return 1;
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
void convertCmyk(const std::vector<std::uint8_t>& inks,
                 bool isInverted,
                 std::vector<std::uint8_t>& rgb) {
  for (std::size_t i = 0; i < inks.size() / 4; ++i) {
    const auto light = [&](std::size_t ink) {
      const int value = inks[4 * i + ink];
      return isInverted ? value : 255 - value;
    };
    for (std::size_t c = 0; c < 3; ++c) {
      rgb[3 * i + c] = static_cast<std::uint8_t>((light(c) * light(3) + 127) / 255);
    }
  }
}

}  // namespace

RawPicture decodeJpeg(std::span<const std::byte> bytes,
                      const std::string& place,
                      const PictureLimits& limits) {
  JpegReader reader;
  const auto fail = [&] {
    throw Error(
        place, std::string("the JPEG is damaged: ") + reader.errors.text.data(), kPictureHint);
  };
  if (!reader.open(bytes)) fail();
  requireWithin(limits, reader.info.image_width, reader.info.image_height, place);
  RawPicture picture{.width = static_cast<int>(reader.info.image_width),
                     .height = static_cast<int>(reader.info.image_height),
                     .channels = 3,
                     .pixels = {},
                     .orientation = reader.orientation()};
  const std::size_t pixels = std::size_t{reader.info.image_width} * reader.info.image_height;
  picture.pixels.resize(3 * pixels);
  if (!reader.isCmyk()) {
    if (!reader.decode(picture.pixels.data(), 3)) fail();
    return picture;
  }
  std::vector<std::uint8_t> inks(4 * pixels);
  if (!reader.decode(inks.data(), 4)) fail();
  convertCmyk(inks, reader.info.saw_Adobe_marker == TRUE, picture.pixels);
  return picture;
}

}  // namespace lambda
