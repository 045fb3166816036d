#include "engine/formats/cifar/cifar_scan.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "engine/formats/files/sha1.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

constexpr const char* kOtherFilesHint =
    "accuracies on it may differ from published ones; to compare with those, fetch the published "
    "files (lambda data get cifar10)";

bool isClassName(std::string_view line) {
  return !line.empty() && line.size() <= 64 &&
         std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

CifarScan::CifarScan(std::string source, CifarLayout layout, bool keepImages)
    : layout_(std::move(layout)),
      trainFiles_(layout_.files.size() - 1),
      keepImages_(keepImages),
      classNames_(layout_.classNames.begin(), layout_.classNames.end()) {
  report.source = std::move(source);
  for (const CifarFile& file : layout_.files) report.files.emplace_back().name = file.name;
  report.files.back().isTest = true;
  for (const CifarLabel& label : layout_.labels) report.files.emplace_back().name = label.namesFile;
  for (std::size_t i = classNames_.size(); i < layout_.labels[layout_.label].classes; ++i) {
    classNames_.push_back("class " + std::to_string(i));
  }
}

std::optional<std::size_t> CifarScan::fileIndex(std::string_view name) const {
  const auto found = std::ranges::find(report.files, name, &DataFileReport::name);
  if (found == report.files.end()) return std::nullopt;
  return static_cast<std::size_t>(found - report.files.begin());
}

std::size_t CifarScan::mostBytes(std::size_t index) const {
  if (hasRecords(index)) return layout_.files[index].images * recordBytes();
  return layout_.labels[index - namesIndex(0)].mostNamesBytes;
}

bool CifarScan::announce(std::size_t index, std::uint64_t bytes) {
  DataFileReport& file = report.files[index];
  if (std::exchange(file.present, true)) {
    error(file.name, "is there twice", layout_.texts.twiceHint);
    return false;
  }
  file.bytes = bytes;
  if (!hasRecords(index) || bytes == mostBytes(index)) return true;
  error(file.name,
        "has " + std::to_string(bytes) + " bytes instead of " + std::to_string(mostBytes(index)),
        layout_.texts.filesHint);
  return false;
}

void CifarScan::add(std::size_t index, std::span<const std::byte> bytes) {
  if (hasRecords(index)) {
    addRecords(index, bytes);
  } else if (index == namesIndex(layout_.label)) {
    addClassNames(index, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
}

void CifarScan::addRecords(std::size_t index, std::span<const std::byte> bytes) {
  DataFileReport& file = report.files[index];
  if (bytes.size() != mostBytes(index)) {
    error(file.name,
          "ends after " + std::to_string(bytes.size()) + " of " + std::to_string(mostBytes(index)) +
              " bytes",
          layout_.texts.filesHint);
    return;
  }
  std::vector<std::int64_t> counts(classNames_.size(), 0);
  for (std::size_t i = 0; i < layout_.files[index].images; ++i) {
    const auto labelBytes = bytes.subspan(i * recordBytes(), layout_.labels.size());
    if (!areKnownLabels(labelBytes)) return refuseLabels(index, i, labelBytes);
    ++counts[labelOf(labelBytes)];
  }
  file.countPerClass = std::move(counts);
  if (keepImages_) {
    keep(index, bytes);
  } else if (!layout_.files[index].sha1.empty()) {
    file.sha1 = sha1Hex(bytes);
  }
}

bool CifarScan::areKnownLabels(std::span<const std::byte> labelBytes) const {
  return std::ranges::equal(labelBytes.rbegin(),
                            labelBytes.rend(),
                            layout_.labels.begin(),
                            layout_.labels.end(),
                            [](std::byte value, const CifarLabel& label) {
                              return std::to_integer<std::size_t>(value) < label.classes;
                            });
}

void CifarScan::refuseLabels(std::size_t index,
                             std::size_t record,
                             std::span<const std::byte> labelBytes) {
  std::string values, ranges;
  for (std::size_t i = 0; i < labelBytes.size(); ++i) {
    const std::size_t classes = layout_.labels[labelBytes.size() - 1 - i].classes;
    values += (i == 0 ? "" : " and ") + std::to_string(std::to_integer<int>(labelBytes[i]));
    ranges += (i == 0 ? "0 to " : " and 0 to ") + std::to_string(classes - 1);
  }
  const bool isOne = labelBytes.size() == 1;
  error(report.files[index].name,
        "record " + std::to_string(record) + " (byte " + std::to_string(record * recordBytes()) +
            (isOne ? ") has the label " : ") has the labels ") + values +
            (isOne ? ", which is not in " : ", which are not in ") + ranges,
        layout_.texts.filesHint);
}

std::size_t CifarScan::labelOf(std::span<const std::byte> record) const {
  return std::to_integer<std::size_t>(record[layout_.labels.size() - 1 - layout_.label]);
}

void CifarScan::keep(std::size_t index, std::span<const std::byte> bytes) {
  const bool isTrain = index < trainFiles_;
  LabeledImages& set = isTrain ? images.train : images.test;
  std::size_t first = 0, count = 0;
  for (std::size_t i = isTrain ? 0 : trainFiles_; i < (isTrain ? trainFiles_ : index + 1); ++i) {
    if (i == index) first = count;
    count += layout_.files[i].images;
  }
  set.labels.resize(count);
  set.pixels.resize(count * kImageBytes);
  for (std::size_t i = 0; i < layout_.files[index].images; ++i) {
    const std::span<const std::byte> record = bytes.subspan(i * recordBytes(), recordBytes());
    set.labels[first + i] = static_cast<std::uint16_t>(labelOf(record));
    std::memcpy(
        &set.pixels[(first + i) * kImageBytes], &record[layout_.labels.size()], kImageBytes);
  }
}

void CifarScan::addClassNames(std::size_t index, std::string_view text) {
  std::vector<std::string> names = linesOf(text);
  if (names.size() == classNames_.size() && std::ranges::all_of(names, isClassName)) {
    classNames_ = std::move(names);
  } else {
    warning(report.files[index].name, layout_.texts.wrongNames);
  }
}

void CifarScan::noteOtherVersion(std::string_view path) {
  if (path.substr(path.find_last_of('/') + 1) == layout_.pythonFiles.front()) {
    otherVersion_ = layout_.versions.front().what;
  }
  const auto version = std::ranges::find_if(layout_.versions, [&](const CifarVersion& other) {
    return path.find(other.sign) != path.npos;
  });
  if (version != layout_.versions.end()) otherVersion_ = version->what;
}

void CifarScan::error(std::string place, std::string text, std::string hint) {
  report.findings.push_back({Severity::error, std::move(place), std::move(text), std::move(hint)});
}

void CifarScan::stop(std::string place, std::string text, std::string hint) {
  error(std::move(place), std::move(text), std::move(hint));
  stopped_ = true;
}

void CifarScan::warning(std::string place, std::string text, std::string hint) {
  report.findings.push_back(
      {Severity::warning, std::move(place), std::move(text), std::move(hint)});
}

void CifarScan::finish() {
  judgeMissingFiles();
  judgeClassCounts();
  images.train.classNames = images.test.classNames = classNames_;
  report.usable = std::ranges::none_of(report.findings, [](const DataFinding& finding) {
    return finding.severity == Severity::error;
  });
  judgeDigests();
}

void CifarScan::judgeMissingFiles() {
  if (stopped_) return;
  const auto isPresent = [](const DataFileReport& file) { return file.present; };
  const std::string nothing = otherVersion_.empty() ? layout_.texts.noFiles : "is " + otherVersion_;
  if (!nothing.empty() && std::ranges::none_of(report.files, isPresent)) {
    error(report.source, nothing, layout_.texts.versionHint);
    return;
  }
  for (std::size_t i = 0; i < layout_.files.size(); ++i) {
    if (!report.files[i].present)
      error(report.files[i].name, "is missing", layout_.texts.filesHint);
  }
  const DataFileReport& names = report.files[namesIndex(layout_.label)];
  if (!names.present) warning(names.name, layout_.texts.missingNames);
}

void CifarScan::judgeClassCounts() {
  const std::vector<std::int64_t> trained = countsOf(0, trainFiles_);
  const std::vector<std::int64_t> tested = countsOf(trainFiles_, layout_.files.size());
  if (layout_.isStrict) {
    requireTrained(trained, tested);
  } else {
    warnOfUnequal(trained, "training set");
    warnOfUnequal(tested, "test set");
  }
}

/// The images of each class; empty if a file was not read whole.
std::vector<std::int64_t> CifarScan::countsOf(std::size_t firstFile, std::size_t endFile) const {
  std::vector<std::int64_t> sums(classNames_.size(), 0);
  for (std::size_t i = firstFile; i < endFile; ++i) {
    const std::vector<std::int64_t>& counts = report.files[i].countPerClass;
    if (counts.empty()) return {};
    std::ranges::transform(sums, counts, sums.begin(), std::plus());
  }
  return sums;
}

void CifarScan::warnOfUnequal(const std::vector<std::int64_t>& counts, const std::string& set) {
  if (std::ranges::adjacent_find(counts, std::ranges::not_equal_to()) == counts.end()) return;
  std::string text = "images per class, not the published equal counts:";
  for (const std::int64_t count : counts) text += " " + std::to_string(count);
  warning(set, text, "compare accuracies on this copy only with each other");
}

void CifarScan::requireTrained(const std::vector<std::int64_t>& trained,
                               const std::vector<std::int64_t>& tested) {
  for (std::size_t i = 0; i < std::min(trained.size(), tested.size()); ++i) {
    if (trained[i] > 0 || tested[i] == 0) continue;
    error(report.files[trainFiles_].name,
          "has images of the class " + classNames_[i] + ", of which there are no training images",
          layout_.texts.filesHint);
    return;
  }
}

void CifarScan::judgeDigests() {
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

/// Whether all files are the published ones; false if that is not known.
bool CifarScan::judgeFileDigests() {
  bool arePublished = true;
  for (std::size_t i = 0; i < layout_.files.size(); ++i) {
    const std::string_view published = layout_.files[i].sha1;
    const DataFileReport& file = report.files[i];
    arePublished = arePublished && !published.empty() && file.sha1 == published;
    if (file.sha1.empty() || published.empty() || file.sha1 == published) continue;
    warning(file.name,
            "is not the published file, though its content is well-formed: its SHA-1 is " +
                file.sha1 + ", the published one's " + std::string(published),
            kOtherFilesHint);
  }
  return arePublished;
}

}  // namespace lambda
