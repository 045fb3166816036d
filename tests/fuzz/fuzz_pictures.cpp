#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "engine/formats/pictures/picture_decoding.h"
#include "engine/formats/pictures/picture_resizing.h"
#include "engine/runtime/error.h"

// The input is a JPEG, PNG or WebP file. Small limits keep the time for one input short.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lambda::PictureLimits limits{.side = 512, .pixels = 1 << 16};
  try {
    const lambda::Image image =
        lambda::decodePicture(std::as_bytes(std::span(data, size)), "fuzz", limits).image;
    const auto pixels =
        static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
    if (pixels == 0 || pixels > limits.pixels || image.rgb.size() != 3 * pixels) std::abort();
    if (lambda::resizedToSquare(image, 16).size() != 3 * 16 * 16) std::abort();
  } catch (const lambda::Error&) {
  }
  return 0;
}
