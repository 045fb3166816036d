#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/data_source.h"
#include "engine/values/problem.h"

namespace lambda {

/// What one file of a dataset holds.
struct DataFileReport {
  std::string name;
  bool present = false;
  std::uint64_t bytes = 0;                  ///< As its folder or archive announces it.
  std::string sha1;                         ///< 40 hexadecimal digits; empty where not read whole.
  std::vector<std::int64_t> countPerClass;  ///< Empty where the file could not be judged whole.

  bool operator==(const DataFileReport&) const = default;
};

/// Something about a dataset that a person should know.
struct DataFinding {
  Severity severity = Severity::error;
  std::string place;  ///< File, archive entry or record.
  std::string text;
  std::string hint;  ///< What to do; may be empty.

  bool operator==(const DataFinding&) const = default;
};

/// All that a look at a dataset found, at once.
struct DataReport {
  bool usable = false;  ///< It can be trained on: no finding is an error.
  std::string source;   ///< The folder or archive that was read.
  std::string sha256;   ///< Of an archive, as 64 hexadecimal digits; empty for a folder.
  std::vector<DataFileReport> files;
  std::vector<DataFinding> findings;
  std::optional<DatasetInfo> info;  ///< What it holds, where it is usable.

  bool operator==(const DataReport&) const = default;
};

}  // namespace lambda
