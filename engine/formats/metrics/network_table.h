#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lambda {

/// The measurements and counts of one network.
struct NetworkMeasurement {
  std::string network;
  std::string pattern = {};
  int height = 0;
  int width = 0;
  std::int64_t parameters = 0;
  std::int64_t flops = 0;            ///< Of one image, forward.
  std::int64_t activationBytes = 0;  ///< Of one image.
  double forwardImagesPerSecond = 0;
  double trainingImagesPerSecond = 0;
  std::optional<std::uint64_t> forwardPeakBytes = {};
  std::optional<std::uint64_t> trainingPeakBytes = {};
  int batch = 0;
  int threads = 0;
  std::string precision = {};
  std::string device = {};
  std::uint64_t repetitions = 0;
};

/// Calls `visit(name, member)` for every column of the table, in their order.
template <class Measurement, class Visit>
void visitColumns(Measurement& row, Visit&& visit) {
  visit("network", row.network);
  visit("pattern", row.pattern);
  visit("height", row.height);
  visit("width", row.width);
  visit("parameters", row.parameters);
  visit("flops", row.flops);
  visit("activationBytes", row.activationBytes);
  visit("forwardImagesPerSecond", row.forwardImagesPerSecond);
  visit("trainingImagesPerSecond", row.trainingImagesPerSecond);
  visit("forwardPeakBytes", row.forwardPeakBytes);
  visit("trainingPeakBytes", row.trainingPeakBytes);
  visit("batch", row.batch);
  visit("threads", row.threads);
  visit("precision", row.precision);
  visit("device", row.device);
  visit("repetitions", row.repetitions);
}

/// A row of a table that was read. Columns that the table lacks, and empty cells, have no value.
struct NetworkTableRow {
  std::string network;
  double parameters = 0;
  std::optional<double> flops = {};
  std::optional<double> forwardImagesPerSecond = {};
  std::optional<double> trainingImagesPerSecond = {};
  /// A share, 0 to 1. Nothing measures it here: the column is for results from elsewhere.
  std::optional<double> accuracy = {};
};

/// The table as CSV (RFC 4180): a line with the names of the columns, then one for each network.
std::string encodeNetworkTable(const std::vector<NetworkMeasurement>& rows);

/// Reads such a table, with its columns in any order and others beside them. The columns "network"
/// and "parameters" are needed; "accuracy" may hold shares (0.813) or percentages (81.3 %). Throws
/// Error that names the line and the column.
std::vector<NetworkTableRow> decodeNetworkTable(std::string_view csv, const std::string& name);

/// Reads the table of a file of at most 4 MiB.
std::vector<NetworkTableRow> readNetworkTable(const std::filesystem::path& path);

}  // namespace lambda
