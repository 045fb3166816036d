#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/config/data_source.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// The content of one file of a data set.
struct DataFileReport {
  std::string name;
  bool present = false;
  bool isTest = false;      ///< Its images are those of the test set.
  std::uint64_t bytes = 0;  ///< Size that its folder or archive gives.
  std::string sha1;         ///< 40 hexadecimal digits; empty if the file was not read whole.
  std::vector<std::int64_t> countPerClass;  ///< Empty if the file could not be checked whole.

  bool operator==(const DataFileReport&) const = default;
};

/// A warning or an error about a data set.
struct DataFinding {
  Severity severity = Severity::error;
  std::string place;  ///< File, archive entry or record.
  std::string text;
  std::string hint;  ///< What to do; may be empty.

  bool operator==(const DataFinding&) const = default;
};

/// All findings of one check of a data set.
struct DataReport {
  bool usable = false;  ///< Whether it can be trained on: no finding is an error.
  std::string source;   ///< The folder or archive that was read.
  /// Of an archive, or SequenceData::digest(), 64 hexadecimal digits; empty for a folder of images.
  std::string sha256;
  std::vector<DataFileReport> files;
  std::vector<DataFinding> findings;
  std::optional<DatasetInfo> info;  ///< Its content, where it is usable.

  bool operator==(const DataReport&) const = default;
};

/// The images of a class.
struct ClassCount {
  std::string name;
  std::int64_t train = 0;  ///< For training and validation together.
  std::int64_t test = 0;

  bool operator==(const ClassCount&) const = default;
};

/// The images of each class, in the order of the labels; empty for data that can't be used, and for
/// a kind of data whose check does not count them.
std::vector<ClassCount> classCountsOf(const DataReport& report);

/// A warning about classes of which one has at least three times as many training images as
/// another; nothing for other data.
std::optional<DataFinding> imbalanceOf(const DataReport& report);

}  // namespace lambda
