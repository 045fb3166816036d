#pragma once

#include <filesystem>
#include <string>

#include "engine/formats/files/file_system.h"
#include "engine/values/image.h"

namespace lambda {

/// The picture as a PNG file's bytes: 8-bit sRGB, lossless. Throws Error where the sizes are not
/// positive or do not fit the pixels.
std::string encodePng(const Image& image);

/// Publishes the picture as a PNG file (writeFileDurably).
void writePng(const std::filesystem::path& path,
              const Image& image,
              FileSystem& system = FileSystem::real());

}  // namespace lambda
