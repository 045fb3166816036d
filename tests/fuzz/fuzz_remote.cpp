#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "engine/formats/json/remote_json.h"
#include "engine/formats/json/request_json.h"
#include "engine/runs/remote/run_mirror.h"
#include "engine/runtime/error.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

// What another machine sends either gives files of runs inside of the copy or an Error; and so do
// requests, whose files may come from anybody who can write into the folder of a run.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lambda;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    runRequestFromJson(text, "fuzz");
  } catch (const Error&) {
  }
  try {
    remoteWishFromJson(text, "fuzz");
  } catch (const Error&) {
  }
  const TemporaryFolder folder;
  try {
    RunMirror mirror(folder.path() / "copy",
                     "far:runs",
                     {.connected = [](const RemoteNews&) {},
                      .changed = [](const std::string&) {},
                      .answered = [](std::uint64_t, const std::string&, const std::string&) {}});
    mirror.feed(text);
  } catch (const Error&) {
  }
  if (folder.entryCount() != 1) std::abort();
  for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "copy")) {
    if (entry.is_symlink()) std::abort();
  }
  return 0;
}
