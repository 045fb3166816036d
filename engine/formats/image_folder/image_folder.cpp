#include "engine/formats/image_folder/image_folder.h"

#include <algorithm>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::size_t kMostNamed = 500;  // A list of thousands says no more than their number.
constexpr const char* kCorruptHint =
    "Replace or remove it, or leave corrupt pictures out with --set data.source.corrupt=skip.";

DatasetInfo infoOf(const PictureList& list, int size, std::size_t train, std::size_t test) {
  return {.shape = {3, size, size},
          .classes = static_cast<int>(list.classNames.size()),
          .classNames = list.classNames,
          .trainCount = static_cast<std::int64_t>(train),
          .testCount = static_cast<std::int64_t>(test)};
}

DataFileReport partReport(const std::string& name,
                          const std::vector<ListedPicture>& pictures,
                          const LabeledImages& images) {
  DataFileReport report;
  report.name = name;
  report.present = true;
  report.countPerClass.resize(images.classNames.size());
  for (const ListedPicture& picture : pictures) report.bytes += picture.bytes;
  for (const std::uint16_t label : images.labels) ++report.countPerClass[label];
  return report;
}

void addCorrupt(const std::vector<CorruptPicture>& corrupt,
                CorruptPictures choice,
                DataReport& report) {
  const bool isRefused = choice == CorruptPictures::refuse;
  const Severity severity = isRefused ? Severity::error : Severity::warning;
  for (std::size_t i = 0; i < std::min(corrupt.size(), kMostNamed); ++i) {
    report.findings.push_back({severity, corrupt[i].path, corrupt[i].reason, {}});
  }
  if (corrupt.empty()) return;
  const std::string count = std::to_string(corrupt.size());
  report.findings.push_back(
      {severity,
       report.source,
       isRefused ? count + " pictures are corrupt" : count + " corrupt pictures are left out",
       isRefused ? kCorruptHint : ""});
}

void addSplitFinding(const PictureList& list, DataReport& report) {
  if (!list.test.empty()) return;
  report.findings.push_back({Severity::warning,
                             report.source,
                             "there is no test set: all pictures are for training and validation",
                             "Put the training pictures into train/, and pictures of every class "
                             "for the test into test/."});
}

}  // namespace

DecodedPictures readImageFolder(const ImageFolderSource& source) {
  const PictureList list = listPictures(source.path);
  DecodedPictures pictures = loadPictures(list, source.size);
  if (source.corrupt == CorruptPictures::refuse && !pictures.corrupt.empty()) {
    const CorruptPicture& first = pictures.corrupt.front();
    throw Error((list.folder / first.path).string(), first.reason, kCorruptHint);
  }
  if (pictures.train.count() == 0) {
    throw Error(source.path, "none of the training pictures can be decoded");
  }
  return pictures;
}

DatasetInfo probeImageFolder(const ImageFolderSource& source) {
  const PictureList list = listPictures(source.path);
  return infoOf(list, source.size, list.train.size(), list.test.size());
}

DataReport checkImageFolder(const ImageFolderSource& source) {
  DataReport report;
  report.source = source.path;
  try {
    const PictureList list = listPictures(source.path);
    const DecodedPictures pictures = loadPictures(list, source.size);
    report.files.push_back(partReport("train", list.train, pictures.train));
    if (!list.testFolder.empty()) {
      report.files.push_back(partReport(list.testFolder, list.test, pictures.test));
      report.files.back().isTest = true;
    }
    addCorrupt(pictures.corrupt, source.corrupt, report);
    addSplitFinding(list, report);
    report.info = infoOf(list, source.size, pictures.train.count(), pictures.test.count());
    report.usable = !(source.corrupt == CorruptPictures::refuse && !pictures.corrupt.empty()) &&
                    pictures.train.count() > 0;
  } catch (const Error& error) {
    report.findings.push_back({Severity::error, error.place(), error.reason(), error.hint()});
  }
  return report;
}

}  // namespace lambda
