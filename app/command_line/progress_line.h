#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace lambda {

/// The parts of a progress line, in descending order of importance: where the terminal is too
/// narrow, the last parts are left out. The bar stands behind the first part where there is space.
struct ProgressText {
  std::vector<std::string> parts;
  double done = 0;  ///< 0..1
};

/// The last line of standard error, redrawn repeatedly while other lines are printed above it.
/// Where standard error is no terminal, only those are printed. Thread-safe. Failures to write, for
/// example after the terminal was closed, are ignored: work must not end because of them.
class ProgressLine {
 public:
  /// `quiet`: prints nothing at all.
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether a line shown at this moment would be drawn: at most ten times a second.
  bool isDue();

  void show(const ProgressText& progress);

  /// Prints a line that stays, and adds its newline.
  void print(const std::string& line);

  void clear();

 private:
  void write(const std::string& text);

  std::mutex mutex_;
  bool quiet_;
  bool drawn_ = false;
  bool terminal_;
  std::chrono::steady_clock::time_point nextDraw_;
};

/// The line for a width in columns.
std::string layOut(const ProgressText& progress, std::size_t columns);

}  // namespace lambda
