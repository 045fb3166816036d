#include "engine/data/sources/source_kinds.h"

#include <string>
#include <utility>

#include "engine/data/dataset.h"
#include "engine/data/shapes10.h"
#include "engine/data/sources/foreign_data.h"
#include "engine/formats/cifar/cifar_files.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/idx/idx_files.h"
#include "engine/formats/image_folder/image_folder.h"
#include "engine/formats/image_folder/numbered_pictures.h"
#include "engine/formats/text/byte_text.h"
#include "engine/runtime/error.h"

namespace lambda::source_kinds {

namespace {

namespace fs = std::filesystem;

CifarLayout layoutOf(const Cifar10Source&) {
  return cifar10Layout();
}

CifarLayout layoutOf(const Cifar100Source& source) {
  return cifar100Layout(source.labels);
}

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

// ---- CIFAR-10 and CIFAR-100 ----

TrainingImages training(const Cifar10Source& source) {
  return {readCifar(source.path, layoutOf(source)).train};
}

LabeledImages test(const Cifar10Source& source) {
  return readCifar(source.path, layoutOf(source)).test;
}

DatasetInfo probe(const Cifar10Source& source) {
  DatasetInfo info = announcedInfo(source).value();
  const CifarLayout layout = layoutOf(source);
  info.classNames.assign(layout.classNames.begin(), layout.classNames.end());
  return info;
}

DataReport check(const Cifar10Source& source) {
  return checkCifar(source.path, layoutOf(source));
}

bool liesAt(const fs::path& path, const Cifar10Source& source) {
  return holdsCifar(path, layoutOf(source));
}

TrainingImages training(const Cifar100Source& source) {
  return {readCifar(source.path, layoutOf(source)).train};
}

LabeledImages test(const Cifar100Source& source) {
  return readCifar(source.path, layoutOf(source)).test;
}

DatasetInfo probe(const Cifar100Source& source) {
  return announcedInfo(source).value();
}

DataReport check(const Cifar100Source& source) {
  return checkCifar(source.path, layoutOf(source));
}

bool liesAt(const fs::path& path, const Cifar100Source& source) {
  return holdsCifar(path, layoutOf(source));
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

// ---- pictures with numbers ----

TrainingImages training(const PictureNumbersSource& source) {
  NumberedPictures pictures = readNumberedPictures(source);
  return {std::move(pictures.train), std::move(pictures.validation), std::move(pictures.changes)};
}

LabeledImages test(const PictureNumbersSource& source) {
  return readNumberedPictures(source).test;
}

DatasetInfo probe(const PictureNumbersSource& source) {
  return probeNumberedPictures(source);
}

DataReport check(const PictureNumbersSource& source) {
  return checkNumberedPictures(source);
}

bool liesAt(const fs::path& path, const PictureNumbersSource&) {
  return isNumberedList(path);
}

// ---- sequences ----

void refuseImages(const DataSource& source) {
  throw Error(textOf(source),
              "has sequences, not images",
              "Take a network and a command for sequences, or data with images.");
}

bool liesAt(const fs::path& path, const TextSource&) {
  return !foreignDataAt(path) && holdsText(path);
}

bool liesAt(const fs::path&, const RecallSource&) {
  return false;
}

bool liesAt(const fs::path&, const CopySource&) {
  return false;
}

}  // namespace lambda::source_kinds
