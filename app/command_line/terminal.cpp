#include "app/command_line/terminal.h"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include <langinfo.h>

namespace lambda {

namespace {

constexpr std::size_t kDefaultColumns = 80;

/// Whether the locale that main() set from the environment uses UTF-8.
bool isUtf8() {
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

}  // namespace

bool isErrorTerminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t errorColumns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultColumns;
}

std::string glyphText(Glyph glyph) {
  const bool utf8 = isUtf8();
  switch (glyph) {
    case Glyph::rule:
      return utf8 ? "─" : "-";
    case Glyph::barDone:
      return utf8 ? "━" : "#";
    case Glyph::barLeft:
      return utf8 ? "─" : ".";
    case Glyph::dot:
      return utf8 ? "·" : "-";
  }
  return {};
}

std::string repeatedGlyph(Glyph glyph, std::size_t count) {
  const std::string one = glyphText(glyph);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += one;
  return text;
}

}  // namespace lambda
