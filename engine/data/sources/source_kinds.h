#pragma once

#include <filesystem>

#include "engine/data/sequences/sequence_data.h"
#include "engine/data/sources/data_sources.h"
#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "engine/values/images/labeled_images.h"

// The functions of data_sources.h for each kind of data set. A new kind needs an overload in each
// list. `training`, `test` and `probe` throw Error; `check` does not. `liesAt` returns whether an
// existing path looks like this kind, judged only by names and the first bytes.
namespace lambda::source_kinds {

TrainingImages training(const Shapes10Source& source);
TrainingImages training(const Cifar10Source& source);
TrainingImages training(const Cifar100Source& source);
TrainingImages training(const IdxSource& source);
TrainingImages training(const ImageFolderSource& source);
TrainingImages training(const PictureNumbersSource& source);

LabeledImages test(const Shapes10Source& source);
LabeledImages test(const Cifar10Source& source);
LabeledImages test(const Cifar100Source& source);
LabeledImages test(const IdxSource& source);
LabeledImages test(const ImageFolderSource& source);
LabeledImages test(const PictureNumbersSource& source);

DatasetInfo probe(const Shapes10Source& source);
DatasetInfo probe(const Cifar10Source& source);
DatasetInfo probe(const Cifar100Source& source);
DatasetInfo probe(const IdxSource& source);
DatasetInfo probe(const ImageFolderSource& source);
DatasetInfo probe(const PictureNumbersSource& source);

DataReport check(const Shapes10Source& source);
DataReport check(const Cifar10Source& source);
DataReport check(const Cifar100Source& source);
DataReport check(const IdxSource& source);
DataReport check(const ImageFolderSource& source);
DataReport check(const PictureNumbersSource& source);

bool liesAt(const std::filesystem::path& path, const Shapes10Source&);
bool liesAt(const std::filesystem::path& path, const Cifar10Source&);
bool liesAt(const std::filesystem::path& path, const Cifar100Source&);
bool liesAt(const std::filesystem::path& path, const IdxSource&);
bool liesAt(const std::filesystem::path& path, const ImageFolderSource&);
bool liesAt(const std::filesystem::path& path, const PictureNumbersSource&);
bool liesAt(const std::filesystem::path& path, const TextSource&);
bool liesAt(const std::filesystem::path& path, const RecallSource&);
bool liesAt(const std::filesystem::path& path, const CopySource&);

[[noreturn]] void refuseImages(const DataSource& source);

template <SequenceSource Source>
TrainingImages training(const Source& source) {
  refuseImages(source);
}

template <SequenceSource Source>
LabeledImages test(const Source& source) {
  refuseImages(source);
}

template <SequenceSource Source>
DatasetInfo probe(const Source& source) {
  return infoOf(*SequenceData::open(source));
}

template <SequenceSource Source>
DataReport check(const Source& source) {
  return checkSequences(source);
}

/// Sets the options of a newly named source that depend on what lies at its path.
template <class Source>
void chooseOptions(Source&) {}

void chooseOptions(ImageFolderSource& source);

/// As the function of this name in data_sources.h.
template <class Source>
bool dropMissingValidation(Source&) {
  return false;
}

bool dropMissingValidation(ImageFolderSource& source);

}  // namespace lambda::source_kinds
