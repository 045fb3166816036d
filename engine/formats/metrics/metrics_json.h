#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/files/file_tail.h"
#include "engine/formats/files/line_splitter.h"
#include "engine/values/run/metrics.h"

namespace lambda {

// metrics.jsonl has one record per line, {"kind": "batch|epoch|event", "step": N, "epoch": N,
// "seconds": S, ...}. NaN and infinities are the texts "NaN", "Infinity" and "-Infinity".

/// The largest metrics.jsonl that is read, in bytes.
inline constexpr std::uint64_t kMaxMetricsBytes = 1ULL << 32;

/// The longest line that is read, in bytes.
inline constexpr std::size_t kLongestMetricsLine = 1 << 20;

/// A record as one line with its newline. Bytes of an event's text that are not UTF-8 are replaced,
/// because a damaged message must not stop a run.
std::string toLine(const BatchRecord& record);
std::string toLine(const EpochRecord& record);
std::string toLine(const EventRecord& record);

/// Reads lines into Metrics. A line that can't be read is skipped with a warning that names it.
class MetricsReader {
 public:
  /// Reads the next part of a file. Lines may be cut anywhere between two calls; a last line
  /// without a newline is kept until the newline comes. Lines above 1 MiB are skipped with a
  /// warning.
  void feed(std::string_view text, Metrics& metrics);

 private:
  void readLine(std::string_view line, Metrics& metrics);
  void warn(Metrics& metrics, const std::string& reason);

  LineSplitter lines_{kLongestMetricsLine};
  std::int64_t line_ = 0;
  int warnings_ = 0;
};

/// All records of a text; an incomplete last line is dropped.
Metrics metricsFromText(std::string_view text);

/// All records in the first `bytes` of a file, which another thread or process may still append to.
/// A missing file has none. Throws Error if the file can't be read or is not a regular file.
Metrics readMetrics(const std::filesystem::path& file,
                    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max());

/// Says what was left out or is missing of the metrics that were read from a file, a sentence each,
/// with the file's name.
std::vector<std::string> remarksOn(const std::filesystem::path& file, const Metrics& metrics);

/// The records of epochs alone, in a small part of the time that readMetrics() takes, since most
/// lines are those of batches.
std::vector<EpochRecord> readEpochs(const std::filesystem::path& file);

/// Follows a file that is being written. Not thread-safe.
class MetricsTail {
 public:
  struct Update {
    bool restarted = false;  ///< The file was cut or replaced: discard earlier updates.
    Metrics metrics;         ///< New since the last call, or all after a restart.
  };

  explicit MetricsTail(std::filesystem::path file) : tail_(std::move(file)) {}

  /// The bytes of the file that have been read.
  std::uint64_t offset() const { return tail_.offset(); }

  /// The records appended since the last call. A file that does not exist yet has none; a deleted
  /// file restarts empty. Throws Error as readMetrics() does.
  Update poll();

 private:
  FileTail tail_;
  MetricsReader reader_;
};

}  // namespace lambda
