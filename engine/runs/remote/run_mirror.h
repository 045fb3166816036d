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
    /// A run is new, or its list of files has changed.
    std::function<void(const std::string& run)> changed;
    std::function<void(std::uint64_t id, const std::string& run, const std::string& refusal)>
        answered;
  };

  /// Creates the folder and marks it as a copy of `place`. Throws Error where another program
  /// mirrors into it, and where it holds something else, such as the copy of another place.
  RunMirror(std::filesystem::path folder, const std::string& place, Listener listener);
  ~RunMirror();

  const std::filesystem::path& folder() const { return folder_; }

  /// The lines that begin a connection: what is there already.
  std::string greeting();

  /// Takes the next bytes of a connection. Throws Error for what no RunStreamer sends.
  void feed(std::string_view bytes);

  /// The folder of the copy of a run.
  std::filesystem::path pathOf(const std::string& run) const;

  /// The files of a run that are sent on request.
  std::vector<RemoteFile> filesOf(const std::string& run) const;

  /// Whether a file is here as it is there now.
  bool isHere(const std::string& run, const RemoteFile& file) const;

  /// Ends the copy: from now on its runs are as others.
  void unmark();

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
