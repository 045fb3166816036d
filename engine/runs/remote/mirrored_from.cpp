#include "engine/runs/remote/mirrored_from.h"

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"
#include "engine/runs/run_search.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kLongestPlace = 4096;

}  // namespace

std::string mirroredFrom(const fs::path& run) {
  std::error_code error;
  fs::path folder = fs::absolute(run, error);
  for (int depth = 0; depth <= kDeepestRun + 2 && folder.has_relative_path(); ++depth) {
    const fs::path mark = folder / kMirrorMark;
    if (isThere(mark)) {
      try {
        return terminalText(readFile(mark, kLongestPlace));
      } catch (const Error&) {
        return "another machine";
      }
    }
    folder = folder.parent_path();
  }
  return {};
}

}  // namespace lambda
