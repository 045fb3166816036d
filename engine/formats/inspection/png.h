#pragma once

#include <filesystem>
#include <string>

#include "engine/formats/files/file_system.h"
#include "engine/values/images/image.h"

namespace lambda {

/// The bytes of a PNG file with the picture: 8-bit sRGB, lossless. Throws Error if the sizes are
/// not positive or do not fit the pixels.
std::string encodePng(const Image& image);

/// Publishes the picture as a PNG file (writeFileDurably).
void writePng(const std::filesystem::path& path,
              const Image& image,
              FileSystem& system = FileSystem::real());

}  // namespace lambda
