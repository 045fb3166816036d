#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// Publishes a whole file atomically. Bytes are written to a temporary file beside it; commit()
/// syncs it to the disk, renames it over the file and syncs the folder. After a killed process or a
/// power cut, and for any reader, the file is either the previous one or the new one, never a part.
/// Without commit() the destructor removes the temporary. A symbolic link at `path` is replaced.
/// While it lives, the writer holds a lock on its temporary; see sweepTemporaries().
/// Not thread-safe. All members throw Error naming the file; after one the file can't be committed.
class DurableWriter {
 public:
  /// Creates the temporary. The folder must exist.
  explicit DurableWriter(std::filesystem::path path, FileSystem& system = FileSystem::real());
  ~DurableWriter();
  DurableWriter(const DurableWriter&) = delete;
  DurableWriter& operator=(const DurableWriter&) = delete;

  void append(std::span<const std::byte> bytes);
  void append(std::string_view bytes);

  /// Bytes appended so far.
  std::uint64_t size() const { return size_; }

  /// Publishes the appended bytes; to be called once. An Error from syncing the folder comes after
  /// the rename: the new file is then in place and complete, but may not survive a power cut.
  void commit();

 private:
  enum class State { writing, failed, published };

  void createTemporary();
  void discard() noexcept;

  FileSystem& system_;
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  State state_ = State::writing;
};

/// Publishes `bytes` as the file `path` with a DurableWriter.
void writeFileDurably(const std::filesystem::path& path,
                      std::string_view bytes,
                      FileSystem& system = FileSystem::real());

/// Removes the files that killed writers left in `folder` and returns their number. These are the
/// temporaries of DurableWriter and the links (NAME.safetensors.link) by which a checkpoint gets a
/// second name. Temporaries of living writers, in any process, are locked and stay; all of them
/// stay if the file system has no locks. Links are not locked: for a folder with checkpoints, the
/// caller holds the run's lock. A folder that can't be listed counts as empty.
int sweepTemporaries(const std::filesystem::path& folder);

/// An open regular file, read from its start or in parts. Throws Error for a file that can't be
/// opened or read, and for a folder, a pipe or a device, without waiting on it.
class FileReader {
 public:
  explicit FileReader(std::filesystem::path path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// The size in bytes when it was opened.
  std::uint64_t size() const { return size_; }

  const std::filesystem::path& path() const { return path_; }

  /// Fills `bytes` from the current position; fewer bytes are read only at the end of the file.
  /// Returns their number.
  std::size_t read(std::span<std::byte> bytes);

  /// As read(), but throws Error if the file ends before `bytes` is full.
  void readExactly(std::span<std::byte> bytes);

  /// Fills `bytes` from that position in the file on, and leaves the current one. Throws Error if
  /// the file ends before. Several threads may call it at once.
  void readExactlyAt(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  template <class Read>
  std::size_t fill(std::span<std::byte> bytes, const Read& readPart) const;
  void requireAll(std::size_t count, std::size_t expected) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

/// The bytes of a regular file. Throws Error as FileReader does, and, before allocating anything,
/// if the file is larger than `maxBytes`.
std::string readFile(const std::filesystem::path& path, std::uint64_t maxBytes);

}  // namespace lambda
