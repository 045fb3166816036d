#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// The bytes of a NumPy .npy file, format 1.0, with the array: little-endian float32, row-major,
/// any rank. An empty shape is a scalar. Throws Error if the values do not fill the shape.
std::string encodeNpy(std::span<const float> values, std::span<const std::int64_t> shape);

/// The beginning of a .npy file, before the bytes of its values, which are row-major. `type` is the
/// literal of NumPy's type: "'<i8'", or a list of fields, "[('label', '<i8'), ('loss', '<f4')]".
/// Throws Error for a type and shape that are too long.
std::string npyHeader(std::string_view type, std::span<const std::int64_t> shape);

/// Publishes the array as a .npy file (writeFileDurably).
void writeNpy(const std::filesystem::path& path,
              std::span<const float> values,
              std::span<const std::int64_t> shape,
              FileSystem& system = FileSystem::real());

}  // namespace lambda
