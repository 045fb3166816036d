#include "engine/formats/cifar100/cifar100_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/formats/archives/gzip_reader.h"
#include "engine/formats/archives/tar.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/files/sha256.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kFiles{
    "train.bin", "test.bin", "fine_label_names.txt", "coarse_label_names.txt"};
constexpr std::size_t kTrain = 0;
constexpr std::size_t kTest = 1;
constexpr std::size_t kFineNames = 2;
constexpr std::size_t kCoarseNames = 3;
constexpr const char* kFolderName = "cifar-100-binary";
constexpr const char* kPythonFolderName = "cifar-100-python";
constexpr std::string_view kPythonFile = "meta";  // Only the Python version has it.
constexpr const char* kArchiveName = "cifar-100-binary.tar.gz";
constexpr std::size_t kImageBytes = 3 * 32 * 32;
constexpr std::size_t kRecordBytes = 2 + kImageBytes;
constexpr std::size_t kMaxNamesBytes = 1 << 16;
constexpr std::uint64_t kMaxOtherBytes = 16U << 20;
constexpr std::array<std::size_t, 2> kClasses{100, 20};  // fine, coarse
constexpr const char* kHint = "Use the original binary version, cifar-100-binary.tar.gz.";

/// The path of the data set where a user names `path`.
fs::path locate(const fs::path& path) {
  if (!isFolder(path) || isThere(path / kFiles[kTrain]) || isThere(path / kFiles[kTest]))
    return path;
  if (isFolder(path / kFolderName)) return path / kFolderName;
  if (isFolder(path / kPythonFolderName)) return path / kPythonFolderName;
  if (isThere(path / kArchiveName)) return path / kArchiveName;
  return path;
}

bool isClassName(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
}

/// Collects the four files in any order and checks them.
class Scan {
 public:
  Scan(std::string source, Cifar100Labels labels, const Cifar100Layout& layout)
      : labels_(labels), layout_(layout) {
    report.source = std::move(source);
    for (const std::string_view name : kFiles) report.files.emplace_back().name = name;
    report.files[kTest].isTest = true;
  }

  std::size_t classes() const { return kClasses[static_cast<std::size_t>(labels_)]; }

  /// The exact size of train.bin or test.bin; the greatest size of a list of names.
  std::size_t bytesOf(std::size_t file) const {
    if (file > kTest) return kMaxNamesBytes;
    return kRecordBytes * (file == kTrain ? layout_.trainImages : layout_.testImages);
  }

