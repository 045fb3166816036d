#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lambda {

/// Whether bytes begin as a gzip file does.
bool isGzip(std::span<const std::byte> bytes);

/// Unpacks a whole gzip file of one member or several (RFC 1952). Its CRC and its length are
/// verified. Throws Error naming `place` for damage, for bytes after the end, and for more than
/// `maxBytes`; memory grows with what really comes.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes,
                              const std::string& place,
                              std::uint64_t maxBytes);

}  // namespace lambda
