#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/files/file_stamp.h"
#include "engine/formats/files/file_tail.h"
#include "engine/values/remote/remote_messages.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// Sends what is new in the runs of a folder, and what is asked for, to a reader on another
/// machine: first the records of all runs, then what grows in the runs that are being trained, and
/// then what the reader lacks of the others, the newest run first. Checkpoints and inspections are
/// sent on request. Not thread-safe.
class RunStreamer {
 public:
  /// Makes the program train: a new run or an existing one. `run` is its folder, absolute; empty
  /// for a new one. Called once per wish; what became of it is told by answer().
  using Starter = std::function<void(const RemoteWish& wish, const std::filesystem::path& run)>;

  /// `folder`: absolute, one of runs or a single run. `environment`: program and host, which the
  /// reader is told. `send` gets all bytes for the reader and may block.
  RunStreamer(std::filesystem::path folder,
              const Environment& environment,
              std::function<void(std::string_view)> send,
              Starter start);
  ~RunStreamer();

  /// A line from the reader. Throws Error for one that is no wish: the reader is another program.
  void take(std::string_view line);

  /// Sends a little of what is new. False where there was nothing to send. Throws Error where the
  /// folder is gone.
  bool step();

  /// Has the next step look for everything that is new, has changed or is gone. By itself it does
  /// so once a second, and more seldom for runs that nobody trains.
  void lookNow() {
    scanned_ = {};
    isAsked_ = true;
  }

  /// Tells the reader what became of a wish. `run`: the folder of a run that began, empty for
  /// others; the reader has what is known of it by then.
  void answer(std::uint64_t id, const std::string& refusal, const std::filesystem::path& run = {});

 private:
  struct Streamed;

  struct Fetch {
    std::uint64_t id;
    std::string run;
    std::string file;
    FileStamp stamp;
    std::uint64_t done = 0;
  };

  void obey(const RemoteWish& wish);
  void send(const RemoteNews& news, std::string_view content = {});
  bool scan();
  void sendGone(const std::set<std::string>& found);
  bool sendState(const std::string& name, Streamed& run);
  bool sendRecord(const std::string& name, Streamed& run);
  bool sendNews(const std::string& name, Streamed& run);
  bool sendRest();
  bool sendFetched();

  std::filesystem::path folder_;
  std::filesystem::path parent_;  ///< To which the names of runs are relative.
  std::function<void(std::string_view)> send_;
  Starter start_;
  std::map<std::string, Streamed> runs_;
  std::map<std::string, std::vector<RemoteWish>> held_;  ///< What the reader has, by run.
  std::deque<Fetch> fetches_;
  bool hasBegun_ = false;
  std::chrono::steady_clock::time_point scanned_;
  bool isAsked_ = true;  ///< The next look is at all runs.
  std::chrono::steady_clock::time_point sent_;
};

/// Whether a name from another machine is that of a run: names of folders, none of them hidden,
/// separated by '/'.
bool isRemoteRunName(std::string_view run);

/// The files of a run that are streamed as they grow.
inline constexpr const char* kGrowingFiles[] = {
    "metrics.jsonl", "histograms.jsonl", "evaluations.jsonl", "run.log"};

/// Whether a name is that of a file which is sent on request: a checkpoint, or a file of an
/// inspection.
bool isRemoteFileName(std::string_view file);

}  // namespace lambda
