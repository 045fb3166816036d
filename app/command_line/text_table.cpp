#include "app/command_line/text_table.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/command_line/terminal.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::size_t kGap = 2;

}  // namespace

std::size_t columnsOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::size_t used = columnsOf(text);
  const std::string space(used < columns ? columns - used : 0, ' ');
  return left ? space + text : text + space;
}

void TextTable::addRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = terminalText(cell);
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void TextTable::addRule() {
  rows_.emplace_back();
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columnsOf(columns_[i].heading);
    for (const auto& row : rows_) {
      if (!row.empty()) width = std::max(width, columnsOf(row[i]));
    }
    widths.push_back(width);
  }
  return widths;
}

std::string TextTable::text(const std::string& indent) const {
  const std::vector<std::size_t> width = widths();
  std::string text;
  const auto append = [&](const auto& cellOf) {
    std::string line = indent;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line.append(kGap, ' ');
      line += padded(cellOf(i), width[i], columns_[i].align == Align::right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  const bool isHeaded = std::any_of(columns_.begin(), columns_.end(), [](const Column& column) {
    return !column.heading.empty();
  });
  if (isHeaded) append([&](std::size_t i) { return columns_[i].heading; });
  for (const auto& row : rows_) {
    if (row.empty()) {
      append([&](std::size_t i) { return repeatedGlyph(Glyph::rule, width[i]); });
    } else {
      append([&](std::size_t i) { return row[i]; });
    }
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t columns, const std::string& indent) {
  std::istringstream words{std::string(text)};
  std::string lines;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    const std::size_t length = columnsOf(word);
    if (used > 0 && used + 1 + length > columns) {
      lines += "\n" + indent;
      used = indent.size();
    } else if (used > 0) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += length;
  }
  return lines;
}

}  // namespace lambda
