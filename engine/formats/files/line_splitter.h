#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace lambda {

/// Splits a text that arrives in parts into lines. A last line without a newline is kept until the
/// newline comes.
class LineSplitter {
 public:
  /// Lines above `longest` bytes are reported but not kept.
  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  /// Reads the next part of a text, which may be cut anywhere. Calls `line` for every whole line,
  /// without its newline, and `tooLong` in the place of one that is too long.
  void feed(std::string_view text,
            const std::function<void(std::string_view)>& line,
            const std::function<void()>& tooLong);

 private:
  std::size_t longest_;
  std::string pending_;
  bool isTooLong_ = false;
};

}  // namespace lambda
