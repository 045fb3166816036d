#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "app/command_line/commands/commands.h"
#include "app/command_line/run_source.h"
#include "app/interrupt.h"
#include "engine/experiments/child_process.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_stamp.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/files/line_splitter.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/remote_json.h"
#include "engine/runs/remote/run_streamer.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_search.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/processes/launch.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr int kIntervalMs = 100;
constexpr std::size_t kLongestReason = 4000;
constexpr std::chrono::seconds kLongestStart{60};

struct FollowArguments {
  std::string folder;
};

/// The trainings that the reader has started, until each has begun or has failed to. They go on
/// when the reader is gone.
class StartedTrainings {
 public:
  explicit StartedTrainings(fs::path folder) : folder_(std::move(folder)) {}

  void start(const RemoteWish& wish, const fs::path& run) {
    Started started{.id = wish.id, .run = run, .files = temporaryFolder()};
    std::vector<std::string> arguments{fs::read_symlink("/proc/self/exe").string()};
    if (run.empty()) {
      if (isRun(folder_)) throw Error(folder_.string(), "a run is followed, not a folder of runs");
      const std::string name = RunFolder::freeName(folder_, wish.config->name);
      const fs::path config = started.files / "new.json";
      writeFileDurably(config, toJson(*wish.config));
      started.run = folder_ / name;
      for (const std::string& argument : {std::string("train"),
                                          config.string(),
                                          std::string("--out"),
                                          folder_.string(),
                                          std::string("--folder"),
                                          name}) {
        arguments.push_back(argument);
      }
    } else {
      arguments.insert(arguments.end(), {"resume", run.string()});
      started.record = stampOf(run / "run.json");
    }
    arguments.emplace_back("--quiet");
    started.process = std::make_unique<ChildProcess>(
        arguments,
        ChildProcess::Options{
            .log = started.files / "log", .environment = variablesOfNoLaunch(), .outlives = true});
    started_.push_back(std::move(started));
  }

  /// Answers for those that have begun or ended.
  void poll(RunStreamer& streamer) {
    std::erase_if(running_, [](auto& process) { return process->poll().has_value(); });
    std::erase_if(started_, [&](Started& started) {
      const bool isDone = hasBegun(started);
      if (!isDone && !started.process->poll()) return false;
      if (isDone) {
        streamer.answer(started.id, {}, started.run);
      } else {
        streamer.answer(started.id, reasonIn(started.files / "log"));
      }
      // Its output goes on into the removed file.
      std::error_code ignored;
      fs::remove_all(started.files, ignored);
      running_.push_back(std::move(started.process));
      return true;
    });
  }

  /// A training that has not begun still needs its files.
  ~StartedTrainings() {
    const auto end = std::chrono::steady_clock::now() + kLongestStart;
    for (const Started& started : started_) {
      while (!hasBegun(started) && !started.process->poll() &&
             std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(kIntervalMs));
      }
      std::error_code ignored;
      fs::remove_all(started.files, ignored);
    }
  }

  StartedTrainings(const StartedTrainings&) = delete;
  StartedTrainings& operator=(const StartedTrainings&) = delete;

 private:
  struct Started {
    std::uint64_t id = 0;
    fs::path run;
    fs::path files;
    FileStamp record = {};  ///< Of the run, before it was started.
    std::unique_ptr<ChildProcess> process = nullptr;
  };

  /// The training writes its record when its first batch is about to run.
  static bool hasBegun(const Started& started) {
    return stampOf(started.run / "run.json") != started.record;
  }

  static fs::path temporaryFolder() {
    std::string name = (fs::temp_directory_path() / "lambda-start-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw systemError(name, "cannot create", errno);
    return name;
  }

  static std::string reasonIn(const fs::path& log) {
    try {
      std::string text = readFile(log, 1 << 20);
      if (text.size() > kLongestReason) text = text.substr(text.size() - kLongestReason);
      while (!text.empty() && text.back() == '\n') text.pop_back();
      if (!text.empty()) return text;
    } catch (const Error&) {
    }
    return "the training has ended before it began, without a word";
  }

  fs::path folder_;
  std::vector<Started> started_;
  std::vector<std::unique_ptr<ChildProcess>> running_;  ///< Waited for when they end.
};

/// Reads what has arrived; false at the end.
bool readInput(LineSplitter& lines, RunStreamer& streamer) {
  std::array<char, 1 << 16> bytes;
  const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  lines.feed(
      std::string_view(bytes.data(), static_cast<std::size_t>(count)),
      [&](std::string_view line) { streamer.take(line); },
      [] { throw UsageError("standard input", "a line is too long", ""); });
  return count > 0;
}

int follow(const FollowArguments& arguments) {
  if (::isatty(STDIN_FILENO) != 0) {
    throw UsageError(
        "standard input",
        "this command talks to Lambda Studio on another machine, not to a person",
        "In the studio, open Runs > Remote runs. To watch a run here, use lambda info.");
  }
  const fs::path folder = fs::weakly_canonical(runsFolder(arguments.folder));
  if (!isFolder(folder)) throw Error(folder.string(), "there is no such folder");
  std::atomic<bool> isOver = false;
  const Interrupt interrupt([&] { isOver = true; });
  StartedTrainings started(folder);
  Environment environment;
  environment.program = programVersion();
  environment.host = hostName();
  RunStreamer streamer(
      folder,
      environment,
      [](std::string_view bytes) {
        writeAll(FileSystem::real(), STDOUT_FILENO, bytes.data(), bytes.size(), "standard output");
      },
      [&](const RemoteWish& wish, const fs::path& run) { started.start(wish, run); });
  LineSplitter lines(kLongestMessage);
  while (!isOver) {
    const bool isBusy = streamer.step();
    started.poll(streamer);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, isBusy ? 0 : kIntervalMs) <= 0) continue;
    if (!readInput(lines, streamer)) break;
  }
  return kExitOk;
}

}  // namespace

void addFollow(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<FollowArguments>();
  CLI::App* command = addCommand(
      program,
      "follow",
      "Tell Lambda Studio on another machine what is new in a folder of runs",
      {{"ssh cluster lambda follow runs", "what the studio runs for its remote runs"}},
      "The studio starts this command by ssh; see Runs > Remote runs. It sends what is new of the "
      "runs in the\nfolder, and passes on what the studio asks of them. It ends with its "
      "connection; trainings go on.");
  command->add_option("DIR", arguments->folder, "a folder of runs, or a run")->required();
  onChosen(command, arguments, action, follow);
}

}  // namespace lambda
