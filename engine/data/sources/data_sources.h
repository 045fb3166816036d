#pragma once

#include <string>

#include "engine/values/data_report.h"
#include "engine/values/data_source.h"
#include "engine/values/labeled_images.h"

namespace lambda {

/// The images for training and validation. Throws Error for what is missing or damaged, naming it.
LabeledImages readTrainingImages(const DataSource& source);

/// The test images; none where the data set has no test set. Throws Error as above.
LabeledImages readTestImages(const DataSource& source);

/// What the data set holds, as far as that can be told quickly: CIFAR's by its kind, the others by
/// their headers and folders. Throws Error where it is not there.
DatasetInfo probeDataset(const DataSource& source);

/// Judges all files of a data set. Never throws for what it finds.
DataReport checkDataset(const DataSource& source);

/// The data set that a person names: a kind ("shapes10", "cifar10", ...), or a path whose kind
/// shows in what lies there. Options are those of `like` where that is of the same kind, so that a
/// data set that has moved keeps them. Throws Error where nothing is there, and where it is no data
/// set or could be several, with what was looked for.
DataSource recognizeDataSource(const std::string& named, const DataSource& like = {});

}  // namespace lambda
