#include "engine/formats/metrics/network_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/csv.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::uint64_t kMostBytes = 4 << 20;

template <class Value>
std::string cellOf(const Value& value) {
  if constexpr (std::same_as<Value, std::string>) {
    return csvCell(value);
  } else if constexpr (std::same_as<Value, std::optional<std::uint64_t>>) {
    return value ? std::to_string(*value) : std::string();
  } else if constexpr (std::integral<Value>) {
    return std::to_string(value);
  } else {
    return formatNumber(value);
  }
}

/// The cells of one line of a table, by the names of their columns.
class TableLine {
 public:
  TableLine(const std::vector<std::string>& names,
            const std::vector<std::string>& cells,
            std::string place)
      : names_(names), cells_(cells), place_(std::move(place)) {}

  /// Empty where the table has no such column.
  std::string_view cell(std::string_view column) const {
    const auto found = std::ranges::find(names_, column);
    return found == names_.end() ? std::string_view()
                                 : cells_[static_cast<std::size_t>(found - names_.begin())];
  }

  std::optional<double> number(std::string_view column) const {
    const std::string_view text = cell(column);
    if (text.empty()) return std::nullopt;
    const double value = parsed(text, column);
    if (value <= 0) refuse(column, "it must be greater than 0");
    return value;
  }

  std::optional<double> share(std::string_view column) const {
    std::string_view text = cell(column);
    if (text.empty()) return std::nullopt;
    const bool isPercentage = text.ends_with('%');
    if (isPercentage) text.remove_suffix(text.ends_with(" %") ? 2 : 1);
    const double value = parsed(text, column) / (isPercentage ? 100 : 1);
    if (value < 0 || value > 1) refuse(column, "write a share from 0 to 1, or a percentage with %");
    return value;
  }

  [[noreturn]] void refuse(std::string_view column, std::string_view reason) const {
    throw Error(place_,
                "the " + std::string(column) + " is \"" + std::string(cell(column)) + "\"",
                std::string(reason));
  }

 private:
  double parsed(std::string_view text, std::string_view column) const {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      refuse(column, "write a number, with a point before its decimals");
    }
    return value;
  }

  const std::vector<std::string>& names_;
  const std::vector<std::string>& cells_;
  std::string place_;
};

NetworkTableRow rowOf(const TableLine& line) {
  const std::string_view network = line.cell("network");
  if (network.empty()) line.refuse("network", "give each network a name");
  const std::optional<double> parameters = line.number("parameters");
  if (!parameters) line.refuse("parameters", "write how many the network has");
  return {.network = std::string(network),
          .parameters = *parameters,
          .flops = line.number("flops"),
          .forwardImagesPerSecond = line.number("forwardImagesPerSecond"),
          .trainingImagesPerSecond = line.number("trainingImagesPerSecond"),
          .accuracy = line.share("accuracy")};
}

}  // namespace

std::string encodeNetworkTable(const std::vector<NetworkMeasurement>& rows) {
  const auto lineOf = [](const NetworkMeasurement& row, auto cell) {
    std::string line;
    visitColumns(row, [&](const char* name, const auto& value) {
      if (!line.empty()) line += ',';
      line += cell(name, value);
    });
    return line + "\n";
  };
  std::string csv = lineOf({}, [](const char* name, const auto&) { return std::string(name); });
  for (const NetworkMeasurement& row : rows) {
    csv += lineOf(row, [](const char*, const auto& value) { return cellOf(value); });
  }
  return csv;
}

std::vector<NetworkTableRow> decodeNetworkTable(std::string_view csv, const std::string& name) {
  const std::vector<CsvLine> lines = decodeCsv(csv, name);
  if (lines.empty()) {
    throw Error(name, "the table is empty", "write one with \"lambda bench networks --csv FILE\"");
  }
  const std::vector<std::string>& names = lines.front().cells;
  for (const std::string_view needed : {"network", "parameters"}) {
    if (std::ranges::find(names, needed) != names.end()) continue;
    throw Error(name,
                "the first line names no column \"" + std::string(needed) + "\"",
                "open a table that \"lambda bench networks --csv FILE\" wrote");
  }
  std::vector<NetworkTableRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string place = name + ", line " + std::to_string(lines[i].number);
    if (lines[i].cells.size() != names.size()) {
      throw Error(place,
                  "it has " + std::to_string(lines[i].cells.size()) + " cells",
                  "the first line names " + std::to_string(names.size()) + " columns");
    }
    rows.push_back(rowOf(TableLine(names, lines[i].cells, place)));
  }
  return rows;
}

std::vector<NetworkTableRow> readNetworkTable(const std::filesystem::path& path) {
  return decodeNetworkTable(readFile(path, kMostBytes), path.string());
}

}  // namespace lambda
