#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "engine/formats/cifar10/cifar10_scan.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"

namespace lambda {

namespace {

// A crafted archive may unpack to a thousand times its own size: beside the six files, entries of
// this many bytes in sum are passed over, no more.
constexpr std::uint64_t kMaxOtherBytes = 16U << 20;
constexpr int kMaxEntries = 256;
constexpr std::size_t kPieceBytes = 1 << 18;
constexpr const char* kArchiveHint =
    "use the original cifar-10-binary.tar.gz (lambda data get cifar10 fetches or completes it)";

struct FreeArchive {
  void operator()(archive* reader) const { archive_read_free(reader); }
};

using Archive = std::unique_ptr<archive, FreeArchive>;

Archive newArchive() {
  Archive reader(archive_read_new());
  if (!reader) throw std::bad_alloc();
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  return reader;
}

std::string messageOf(archive* reader) {
  const char* text = archive_error_string(reader);
  return text != nullptr ? text : "unknown defect";
}

// The file behind an archive. Its read function is called from C, so failures are kept, not thrown.
struct ArchiveFile {
  FileReader reader;
  bool digested;
  Sha256 digest = {};
  std::vector<std::byte> piece = std::vector<std::byte>(kPieceBytes);
  std::optional<Error> failure = std::nullopt;

  static la_ssize_t readPiece(archive* reader, void* self, const void** bytes) {
    auto& file = *static_cast<ArchiveFile*>(self);
    *bytes = file.piece.data();
    try {
      return static_cast<la_ssize_t>(file.next());
    } catch (const Error& error) {
      file.failure = error;
      archive_set_error(reader, EIO, "%s", error.reason().c_str());
      return ARCHIVE_FATAL;
    }
  }

  std::size_t next() {
    const std::size_t count = reader.read(piece);
    if (digested) digest.update(std::span(piece).first(count));
    return count;
  }
};

class EntryReader {
 public:
  EntryReader(archive* reader, Cifar10Scan& scan) : reader_(reader), scan_(scan) {}

  void readAll() {
    archive_entry* entry = nullptr;
    for (int count = 0;; ++count) {
      const int status = archive_read_next_header(reader_, &entry);
      if (status == ARCHIVE_EOF) return;
      if (status < ARCHIVE_WARN) {
        const std::string reason = messageOf(reader_);
        scan_.stop(scan_.report.source,
                   count == 0 ? "is not a gzipped tar archive (" + reason + ")"
                              : "the archive is damaged: " + reason,
                   kArchiveHint);
        return;
      }
      if (count == kMaxEntries) {
        scan_.stop(scan_.report.source, "has more than 256 entries", kArchiveHint);
        return;
      }
      if (!take(entry)) return;
    }
  }

 private:
  // False where reading on makes no sense.
  bool take(archive_entry* entry) {
    const char* path = archive_entry_pathname(entry);
    const std::string entryPath = path != nullptr ? path : "";
    const std::string name = entryPath.substr(entryPath.find_last_of('/') + 1);
    const auto size = static_cast<std::uint64_t>(archive_entry_size(entry));
    const std::uint64_t allowed = kMaxOtherBytes + Cifar10Scan::kFiles.size() * scan_.fileBytes();
    if (size > allowed - unpacked_) {
      scan_.stop(entryPath, "unpacks to more than CIFAR-10 can hold", kArchiveHint);
      return false;
    }
    unpacked_ += size;
    scan_.noteOtherVersion(entryPath);
    const std::optional<std::size_t> index = Cifar10Scan::fileIndex(name);
    if (!index && name != Cifar10Scan::kClassNamesFile) return true;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
      scan_.error(entryPath, "is not a regular file", kArchiveHint);
      return true;
    }
    if (index) return !scan_.announce(*index, size) || takeRecords(*index);
    return takeClassNames(name);
  }

  bool takeRecords(std::size_t index) {
    const bool whole = read(scan_.fileBytes(), scan_.report.files[index].name);
    if (whole) scan_.addRecords(index, bytes_);
    return whole;
  }

  bool takeClassNames(const std::string& name) {
    const bool whole = read(Cifar10Scan::kMaxClassNamesBytes, name);
    if (whole) scan_.addClassNames({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
    return whole;
  }

  // Grows with what really comes, not with what the entry announces.
  bool read(std::size_t limit, const std::string& name) {
    bytes_.clear();
    while (bytes_.size() < limit) {
      const std::size_t before = bytes_.size();
      bytes_.resize(std::min(limit, before + kPieceBytes));
      const la_ssize_t count =
          archive_read_data(reader_, bytes_.data() + before, bytes_.size() - before);
      if (count < 0) {
        scan_.stop(name, "the archive is damaged here: " + messageOf(reader_), kArchiveHint);
        return false;
      }
      bytes_.resize(before + static_cast<std::size_t>(count));
      if (count == 0) break;
    }
    return true;
  }

  archive* reader_;
  Cifar10Scan& scan_;
  std::uint64_t unpacked_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace

void scanCifar10Archive(std::span<const std::byte> bytes, Cifar10Scan& scan) {
  const Archive reader = newArchive();
  archive_read_open_memory(reader.get(), bytes.data(), bytes.size());
  EntryReader(reader.get(), scan).readAll();
}

void scanCifar10Archive(const std::filesystem::path& path, bool digested, Cifar10Scan& scan) {
  ArchiveFile file{.reader = FileReader(path), .digested = digested};
  const Archive reader = newArchive();
  archive_read_open(reader.get(), &file, nullptr, &ArchiveFile::readPiece, nullptr);
  EntryReader(reader.get(), scan).readAll();
  if (file.failure) throw *file.failure;
  if (!digested) return;
  while (file.next() > 0) {
  }
  scan.report.sha256 = file.digest.hex();
}

}  // namespace lambda
