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

#include "engine/formats/archives/gzip_reader.h"
#include "engine/formats/archives/tar.h"
#include "engine/formats/cifar/cifar_scan.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/sha256.h"

namespace lambda {

namespace {

// A crafted archive may unpack to a thousand times its own size. This is the greatest total size of
// other entries, besides the files of records, that is skipped.
constexpr std::uint64_t kMaxOtherBytes = 16U << 20;
constexpr std::uint64_t kMaxTarBytes = 8U << 20;  // Headers, padding and the end of the tar.
constexpr int kMaxEntries = 256;
constexpr std::size_t kPieceBytes = 1 << 18;

/// The greatest total size of the entries of an archive, in bytes.
std::uint64_t contentBytes(const CifarScan& scan) {
  std::uint64_t bytes = kMaxOtherBytes;
  for (std::size_t i = 0; i < scan.layout().files.size(); ++i) bytes += scan.mostBytes(i);
  return bytes;
}

std::string tooMuchFor(const CifarLayout& layout) {
  return "unpacks to more than " + std::string(layout.title) + " can hold";
}

/// The tar stream of a packed source. libarchive unpacks gzip without checking checksum and length,
/// so it reads from a GzipReader. Its read function is called from C, so failures are stored, not
/// thrown.
class TarStream {
 public:
  TarStream(GzipReader::Source source, const CifarScan& scan)
      : layout_(scan.layout()),
        unpacked_(std::move(source)),
        left_(contentBytes(scan) + kMaxTarBytes) {}

  static la_ssize_t readPiece(archive* reader, void* self, const void** bytes) {
    auto& stream = *static_cast<TarStream*>(self);
    *bytes = stream.piece_.data();
    try {
      return static_cast<la_ssize_t>(stream.next());
    } catch (const GzipDamage& damage) {
      stream.damage_ = damage.reason();
    } catch (const Error& error) {
      stream.failure_ = error;
    } catch (const std::bad_alloc&) {
      stream.failure_ =
          Error("", "there is not enough memory to unpack it", "close other programs");
    }
    archive_set_error(reader, EIO, "the stream can't be read");
    return ARCHIVE_FATAL;
  }

  /// Reads the rest after the tar's end, because the checksum follows it.
  void finish() {
    try {
      while (!isBroken() && next() > 0) {
      }
      if (layout_.isStrict && !isBroken() && unpacked_.hasTrailingBytes()) {
        damage_ = "it has bytes behind the end of its gzip data";
      }
    } catch (const GzipDamage& damage) {
      damage_ = damage.reason();
    }
  }

  bool isBroken() const { return !damage_.empty() || failure_; }

  /// The damage of the packed stream; empty if there is none.
  const std::string& damage() const { return damage_; }

  /// The error of reading the source, if any.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  std::size_t next() {
    const std::size_t count = unpacked_.read(piece_);
    if (count > left_) throw GzipDamage("it " + tooMuchFor(layout_));
    left_ -= count;
    return count;
  }

  const CifarLayout& layout_;
  GzipReader unpacked_;
  std::uint64_t left_;
  std::vector<std::byte> piece_ = std::vector<std::byte>(kPieceBytes);
  std::string damage_;
  std::optional<Error> failure_;
};

class EntryReader {
 public:
  EntryReader(archive* reader, const TarStream& stream, CifarScan& scan)
      : reader_(reader), stream_(stream), scan_(scan) {}

  void readAll() {
    archive_entry* entry = nullptr;
    for (int count = 0;; ++count) {
      const int status = archive_read_next_header(reader_, &entry);
      if (status == ARCHIVE_EOF) return;
      if (status < ARCHIVE_WARN) {
        const std::string reason = message();
        scan_.stop(scan_.report.source,
                   count == 0 && !stream_.isBroken()
                       ? "is not a gzipped tar archive (" + reason + ")"
                       : "the archive is damaged: " + reason,
                   scan_.layout().texts.archiveHint);
        return;
      }
      if (count == kMaxEntries) {
        scan_.stop(
            scan_.report.source, "has more than 256 entries", scan_.layout().texts.archiveHint);
        return;
      }
      if (!take(entry)) return;
    }
  }

