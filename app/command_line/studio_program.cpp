#include "app/command_line/studio_program.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "engine/experiments/child_process.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kPollInterval{20};
constexpr std::uint64_t kMostLogBytes = 16 << 20;

/// A new log in the folder of temporary files, which is removed in the end.
class TemporaryLog {
 public:
  TemporaryLog() {
    std::string name = (fs::temp_directory_path() / "lambda-studio-XXXXXX").string();
    const int file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) throw systemError(name, "no temporary file can be made", errno);
    ::close(file);
    path_ = name;
  }

  ~TemporaryLog() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  TemporaryLog(const TemporaryLog&) = delete;
  TemporaryLog& operator=(const TemporaryLog&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

std::optional<fs::path> studioProgram() {
  std::error_code error;
  const fs::path program =
      fs::read_symlink("/proc/self/exe", error).parent_path() / "lambda-studio";
  if (!fs::exists(program, error)) return std::nullopt;
  return program;
}

std::string runStudio(const std::string& work,
                      const fs::path& program,
                      const std::vector<std::string>& options) {
  const TemporaryLog log;
  std::vector<std::string> arguments{program.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  ChildProcess process(arguments, {.log = log.path()});
  std::optional<ProcessEnd> end;
  while (!(end = process.poll())) std::this_thread::sleep_for(kPollInterval);
  std::string words = readFile(log.path(), kMostLogBytes);
  if (end->signal != 0 || end->exitStatus != 0) {
    throw Error(work, words.empty() ? program.string() + " ended without a word" : words);
  }
  return words;
}

std::vector<std::string> drawFigures(const fs::path& program,
                                     const fs::path& experiment,
                                     const fs::path& folder) {
  std::vector<std::string> figures;
  std::istringstream lines(
      runStudio("figures", program, {"--render", experiment.string(), "--out", folder.string()}));
  for (std::string line; std::getline(lines, line);) {
    const fs::path file = fs::path(line).filename();
    if (file.extension() == ".png" && fs::exists(folder / file)) figures.push_back(file.string());
  }
  return figures;
}

}  // namespace lambda