  void add(std::size_t file, std::span<const std::byte> bytes) {
    DataFileReport& entry = report.files[file];
    if (std::exchange(entry.present, true)) {
      error(entry.name, "is there twice", kHint);
      return;
    }
    entry.bytes = bytes.size();
    if (file > kTest) {
      addNames(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    } else {
      addRecords(file, bytes);
    }
  }

  void error(const std::string& place, std::string text, std::string hint) {
    report.findings.push_back({Severity::error, place, std::move(text), std::move(hint)});
  }

  /// Its files are those of the version for Python, which are pickles.
  void addPythonFile() { isPython_ = true; }

  void finish() {
    if (isPython_ && !report.files[kTrain].present) {
      error(report.source,
            "is the Python version, whose files are pickles; this program does not run pickles",
            kHint);
      return;
    }
    for (const std::size_t file : {kTrain, kTest}) {
      if (!report.files[file].present) error(report.files[file].name, "is missing", kHint);
    }
    const std::size_t names = labels_ == Cifar100Labels::fine ? kFineNames : kCoarseNames;
    if (classNames_.empty()) {
      report.findings.push_back({Severity::warning,
                                 report.files[names].name,
                                 "is missing or does not hold " + std::to_string(classes()) +
                                     " names: the classes are numbered",
                                 {}});
      for (std::size_t i = 0; i < classes(); ++i) {
        classNames_.push_back("class " + std::to_string(i));
      }
    }
    images.train.classNames = images.test.classNames = classNames_;
    requireTrainedClasses();
    report.usable = std::ranges::none_of(
        report.findings, [](const DataFinding& f) { return f.severity == Severity::error; });
    if (!report.usable) return;
    report.info = DatasetInfo{.shape = {3, 32, 32},
                              .classes = static_cast<int>(classes()),
                              .classNames = classNames_,
                              .trainCount = static_cast<std::int64_t>(layout_.trainImages),
                              .testCount = static_cast<std::int64_t>(layout_.testImages)};
  }

  DataReport report;
  Cifar100 images;

 private:
  /// A copy that someone changed may have test images of a class without training images.
  void requireTrainedClasses() {
    const std::vector<std::int64_t>& trained = report.files[kTrain].countPerClass;
    const std::vector<std::int64_t>& tested = report.files[kTest].countPerClass;
    for (std::size_t i = 0; i < std::min(trained.size(), tested.size()); ++i) {
      if (trained[i] > 0 || tested[i] == 0) continue;
      error(report.files[kTest].name,
            "has images of the class " + classNames_[i] + ", of which there are no training images",
            kHint);
      return;
    }
  }

  void addRecords(std::size_t file, std::span<const std::byte> bytes) {
    DataFileReport& entry = report.files[file];
    if (bytes.size() != bytesOf(file)) {
      error(entry.name,
            "has " + std::to_string(bytes.size()) + " bytes instead of " +
                std::to_string(bytesOf(file)),
            kHint);
      return;
    }
    LabeledImages& set = file == kTrain ? images.train : images.test;
    const std::size_t count = bytes.size() / kRecordBytes;
    std::vector<std::int64_t> counts(classes(), 0);
    set.labels.resize(count);
    set.pixels.resize(count * kImageBytes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const std::byte> record = bytes.subspan(i * kRecordBytes, kRecordBytes);
      const auto coarse = std::to_integer<std::uint16_t>(record[0]);
      const auto fine = std::to_integer<std::uint16_t>(record[1]);
      if (coarse >= kClasses[1] || fine >= kClasses[0]) {
        error(entry.name,
              "record " + std::to_string(i) + " (byte " + std::to_string(i * kRecordBytes) +
                  ") has the labels " + std::to_string(coarse) + " and " + std::to_string(fine) +
                  ", which are not in 0 to 19 and 0 to 99",
              kHint);
        return;
      }
      set.labels[i] = labels_ == Cifar100Labels::fine ? fine : coarse;
      ++counts[set.labels[i]];
      std::memcpy(&set.pixels[i * kImageBytes], &record[2], kImageBytes);
    }
    entry.countPerClass = std::move(counts);
  }

  void addNames(std::size_t file, std::string_view text) {
    const bool isAsked = (file == kFineNames) == (labels_ == Cifar100Labels::fine);
    if (!isAsked || text.size() > kMaxNamesBytes) return;
    std::vector<std::string> names = linesOf(text);
    if (names.size() == classes() && std::ranges::all_of(names, isClassName)) {
      classNames_ = std::move(names);
    }
  }

  Cifar100Labels labels_;
  Cifar100Layout layout_;
  bool isPython_ = false;
  std::vector<std::string> classNames_;
};

std::optional<std::size_t> fileIndex(std::string_view name) {
  const auto found = std::ranges::find(kFiles, name);
  if (found == kFiles.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kFiles.begin());
}

std::uint64_t mostBytes(const Scan& scan) {
  return kMaxOtherBytes + scan.bytesOf(kTrain) + scan.bytesOf(kTest);
}

void scanArchive(std::span<const std::byte> bytes, Scan& scan) {
  std::vector<std::byte> unpacked;
  if (isGzip(bytes)) {
    unpacked = gunzip(bytes, scan.report.source, mostBytes(scan));
    bytes = unpacked;
  }
  readTar(
      bytes,
      scan.report.source,
      [&](std::string_view name) {
        if (name == kPythonFile) scan.addPythonFile();
        return fileIndex(name).has_value();
      },
      [&](const std::string& name, std::span<const std::byte> content) {
        scan.add(*fileIndex(name), content);
      });
}

void scanFolder(const fs::path& folder, Scan& scan) {
  if (isThere(folder / kPythonFile)) scan.addPythonFile();
  for (std::size_t file = 0; file < kFiles.size(); ++file) {
    const fs::path path = folder / kFiles[file];
    if (!isThere(path)) continue;
    try {
      const std::string content = readFile(path, scan.bytesOf(file));
      scan.add(file, std::as_bytes(std::span(content)));
    } catch (const Error& error) {
      scan.report.files[file].present = true;
      scan.error(std::string(kFiles[file]), error.reason(), error.hint());
    }
  }
}

Scan scanPath(const fs::path& path, Cifar100Labels labels, const Cifar100Layout& layout) {
  const fs::path located = locate(path);
  Scan scan(located.string(), labels, layout);
  try {
    if (isFolder(located)) {
      scanFolder(located, scan);
    } else {
      const std::string bytes = readFile(located, mostBytes(scan));
      scan.report.sha256 = sha256Hex(bytes);
      scanArchive(std::as_bytes(std::span(bytes)), scan);
    }
  } catch (const Error& error) {
    scan.error(error.place(), error.reason(), error.hint());
    return scan;
  }
  scan.finish();
  return scan;
}

Cifar100 imagesOf(Scan scan) {
  for (const DataFinding& finding : scan.report.findings) {
    if (finding.severity != Severity::error) continue;
    const std::string& source = scan.report.source;
    throw Error(finding.place.starts_with(source) ? finding.place : source + "/" + finding.place,
                finding.text,
                finding.hint);
  }
  return std::move(scan.images);
}

}  // namespace

bool isPythonCifar100(const fs::path& folder) {
  std::error_code ignored;
  return isFolder(folder / kPythonFolderName) ||
         std::ranges::all_of(std::array{"meta", "train", "test"}, [&](const char* name) {
           return fs::is_regular_file(folder / name, ignored);
         });
}

Cifar100 readCifar100(const fs::path& path, Cifar100Labels labels, const Cifar100Layout& layout) {
  return imagesOf(scanPath(path, labels, layout));
}

DataReport checkCifar100(const fs::path& path,
                         Cifar100Labels labels,
                         const Cifar100Layout& layout) {
  return scanPath(path, labels, layout).report;
}

Cifar100 parseCifar100Archive(std::span<const std::byte> bytes,
                              const std::string& place,
                              Cifar100Labels labels,
                              const Cifar100Layout& layout) {
  Scan scan(place, labels, layout);
  scanArchive(bytes, scan);
  scan.finish();
  return imagesOf(std::move(scan));
}

}  // namespace lambda
