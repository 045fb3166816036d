#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace lambda {

/// The format of a file by its first bytes, with its article: "a GIF picture", "a web page
/// (HTML)"; empty if it is not known. The readable formats are kJpeg, kPng and kWebp.
std::string_view formatOf(std::span<const std::byte> bytes);

/// The readable format that the ending of a file's name stands for; empty for other endings.
std::string_view formatByName(const std::filesystem::path& file);

/// Whether the ending stands for a picture in a format that is not read, such as BMP.
bool isOtherPictureByName(const std::filesystem::path& file);

inline constexpr std::string_view kJpeg = "a JPEG picture";
inline constexpr std::string_view kPng = "a PNG picture";
inline constexpr std::string_view kWebp = "a WebP picture";

}  // namespace lambda
