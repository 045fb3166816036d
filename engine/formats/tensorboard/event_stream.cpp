#include "engine/formats/tensorboard/event_stream.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensorboard/tfrecord.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

// The first record identifies an event file. Without this check a file of another format would be
// read as an empty log.
void checkBeginning(std::string_view bytes, const std::string& place) {
  TfRecordReader reader(bytes);
  std::string_view payload;
  const TfRecordReader::Status status = reader.next(payload);
  const auto isEvent = [&payload] {
    const std::optional<EventMessage> event = decodeEvent(payload);
    return event && event->content != EventContent::nothing;
  };
  if (status == TfRecordReader::Status::lost ||
      (status == TfRecordReader::Status::record && !isEvent())) {
    throw Error(place,
                "does not begin as a TensorBoard event file",
                "name a file whose name contains \"tfevents\", or the folder it lies in");
  }
}

/// The values of a tag that are kept so far.
struct TagSoFar {
  std::vector<std::size_t> kept;
  std::int64_t lastStep = std::numeric_limits<std::int64_t>::min();  ///< The greatest.
  double lastTime = -std::numeric_limits<double>::infinity();        ///< The latest.
  bool isNew = true;  ///< In the file that is being read.
};

/// What a file logs again.
struct Repeated {
  std::int64_t dropped = 0;
  std::int64_t from = std::numeric_limits<std::int64_t>::max();  ///< The first step dropped.
  bool overlaps = false;  ///< Steps of earlier files, while those were still being written.
  bool goesBack = false;  ///< Its own steps.

  void add(TagSoFar& tag,
           const std::vector<EventValue>& values,
           std::size_t at,
           std::vector<bool>& isKept) {
    const EventValue& value = values[at];
    if (value.step <= tag.lastStep && !tag.kept.empty()) {
      if (!tag.isNew) {
        goesBack = goesBack || value.step < tag.lastStep;
      } else if (tag.lastTime <= value.wallTime) {
        dropFrom(value.step, tag, values, isKept);
      } else {
        overlaps = true;
      }
    }
    tag.isNew = false;
    tag.kept.push_back(at);
    tag.lastStep = std::max(tag.lastStep, value.step);
    tag.lastTime = std::max(tag.lastTime, value.wallTime);
  }

  void dropFrom(std::int64_t step,
                TagSoFar& tag,
                const std::vector<EventValue>& values,
                std::vector<bool>& isKept) {
    tag.lastStep = std::numeric_limits<std::int64_t>::min();
    std::erase_if(tag.kept, [&](std::size_t at) {
      const bool isDropped = values[at].step >= step;
      if (isDropped) {
        isKept[at] = false;
        ++dropped;
        from = std::min(from, values[at].step);
      } else {
        tag.lastStep = std::max(tag.lastStep, values[at].step);
      }
      return isDropped;
    });
  }

  std::string text() const {
    std::string text;
    if (dropped > 0) {
      text = "it begins again at an earlier step, and replaces " + formatCounted(dropped, "value") +
             " of earlier files, from step " + std::to_string(from) + " on";
    }
    if (overlaps) {
      text += std::string(text.empty() ? "" : "; ") +
              "it was written at the same time as a file with the same steps: the values of both "
              "are kept";
    }
    if (goesBack) {
      text += std::string(text.empty() ? "" : "; ") +
              "its steps go back: all values are kept, in the order of their steps";
    }
    return text;
  }
};

}  // namespace

void EventStream::append(std::string_view bytes, const std::filesystem::path& path) {
  checkBeginning(bytes, path.string());
  files.push_back({path, log.values.size()});
  log.damagedRecords = 0;
  log.incomplete = false;
  TfRecordReader reader(bytes);
  std::string_view payload;
  for (;;) {
    const TfRecordReader::Status status = reader.next(payload);
    if (status == TfRecordReader::Status::end) return;
    if (status == TfRecordReader::Status::torn || status == TfRecordReader::Status::lost) {
      log.incomplete = true;
      return;
    }
    std::optional<EventMessage> event;
    if (status == TfRecordReader::Status::record) event = decodeEvent(payload);
    if (!event) {
      ++log.damagedRecords;
      continue;
    }
    if (event->content == EventContent::sessionStart) {
      restarts.emplace_back(log.values.size(), event->step);
    }
    for (Scalar& scalar : event->scalars) {
      log.values.push_back({std::move(scalar.tag), event->step, event->wallTime, scalar.value});
    }
  }
}

void EventStream::dropRewound() {
  std::vector<bool> kept(log.values.size(), true);
  std::int64_t firstDropped = std::numeric_limits<std::int64_t>::max();
  bool anyRestart = false;
  auto restart = restarts.rbegin();
  for (std::size_t i = log.values.size(); i > 0; --i) {
    for (; restart != restarts.rend() && restart->first >= i; ++restart) {
      firstDropped = std::min(firstDropped, restart->second);
      anyRestart = true;
    }
    kept[i - 1] = !anyRestart || log.values[i - 1].step < firstDropped;
  }
  keep(kept);
}

void EventStream::keep(const std::vector<bool>& kept) {
  for (File& file : files) {
    const auto end = kept.begin() + static_cast<std::ptrdiff_t>(file.begin);
    file.begin = static_cast<std::size_t>(std::count(kept.begin(), end, true));
  }
  std::size_t next = 0;
  std::erase_if(log.values, [&](const EventValue&) { return !kept[next++]; });
  restarts.clear();
}

std::vector<EventRemark> EventStream::dropAbandoned() {
  std::vector<EventRemark> remarks;
  std::vector<bool> kept(log.values.size(), true);
  std::map<std::string_view, TagSoFar> tags;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::size_t end = i + 1 < files.size() ? files[i + 1].begin : log.values.size();
    Repeated repeated;
    for (auto& [name, tag] : tags) tag.isNew = true;
    for (std::size_t at = files[i].begin; at < end; ++at) {
      repeated.add(tags[log.values[at].tag], log.values, at, kept);
    }
    const std::string text = repeated.text();
    if (!text.empty()) remarks.push_back({files[i].path, text});
  }
  keep(kept);
  return remarks;
}

std::string readEventFile(const std::filesystem::path& path) {
  return readFile(path, kMaxEventFileBytes);
}

}  // namespace lambda
