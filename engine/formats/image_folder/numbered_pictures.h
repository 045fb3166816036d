#pragma once

#include <filesystem>
#include <string>

#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The pictures that a CSV file lists, with their numbers. A picture that is not of the validation
/// or the test split is for training. Without such splits they are empty.
struct NumberedPictures {
  LabeledImages train;
  LabeledImages validation;
  LabeledImages test;
  std::string changes;  ///< As changesText().
};

/// Reads a CSV file (RFC 4180) with a line of column names. The first column has the path of a
/// JPEG, PNG or WebP file, from the folder of the CSV file on; a column "split" has train,
/// validation, test, or nothing, which is train; every other column is a number, with a point
/// before its decimals. Throws Error that names the line for anything else, for a path that leads
/// out of the folder or appears twice, for pictures as readImageFolder(), and for a file without
/// pictures to train on.
NumberedPictures readNumberedPictures(const PictureNumbersSource& source);

/// Whether a file looks like one of these, by its name and the first picture that it names.
bool isNumberedList(const std::filesystem::path& file);

/// The properties of the data set, without decoding a picture. Throws Error as above.
DatasetInfo probeNumberedPictures(const PictureNumbersSource& source);

/// Decodes and checks all pictures. Defects are reported, never thrown.
DataReport checkNumberedPictures(const PictureNumbersSource& source);

}  // namespace lambda
