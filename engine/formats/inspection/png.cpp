#include "engine/formats/inspection/png.h"

#include <cstdint>

#include <png.h>

#include "engine/formats/files/durable_file.h"

namespace lambda {

std::string encodePng(const Image& image) {
  const std::string size = std::to_string(image.width) + " x " + std::to_string(image.height);
  const bool positive = image.width > 0 && image.height > 0;
  if (!positive || std::uint64_t{3} * image.width * image.height != image.rgb.size()) {
    throw Error("PNG",
                std::to_string(image.rgb.size()) + " bytes do not make a picture of " + size);
  }
  png_image control = {};
  control.version = PNG_IMAGE_VERSION;
  control.width = static_cast<png_uint_32>(image.width);
  control.height = static_cast<png_uint_32>(image.height);
  control.format = PNG_FORMAT_RGB;

  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(control);
  std::string file(bytes, '\0');
  if (png_image_write_to_memory(&control, file.data(), &bytes, 0, image.rgb.data(), 0, nullptr) ==
      0) {
    throw Error("PNG", "libpng cannot write a picture of " + size + ": " + control.message);
  }
  file.resize(bytes);
  return file;
}

void writePng(const std::filesystem::path& path, const Image& image, FileSystem& system) {
  writeFileDurably(path, encodePng(image), system);
}

}  // namespace lambda
