#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// Called with the name of a regular file in a tar archive, without its folders, and its content.
using TarVisitor = std::function<void(const std::string& name, std::span<const std::byte> bytes)>;

/// Calls `visit` for the regular files that `isWanted` names, in their order. Nothing is written.
/// `bytes` is an unpacked tar archive. Throws Error naming `place` for damage and for more than 256
/// entries.
void readTar(std::span<const std::byte> bytes,
             const std::string& place,
             const std::function<bool(std::string_view name)>& isWanted,
             const TarVisitor& visit);

/// Paths of the first entries of a tar archive, gzipped or not; at most `most`. Empty where the
/// file is no such archive or can't be read.
std::vector<std::string> firstTarEntries(const std::filesystem::path& path, int most);

}  // namespace lambda
