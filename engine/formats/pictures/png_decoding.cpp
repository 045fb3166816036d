#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <png.h>

#include "engine/formats/pictures/raw_picture.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

/// Beside a row, libpng holds nothing that is larger than the file.
constexpr std::size_t kMostBytesOfRow = 8'000'000;

/// libpng reports errors by longjmp(), so no object with a destructor may live between its calls
/// and setjmp().
class PngReader {
 public:
  explicit PngReader(std::span<const std::byte> bytes)
      : rest_(bytes), mostBytesAtOnce_(std::max(kMostBytesOfRow, bytes.size())) {
    png_ = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, this, leave, ignore, this, allocate, release);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
  }

  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  /// Reads all up to the pixels. False if it is damaged.
  bool open() {
    if (info_ == nullptr) return false;
    if (setjmp(png_jmpbuf(png_))) return false;  // NOLINT(cert-err52-cpp): libpng's way
    png_set_read_fn(png_, this, give);
    png_read_info(png_, info_);
    return true;
  }

  std::uint32_t width() const { return png_get_image_width(png_, info_); }

  std::uint32_t height() const { return png_get_image_height(png_, info_); }

  /// Fills rows with red, green, blue and alpha, a byte each. No gamma is set, so that libpng
  /// ignores the file's. False if the picture is damaged.
  bool decode(std::uint8_t* rows) {
    if (setjmp(png_jmpbuf(png_))) return false;  // NOLINT(cert-err52-cpp): libpng's way
    png_set_expand(png_);
    png_set_strip_16(png_);
    png_set_gray_to_rgb(png_);
    png_set_add_alpha(png_, 0xFF, PNG_FILLER_AFTER);
    const int passes = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    const std::size_t stride = png_get_rowbytes(png_, info_);
    if (stride != std::size_t{4} * width()) png_error(png_, "its pixels have another size");
    for (int pass = 0; pass < passes; ++pass) {
      for (std::uint32_t y = 0; y < height(); ++y) png_read_row(png_, rows + y * stride, nullptr);
    }
    png_read_end(png_, info_);
    return true;
  }

  int orientation() const {
    png_bytep exif = nullptr;
    png_uint_32 length = 0;
    if (png_get_eXIf_1(png_, info_, &length, &exif) == 0) return 1;
    return exifOrientation(std::as_bytes(std::span(exif, length)));
  }

  const char* defect() const { return defect_.data(); }

 private:
  [[noreturn]] static void leave(png_structp png, png_const_charp text) {
    auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(reader->defect_.data(), reader->defect_.size(), "%s", text);
    png_longjmp(png, 1);
  }

  /// Warnings are of chunks that do not change a pixel, such as colour profiles.
  static void ignore(png_structp, png_const_charp) {}

  /// libpng takes the memory for a chunk before it reads it, whatever length the chunk announces. A
  /// chunk that is refused here is left out.
  static png_voidp allocate(png_structp png, png_alloc_size_t bytes) {
    const auto* reader = static_cast<const PngReader*>(png_get_mem_ptr(png));
    return bytes > reader->mostBytesAtOnce_ ? nullptr : std::malloc(bytes);
  }

  static void release(png_structp, png_voidp memory) { std::free(memory); }

  static void give(png_structp png, png_bytep target, std::size_t count) {
    auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > reader->rest_.size()) png_error(png, "the file ends too early");
    std::memcpy(target, reader->rest_.data(), count);
    reader->rest_ = reader->rest_.subspan(count);
  }

  std::span<const std::byte> rest_;
  std::size_t mostBytesAtOnce_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::array<char, 128> defect_{"libpng has no memory"};
};

}  // namespace

RawPicture decodePng(std::span<const std::byte> bytes,
                     const std::string& place,
                     const PictureLimits& limits) {
  PngReader reader(bytes);
  const auto fail = [&] {
    throw Error(place, std::string("the PNG is damaged: ") + reader.defect(), kPictureHint);
  };
  if (!reader.open()) fail();
  requireWithin(limits, reader.width(), reader.height(), place);
  RawPicture picture{.width = static_cast<int>(reader.width()),
                     .height = static_cast<int>(reader.height()),
                     .channels = 4,
                     .pixels = {},
                     .orientation = 1};
  picture.pixels.resize(std::size_t{4} * reader.width() * reader.height());
  if (!reader.decode(picture.pixels.data())) fail();
  picture.orientation = reader.orientation();
  return picture;
}

}  // namespace lambda
