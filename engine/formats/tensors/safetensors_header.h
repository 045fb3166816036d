#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/tensors/safetensors.h"

namespace lambda {

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
inline constexpr std::size_t kMaxRank = 64;
inline constexpr std::string_view kMetadataKey = "__metadata__";

/// One tensor as the header declares it; offsets in bytes from the start of the data.
struct TensorEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafeTensorsHeader {
  std::vector<TensorEntry> tensors;  ///< Ascending by offset, after the check.
  std::map<std::string, std::string> metadata;
};

/// The length of the header in bytes, from the file's first 8 bytes. Throws Error if it exceeds the
/// format's limit or does not fit a file of `fileBytes`.
std::uint64_t headerLength(std::span<const std::byte, 8> prefix,
                           std::uint64_t fileBytes,
                           const std::string& place);

/// Reads the header's JSON and checks it against `dataBytes`, the length of the data that follow.
/// Sorts the tensors by offset and throws Error unless they cover the data exactly.
SafeTensorsHeader parseSafeTensorsHeader(std::string_view json,
                                         std::uint64_t dataBytes,
                                         const std::string& place);

/// The header's JSON padded with spaces to a multiple of 8 bytes, tensors in the given order.
/// Throws Error if a text is not UTF-8 or the header exceeds the limit.
std::string encodeSafeTensorsHeader(const std::vector<TensorEntry>& tensors,
                                    const std::map<std::string, std::string>& metadata,
                                    const std::string& place);

}  // namespace lambda
