#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/files/file_system.h"

namespace lambda {

/// A matrix with names for its rows and columns.
struct FloatTable {
  std::string corner;  ///< Text of the first cell, above the row names; may be empty.
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<float> values;  ///< [rows, columns], row-major.
};

/// The table as CSV (RFC 4180, lines end in "\n"): a line of column names, then one line per row.
/// Names are written by csvCell(). Numbers have a point in every locale and as many digits as give
/// the same float when read; others are nan, inf and -inf. Throws Error if the number of values
/// does not fit the names.
std::string encodeCsv(const FloatTable& table);

/// A line of a CSV file. A cell in quotes may hold line breaks, so that lines have gaps in number.
struct CsvLine {
  int number = 0;  ///< Of its beginning in the file, from 1.
  std::vector<std::string> cells;
};

/// The lines of a CSV file (RFC 4180; lines end in "\n" or "\r\n"), without empty ones. A byte
/// order mark at the beginning is skipped. Throws Error, with `name` as its place, for text that is
/// not UTF-8 and for quotes that are not closed or stand beside other text.
std::vector<CsvLine> decodeCsv(std::string_view csv, const std::string& name);

/// Publishes the table as a CSV file (writeFileDurably).
void writeCsv(const std::filesystem::path& path,
              const FloatTable& table,
              FileSystem& system = FileSystem::real());

}  // namespace lambda
