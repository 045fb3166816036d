#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// A matrix with names for its rows and columns.
struct FloatTable {
  std::string corner;  ///< Stands over the row names; may be empty.
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<float> values;  ///< [rows, columns], row-major.
};

/// The table as CSV (RFC 4180, lines end in "\n"): a line of column names, then one line a row.
/// Names are cells as csvCell() has them.
/// Numbers have a point in every locale and as many digits as bring the same float back; nan, inf
/// and -inf by name. Throws Error where the values do not fit the names.
std::string encodeCsv(const FloatTable& table);

/// Publishes the table as a CSV file (writeFileDurably).
void writeCsv(const std::filesystem::path& path,
              const FloatTable& table,
              FileSystem& system = FileSystem::real());

}  // namespace lambda
