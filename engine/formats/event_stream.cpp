#include "engine/formats/event_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/formats/durable_file.h"
#include "engine/formats/tensorboard.pb.h"
#include "engine/formats/tfrecord.h"

namespace lambda {

namespace {

namespace tb = lambdastudio::tb;

static_assert(std::endian::native == std::endian::little);

constexpr std::uint64_t kMaxFileBytes = 1ULL << 30;

template <class T>
std::optional<double> only(const google::protobuf::RepeatedField<T>& field,
                           const std::string& content) {
  T value{};
  if (field.size() == 1) {
    value = field.Get(0);
  } else if (field.empty() && content.size() == sizeof(T)) {
    std::memcpy(&value, content.data(), sizeof(T));
  } else {
    return std::nullopt;
  }
  return static_cast<double>(value);
}

std::optional<double> scalarOf(const tb::TensorProto& tensor) {
  if (tensor.tensor_shape().dim_size() != 0) return std::nullopt;
  switch (tensor.dtype()) {
    case tb::TensorProto::DT_FLOAT:
      return only(tensor.float_val(), tensor.tensor_content());
    case tb::TensorProto::DT_DOUBLE:
      return only(tensor.double_val(), tensor.tensor_content());
    case tb::TensorProto::DT_INT32:
      return only(tensor.int_val(), tensor.tensor_content());
    case tb::TensorProto::DT_INT64:
      return only(tensor.int64_val(), tensor.tensor_content());
    default:
      return std::nullopt;
  }
}

std::optional<double> scalarOf(const tb::Summary::Value& value) {
  if (value.has_simple_value()) return static_cast<double>(value.simple_value());
  const std::string& plugin = value.metadata().plugin_data().plugin_name();
  if (!value.has_tensor() || (!plugin.empty() && plugin != "scalars")) return std::nullopt;
  return scalarOf(value.tensor());
}

bool parseEvent(std::string_view payload, tb::Event& event) {
  return event.ParseFromArray(payload.data(), static_cast<int>(payload.size()));
}

// The first record tells an event file from any other; without this check a foreign file would
// read as an empty log.
void checkBeginning(std::string_view bytes, const std::string& place) {
  TfRecordReader reader(bytes);
  std::string_view payload;
  const TfRecordReader::Status status = reader.next(payload);
  tb::Event event;
  if (status == TfRecordReader::Status::lost ||
      (status == TfRecordReader::Status::record &&
       (!parseEvent(payload, event) ||
        (!event.has_file_version() && !event.has_summary() && !event.has_session_log())))) {
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
  tb::Event event;
  for (;;) {
    const TfRecordReader::Status status = reader.next(payload);
    if (status == TfRecordReader::Status::end) return;
    if (status == TfRecordReader::Status::torn || status == TfRecordReader::Status::lost) {
      log.incomplete = true;
      return;
    }
    if (status == TfRecordReader::Status::damaged || !parseEvent(payload, event)) {
      ++log.damagedRecords;
      continue;
    }
    if (event.has_session_log() && event.session_log().status() == tb::SessionLog::START) {
      restarts.emplace_back(log.values.size(), event.step());
    }
    for (const tb::Summary::Value& value : event.summary().value()) {
      const std::optional<double> scalar = scalarOf(value);
      if (scalar) log.values.push_back({value.tag(), event.step(), event.wall_time(), *scalar});
    }
  }
}

EventLog EventStream::settled() && {
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
