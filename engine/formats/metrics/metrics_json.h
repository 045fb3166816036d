#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "engine/values/metrics.h"

namespace lambda {

// metrics.jsonl: one record a line, {"kind": "batch|epoch|event", "step": N, "epoch": N,
// "seconds": S, ...}. NaN and infinities are the texts "NaN", "Infinity" and "-Infinity".

/// A metrics.jsonl beyond this is no run's.
inline constexpr std::uint64_t kMaxMetricsBytes = 1ULL << 32;

/// One record as one line with its newline. Bytes of an event's text that are not UTF-8 are
/// replaced: a damaged message must not stop a run.
std::string toLine(const BatchRecord& record);
std::string toLine(const EpochRecord& record);
std::string toLine(const EventRecord& record);

/// Puts lines into Metrics. A line that can't be read is skipped with a warning that names it.
class MetricsReader {
 public:
  /// Takes any part of a file. Lines may be cut anywhere between two calls; a last line without
  /// its newline is kept until that comes. Lines beyond 1 MiB are skipped with a warning.
  void feed(std::string_view text, Metrics& metrics);

 private:
  void readLine(std::string_view line, Metrics& metrics);
  void warn(Metrics& metrics, const std::string& reason);

  std::string pending_;
  bool isTooLong_ = false;
  std::int64_t line_ = 0;
  int warnings_ = 0;
};

/// All records of a text; a torn last line is dropped.
Metrics metricsFromText(std::string_view text);

/// All records of a file, which may still be written to. A missing file has none.
/// Throws Error where the file can't be read or is no regular file.
Metrics readMetrics(const std::filesystem::path& file);

/// Follows a file that is being written. Not thread-safe.
class MetricsTail {
 public:
  struct Update {
    bool restarted = false;  ///< The file was cut or replaced: forget what came before.
    Metrics metrics;         ///< New since the last call, or all after a restart.
  };

  explicit MetricsTail(std::filesystem::path file) : file_(std::move(file)) {}

  /// What has been appended since the last call. A file that is not there yet has nothing; one
  /// that has gone restarts empty. Throws Error as readMetrics() does.
  Update poll();

 private:
  void restart(Update& update);
  bool continuesAt(int file, std::uint64_t size) const;

  std::filesystem::path file_;
  MetricsReader reader_;
  std::uint64_t offset_ = 0;
  std::uint64_t inode_ = 0;
  std::string lastBytes_;  ///< The end of what was read, to notice a file cut and grown again.
};

}  // namespace lambda
