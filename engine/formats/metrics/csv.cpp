#include "engine/formats/metrics/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

void appendNumber(std::string& csv, float value) {
  std::array<char, 32> digits;
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  csv.append(digits.data(), end);
}

/// Reads the cells of a CSV file one after the other.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<CsvLine> lines() {
    std::vector<CsvLine> lines;
    while (at_ < text_.size()) {
      CsvLine line{.number = number_, .cells = {cell()}};
      while (takes(',')) line.cells.push_back(cell());
      endLine();
      if (line.cells != std::vector<std::string>{""}) lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  bool takes(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void endLine() {
    takes('\r');
    if (at_ < text_.size() && !takes('\n'))
      refuse("a cell is followed by other text than a comma or the end of the line");
    ++number_;
  }

  std::string cell() {
    if (takes('"')) return quotedCell();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    const std::size_t begin = std::exchange(at_, end);
    return std::string(text_.substr(begin, end - begin));
  }

  std::string quotedCell() {
    std::string cell;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && !takes('"')) return cell;
      if (c == '\n') ++number_;
      cell.push_back(c);
    }
    refuse("the quotes of a cell are not closed");
  }

  [[noreturn]] void refuse(const char* reason) const {
    throw Error(name_ + ", line " + std::to_string(number_), reason);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int number_ = 1;
};

}  // namespace

std::vector<CsvLine> decodeCsv(std::string_view csv, const std::string& name) {
  if (csv.starts_with(kByteOrderMark)) csv.remove_prefix(kByteOrderMark.size());
  if (!isUtf8(csv)) throw Error(name, "it is not a text in UTF-8", "save the table as CSV");
  return CsvReader(csv, name).lines();
}

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
