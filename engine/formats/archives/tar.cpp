#include "engine/formats/archives/tar.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include <archive.h>
#include <archive_entry.h>

namespace lambda {

namespace {

constexpr std::size_t kBlockBytes = 1 << 16;
/// A data set's first entries are smaller together; zeros of many GiB pack to a small file.
constexpr std::int64_t kMostSkippedBytes = 512 << 20;

std::string pathOf(archive_entry* entry) {
  const char* path = archive_entry_pathname(entry);
  return path != nullptr ? path : "";
}

}  // namespace

void FreeTarReader::operator()(archive* reader) const {
  archive_read_free(reader);
}

TarReader newTarReader() {
  TarReader reader(archive_read_new());
  if (!reader) throw std::bad_alloc();
  archive_read_support_format_tar(reader.get());
  return reader;
}

std::vector<std::string> firstTarEntries(const std::filesystem::path& path, int most) {
  std::vector<std::string> names;
  const TarReader reader = newTarReader();
  archive_read_support_filter_gzip(reader.get());
  if (archive_read_open_filename(reader.get(), path.c_str(), kBlockBytes) != ARCHIVE_OK)
    return names;
  archive_entry* entry = nullptr;
  std::int64_t left = kMostSkippedBytes;
  while (static_cast<int>(names.size()) < most && left >= 0) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF || status < ARCHIVE_WARN) break;
    names.push_back(pathOf(entry));
    // The next header is read after the content of this entry is skipped.
    left -= std::min<std::int64_t>(archive_entry_size(entry), kMostSkippedBytes + 1);
  }
  return names;
}

}  // namespace lambda
