#include "engine/data/sources/source_kinds.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/data/dataset.h"
#include "engine/data/shapes10.h"
#include "engine/formats/archives/tar.h"
#include "engine/formats/cifar10/cifar10_files.h"
#include "engine/formats/cifar100/cifar100_files.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/idx/idx_files.h"
#include "engine/formats/image_folder/image_folder.h"

namespace lambda::source_kinds {

namespace {

namespace fs = std::filesystem;

constexpr int kInspectedEntries = 4;  // The first files of an archive identify the data set.

template <std::size_t Count>
bool holdsAny(const fs::path& folder, const std::array<std::string_view, Count>& names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return isThere(folder / name); });
}

/// Whether one of the archive's first entries has one of these names, or lies in the folder.
template <std::size_t Count>
bool archiveHolds(const fs::path& path,
                  const std::array<std::string_view, Count>& names,
                  std::string_view folder) {
  const std::vector<std::string> entries = firstTarEntries(path, kInspectedEntries);
  return std::ranges::any_of(entries, [&](const std::string& entry) {
    if (entry.find(folder) != entry.npos) return true;
    const std::string name = entry.substr(entry.find_last_of('/') + 1);
    return std::ranges::find(names, name) != names.end();
  });
}

// The names include those of versions that can't be read, for which the check says what is needed.
constexpr std::array<std::string_view, 11> kCifar10Names{"data_batch_1.bin",
                                                         "data_batch_2.bin",
                                                         "data_batch_3.bin",
                                                         "data_batch_4.bin",
                                                         "data_batch_5.bin",
                                                         "test_batch.bin",
                                                         "data_batch_1",
                                                         "cifar-10-batches-bin",
                                                         "cifar-10-batches-py",
                                                         "cifar-10-batches-mat",
                                                         "cifar-10-binary.tar.gz"};
constexpr std::array<std::string_view, 5> kCifar100Names{
    "train.bin", "test.bin", "fine_label_names.txt", "cifar-100-binary", "cifar-100-binary.tar.gz"};

DataReport builtInReport(const DatasetInfo& info, const std::string& source) {
  DataReport report;
  report.usable = true;
  report.source = source;
  report.info = info;
  return report;
}

}  // namespace

// ---- shapes10 ----

TrainingImages training(const Shapes10Source& source) {
  return {drawShapes10(kShapes10Seed, source.trainCount, Shapes10Part::training)};
}

LabeledImages test(const Shapes10Source& source) {
  return drawShapes10(kShapes10Seed, source.testCount, Shapes10Part::test);
}

DatasetInfo probe(const Shapes10Source& source) {
  DatasetInfo info = announcedInfo(source).value();
  info.classNames = drawShapes10(kShapes10Seed, 1, Shapes10Part::training).classNames;
  return info;
}

DataReport check(const Shapes10Source& source) {
  return builtInReport(probe(source), std::string(traitsOf(source).kind));
}

bool liesAt(const fs::path&, const Shapes10Source&) {
  return false;
}

// ---- CIFAR-10 ----

TrainingImages training(const Cifar10Source& source) {
  return {readCifar10(source.path).train};
}

LabeledImages test(const Cifar10Source& source) {
  return readCifar10(source.path).test;
}

DatasetInfo probe(const Cifar10Source& source) {
  DatasetInfo info = announcedInfo(source).value();
  info.classNames.assign(kCifar10Classes.begin(), kCifar10Classes.end());
  return info;
}

DataReport check(const Cifar10Source& source) {
  return checkCifar10(source.path);
}

bool liesAt(const fs::path& path, const Cifar10Source&) {
  if (isFolder(path)) {
    return holdsAny(path, kCifar10Names) ||
           path.filename().string().starts_with("cifar-10-batches-");
  }
  return archiveHolds(path, kCifar10Names, "cifar-10-batches-");
}

// ---- CIFAR-100 ----

TrainingImages training(const Cifar100Source& source) {
  return {readCifar100(source.path, source.labels).train};
}

LabeledImages test(const Cifar100Source& source) {
  return readCifar100(source.path, source.labels).test;
}

DatasetInfo probe(const Cifar100Source& source) {
  return announcedInfo(source).value();
}

DataReport check(const Cifar100Source& source) {
  return checkCifar100(source.path, source.labels);
}

bool liesAt(const fs::path& path, const Cifar100Source&) {
  if (isFolder(path)) return holdsAny(path, kCifar100Names) || isPythonCifar100(path);
  return archiveHolds(path, kCifar100Names, "cifar-100-");
}

// ---- IDX files ----

TrainingImages training(const IdxSource& source) {
  return {readIdxDataset(source.path).train};
}

LabeledImages test(const IdxSource& source) {
  return readIdxDataset(source.path).test;
}

DatasetInfo probe(const IdxSource& source) {
  return probeIdxDataset(source.path);
}

DataReport check(const IdxSource& source) {
  return checkIdxDataset(source.path);
}

bool liesAt(const fs::path& path, const IdxSource&) {
  return isFolder(path) && hasIdxFiles(path);
}

// ---- image folders ----

TrainingImages training(const ImageFolderSource& source) {
  DecodedPictures pictures = readImageFolder(source);
  std::string changes = changesText(pictures);
  return {std::move(pictures.train), std::move(pictures.validation), std::move(changes)};
}

LabeledImages test(const ImageFolderSource& source) {
  return readImageFolder(source).test;
}

DatasetInfo probe(const ImageFolderSource& source) {
  return probeImageFolder(source);
}

DataReport check(const ImageFolderSource& source) {
  return checkImageFolder(source);
}

bool liesAt(const fs::path& path, const ImageFolderSource&) {
  return isFolder(path) && hasClassFolders(path);
}

void chooseOptions(ImageFolderSource& source) {
  if (hasValidationAndTestSplit(source.path)) source.validation = ValidationPictures::folder;
}

bool dropMissingValidation(ImageFolderSource& source) {
  if (source.validation != ValidationPictures::folder || hasValidationSplit(source.path)) {
    return false;
  }
  source.validation = ValidationPictures::drawn;
  return true;
}

}  // namespace lambda::source_kinds
