#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct archive;

namespace lambda {

struct FreeTarReader {
  void operator()(archive* reader) const;
};

/// libarchive's reader, for tar archives alone.
using TarReader = std::unique_ptr<archive, FreeTarReader>;
TarReader newTarReader();

/// The paths of at most the first `most` entries of a tar archive, gzipped or not; fewer where more
/// than 512 MiB lie before the next one. Empty if the file is not such an archive or can't be read.
std::vector<std::string> firstTarEntries(const std::filesystem::path& path, int most);

}  // namespace lambda
