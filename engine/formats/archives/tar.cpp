#include "engine/formats/archives/tar.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include <archive.h>
#include <archive_entry.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr int kMaxEntries = 256;
constexpr std::size_t kBlockBytes = 1 << 16;
/// A data set's first entries are smaller together; zeros of many GiB pack to a small file.
constexpr std::int64_t kMostSkippedBytes = 512 << 20;
constexpr const char* kHint = "Fetch or pack the archive again.";

std::string messageOf(archive* reader) {
  const char* text = archive_error_string(reader);
  return text != nullptr ? text : "unknown defect";
}

std::string pathOf(archive_entry* entry) {
  const char* path = archive_entry_pathname(entry);
  return path != nullptr ? path : "";
}

/// The content of the current entry. Its announced size does not exceed that of the archive.
std::vector<std::byte> contentOf(archive* reader, archive_entry* entry, const std::string& place) {
  std::vector<std::byte> content(static_cast<std::size_t>(archive_entry_size(entry)));
  std::size_t taken = 0;
  while (taken < content.size()) {
    const la_ssize_t count =
        archive_read_data(reader, content.data() + taken, content.size() - taken);
    if (count < 0) throw Error(place, "the archive is damaged: " + messageOf(reader), kHint);
    if (count == 0) throw Error(place, "the archive ends within this file", kHint);
    taken += static_cast<std::size_t>(count);
  }
  return content;
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

void readTar(std::span<const std::byte> bytes,
             const std::string& place,
             const std::function<bool(std::string_view name)>& isWanted,
             const TarVisitor& visit) {
  const TarReader reader = newTarReader();
  archive_read_open_memory(reader.get(), bytes.data(), bytes.size());
  archive_entry* entry = nullptr;
  for (int count = 0;; ++count) {
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return;
    if (status < ARCHIVE_WARN) {
      throw Error(place, "is not a tar archive, or is damaged: " + messageOf(reader.get()), kHint);
    }
    if (count == kMaxEntries) throw Error(place, "has more than 256 entries", kHint);
    const std::string path = pathOf(entry);
    const std::string name = path.substr(path.find_last_of('/') + 1);
    if (archive_entry_filetype(entry) != AE_IFREG || !isWanted(name)) continue;
    const std::string inside = place + "/" + path;
    const auto size = archive_entry_size(entry);
    if (size < 0 || static_cast<std::uint64_t>(size) > bytes.size()) {
      throw Error(inside, "has a size in its header that is larger than the archive", kHint);
    }
    visit(name, contentOf(reader.get(), entry, inside));
  }
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
