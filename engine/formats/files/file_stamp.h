#pragma once

#include <cstdint>
#include <filesystem>

namespace lambda {

/// Tells whether a file has changed since it was read.
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< Nanoseconds since 1970.

  bool operator==(const FileStamp&) const = default;
};

/// All 0 where there is no such regular file.
FileStamp stampOf(const std::filesystem::path& file);

}  // namespace lambda
