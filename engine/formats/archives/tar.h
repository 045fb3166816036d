#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct archive;

namespace lambda {

struct FreeTarReader {
  void operator()(archive* reader) const;
};

/// libarchive's reader, for tar archives alone.
using TarReader = std::unique_ptr<archive, FreeTarReader>;
TarReader newTarReader();

/// Called with the name, without folders, and the content of a regular file in a tar archive.
using TarVisitor = std::function<void(const std::string& name, std::span<const std::byte> bytes)>;

/// Calls `visit` for the regular files that `isWanted` names, in their order. Nothing is written.
/// `bytes` is an unpacked tar archive. Throws Error naming `place` for damage and for more than 256
/// entries.
void readTar(std::span<const std::byte> bytes,
             const std::string& place,
             const std::function<bool(std::string_view name)>& isWanted,
             const TarVisitor& visit);

/// The paths of at most the first `most` entries of a tar archive, gzipped or not; fewer where more
/// than 512 MiB lie before the next one. Empty if the file is not such an archive or can't be read.
std::vector<std::string> firstTarEntries(const std::filesystem::path& path, int most);

}  // namespace lambda
