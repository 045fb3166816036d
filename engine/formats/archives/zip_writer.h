#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace lambda {

/// Publishes a zip archive, atomically as a DurableWriter does. Entries are stored without
/// compression, so that NumPy reads them as an .npz file; without times, so that the same content
/// gives the same bytes. Not thread-safe. Members throw Error naming the archive.
class ZipWriter {
 public:
  explicit ZipWriter(const std::filesystem::path& path);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// Begins an entry of `bytes` bytes, which append() then fills completely.
  void begin(const std::string& name, std::uint64_t bytes);

  void append(std::span<const std::byte> bytes);

  /// Publishes the archive; to be called once.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lambda
