#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/cifar/cifar_files.h"

namespace lambda {

/// Collects the files of the data set in any order, from a folder or an archive, and checks them.
/// Defects become findings. Images are kept only if requested and if their file is complete.
class CifarScan {
 public:
  static constexpr std::size_t kImageBytes = 3 * 32 * 32;

  CifarScan(std::string source, CifarLayout layout, bool keepImages);

  /// Those of the layout's files and then of its labels' names have the same index in report.files;
  /// none for any other name.
  std::optional<std::size_t> fileIndex(std::string_view name) const;

  /// The exact size of a file of records; the greatest size of a file of names.
  std::size_t mostBytes(std::size_t index) const;

  /// Whether the file is one of records; otherwise it is one of names.
  bool hasRecords(std::size_t index) const { return index < layout_.files.size(); }

  /// Records that file `index` exists and its length. Returns false and adds a finding if the file
  /// came before or its size differs from the layout; its bytes need not be read then.
  bool announce(std::size_t index, std::uint64_t bytes);

  /// Adds the content of an announced file.
  void add(std::size_t index, std::span<const std::byte> bytes);

  /// Records the path of an entry or file that may indicate another version of the data set.
  void noteOtherVersion(std::string_view path);

  void error(std::string place, std::string text, std::string hint = {});

  /// Adds an error after which nothing more is read, so files not seen yet are not called missing.
  void stop(std::string place, std::string text, std::string hint = {});
  void warning(std::string place, std::string text, std::string hint = {});

  bool isStopped() const { return stopped_; }

  const CifarLayout& layout() const { return layout_; }

  /// Checks for missing files and the class counts. Ends the scan.
  void finish();

  DataReport report;
  Cifar images;

 private:
  std::size_t recordBytes() const { return layout_.labels.size() + kImageBytes; }

  /// The index of a file of names.
  std::size_t namesIndex(std::size_t label) const { return layout_.files.size() + label; }

  bool areKnownLabels(std::span<const std::byte> labelBytes) const;
  void refuseLabels(std::size_t index, std::size_t record, std::span<const std::byte> labelBytes);
  std::size_t labelOf(std::span<const std::byte> record) const;
  void addRecords(std::size_t index, std::span<const std::byte> bytes);
  void addClassNames(std::size_t index, std::string_view text);
  void judgeMissingFiles();
  void judgeClassCounts();
  std::vector<std::int64_t> countsOf(std::size_t firstFile, std::size_t endFile) const;
  void warnOfUnequal(const std::vector<std::int64_t>& counts, const std::string& set);
  void requireTrained(const std::vector<std::int64_t>& trained,
                      const std::vector<std::int64_t>& tested);
  void judgeDigests();
  bool judgeFileDigests();
  void keep(std::size_t index, std::span<const std::byte> bytes);

  CifarLayout layout_;
  std::size_t trainFiles_;
  bool keepImages_;
  bool stopped_ = false;
  std::string otherVersion_;
  std::vector<std::string> classNames_;
};

/// Passes the archive's entries to the scan. Only entries with the data set's names are read, each
/// once, and no entry is written to disk. `bytes` is a tar archive, gzipped or not.
void scanCifarArchive(std::span<const std::byte> bytes, CifarScan& scan);

/// The same from a file, which is streamed. `digested` sets the report's digest. Throws Error if
/// the file can't be read.
void scanCifarArchive(const std::filesystem::path& path, bool digested, CifarScan& scan);

}  // namespace lambda
