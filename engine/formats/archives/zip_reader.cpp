#include "engine/formats/archives/zip_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <archive.h>
#include <archive_entry.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::array<std::byte, 4> kMemberSignature = {
    std::byte{'P'}, std::byte{'K'}, std::byte{3}, std::byte{4}};
constexpr std::size_t kMaxMembers = 100'000;
constexpr const char* kZipHint = "Copy or save the file again.";

struct FreeZip {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

using Zip = std::unique_ptr<archive, FreeZip>;

Zip openZip(std::span<const std::byte> bytes) {
  Zip reader(archive_read_new());
  if (!reader) throw std::bad_alloc();
  archive_read_support_format_zip_seekable(reader.get());
  archive_read_open_memory(reader.get(), bytes.data(), bytes.size());
  return reader;
}

std::string defectOf(archive* reader) {
  const char* text = archive_error_string(reader);
  return text != nullptr ? text : "unknown defect";
}

/// The header after `count` others; null at the end.
archive_entry* nextMember(archive* reader, std::size_t count, const std::string& place) {
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(reader, &entry);
  if (status == ARCHIVE_EOF) return nullptr;
  if (status < ARCHIVE_WARN) {
    throw Error(place, "is not a zip archive, or is damaged: " + defectOf(reader), kZipHint);
  }
  if (count == kMaxMembers) throw Error(place, "has more than 100,000 members", kZipHint);
  return entry;
}

std::vector<std::byte> memberContent(archive* reader, std::size_t size, const std::string& place) {
  // One byte more than announced: the checksum is verified by the read that finds the end.
  std::vector<std::byte> content(size + 1);
  std::size_t taken = 0;
  while (taken < content.size()) {
    const la_ssize_t count =
        archive_read_data(reader, content.data() + taken, content.size() - taken);
    if (count < 0) throw Error(place, "is damaged: " + defectOf(reader), kZipHint);
    if (count == 0) break;
    taken += static_cast<std::size_t>(count);
  }
  if (taken != size) {
    throw Error(place, "does not have the size that the archive announces", kZipHint);
  }
  content.pop_back();
  return content;
}

}  // namespace

bool looksLikeZip(std::span<const std::byte> bytes) {
  return bytes.size() > kMemberSignature.size() &&
         std::equal(kMemberSignature.begin(), kMemberSignature.end(), bytes.begin());
}

std::vector<std::string> namesInZip(std::span<const std::byte> bytes, const std::string& place) {
  std::vector<std::string> names;
  const Zip reader = openZip(bytes);
  while (archive_entry* entry = nextMember(reader.get(), names.size(), place)) {
    const char* path = archive_entry_pathname(entry);
    names.emplace_back(path != nullptr ? path : "");
  }
  return names;
}

std::map<std::string, std::vector<std::byte>> readStoredZip(std::span<const std::byte> bytes,
                                                            const std::string& place) {
  std::map<std::string, std::vector<std::byte>> members;
  const Zip reader = openZip(bytes);
  std::uint64_t left = bytes.size();
  std::size_t count = 0;
  while (archive_entry* entry = nextMember(reader.get(), count++, place)) {
    const char* path = archive_entry_pathname(entry);
    if (path == nullptr || archive_entry_filetype(entry) != AE_IFREG) continue;
    const std::string inside = place + "/" + path;
    if (archive_entry_is_encrypted(entry) != 0) {
      throw Error(inside, "is encrypted", "Save it without a password.");
    }
    const auto size = archive_entry_size(entry);
    if (archive_entry_size_is_set(entry) == 0 || size < 0 ||
        static_cast<std::uint64_t>(size) > left) {
      throw Error(inside, "announces more bytes than the archive has", kZipHint);
    }
    left -= static_cast<std::uint64_t>(size);
    std::string name = path;
    auto content = memberContent(reader.get(), static_cast<std::size_t>(size), inside);
    if (!members.emplace(std::move(name), std::move(content)).second) {
      throw Error(inside, "is in the archive twice", kZipHint);
    }
  }
  return members;
}

}  // namespace lambda
