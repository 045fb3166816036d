#include "app/runs/library/run_edits.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>
#include <vector>

#include <QFile>
#include <QString>

#include "engine/formats/files/file_system.h"
#include "engine/formats/json/run_json.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::size_t kLongestName = 80;
constexpr std::string_view kDatePattern = "0000-00-00_00-00-00_";

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool beginsWithDate(const std::string& folder) {
  return folder.size() >= kDatePattern.size() &&
         std::equal(
             kDatePattern.begin(), kDatePattern.end(), folder.begin(), [](char want, char c) {
               return want == '0' ? isDigit(c) : c == want;
             });
}

RunRecord readRecord(const RunFolder& folder) {
  std::vector<Problem> ignored;
  return readRunRecord(folder.record(), ignored);
}

std::string trimmed(const std::string& name) {
  const auto isSpace = [](unsigned char c) { return std::isspace(c) != 0; };
  const auto first = std::find_if_not(name.begin(), name.end(), isSpace);
  const auto last = std::find_if_not(name.rbegin(), name.rend(), isSpace).base();
  return first < last ? std::string(first, last) : std::string();
}

}  // namespace

void editRecord(const fs::path& run, const std::function<void(RunRecord&)>& change) {
  const RunFolder folder = RunFolder::open(run);
  const RunLock lock(folder);
  RunRecord record = readRecord(folder);
  change(record);
  writeRunRecord(folder.record(), record);
}

std::string folderNameFor(const std::string& folder, const std::string& name) {
  const std::string wanted = trimmed(name);
  if (wanted.empty()) throw Error("name", "a run needs a name", "Type at least one letter.");
  if (wanted.size() > kLongestName) {
    throw Error(
        "name", "the name is too long", "Keep it below 80 letters; write more into the notes.");
  }
  for (const char c : wanted) {
    if (static_cast<unsigned char>(c) < 0x20) {
      throw Error("name", "the name has a line break or a control character");
    }
  }
  const std::string safe = RunFolder::nameFor(wanted);
  return beginsWithDate(folder) ? folder.substr(0, kDatePattern.size()) + safe : safe;
}

fs::path renameRun(const fs::path& run, const std::string& name) {
  const RunFolder folder = RunFolder::open(run);
  const RunLock lock(folder);
  RunRecord record = readRecord(folder);
  fs::path to = folder.path().parent_path() / folderNameFor(folder.name(), name);
  if (to != folder.path()) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(to, error))) {
      throw Error(to.string(), "there is already a folder of that name", "Choose another name.");
    }
    // A folder that is not empty is never replaced by this, even one that appears in the meantime.
    fs::rename(folder.path(), to, error);
    if (error) throw Error(folder.path().string(), "it can't be renamed: " + error.message());
  }
  record.config.name = trimmed(name);
  try {
    writeRunRecord(to / folder.record().filename(), record);
  } catch (const Error&) {
    std::error_code ignored;
    fs::rename(to, folder.path(), ignored);
    throw;
  }
  syncFolder(FileSystem::real(), to.parent_path());
  return to;
}

fs::path trashRun(const fs::path& run) {
  // Held until the move is done, so that nobody begins to train in a folder that is being removed.
  const RunLock lock(RunFolder::open(run));
  QString trashed;
  if (!QFile::moveToTrash(toText(run), &trashed)) {
    throw Error(run.string(),
                "the system has no trash for this place",
                "Reveal the folder and delete it there.");
  }
  return toPath(trashed);
}

void restoreRun(const fs::path& trashed, const fs::path& run) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(run, error))) {
    throw Error(run.string(),
                "another folder of that name exists there",
                "Bring it back by hand from " + trashed.string() + ".");
  }
  fs::rename(trashed, run, error);
  if (error) {
    throw Error(trashed.string(), "it can't be brought back from the trash: " + error.message());
  }
  // The trash's note about it (freedesktop.org trash specification).
  const fs::path trash = trashed.parent_path().parent_path();
  fs::remove(trash / "info" / (trashed.filename().string() + ".trashinfo"), error);
}

}  // namespace lambda
