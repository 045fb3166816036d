#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "engine/formats/files/durable_file.h"
#include "engine/values/config/data_report.h"

namespace lambda {

/// A text of any size as its bytes, which are tokens of a vocabulary of 256: one file, or all files
/// of a folder.
///
/// The files of a folder and of all folders in it are joined in the order of their paths, compared
/// name by name and byte by byte, with nothing between them: after the last byte of a file comes
/// the first of the next. Hidden files, what file managers leave behind, empty files and binary
/// files are left out; a file with several names, by links, is read once.
///
/// A file is binary if it has a NUL byte or is not UTF-8; a character that is cut by its end is
/// allowed. Up to 8 MiB all bytes are looked at, of larger files the first MiB and 64 samples of
/// 64 KiB, spread evenly up to the end.
///
/// No file is held in memory: copy() reads from the disk, where the system caches. It is not mapped
/// into memory, because a file that becomes shorter would then end the program (SIGBUS) where a
/// read can report it, and a training reads a few thousand bytes at a time, for which a mapping
/// gains nothing. Up to 256 files stay open.
class ByteText {
 public:
  /// Throws Error if there is nothing at `path`, a file can't be read, is binary or empty, is a
  /// pipe or a device, which it does not wait for, or a folder holds no text.
  static ByteText open(const std::filesystem::path& path);

  /// In bytes, without byte order marks; at least 1.
  std::uint64_t size() const { return parts_.back().end; }

  std::size_t fileCount() const { return parts_.size(); }

  /// Reads the bytes from `offset` on. Throws Error if they are not all within size(), and if a
  /// file was cut or can no longer be read. Several threads may call it at once.
  void copy(std::uint64_t offset, std::span<std::uint8_t> out) const;

  /// Warnings: what is left out, with counts by the endings of names; byte order marks, which are
  /// no part of the text; line ends of two bytes, CR LF, which are counted as they are.
  const std::vector<DataFinding>& findings() const { return findings_; }

 private:
  /// A file, without its byte order mark.
  struct Part {
    std::filesystem::path file;
    std::uint64_t begin = 0;  ///< In the text.
    std::uint64_t end = 0;
    std::uint64_t skipped = 0;               ///< Bytes at the start of the file.
    std::unique_ptr<const FileReader> open;  ///< Null beyond the files that stay open.
  };

  class Opening;

  ByteText() = default;

  std::filesystem::path path_;
  std::vector<Part> parts_;
  std::vector<DataFinding> findings_;
};

/// Whether there is text at an existing path, judged by names and first bytes: a file that is
/// called .txt or .md or begins as text, but is not called .json, as the program's documents are;
/// or a folder that holds such a file, at any depth, and no picture. Throws Error if a file can't
/// be opened or a folder can't be listed.
bool holdsText(const std::filesystem::path& path);

}  // namespace lambda
