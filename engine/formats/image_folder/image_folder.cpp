#include "engine/formats/image_folder/image_folder.h"

#include <algorithm>

#include "engine/runtime/error.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

constexpr std::size_t kMostNamed = 500;  // A list of thousands says no more than their number.

std::string corruptHint(std::size_t count) {
  return std::string("Replace or remove ") + (count == 1 ? "it" : "them") +
         ". To leave corrupt pictures out, train with --set data.source.corrupt=skip.";
}

std::string corruptText(std::size_t count, CorruptPictures choice) {
  const std::string pictures = formatCount(static_cast<std::int64_t>(count));
  const bool isOne = count == 1;
  return choice == CorruptPictures::refuse
             ? pictures + (isOne ? " picture is corrupt" : " pictures are corrupt")
             : pictures + (isOne ? " corrupt picture is" : " corrupt pictures are") + " left out";
}

DataFileReport splitReport(const std::string& name,
                           const ListedSplit& split,
                           const LabeledImages& images) {
  DataFileReport report;
  report.name = split.folder.empty() ? name : split.folder;
  report.present = true;
  report.countPerClass.resize(images.classNames.size());
  for (const ListedPicture& picture : split.pictures) report.bytes += picture.bytes;
  for (const std::uint16_t label : images.labels) ++report.countPerClass[label];
  return report;
}

void addCorrupt(const std::vector<CorruptPicture>& corrupt,
                CorruptPictures choice,
                const std::string& place,
                std::vector<DataFinding>& findings) {
  const bool isRefused = choice == CorruptPictures::refuse;
  const Severity severity = isRefused ? Severity::error : Severity::warning;
  for (std::size_t i = 0; i < std::min(corrupt.size(), kMostNamed); ++i) {
    findings.push_back({severity, corrupt[i].path, corrupt[i].reason, {}});
  }
  if (corrupt.empty()) return;
  findings.push_back({severity,
                      place,
                      corruptText(corrupt.size(), choice),
                      isRefused ? corruptHint(corrupt.size()) : ""});
}

std::string picturesText(std::uint64_t count) {
  return formatCounted(static_cast<std::int64_t>(count), "picture") + (count == 1 ? " is" : " are");
}

/// What was changed in pictures when they were decoded.
std::vector<DataFinding> findingsOf(const PictureCounts& counts, const std::string& place) {
  std::vector<DataFinding> findings;
  const auto add = [&](std::uint64_t count, const std::string& text, std::string hint) {
    if (count == 0) return;
    findings.push_back({Severity::warning, place, picturesText(count) + text, std::move(hint)});
  };
  add(counts.turned, " turned, as the orientation in EXIF says", {});
  add(counts.transparent,
      " transparent, and composited on white",
      "Count transparent pictures as corrupt with --set data.source.transparent=refuse.");
  add(counts.misnamed,
      " of another format than the name says, and read all the same: " + counts.misnamedExample,
      {});
  return findings;
}

PictureOptions optionsOf(const ImageFolderSource& source) {
  return {source.size, source.transparent};
}

}  // namespace

DecodedPictures readPictures(const PictureList& list,
                             const PictureOptions& options,
                             CorruptPictures corrupt) {
  DecodedPictures pictures = loadPictures(list, options);
  if (corrupt == CorruptPictures::refuse && !pictures.corrupt.empty()) {
    const CorruptPicture& first = pictures.corrupt.front();
    throw Error((list.folder / first.path).string(), first.reason, corruptHint(1));
  }
  if (pictures.train.count() == 0) {
    throw Error(list.folder.string(), "none of the training pictures can be decoded");
  }
  return pictures;
}

DecodedPictures readImageFolder(const ImageFolderSource& source) {
  return readPictures(
      listPictures(source.path, source.validation), optionsOf(source), source.corrupt);
}

std::string changesText(const DecodedPictures& pictures) {
  const std::size_t corrupt = pictures.corrupt.size();
  std::string text = corrupt == 0 ? "" : corruptText(corrupt, CorruptPictures::skip);
  for (const DataFinding& finding : findingsOf(pictures.counts, {})) {
    text += (text.empty() ? "" : "; ") + finding.text;
  }
  return text;
}

DatasetInfo picturesInfo(const PictureList& list, int size) {
  const std::size_t validation = list.validation.pictures.size();
  return {.shape = {3, size, size},
          .classes = static_cast<int>(list.classNames.size()),
          .classNames = list.classNames,
          .trainCount = static_cast<std::int64_t>(list.train.pictures.size() + validation),
          .testCount = static_cast<std::int64_t>(list.test.pictures.size()),
          .validationCount = static_cast<std::int64_t>(validation)};
}

DatasetInfo probeImageFolder(const ImageFolderSource& source) {
  const PictureList list = listPictures(source.path, source.validation);
  DatasetInfo info = picturesInfo(list, source.size);
  for (const DataFinding& finding : list.findings) {
    info.notes.push_back(finding.place + ": " + finding.text +
                         (finding.hint.empty() ? "" : ". " + finding.hint));
  }
  return info;
}

void checkPictures(const PictureList& list,
                   const PictureOptions& options,
                   CorruptPictures corrupt,
                   const std::string& testHint,
                   DataReport& report) {
  const DecodedPictures pictures = loadPictures(list, options);
  report.files.push_back(splitReport("train", list.train, pictures.train));
  if (!list.validation.pictures.empty()) {
    report.files.push_back(splitReport("validation", list.validation, pictures.validation));
  }
  if (!list.test.pictures.empty()) {
    report.files.push_back(splitReport("test", list.test, pictures.test));
    report.files.back().isTest = true;
  }
  addCorrupt(pictures.corrupt, corrupt, report.source, report.findings);
  for (const auto& findings : {list.findings, findingsOf(pictures.counts, report.source)}) {
    report.findings.insert(report.findings.end(), findings.begin(), findings.end());
  }
  if (list.test.pictures.empty()) {
    report.findings.push_back({Severity::warning,
                               report.source,
                               "there is no test set: all pictures are for training and validation",
                               testHint});
  }
  DatasetInfo info = picturesInfo(list, options.size);
  info.trainCount = static_cast<std::int64_t>(pictures.train.count() + pictures.validation.count());
  info.validationCount = static_cast<std::int64_t>(pictures.validation.count());
  info.testCount = static_cast<std::int64_t>(pictures.test.count());
  report.info = std::move(info);
  report.usable = !(corrupt == CorruptPictures::refuse && !pictures.corrupt.empty()) &&
                  pictures.train.count() > 0;
}

DataReport checkImageFolder(const ImageFolderSource& source) {
  DataReport report;
  report.source = source.path;
  try {
    checkPictures(listPictures(source.path, source.validation),
                  optionsOf(source),
                  source.corrupt,
                  "Put the training pictures into train/, and pictures of every class for the test "
                  "into test/.",
                  report);
  } catch (const Error& error) {
    report.findings.push_back({Severity::error, error.place(), error.reason(), error.hint()});
  }
  return report;
}

}  // namespace lambda
