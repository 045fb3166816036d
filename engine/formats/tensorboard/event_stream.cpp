#include "engine/formats/tensorboard/event_stream.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensorboard/tfrecord.h"

namespace lambda {

namespace {

constexpr std::uint64_t kMaxFileBytes = 1ULL << 30;

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

}  // namespace

void EventStream::append(std::string_view bytes, const std::string& place) {
  checkBeginning(bytes, place);
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

EventLog EventStream::withoutRewound() && {
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
  std::size_t next = 0;
  std::erase_if(log.values, [&](const EventValue&) { return !kept[next++]; });
  return std::move(log);
}

std::string readEventFile(const std::filesystem::path& path) {
  return readFile(path, kMaxFileBytes);
}

}  // namespace lambda
