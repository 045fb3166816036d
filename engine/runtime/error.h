#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace lambda {

/// A failure that the user can act on: where it happened, what is wrong, and what to do about it.
/// Thrown for files, data, checkpoints and requests; what() joins the three parts into one text.
class Error : public std::runtime_error {
 public:
  /// `place`: a file path, a JSON path or a command-line option; may be empty.
  /// `reason`: what is wrong, with expected and found values. `hint`: what to do; may be empty.
  Error(std::string place, std::string reason, std::string hint = {})
      : std::runtime_error(join(place, reason, hint)),
        place_(std::move(place)),
        reason_(std::move(reason)),
        hint_(std::move(hint)) {}

  const std::string& place() const { return place_; }

  const std::string& reason() const { return reason_; }

  const std::string& hint() const { return hint_; }

 private:
  static std::string join(const std::string& place,
                          const std::string& reason,
                          const std::string& hint) {
    std::string text = place.empty() ? reason : place + ": " + reason;
    if (!hint.empty()) text += "\n  " + hint;
    return text;
  }

  std::string place_;
  std::string reason_;
  std::string hint_;
};

}  // namespace lambda
