#pragma once

#include <string>

#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The images of a data set that are not for the test.
struct TrainingImages {
  LabeledImages train;            ///< Also for validation, where the data set has no own split.
  LabeledImages validation = {};  ///< The data set's own validation split; empty = it has none.
  std::string changes = {};       ///< What was changed in images or left out; empty = nothing.
};

/// The images for training and validation. Throws Error naming a missing or damaged file, and for
/// data with sequences.
TrainingImages readTrainingImages(const DataSource& source);

/// The test images; none if the data set has no test set. Throws Error as above.
LabeledImages readTestImages(const DataSource& source);

/// The properties of the data set that can be determined quickly: for CIFAR from its kind, for
/// other kinds from headers and folders, for a text from samples. Throws Error if the data set is
/// missing.
DatasetInfo probeDataset(const DataSource& source);

/// Checks all files of a data set. Defects are reported, never thrown.
DataReport checkDataset(const DataSource& source);

/// The data set that a user names: a kind ("shapes10", "cifar10", ...), or a path whose kind is
/// recognised from its files. If `like` is of the same kind, its options are used, so that a data
/// set that has moved keeps them. Throws Error if the path does not exist, and, with the expected
/// files, if it holds no data set or could be of several kinds.
DataSource recognizeDataSource(const std::string& named, const DataSource& like = {});

/// Sets the options that depend on what lies at the path of the source, as for a newly named one.
void chooseOptions(DataSource& source);

/// Where the source asks for a validation split of the data's own and there is none: asks for none,
/// and says so.
bool dropMissingValidation(DataSource& source);

}  // namespace lambda
