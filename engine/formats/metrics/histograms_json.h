#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/files/file_tail.h"
#include "engine/formats/files/line_splitter.h"
#include "engine/values/run/histogram.h"

namespace lambda {

// histograms.jsonl has one HistogramRecord per line:
//   {"step": N, "epoch": N, "seconds": S, "layers": [LAYER, ...]}
// where a LAYER is
//   {"layer": "stem", "kind": "weights", "negative": {"first": BIN, "counts": [...]}, "zero": N,
//    "positive": {...}, "negativeInfinity": N, "positiveInfinity": N, "nan": N}.
// Counts of 0 are left out. Bin b holds the magnitudes from lowerMagnitude(b) to
// lowerMagnitude(b + 1).

/// The longest line that is read, in bytes.
inline constexpr std::size_t kLongestHistogramsLine = std::size_t{16} << 20;

/// A record as one line with its newline. Written without a document in memory, since a training
/// waits for it.
std::string toLine(const HistogramRecord& record);

/// The step that a line begins with; none for a line that is no record.
std::optional<std::int64_t> stepOfHistogramsLine(std::string_view line);

/// The record of a line. Throws Error for a line that is none, without a place.
HistogramRecord histogramsFromLine(std::string_view line);

/// Gives the records of a file one after the other, while another thread or process may still
/// append to it. Lines that can't be read are left out; returns their number. A missing file has
/// none. Throws Error if the file can't be read or is not a regular file.
std::int64_t readHistograms(const std::filesystem::path& file,
                            const std::function<void(HistogramRecord record)>& take);

/// All records of a file.
std::vector<HistogramRecord> readHistograms(const std::filesystem::path& file);

/// Follows a file that is being written. Not thread-safe.
class HistogramsTail {
 public:
  struct Update {
    bool restarted = false;  ///< The file was cut or replaced: discard earlier updates.
    std::vector<HistogramRecord> records;  ///< New since the last call, or all after a restart.
  };

  explicit HistogramsTail(std::filesystem::path file) : tail_(std::move(file)) {}

  /// The records appended since the last call, as readHistograms().
  Update poll();

 private:
  FileTail tail_;
  LineSplitter lines_{kLongestHistogramsLine};
};

}  // namespace lambda
