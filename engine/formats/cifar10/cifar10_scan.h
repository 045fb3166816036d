#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/cifar10/cifar10_files.h"

namespace lambda {

/// Collects the files of the data set in any order, from a folder or an archive, and checks them.
/// Defects become findings. Images are kept only if requested and if their file is complete.
class Cifar10Scan {
 public:
  static constexpr std::size_t kImageBytes = 3 * 32 * 32;
  static constexpr std::size_t kRecordBytes = 1 + kImageBytes;
  static constexpr std::size_t kTrainFiles = 5;
  static constexpr std::string_view kClassNamesFile = "batches.meta.txt";
  static constexpr std::size_t kMaxClassNamesBytes = 4096;
  static constexpr std::array<std::string_view, 6> kFiles = {"data_batch_1.bin",
                                                             "data_batch_2.bin",
                                                             "data_batch_3.bin",
                                                             "data_batch_4.bin",
                                                             "data_batch_5.bin",
                                                             "test_batch.bin"};

  Cifar10Scan(std::string source, const Cifar10Layout& layout, bool keepImages);

  /// The index into kFiles; none for any other name.
  static std::optional<std::size_t> fileIndex(std::string_view name);

  /// Records that file `index` exists and its length. Returns false and adds a finding if the file
  /// came before or its size differs from the layout; its bytes need not be read then.
  bool announce(std::size_t index, std::uint64_t bytes);

  /// Adds the content of an announced file.
  void addRecords(std::size_t index, std::span<const std::byte> bytes);

  /// Adds the content of batches.meta.txt.
  void addClassNames(std::string_view text);

  /// Records the path of an entry or file that may indicate another version of the data set.
  void noteOtherVersion(std::string_view path);

  void error(std::string place, std::string text, std::string hint = {});

  /// Adds an error after which nothing more is read, so files not seen yet are not called missing.
  void stop(std::string place, std::string text, std::string hint = {});
  void warning(std::string place, std::string text, std::string hint = {});

  bool isStopped() const { return stopped_; }

  std::size_t fileBytes() const { return layout_.imagesPerFile * kRecordBytes; }

  /// Checks for missing files and the class counts. Ends the scan.
  void finish();

  DataReport report;
  Cifar10 images;

 private:
  void judgeMissingFiles();
  void judgeClassCounts();
  void judgeDigests();
  bool judgeFileDigests();
  void keep(std::size_t index, std::span<const std::byte> bytes);

  Cifar10Layout layout_;
  bool keepImages_;
  bool stopped_ = false;
  std::string otherVersion_;
  std::vector<std::string> classNames_;
};

/// Passes the archive's entries to the scan. Only entries with the data set's names are read, each
/// once, and no entry is written to disk. `bytes` is a tar archive, gzipped or not.
void scanCifar10Archive(std::span<const std::byte> bytes, Cifar10Scan& scan);

/// The same from a file, which is streamed. `digested` sets the report's digest. Throws Error if
/// the file can't be read.
void scanCifar10Archive(const std::filesystem::path& path, bool digested, Cifar10Scan& scan);

}  // namespace lambda
