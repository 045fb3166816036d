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

/// Collects the files of the set in any order, from a folder or an archive, and judges them.
/// Defects become findings; images are kept only where they are asked for and their file is whole.
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

  /// The index into kFiles, none for another name.
  static std::optional<std::size_t> fileIndex(std::string_view name);

  /// Notes that file `index` is there and how long it is. False, with a finding, where it came
  /// before or has another size than the layout says: its bytes need not be read.
  bool announce(std::size_t index, std::uint64_t bytes);

  /// The content of an announced file.
  void addRecords(std::size_t index, std::span<const std::byte> bytes);

  /// The content of batches.meta.txt.
  void addClassNames(std::string_view text);

  /// Notes the path of an entry or file that may tell of another version of the set.
  void noteOtherVersion(std::string_view path);

  void error(std::string place, std::string text, std::string hint = {});

  /// An error after which nothing more is read, so that files not seen yet may well be there.
  void stop(std::string place, std::string text, std::string hint = {});
  void warning(std::string place, std::string text, std::string hint = {});

  bool isStopped() const { return stopped_; }

  std::size_t fileBytes() const { return layout_.imagesPerFile * kRecordBytes; }

  /// Judges what is missing and how the classes are spread. Ends the scan.
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

/// Feeds the archive's entries to the scan. Only the names of the set are read, each once; no
/// entry is ever written. `bytes` is a tar, gzipped or not.
void scanCifar10Archive(std::span<const std::byte> bytes, Cifar10Scan& scan);

/// The same from a file, streamed; `digested` sets the report's digest. Throws Error where it can't
/// be read.
void scanCifar10Archive(const std::filesystem::path& path, bool digested, Cifar10Scan& scan);

}  // namespace lambda
