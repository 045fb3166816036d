#include "engine/formats/files/line_splitter.h"

namespace lambda {

void LineSplitter::feed(std::string_view text,
                        const std::function<void(std::string_view)>& line,
                        const std::function<void()>& tooLong) {
  while (!text.empty()) {
    const auto newline = text.find('\n');
    const std::string_view part = text.substr(0, newline);
    if (pending_.size() + part.size() > longest_) {
      isTooLong_ = true;
      pending_.clear();
    }
    if (newline == std::string_view::npos) {
      if (!isTooLong_) pending_ += part;
      return;
    }
    if (isTooLong_) {
      tooLong();
    } else if (pending_.empty()) {
      line(part);
    } else {
      line(pending_.append(part));
    }
    pending_.clear();
    isTooLong_ = false;
    text.remove_prefix(newline + 1);
  }
}

}  // namespace lambda
