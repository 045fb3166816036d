#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// The number of terminal columns of a UTF-8 text, one per code point.
std::size_t columnsOf(std::string_view text);

/// Fills the text with spaces to `columns`, on the right or, for numbers, on the left.
std::string padded(const std::string& text, std::size_t columns, bool left = false);

/// Rows of texts under aligned headings.
class TextTable {
 public:
  enum class Align { left, right };

  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Missing cells are empty; control characters in cells are escaped.
  void addRow(std::vector<std::string> cells);

  /// Adds a horizontal line across the table.
  void addRule();

  /// The text with a final newline; headings are left out where all of them are empty.
  std::string text(const std::string& indent = {}) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // A row without cells is a horizontal line.
};

/// Names and their descriptions in two aligned columns.
class FactList {
 public:
  void add(std::string name, std::string value) {
    table_.addRow({std::move(name), std::move(value)});
  }

  std::string text() const { return table_.text("  "); }

 private:
  TextTable table_{{{}, {}}};
};

/// Wraps into lines of at most `columns`; each line after the first begins with `indent`.
std::string wrapped(std::string_view text, std::size_t columns, const std::string& indent);

}  // namespace lambda
