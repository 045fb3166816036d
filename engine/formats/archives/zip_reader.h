#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lambda {

/// Whether the bytes begin as those of a zip archive with members do.
bool looksLikeZip(std::span<const std::byte> bytes);

/// The paths of all members of an untrusted zip archive. Contents are not read. Throws Error as
/// readStoredZip() where it is no archive or has too many members.
std::vector<std::string> namesInZip(std::span<const std::byte> bytes, const std::string& place);

/// The regular files of an untrusted zip archive under their whole paths. Nothing is written.
/// Throws Error naming `place` for damage (each checksum is verified), a name used twice, an
/// encrypted member, more than 100,000 members, and members that are together larger than the
/// archive: its writers do not compress.
std::map<std::string, std::vector<std::byte>> readStoredZip(std::span<const std::byte> bytes,
                                                            const std::string& place);

}  // namespace lambda
