#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/data/sequences/text_windows.h"
#include "engine/formats/text/byte_text.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace lambda;

void require(bool fact) {
  if (!fact) std::abort();
}

/// The text that a file adds to a folder; empty if it is left out.
std::string textOf(std::string_view file) {
  if (file.find('\0') != std::string_view::npos) return {};
  // A character may be cut by the end: then one to three bytes complete it.
  bool isText = false;
  for (const char* end :
       {"", "\x80", "\x80\x80", "\x80\x80\x80", "\xa0", "\xa0\x80", "\xa0\x80\x80"}) {
    isText |= isUtf8(std::string(file) + end);
  }
  if (!isText) return {};
  if (file.starts_with(kByteOrderMark)) file.remove_prefix(kByteOrderMark.size());
  return std::string(file);
}

void checkWindows(const ByteText& text, const std::string& content, int length) {
  const TextShares shares{.validation = 0.3, .test = 0.2};
  const TextSplit split = splitByPosition(text.size(), shares);
  require(split.test.end == text.size());
  bool isShort = false;
  for (const ByteRange& part : {split.training, split.validation, split.test}) {
    if (part.size() <= static_cast<std::uint64_t>(length)) {
      isShort = true;
      continue;
    }
    std::vector<std::uint64_t> offsets = trainingWindows(part, length, 1, part.begin, 8);
    const ConsecutiveWindows windows(part, length);
    require(windows.count() * length + windows.leftOut() + 1 == part.size());
    for (std::uint64_t i = 0; i < windows.count(); ++i) offsets.push_back(windows.offset(i));
    for (const std::uint64_t offset : offsets) {
      require(offset >= part.begin && offset + length < part.end);
      const TokenSequence window = windowAt(text, offset, length);
      for (int i = 0; i < length; ++i) {
        require(window.tokens[i] == static_cast<unsigned char>(content[offset + i]));
        require(window.targets[i] == static_cast<unsigned char>(content[offset + i + 1]));
      }
    }
  }
  require(isShort == hasErrors(splitProblems(text.size(), shares, length, "fuzz")));
}

}  // namespace

// The input is the files of a folder: the first byte is the length of a sequence, and each byte
// 0xfe begins a new file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostFiles = 3;
  if (size == 0) return 0;
  static const TemporaryFolder folder;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string expected;
  for (std::size_t i = 0; i < kMostFiles; ++i) {
    const std::string_view file = rest.substr(0, rest.find('\xfe'));
    rest.remove_prefix(std::min(rest.size(), file.size() + 1));
    const std::filesystem::path path = folder.path() / std::to_string(i);
    std::ofstream(path, std::ios::binary) << file;
    expected += textOf(file);
  }
  try {
    const ByteText text = ByteText::open(folder.path());
    require(text.size() == expected.size());
    std::vector<std::uint8_t> bytes(expected.size());
    text.copy(0, bytes);
    require(std::equal(bytes.begin(), bytes.end(), expected.begin(), [](std::uint8_t a, char b) {
      return a == static_cast<unsigned char>(b);
    }));
    checkWindows(text, expected, 1 + data[0] % 64);
  } catch (const Error&) {
    require(expected.empty());
  }
  return 0;
}
