#include "engine/formats/archives/zip_writer.h"

#include <optional>

#include <archive.h>
#include <archive_entry.h>

#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"

namespace lambda {

struct ZipWriter::Impl {
  explicit Impl(const std::filesystem::path& path_)
      : path(path_), writer(path_), zip(archive_write_new(), archive_write_free) {
    if (!zip) throw Error(path.string(), "there is not enough memory for the archive");
    check(archive_write_set_format_zip(zip.get()));
    check(archive_write_set_options(zip.get(), "zip:compression=store"));
    // The stream of bytes must not be padded to whole blocks, as tapes need.
    check(archive_write_set_bytes_in_last_block(zip.get(), 1));
    check(archive_write_open(zip.get(), this, nullptr, &Impl::write, nullptr));
  }

  /// libarchive calls it from C, which no exception may cross.
  static la_ssize_t write(struct archive* zip, void* self, const void* bytes, std::size_t size) {
    auto* impl = static_cast<Impl*>(self);
    try {
      impl->writer.append(std::span(static_cast<const std::byte*>(bytes), size));
      return static_cast<la_ssize_t>(size);
    } catch (const Error& error) {
      impl->failure = error;
      archive_set_error(zip, EIO, "the archive can't be written");
      return -1;
    }
  }

  void check(int status) {
    if (failure) throw Error(*failure);
    if (status == ARCHIVE_OK) return;
    const char* text = archive_error_string(zip.get());
    throw Error(path.string(), text != nullptr ? text : "the archive can't be written");
  }

  std::filesystem::path path;
  DurableWriter writer;
  std::optional<Error> failure;
  std::unique_ptr<struct archive, int (*)(struct archive*)> zip;
};

ZipWriter::ZipWriter(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::begin(const std::string& name, std::uint64_t bytes) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                       archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  impl_->check(archive_write_header(impl_->zip.get(), entry.get()));
}

void ZipWriter::append(std::span<const std::byte> bytes) {
  const la_ssize_t written = archive_write_data(impl_->zip.get(), bytes.data(), bytes.size());
  impl_->check(written == static_cast<la_ssize_t>(bytes.size()) ? ARCHIVE_OK : ARCHIVE_FATAL);
}

void ZipWriter::commit() {
  impl_->check(archive_write_close(impl_->zip.get()));
  impl_->writer.commit();
}

}  // namespace lambda
