#include "engine/values/text/token_label.h"

namespace lambda {

std::string tokenLabel(std::int64_t token, bool isByte) {
  if (!isByte) return std::to_string(token);
  switch (token) {
    case ' ':
      return "␣";
    case '\n':
      return "↵";
    case '\t':
      return "⇥";
    default:
      break;
  }
  if (token > ' ' && token <= '~') return {static_cast<char>(token)};
  constexpr char kDigits[] = "0123456789abcdef";
  return {'\\', 'x', kDigits[token >> 4 & 15], kDigits[token & 15]};
}

}  // namespace lambda
