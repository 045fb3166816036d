#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/formats/tokenizer/pre_tokens.h"
#include "engine/formats/tokenizer/tokenizer.h"
#include "engine/runtime/error.h"

/// A document, and after a zero byte a text. The tokens of a text must be the text again, but for
/// its normal form.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\0');
  try {
    const auto tokenizer = lambda::Tokenizer::fromJson(input.substr(0, end), "tokenizer.json");
    if (end == std::string_view::npos) return 0;
    const std::string_view text = input.substr(end + 1);
    std::string again;
    for (const std::int64_t token : tokenizer.tokensOf(text)) {
      const std::string* bytes = tokenizer.bytesOf(token);
      if (bytes == nullptr) std::abort();
      again += *bytes;
    }
    if (lambda::normalFormC(again) != lambda::normalFormC(text)) std::abort();
  } catch (const lambda::Error&) {
    // The reader refused the input, as it should.
  }
  return 0;
}
