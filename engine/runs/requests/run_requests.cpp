#include "engine/runs/requests/run_requests.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/request_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMostRequestBytes = 4096;
constexpr std::chrono::milliseconds kTakenInterval{50};

/// Names in the order of time, which differ between processes.
std::string nextName() {
  static std::atomic<unsigned> count = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::array<char, 80> name{};
  std::snprintf(
      name.data(),
      name.size(),
      "%020lld-%d-%u.json",
      static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()),
      static_cast<int>(::getpid()),
      count++);
  return name.data();
}

/// Whether requests can lie there. A link in the folder of a stranger's run may lead anywhere.
bool hasRequests(const RunFolder& run) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(run.requests(), error));
}

/// The requests that were written completely, the oldest first.
std::vector<fs::path> waitingRequests(const RunFolder& run) {
  std::vector<fs::path> files;
  if (!hasRequests(run)) return files;
  std::error_code error;
  for (fs::directory_iterator entry(run.requests(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

fs::path leaveRequest(const RunFolder& run, const RunRequest& request) {
  requireNoCopy(run);
  std::vector<Problem> ignored;
  const RunStatus status = readRunRecord(run.record(), ignored).status;
  if (status != RunStatus::running && status != RunStatus::paused) {
    throw Error(run.path().string(),
                "its training has " + std::string(status == RunStatus::failed ? "failed" : "ended"),
                "lambda resume continues it");
  }
  std::error_code error;
  fs::create_directory(run.requests(), error);
  if (!hasRequests(run)) {
    throw Error(run.requests().string(),
                error ? "it can't be created: " + error.message() : "this is no folder");
  }
  const fs::path file = run.requests() / nextName();
  writeFileDurably(file, toJson(request) + "\n");
  return file;
}

void awaitTaken(const fs::path& request, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  std::error_code error;
  while (fs::exists(request, error)) {
    if (std::chrono::steady_clock::now() > end) {
      // A process that takes it at this moment obeys it; then there is nothing to withdraw.
      if (!fs::remove(request, error)) return;
      throw Error(request.parent_path().parent_path().string(),
                  "no process has taken the request in " + std::to_string(time.count() / 1000) +
                      " s: the run says that it trains, but its process has died or hangs",
                  "lambda resume continues it from its last checkpoint");
    }
    std::this_thread::sleep_for(kTakenInterval);
  }
}

void takeRequests(const RunFolder& run,
                  const std::function<void(const RunRequest&)>& taken,
                  const std::function<void(const std::string& reason)>& refused) {
  for (const fs::path& file : waitingRequests(run)) {
    std::optional<RunRequest> request;
    std::string reason;
    try {
      request = runRequestFromJson(readFile(file, kMostRequestBytes), file.filename().string());
    } catch (const Error& error) {
      reason = error.what();
    }
    std::error_code error;
    // Whoever deletes it has it: one that was withdrawn in between is not obeyed.
    if (!fs::remove(file, error)) continue;
    if (request) {
      taken(*request);
    } else {
      refused(reason);
    }
  }
}

int dropRequests(const RunFolder& run) {
  int dropped = 0;
  std::error_code error;
  for (const fs::path& file : waitingRequests(run)) dropped += fs::remove(file, error) ? 1 : 0;
  return dropped;
}

void passTo(RunControl& control, const RunRequest& request) {
  switch (request.kind) {
    case RequestKind::pause:
      return control.pause();
    case RequestKind::resume:
      return control.resume();
    case RequestKind::step:
      return control.stepOnce();
    case RequestKind::stop:
      return control.requestStop();
    case RequestKind::change:
      return control.requestChange(request.change);
  }
}

}  // namespace lambda
