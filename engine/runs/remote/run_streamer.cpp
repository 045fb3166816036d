#include "engine/runs/remote/run_streamer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/json/remote_json.h"
#include "engine/runs/requests/run_requests.h"
#include "engine/runs/run_folder.h"
#include "engine/runs/run_search.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kScanInterval{1000};
constexpr std::chrono::seconds kLongestSilence{3};

/// Runs that nobody trains change seldom, and there may be many.
constexpr std::chrono::seconds kEndedInterval{5};

/// More files of a run than somebody would choose among; the others are not offered.
constexpr std::size_t kMostFiles = 10'000;
constexpr std::size_t kLongestName = 255;

constexpr std::array<std::string_view, 2> kRequestedFolders{"checkpoints/", "inspection/"};

/// Whether a text is the name of one file or folder, not hidden, that can be shown.
bool isPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         name.find('/') == std::string_view::npos && terminalText(name) == name;
}

/// The bytes that a text of hexadecimal digits stands for; none where it is something else.
std::string bytesOf(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    int value = 0;
    for (const char digit : digits.substr(i, 2)) {
      const int d = std::isdigit(static_cast<unsigned char>(digit)) != 0 ? digit - '0'
                    : digit >= 'a' && digit <= 'f'                       ? digit - 'a' + 10
                                                                         : -1;
      if (d < 0) return {};
      value = value * 16 + d;
    }
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

bool trains(const fs::path& run) {
  try {
    return RunLock::isHeld(RunFolder::open(run));
  } catch (const Error&) {
    return false;
  }
}

/// The files of a run that are sent on request, by name.
std::vector<RemoteFile> requestedFilesOf(const fs::path& run) {
  std::vector<RemoteFile> files;
  for (const std::string_view folder : kRequestedFolders) {
    std::error_code error;
    for (fs::directory_iterator entry(run / folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = std::string(folder) + entry->path().filename().string();
      const FileStamp stamp = stampOf(entry->path());
      if (!isRemoteFileName(name) || stamp == FileStamp{}) continue;
      if (files.size() == kMostFiles) break;
      files.push_back({name, stamp.bytes, stamp.modified});
    }
  }
  std::sort(files.begin(), files.end(), [](const RemoteFile& a, const RemoteFile& b) {
    return a.name < b.name;
  });
  return files;
}

}  // namespace

bool isRemoteRunName(std::string_view run) {
  int depth = 0;
  for (std::size_t start = 0; start <= run.size(); ++depth) {
    const std::size_t end = std::min(run.find('/', start), run.size());
    if (!isPlainName(run.substr(start, end - start))) return false;
    start = end + 1;
  }
  // Its copy lies two folders below the library, which finds it too.
  return depth <= kDeepestRun - 1;
}

bool isRemoteFileName(std::string_view file) {
  return std::ranges::any_of(kRequestedFolders, [&](std::string_view folder) {
    return file.starts_with(folder) && isPlainName(file.substr(folder.size())) &&
           !file.ends_with(".tmp") && !file.ends_with(".link");
  });
}

/// What was sent of a run.
struct RunStreamer::Streamed {
  explicit Streamed(fs::path folder) : path(std::move(folder)) {
    for (const char* file : kGrowingFiles) tails.emplace(file, FileTail(path / file));
  }

  /// The reader has the beginnings of these files.
  void continueFrom(const std::vector<RemoteWish>& held) {
    for (const RemoteWish& part : held) {
      const auto tail = tails.find(part.file);
      if (tail == tails.end()) continue;
      tail->second = FileTail(path / part.file, part.bytes, bytesOf(part.lastBytes));
    }
  }

  fs::path path;
  FileStamp record;
  std::map<std::string, FileTail> tails;
  std::map<std::string, FileStamp> stamps;  ///< Of the growing files when they were sent whole.
  std::optional<RemoteNews> state;
  Clock::time_point looked;  ///< When its files were looked at.
  bool isLive = false;
  bool isBehind = true;  ///< The reader may lack something of the growing files.
};

RunStreamer::RunStreamer(fs::path folder,
                         const Environment& environment,
                         std::function<void(std::string_view)> send,
                         Starter start)
    : folder_(std::move(folder)),
      parent_(isRun(folder_) ? folder_.parent_path() : folder_),
      send_(std::move(send)),
      start_(std::move(start)) {
  this->send({.kind = NewsKind::hello,
              .version = kRemoteVersion,
              .program = environment.program,
              .host = environment.host,
              .folder = folder_.string()});
}

RunStreamer::~RunStreamer() = default;

void RunStreamer::send(const RemoteNews& news, std::string_view content) {
  send_(toJson(news) + "\n");
  if (!content.empty()) send_(content);
  sent_ = Clock::now();
}

void RunStreamer::answer(std::uint64_t id, const std::string& refusal, const fs::path& run) {
  if (id == 0) return;
  if (!run.empty()) {
    lookNow();
    scan();
  }
  const std::string name = run.empty() ? "" : run.lexically_relative(parent_).string();
  send({.kind = NewsKind::answer, .run = name, .id = id, .refusal = refusal});
}

void RunStreamer::take(std::string_view line) {
  const RemoteWish wish = remoteWishFromJson(line, "the reader");
  switch (wish.kind) {
    case WishKind::have:
      if (bytesOf(wish.lastBytes).size() !=
          std::min<std::uint64_t>(wish.bytes, FileTail::kRememberedBytes)) {
        throw Error("the reader", "does not say how a file ends");
      }
      if (isRemoteRunName(wish.run)) held_[wish.run].push_back(wish);
      return;
    case WishKind::begin:
      hasBegun_ = true;
      return;
    case WishKind::fetch:
    case WishKind::ask:
    case WishKind::start:
    case WishKind::resume:
      break;
  }
  try {
    obey(wish);
  } catch (const Error& error) {
    answer(wish.id, error.what());
  }
}

void RunStreamer::obey(const RemoteWish& wish) {
  if (wish.kind == WishKind::start) {
    if (!wish.config) throw Error("the request", "has no configuration");
    start_(wish, {});
    return;
  }
  if (!runs_.contains(wish.run)) throw Error(terminalText(wish.run), "there is no such run");
  const fs::path run = parent_ / wish.run;
  switch (wish.kind) {
    case WishKind::resume:
      start_(wish, run);
      return;
    case WishKind::ask:
      if (!wish.request) throw Error("the request", "says nothing");
      leaveRequest(RunFolder::open(run), *wish.request);
      answer(wish.id, {});
      return;
    default:
      break;
  }
  const FileStamp stamp = isRemoteFileName(wish.file) ? stampOf(run / wish.file) : FileStamp{};
  if (stamp == FileStamp{}) {
    throw Error(terminalText(wish.run + "/" + wish.file), "there is no such file any more");
  }
  fetches_.push_back({wish.id, wish.run, wish.file, stamp});
}

bool RunStreamer::step() {
  if (!hasBegun_) return false;
  bool isNew = scan();
  for (auto& [name, run] : runs_) {
    if (!run.isLive) continue;
    if (sendRecord(name, run)) isNew = true;
    if (sendNews(name, run)) isNew = true;
  }
  if (isNew || sendFetched() || sendRest()) return true;
  if (Clock::now() - sent_ > kLongestSilence) send({.kind = NewsKind::alive});
  return false;
}

/// Looks for runs that are new, have changed or are gone, once in a while.
bool RunStreamer::scan() {
  if (Clock::now() - scanned_ < kScanInterval) return false;
  std::vector<fs::path> paths;
  if (!isFolder(folder_)) throw Error(folder_.string(), "the folder is gone");
  if (parent_ != folder_) {
    paths.push_back(folder_);
  } else {
    findRuns(
        folder_, [] { return false; }, paths);
  }
  std::set<std::string> names;
  bool isNew = false;
  const Clock::time_point now = Clock::now();
  for (const fs::path& path : paths) {
    const std::string name = path.lexically_relative(parent_).string();
    // A reader could not write it down.
    if (!isRemoteRunName(name)) continue;
    names.insert(name);
    Streamed& run = runs_.try_emplace(name, path).first->second;
    if (const auto held = held_.extract(name)) run.continueFrom(held.mapped());
    const bool isChanged = sendRecord(name, run);
    if (isChanged) isNew = true;
    if (!isChanged && !run.isLive && now - run.looked < kEndedInterval && !isAsked_) continue;
    run.looked = now;
    run.isBehind = true;
    if (sendState(name, run)) isNew = true;
  }
  sendGone(names);
  scanned_ = Clock::now();
  isAsked_ = false;
  return isNew;
}

/// Tells which runs there are no more. A folder that has become empty may be that of a disk which
/// is not mounted, and a folder that can't be read may still have its runs.
void RunStreamer::sendGone(const std::set<std::string>& found) {
  if (found.empty()) return;
  const auto isGone = [&](const std::string& name) {
    std::error_code error;
    return !found.contains(name) && fs::symlink_status(parent_ / name / "run.json", error).type() ==
                                        fs::file_type::not_found;
  };
  for (const auto& [name, files] : held_) {
    if (isGone(name)) send({.kind = NewsKind::gone, .run = name});
  }
  held_.clear();
  std::erase_if(runs_, [&](const auto& entry) {
    if (!isGone(entry.first)) return false;
    send({.kind = NewsKind::gone, .run = entry.first});
    return true;
  });
}

bool RunStreamer::sendRecord(const std::string& name, Streamed& run) {
  const FileStamp stamp = stampOf(run.path / "run.json");
  if (stamp == run.record || stamp == FileStamp{}) return false;
  try {
    const std::string record = readFile(run.path / "run.json", kLargestRecord);
    run.record = stamp;
    // A record may say that the training is over: then everything else is there before it.
    while (run.isLive && sendNews(name, run)) continue;
    send({.kind = NewsKind::part, .run = name, .file = "run.json", .bytes = record.size()}, record);
  } catch (const Error&) {
    return false;  // It is being replaced, or is no record of a run.
  }
  return true;
}

bool RunStreamer::sendState(const std::string& name, Streamed& run) {
  run.isLive = trains(run.path);
  RemoteNews state{.kind = NewsKind::run,
                   .run = name,
                   .trains = run.isLive,
                   .files = requestedFilesOf(run.path)};
  if (run.state == state) return false;
  send(state);
  run.state = std::move(state);
  return true;
}

bool RunStreamer::sendNews(const std::string& name, Streamed& run) {
  bool isNew = false;
  for (auto& [file, tail] : run.tails) {
    const FileStamp stamp = stampOf(run.path / file);
    if (stamp == run.stamps[file]) continue;
    std::uint64_t from = tail.offset();
    bool isCut = false;
    std::string news;
    try {
      tail.poll([&] { isCut = true; }, [&](std::string_view text) { news += text; }, kLargestPart);
    } catch (const Error&) {
      continue;  // A folder or a pipe of that name.
    }
    if (isCut) from = 0;
    if (tail.offset() >= stamp.bytes) run.stamps[file] = stamp;
    if (news.empty() && !isCut) continue;
    send({.kind = NewsKind::part, .run = name, .file = file, .from = from, .bytes = news.size()},
         news);
    isNew = true;
  }
  return isNew;
}

/// Sends a part of a run that nobody trains, the newest run first.
bool RunStreamer::sendRest() {
  return std::any_of(runs_.rbegin(), runs_.rend(), [this](auto& entry) {
    Streamed& run = entry.second;
    if (run.isLive || !run.isBehind) return false;
    run.isBehind = sendNews(entry.first, run);
    return run.isBehind;
  });
}

bool RunStreamer::sendFetched() {
  if (fetches_.empty()) return false;
  Fetch& fetch = fetches_.front();
  const fs::path file = parent_ / fetch.run / fetch.file;
  try {
    if (stampOf(file) != fetch.stamp) {
      throw Error(fetch.file, "it was replaced while it was sent", "ask for it again");
    }
    std::string content(
        static_cast<std::size_t>(std::min(kLargestPart, fetch.stamp.bytes - fetch.done)), '\0');
    FileReader(file).readExactlyAt(fetch.done, std::as_writable_bytes(std::span(content)));
    RemoteNews news{.kind = NewsKind::part,
                    .run = fetch.run,
                    .file = fetch.file,
                    .from = fetch.done,
                    .bytes = content.size(),
                    .id = fetch.id};
    fetch.done += content.size();
    const bool isWhole = fetch.done == fetch.stamp.bytes;
    if (isWhole) news.whole = {fetch.file, fetch.stamp.bytes, fetch.stamp.modified};
    send(news, content);
    if (!isWhole) return true;
    answer(fetch.id, {});
  } catch (const Error& error) {
    answer(fetch.id, error.what());
  }
  fetches_.pop_front();
  return true;
}

}  // namespace lambda
