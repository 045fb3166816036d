#include "engine/formats/pictures/picture_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace lambda {

namespace {

using namespace std::string_view_literals;

/// Bytes at a place in a file that only one format has.
struct Signature {
  std::size_t at;
  std::string_view bytes;
  std::string_view format;
};

constexpr std::array kSignatures{
    Signature{0, "\xFF\xD8\xFF"sv, kJpeg},
    Signature{0, "\x89PNG\r\n\x1A\n"sv, kPng},
    Signature{8, "WEBP"sv, kWebp},
    Signature{0, "GIF8"sv, "a GIF picture"},
    Signature{0, "BM"sv, "a BMP picture"},
    Signature{0, "II*\0"sv, "a TIFF picture"},
    Signature{0, "MM\0*"sv, "a TIFF picture"},
    Signature{4, "ftypheic"sv, "a HEIC picture"},
    Signature{4, "ftypheix"sv, "a HEIC picture"},
    Signature{4, "ftypmif1"sv, "a HEIF picture"},
    Signature{4, "ftypavif"sv, "an AVIF picture"},
    Signature{4, "ftyp"sv, "an MP4 or QuickTime film"},
    Signature{0, "\xFF\x0A"sv, "a JPEG XL picture"},
    Signature{0, "\0\0\0\x0CJXL "sv, "a JPEG XL picture"},
    Signature{0, "\0\0\0\x0CjP  "sv, "a JPEG 2000 picture"},
    Signature{0, "8BPS"sv, "a Photoshop file"},
    Signature{0, "%PDF"sv, "a PDF document"},
    Signature{0, "PK\3\4"sv, "a zip archive"},
    Signature{0, "\x1F\x8B"sv, "a gzip archive"},
    Signature{0, "version https://git-lfs"sv, "a pointer of Git LFS, not the file itself"},
};

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

/// A name for text that a failed download leaves in place of a picture, or that draws one.
std::string_view textFormatOf(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 256;
  const std::string head = lowerCase(bytes.substr(0, kLookedAt));
  const auto first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == head.npos || head[first] != '<') return {};
  if (head.find("<svg") != head.npos) return "an SVG drawing";
  if (head.find("<!doctype html") != head.npos || head.find("<html") != head.npos) {
    return "a web page (HTML)";
  }
  return "a file of XML or HTML";
}

}  // namespace

std::string_view formatOf(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Signature& each : kSignatures) {
    if (text.size() < each.at || !text.substr(each.at).starts_with(each.bytes)) continue;
    if (each.format == kWebp && !text.starts_with("RIFF")) continue;
    return each.format;
  }
  return textFormatOf(text);
}

std::string_view formatByName(const std::filesystem::path& file) {
  constexpr std::array kJpegEndings{".jpg"sv, ".jpeg"sv, ".jpe"sv, ".jfif"sv};
  const std::string ending = lowerCase(file.extension().string());
  if (std::ranges::find(kJpegEndings, ending) != kJpegEndings.end()) return kJpeg;
  if (ending == ".png") return kPng;
  if (ending == ".webp") return kWebp;
  return {};
}

bool isOtherPictureByName(const std::filesystem::path& file) {
  constexpr std::array kEndings{".bmp"sv,
                                ".gif"sv,
                                ".tif"sv,
                                ".tiff"sv,
                                ".heic"sv,
                                ".heif"sv,
                                ".avif"sv,
                                ".jxl"sv,
                                ".jp2"sv,
                                ".ppm"sv,
                                ".pgm"sv,
                                ".tga"sv,
                                ".ico"sv,
                                ".svg"sv,
                                ".psd"sv,
                                ".dng"sv};
  return std::ranges::find(kEndings, lowerCase(file.extension().string())) != kEndings.end();
}

}  // namespace lambda
