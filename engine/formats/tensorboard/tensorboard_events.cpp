#include "engine/formats/tensorboard/tensorboard_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "engine/formats/tensorboard/event_stream.h"
#include "engine/formats/tensorboard/tfrecord.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

constexpr int kMaxFolderDepth = 16;
constexpr std::chrono::milliseconds kSyncInterval = std::chrono::seconds(10);

double now() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

std::string hostName() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

constexpr std::string_view kEventsPrefix = "events.out.tfevents.";
constexpr long long kMostAhead = 3600;  // Seconds; other clocks are not followed further.

/// The seconds in the name of an event file; 0 if it has none.
long long secondsIn(const std::string& name) {
  if (!name.starts_with(kEventsPrefix)) return 0;
  long long seconds = 0;
  const char* begin = name.data() + kEventsPrefix.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), seconds);
  return error == std::errc() && *end == '.' ? seconds : 0;
}

// Names sort by time. A writer never shares a file, so an existing name is skipped.
std::filesystem::path newEventFile(const std::filesystem::path& folder) {
  // Two processes may begin within a second, and their numbers do not tell which one was first.
  long long time = static_cast<long long>(now());
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored)) {
    const long long other = secondsIn(entry->path().filename().string());
    if (other >= time && other < time + kMostAhead) time = other + 1;
  }
  std::array<char, 32> seconds;
  std::snprintf(seconds.data(), seconds.size(), "%010lld", time);
  const std::string stem = std::string(kEventsPrefix) + seconds.data() + "." + hostName() + "." +
                           std::to_string(::getpid()) + ".";
  for (int number = 0;; ++number) {
    std::filesystem::path path = folder / (stem + std::to_string(number));
    if (!std::filesystem::exists(path)) return path;
  }
}

}  // namespace

std::string encodeVersionEvent(double wallTime) {
  return encodeTfRecord(encodeVersion(wallTime));
}

EventWriter::EventWriter(const std::filesystem::path& folder,
                         std::optional<std::int64_t> resumeStep,
                         FileSystem& system)
    : file_(newEventFile(folder), kSyncInterval, system) {
  file_.append(encodeVersionEvent(now()));
  if (resumeStep) file_.append(encodeTfRecord(encodeRestart(*resumeStep, now())));
}

void EventWriter::add(std::int64_t step, const std::vector<Scalar>& scalars) {
  add(step, scalars, now());
}

void EventWriter::add(std::int64_t step, const std::vector<Scalar>& scalars, double wallTime) {
  file_.append(encodeTfRecord(encodeScalars(step, scalars, wallTime)));
}

void EventWriter::add(std::int64_t step, const std::vector<TaggedHistogram>& histograms) {
  file_.append(encodeTfRecord(encodeHistograms(step, histograms, now())));
}

void EventWriter::flush() {
  file_.sync();
}

bool isEventFile(const std::filesystem::path& path) {
  // TensorBoard itself recognises its files by this part of the name.
  std::error_code ignored;
  return path.filename().string().find("tfevents") != std::string::npos &&
         std::filesystem::is_regular_file(path, ignored);
}

EventLog parseEvents(std::string_view bytes, const std::string& place) {
  EventStream stream;
  stream.append(bytes, place);
  stream.dropRewound();
  return std::move(stream.log);
}

EventLog readEvents(const std::filesystem::path& path) {
  return parseEvents(readEventFile(path), path.string());
}

namespace {

// Event files by folder, relative to `folder`; files and folders in ascending order.
std::map<std::string, std::vector<std::filesystem::path>> findEventFiles(
    const std::filesystem::path& folder) {
  std::map<std::string, std::vector<std::filesystem::path>> files;
  if (isEventFile(folder)) return {{".", {folder}}};
  std::error_code code;
  std::filesystem::recursive_directory_iterator entry(
      folder, std::filesystem::directory_options::skip_permission_denied, code);
  if (code) throw systemError(folder, "cannot list the folder", code.value());
  for (; entry != std::filesystem::recursive_directory_iterator(); entry.increment(code)) {
    if (entry.depth() == kMaxFolderDepth) entry.disable_recursion_pending();
    const std::filesystem::path& path = entry->path();
    if (!isEventFile(path)) continue;
    files[path.parent_path().lexically_relative(folder).string()].push_back(path);
  }
  if (code) throw systemError(folder, "cannot list the folder", code.value());
  for (auto& [name, paths] : files) std::ranges::sort(paths);
  return files;
}

using PointsByTag = std::map<std::string, std::vector<CurvePoint>>;

PointsByTag pointsByTag(EventLog log) {
  PointsByTag points;
  for (const EventValue& value : log.values) {
    points[value.tag].push_back({value.step, value.wallTime, value.value});
  }
  for (auto& [tag, curve] : points) {
    std::ranges::stable_sort(curve, {}, &CurvePoint::step);
  }
  return points;
}

std::string damageIn(const EventLog& log) {
  std::string damage;
  if (log.damagedRecords > 0) {
    damage = formatCounted(log.damagedRecords, "damaged record") + " left out";
  }
  if (log.incomplete) damage += damage.empty() ? "cut off at its end" : ", cut off at its end";
  return damage;
}

std::vector<Curve> nameCurves(std::map<std::string, PointsByTag> folders) {
  std::map<std::string, int> holders;
  for (const auto& [folder, tags] : folders) {
    for (const auto& [tag, points] : tags) ++holders[tag];
  }
  std::vector<Curve> curves;
  for (auto& [folder, tags] : folders) {
    const auto repeated =
        std::ranges::count_if(tags, [&](const auto& tag) { return holders[tag.first] > 1; });
    for (auto& [tag, points] : tags) {
      std::string name = tag;
      if (holders[tag] > 1 && folder != ".") name = repeated > 1 ? folder + "/" + tag : folder;
      curves.push_back({std::move(name), std::move(points)});
    }
  }
  std::ranges::sort(curves, {}, &Curve::name);
  return curves;
}

}  // namespace

EventFolder readEventFolder(const std::filesystem::path& folder,
                            const std::function<bool()>& isCancelled) {
  std::map<std::string, PointsByTag> folders;
  std::vector<EventRemark> remarks;
  std::optional<Error> firstFailure;
  bool anyRead = false;
  for (const auto& [name, paths] : findEventFiles(folder)) {
    EventStream stream;
    for (const std::filesystem::path& path : paths) {
      if (isCancelled && isCancelled()) break;
      try {
        stream.append(readEventFile(path), path);
        anyRead = true;
        const std::string damage = damageIn(stream.log);
        if (!damage.empty()) remarks.push_back({path, damage});
      } catch (const Error& error) {
        remarks.push_back({path, "left out: " + error.reason()});
        if (!firstFailure) firstFailure = error;
      }
    }
    stream.dropRewound();
    std::ranges::move(stream.dropAbandoned(), std::back_inserter(remarks));
    folders[name] = pointsByTag(std::move(stream.log));
  }
  if (!anyRead) {
    if (firstFailure) throw *firstFailure;
    throw Error(folder.string(),
                "holds no TensorBoard event files",
                "name the folder that TensorBoard was given as --logdir, or one of its runs");
  }
  return {nameCurves(std::move(folders)), std::move(remarks)};
}

}  // namespace lambda
