#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runs/run_folder.h"
#include "engine/values/remote/remote_messages.h"

namespace lambda {

/// A copy of a folder of runs on another machine, kept equal by what RunStreamer sends. Everything
/// that arrives is checked: names become paths only inside of the copy, and only those of the files
/// of a run. While a run is trained there, its copy is locked as if it were trained here. Lives on
/// one thread; members throw Error where the copy can't be written.
class RunMirror {
 public:
  struct Listener {
    /// The first message of a connection: program, host and folder.
    std::function<void(const RemoteNews& hello)> connected;
    /// A run, or its list of files, is new or has changed.
    std::function<void(const std::string& run)> changed;
    std::function<void(const std::string& run)> gone;
    std::function<void(std::uint64_t id, const std::string& run, const std::string& refusal)>
        answered;
    /// So many bytes of a requested file are there.
    std::function<void(std::uint64_t id, std::uint64_t bytes)> fetched;
  };

  /// Creates the folder and marks it as a copy of `place`. Throws Error where another program
  /// mirrors into it, and where it holds something else.
  RunMirror(std::filesystem::path folder, const std::string& place, Listener listener);
  ~RunMirror();

  const std::filesystem::path& folder() const { return folder_; }

  /// The lines that begin a connection: what is there already.
  std::string greeting();

  /// Takes the next bytes of a connection. Throws Error for what no RunStreamer sends.
  void feed(std::string_view bytes);

  /// The folder of the copy of a run.
  std::filesystem::path pathOf(const std::string& run) const;

  /// The name there of the run at a path in the copy; none for a path outside of it.
  std::optional<std::string> nameOf(const std::filesystem::path& run) const;

  /// The files of a run that are not here, or not as they are there now.
  std::vector<RemoteFile> missingFiles(const std::string& run) const;

  /// Whether a process trains the run, as far as is known.
  bool isTrained(const std::string& run) const;

 private:
  struct Run {
    std::vector<RemoteFile> files;
    std::optional<RunLock> lock;  ///< Held while it is trained.
  };

  void take(const RemoteNews& news);
  void takePart(const RemoteNews& news, std::string_view content);
  void append(const RemoteNews& news, std::string_view content);
  void takeFetched(const RemoteNews& news, std::string_view content);
  void lockTrained(const std::string& name, Run& run, bool trains);

  std::filesystem::path folder_;
  Listener listener_;
  int lock_ = -1;
  std::map<std::string, Run> runs_;
  std::string line_;                    ///< What has arrived of the next message.
  std::optional<RemoteNews> expected_;  ///< The message whose content arrives.
  std::string content_;
};

}  // namespace lambda