 private:
  // False if reading must stop.
  bool take(archive_entry* entry) {
    const char* path = archive_entry_pathname(entry);
    const std::string entryPath = path != nullptr ? path : "";
    const std::string name = entryPath.substr(entryPath.find_last_of('/') + 1);
    const auto size = static_cast<std::uint64_t>(archive_entry_size(entry));
    if (size > contentBytes(scan_) - unpacked_) {
      scan_.stop(entryPath, tooMuchFor(scan_.layout()), scan_.layout().texts.archiveHint);
      return false;
    }
    unpacked_ += size;
    scan_.noteOtherVersion(entryPath);
    const std::optional<std::size_t> index = scan_.fileIndex(name);
    if (!index) return true;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) {
      scan_.error(entryPath, "is not a regular file", scan_.layout().texts.archiveHint);
      return true;
    }
    if (!scan_.announce(*index, size)) return true;
    if (!read(scan_.mostBytes(*index), name)) return false;
    scan_.add(*index, bytes_);
    return true;
  }

  // The buffer grows with the bytes that are read, not with the size that the entry announces.
  bool read(std::size_t limit, const std::string& name) {
    bytes_.clear();
    while (bytes_.size() < limit) {
      const std::size_t before = bytes_.size();
      bytes_.resize(std::min(limit, before + kPieceBytes));
      const la_ssize_t count =
          archive_read_data(reader_, bytes_.data() + before, bytes_.size() - before);
      if (count < 0) {
        // The checksum of the whole stream does not show where the damage is.
        const bool isWhole = stream_.isBroken();
        scan_.stop(
            isWhole ? scan_.report.source : name,
            (isWhole ? "the archive is damaged: " : "the archive is damaged here: ") + message(),
            scan_.layout().texts.archiveHint);
        return false;
      }
      bytes_.resize(before + static_cast<std::size_t>(count));
      if (count == 0) break;
    }
    return true;
  }

  std::string message() const {
    if (!stream_.damage().empty()) return stream_.damage();
    if (stream_.failure()) return stream_.failure()->reason();
    const char* text = archive_error_string(reader_);
    return text != nullptr ? text : "unknown defect";
  }

  archive* reader_;
  const TarStream& stream_;
  CifarScan& scan_;
  std::uint64_t unpacked_ = 0;
  std::vector<std::byte> bytes_;
};

void scanPacked(GzipReader::Source source, CifarScan& scan) {
  TarStream stream(std::move(source), scan);
  const TarReader reader = newTarReader();
  archive_read_open(reader.get(), &stream, nullptr, &TarStream::readPiece, nullptr);
  EntryReader(reader.get(), stream, scan).readAll();
  if (!scan.isStopped()) {
    stream.finish();
    if (!stream.damage().empty()) {
      scan.stop(scan.report.source,
                "the archive is damaged: " + stream.damage(),
                scan.layout().texts.archiveHint);
    }
  }
  if (stream.failure()) throw Error(*stream.failure());
}

}  // namespace

void scanCifarArchive(std::span<const std::byte> bytes, CifarScan& scan) {
  scanPacked(sourceOf(bytes), scan);
}

void scanCifarArchive(const std::filesystem::path& path, bool digested, CifarScan& scan) {
  FileReader reader(path);
  Sha256 digest;
  const auto source = [&](std::span<std::byte> piece) {
    const std::size_t count = reader.read(piece);
    if (digested) digest.update(piece.first(count));
    return count;
  };
  scanPacked(source, scan);
  if (!digested) return;
  std::vector<std::byte> piece(kPieceBytes);
  while (source(piece) > 0) {
  }
  scan.report.sha256 = digest.hex();
}

}  // namespace lambda
