#include "app/command_line/progress_line.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <unistd.h>

#include "app/command_line/terminal.h"
#include "app/command_line/text_table.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr auto kDrawInterval = std::chrono::milliseconds(100);
constexpr std::size_t kShortestBar = 6;
constexpr std::size_t kLongestBar = 24;
constexpr char kEraseLine[] = "\r\x1b[K";

std::string barText(double done, std::size_t columns) {
  const double share = std::clamp(std::isfinite(done) ? done : 0, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(columns));
  return repeatedGlyph(Glyph::barDone, filled) + repeatedGlyph(Glyph::barLeft, columns - filled);
}

}  // namespace

std::string layOut(const ProgressText& progress, std::size_t columns) {
  constexpr std::size_t kGap = 2;
  std::string first, rest;
  std::size_t used = 0;
  for (const std::string& part : progress.parts) {
    const std::size_t length = columnsOf(part) + (used > 0 ? kGap : 0);
    if (used + length > columns) break;
    if (used == 0) {
      first = part;
    } else {
      rest += "  " + part;
    }
    used += length;
  }
  if (used + kGap + kShortestBar > columns) return first + rest;
  const std::size_t bar = std::min(columns - used - kGap, kLongestBar);
  return first + "  " + barText(progress.done, bar) + rest;
}

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(!quiet && isErrorTerminal()) {}

ProgressLine::~ProgressLine() {
  clear();
}

bool ProgressLine::isDue() {
  const std::lock_guard lock(mutex_);
  return terminal_ && std::chrono::steady_clock::now() >= nextDraw_;
}

void ProgressLine::show(const ProgressText& progress) {
  const std::lock_guard lock(mutex_);
  if (!terminal_) return;
  nextDraw_ = std::chrono::steady_clock::now() + kDrawInterval;
  // A character in the last column would make some terminals wrap.
  const std::size_t columns = std::max<std::size_t>(errorColumns(), 2) - 1;
  write(kEraseLine + terminalText(layOut(progress, columns)));
  drawn_ = true;
}

void ProgressLine::print(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (quiet_) return;
  // Erased even where nothing is drawn: the terminal itself may have echoed "^C".
  write((terminal_ ? kEraseLine : "") + terminalText(line) + "\n");
  drawn_ = false;
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) write(kEraseLine);
  drawn_ = false;
}

void ProgressLine::write(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace lambda
