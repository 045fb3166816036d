#include "engine/formats/cifar10/cifar10_scan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/formats/files/sha1.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

constexpr const char* kFetchHint =
    "fetch the set again (lambda data get cifar10), or use a complete copy";
constexpr const char* kOtherFilesHint =
    "accuracies on it may differ from published ones; to compare with those, fetch the published "
    "files (lambda data get cifar10)";

bool isClassName(std::string_view line) {
  return !line.empty() && line.size() <= 64 &&
         std::ranges::all_of(line, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

Cifar10Scan::Cifar10Scan(std::string source, const Cifar10Layout& layout, bool keepImages)
    : layout_(layout),
      keepImages_(keepImages),
      classNames_(kCifar10Classes.begin(), kCifar10Classes.end()) {
  report.source = std::move(source);
  for (const std::string_view name : kFiles) report.files.emplace_back().name = name;
  report.files.back().isTest = true;
  report.files.emplace_back().name = kClassNamesFile;
}

std::optional<std::size_t> Cifar10Scan::fileIndex(std::string_view name) {
  const auto found = std::ranges::find(kFiles, name);
  if (found == kFiles.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kFiles.begin());
}

bool Cifar10Scan::announce(std::size_t index, std::uint64_t bytes) {
  DataFileReport& file = report.files[index];
  if (std::exchange(file.present, true)) {
    error(file.name, "is there twice", "use the original archive");
    return false;
  }
  file.bytes = bytes;
  if (bytes == fileBytes()) return true;
  error(file.name,
        "has " + std::to_string(bytes) + " bytes instead of " + std::to_string(fileBytes()),
        kFetchHint);
  return false;
}

void Cifar10Scan::addRecords(std::size_t index, std::span<const std::byte> bytes) {
  DataFileReport& file = report.files[index];
  if (bytes.size() != fileBytes()) {
    error(file.name,
          "ends after " + std::to_string(bytes.size()) + " of " + std::to_string(fileBytes()) +
              " bytes",
          kFetchHint);
    return;
  }
  std::vector<std::int64_t> counts(kCifar10Classes.size(), 0);
  for (std::size_t i = 0; i < layout_.imagesPerFile; ++i) {
    const auto label = std::to_integer<std::size_t>(bytes[i * kRecordBytes]);
    if (label >= counts.size()) {
      error(file.name,
            "record " + std::to_string(i) + " (byte " + std::to_string(i * kRecordBytes) +
                ") has the label " + std::to_string(label) + ", which is not in 0 to 9",
            kFetchHint);
      return;
    }
    ++counts[label];
  }
  file.countPerClass = std::move(counts);
  if (keepImages_) {
    keep(index, bytes);
  } else {
    file.sha1 = sha1Hex(bytes);
  }
}

void Cifar10Scan::keep(std::size_t index, std::span<const std::byte> bytes) {
  const bool isTrain = index < kTrainFiles;
  LabeledImages& set = isTrain ? images.train : images.test;
  const std::size_t count = layout_.imagesPerFile * (isTrain ? kTrainFiles : 1);
  set.labels.resize(count);
  set.pixels.resize(count * kImageBytes);
  const std::size_t first = isTrain ? index * layout_.imagesPerFile : 0;
  for (std::size_t i = 0; i < layout_.imagesPerFile; ++i) {
    const std::span<const std::byte> record = bytes.subspan(i * kRecordBytes, kRecordBytes);
    set.labels[first + i] = std::to_integer<std::uint8_t>(record.front());
    std::memcpy(&set.pixels[(first + i) * kImageBytes], &record[1], kImageBytes);
  }
}

void Cifar10Scan::addClassNames(std::string_view text) {
  DataFileReport& file = report.files.back();
  file.present = true;
  file.bytes = text.size();
  std::vector<std::string> names = linesOf(text);
  if (names.size() == kCifar10Classes.size() && std::ranges::all_of(names, isClassName)) {
    classNames_ = std::move(names);
  } else {
    warning(file.name, "does not hold ten class names: the published ones are used");
  }
}

void Cifar10Scan::noteOtherVersion(std::string_view path) {
  if (path.find("cifar-10-batches-py") != path.npos || path == "data_batch_1") {
    otherVersion_ =
        "the Python version, whose files are pickles; this program does not run pickles";
  } else if (path.find("cifar-10-batches-mat") != path.npos) {
    otherVersion_ = "the MATLAB version";
  } else if (path.find("cifar-100-") != path.npos) {
    otherVersion_ = "CIFAR-100";
  }
}

void Cifar10Scan::error(std::string place, std::string text, std::string hint) {
  report.findings.push_back({Severity::error, std::move(place), std::move(text), std::move(hint)});
}

void Cifar10Scan::stop(std::string place, std::string text, std::string hint) {
  error(std::move(place), std::move(text), std::move(hint));
  stopped_ = true;
}

void Cifar10Scan::warning(std::string place, std::string text, std::string hint) {
  report.findings.push_back(
      {Severity::warning, std::move(place), std::move(text), std::move(hint)});
}

void Cifar10Scan::finish() {
  judgeMissingFiles();
  judgeClassCounts();
  images.train.classNames = images.test.classNames = classNames_;
  report.usable = std::ranges::none_of(report.findings, [](const DataFinding& finding) {
    return finding.severity == Severity::error;
  });
  judgeDigests();
}

void Cifar10Scan::judgeMissingFiles() {
  if (stopped_) return;
  const auto isPresent = [](const DataFileReport& file) { return file.present; };
  if (std::ranges::none_of(report.files, isPresent)) {
    error(report.source,
          otherVersion_.empty() ? "holds none of CIFAR-10's files (data_batch_1.bin, ...)"
                                : "is " + otherVersion_,
          "the binary version is needed: cifar-10-binary.tar.gz (lambda data get cifar10)");
    return;
  }
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    if (!report.files[i].present) error(report.files[i].name, "is missing", kFetchHint);
  }
  if (!report.files.back().present) {
    warning(report.files.back().name, "is missing: the published class names are used");
  }
}

void Cifar10Scan::judgeClassCounts() {
  const auto judge = [this](std::size_t firstFile, std::size_t endFile, const std::string& set) {
    std::vector<std::int64_t> sums(kCifar10Classes.size(), 0);
    for (std::size_t i = firstFile; i < endFile; ++i) {
      const std::vector<std::int64_t>& counts = report.files[i].countPerClass;
      if (counts.empty()) return;
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += counts[c];
    }
    const std::size_t total = layout_.imagesPerFile * (endFile - firstFile);
    if (std::ranges::all_of(sums, [&](std::int64_t n) {
          return static_cast<std::size_t>(n) * sums.size() == total;
        })) {
      return;
    }
    std::string text = "images per class, not the published equal counts:";
    for (const std::int64_t sum : sums) text += " " + std::to_string(sum);
    warning(set, text, "compare accuracies on this copy only with each other");
  };
  judge(0, kTrainFiles, "training set");
  judge(kTrainFiles, kFiles.size(), "test set");
}

void Cifar10Scan::judgeDigests() {
  if (!report.usable) return;
  const bool hasPublishedFiles = judgeFileDigests();
  if (report.sha256.empty() || layout_.archiveSha256.empty()) return;
  if (report.sha256 == layout_.archiveSha256) return;
  warning(report.source,
          std::string("is not the published archive") +
              (hasPublishedFiles ? ", but its six data files are the published ones"
                                 : ", though its content is well-formed") +
              ": its SHA-256 is " + report.sha256 + ", the published one's " +
              std::string(layout_.archiveSha256),
          kOtherFilesHint);
}

/// Whether all six files are the published ones; false if that is not known.
bool Cifar10Scan::judgeFileDigests() {
  bool arePublished = true;
  for (std::size_t i = 0; i < kFiles.size(); ++i) {
    const std::string_view published = layout_.fileSha1[i];
    const DataFileReport& file = report.files[i];
    arePublished = arePublished && file.sha1 == published;
    if (file.sha1.empty() || published.empty() || file.sha1 == published) continue;
    warning(file.name,
            "is not the published file, though its content is well-formed: its SHA-1 is " +
                file.sha1 + ", the published one's " + std::string(published),
            kOtherFilesHint);
  }
  return arePublished;
}

}  // namespace lambda
