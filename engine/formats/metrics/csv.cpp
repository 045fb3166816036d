#include "engine/formats/metrics/csv.h"

#include <array>
#include <charconv>

#include "engine/formats/files/durable_file.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

void appendNumber(std::string& csv, float value) {
  std::array<char, 32> digits;
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  csv.append(digits.data(), end);
}

}  // namespace

std::string encodeCsv(const FloatTable& table) {
  const std::size_t width = table.columns.size();
  if (table.rows.size() * width != table.values.size()) {
    throw Error("CSV",
                std::to_string(table.values.size()) + " values do not fill " +
                    std::to_string(table.rows.size()) + " rows of " + std::to_string(width));
  }
  std::string csv;
  csv += csvCell(table.corner);
  for (const std::string& column : table.columns) {
    csv.push_back(',');
    csv += csvCell(column);
  }
  csv.push_back('\n');
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    csv += csvCell(table.rows[row]);
    for (std::size_t column = 0; column < width; ++column) {
      csv.push_back(',');
      appendNumber(csv, table.values[row * width + column]);
    }
    csv.push_back('\n');
  }
  return csv;
}

void writeCsv(const std::filesystem::path& path, const FloatTable& table, FileSystem& system) {
  writeFileDurably(path, encodeCsv(table), system);
}

}  // namespace lambda
