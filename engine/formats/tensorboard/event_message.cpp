#include "engine/formats/tensorboard/event_message.h"

#include <bit>
#include <cmath>
#include <cstring>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace lambda {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;
using protozero::tag_and_type;

static_assert(std::endian::native == std::endian::little);

enum EventField : protozero::pbf_tag_type {
  kWallTime = 1,
  kStep = 2,
  kFileVersion = 3,
  kSummary = 5,
  kSessionLog = 7,
  kSourceMetadata = 10
};

constexpr protozero::pbf_tag_type kSourceWriter = 1;
constexpr protozero::pbf_tag_type kSessionStatus = 1;
constexpr std::int32_t kSessionStart = 1;
constexpr protozero::pbf_tag_type kSummaryValue = 1;

enum ValueField : protozero::pbf_tag_type {
  kTag = 1,
  kSimpleValue = 2,
  kHistogram = 5,
  kTensor = 8,
  kMetadata = 9
};

constexpr protozero::pbf_tag_type kPluginData = 1;
constexpr protozero::pbf_tag_type kPluginName = 1;

enum TensorField : protozero::pbf_tag_type {
  kType = 1,
  kShape = 2,
  kBytes = 4,
  kFloats = 5,
  kDoubles = 6,
  kInts = 7,
  kLongs = 10
};

constexpr protozero::pbf_tag_type kDimension = 2;

enum TensorType { kFloat32 = 1, kFloat64 = 2, kInt32 = 3, kInt64 = 9 };

constexpr auto kBytesType = pbf_wire_type::length_delimited;
constexpr auto kVarint = pbf_wire_type::varint;

/// The number of values in a repeated field, and the last of them.
struct Repeated {
  int count = 0;
  double last = 0;

  void add(double value) {
    ++count;
    last = value;
  }

  template <class Range>
  void addAll(const Range& values) {
    for (const auto value : values) add(static_cast<double>(value));
  }
};

/// The value of a tensor of rank 0, from its list, or from its bytes if the list is empty.
template <class T>
std::optional<double> only(const Repeated& list, std::string_view bytes) {
  if (list.count == 1) return list.last;
  if (list.count != 0 || bytes.size() != sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  return static_cast<double>(value);
}

bool hasDimensions(pbf_reader shape) {
  return shape.next(kDimension, kBytesType);
}

std::optional<double> scalarOfTensor(pbf_reader tensor) {
  std::int32_t type = 0;
  bool isScalar = true;
  std::string_view bytes;
  Repeated floats;
  Repeated doubles;
  Repeated ints;
  Repeated longs;
  while (tensor.next()) {
    switch (tensor.tag_and_type()) {
      case tag_and_type(kType, kVarint):
        type = tensor.get_enum();
        break;
      case tag_and_type(kShape, kBytesType):
        isScalar = !hasDimensions(tensor.get_message()) && isScalar;
        break;
      case tag_and_type(kBytes, kBytesType): {
        const protozero::data_view view = tensor.get_view();
        bytes = {view.data(), view.size()};
        break;
      }
      // A repeated number is either packed or a field per element.
      case tag_and_type(kFloats, kBytesType):
        floats.addAll(tensor.get_packed_float());
        break;
      case tag_and_type(kFloats, pbf_wire_type::fixed32):
        floats.add(static_cast<double>(tensor.get_float()));
        break;
      case tag_and_type(kDoubles, kBytesType):
        doubles.addAll(tensor.get_packed_double());
        break;
      case tag_and_type(kDoubles, pbf_wire_type::fixed64):
        doubles.add(tensor.get_double());
        break;
      case tag_and_type(kInts, kBytesType):
        ints.addAll(tensor.get_packed_int32());
        break;
      case tag_and_type(kInts, kVarint):
        ints.add(tensor.get_int32());
        break;
      case tag_and_type(kLongs, kBytesType):
        longs.addAll(tensor.get_packed_int64());
        break;
      case tag_and_type(kLongs, kVarint):
        longs.add(static_cast<double>(tensor.get_int64()));
        break;
      default:
        tensor.skip();
    }
  }
  if (!isScalar) return std::nullopt;
  switch (type) {
    case kFloat32:
      return only<float>(floats, bytes);
    case kFloat64:
      return only<double>(doubles, bytes);
    case kInt32:
      return only<std::int32_t>(ints, bytes);
    case kInt64:
      return only<std::int64_t>(longs, bytes);
    default:
      return std::nullopt;
  }
}

std::string pluginOf(pbf_reader metadata) {
  std::string name;
  while (metadata.next(kPluginData, kBytesType)) {
    pbf_reader plugin = metadata.get_message();
    while (plugin.next(kPluginName, kBytesType)) name = plugin.get_string();
  }
  return name;
}

void addValue(pbf_reader value, std::vector<Scalar>& scalars) {
  std::string tag;
  std::string plugin;
  std::optional<double> scalar;
  bool isTensor = false;
  while (value.next()) {
    switch (value.tag_and_type()) {
      case tag_and_type(kTag, kBytesType):
        tag = value.get_string();
        break;
      case tag_and_type(kSimpleValue, pbf_wire_type::fixed32):
        scalar = static_cast<double>(value.get_float());
        isTensor = false;
        break;
      case tag_and_type(kTensor, kBytesType):
        scalar = scalarOfTensor(value.get_message());
        isTensor = true;
        break;
      case tag_and_type(kMetadata, kBytesType):
        plugin = pluginOf(value.get_message());
        break;
      default:
        value.skip();
    }
  }
  const bool isOfScalars = !isTensor || plugin.empty() || plugin == "scalars";
  if (scalar && isOfScalars) scalars.push_back({std::move(tag), *scalar});
}

EventContent sessionOf(pbf_reader session) {
  std::int32_t status = 0;
  while (session.next(kSessionStatus, kVarint)) status = session.get_enum();
  return status == kSessionStart ? EventContent::sessionStart : EventContent::sessionOther;
}

EventMessage decode(pbf_reader reader) {
  EventMessage event;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(kWallTime, pbf_wire_type::fixed64):
        event.wallTime = reader.get_double();
        break;
      case tag_and_type(kStep, kVarint):
        event.step = reader.get_int64();
        break;
      case tag_and_type(kFileVersion, kBytesType):
        reader.skip();
        event.content = EventContent::version;
        break;
      case tag_and_type(kSummary, kBytesType): {
        pbf_reader summary = reader.get_message();
        while (summary.next(kSummaryValue, kBytesType))
          addValue(summary.get_message(), event.scalars);
        event.content = EventContent::summary;
        break;
      }
      case tag_and_type(kSessionLog, kBytesType):
        event.content = sessionOf(reader.get_message());
        break;
      default:
        reader.skip();
    }
  }
  // The last content determines the type of the event.
  if (event.content != EventContent::summary) event.scalars.clear();
  return event;
}

}  // namespace

std::optional<EventMessage> decodeEvent(std::string_view bytes) {
  try {
    return decode(pbf_reader(bytes.data(), bytes.size()));
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

std::string encodeVersion(double wallTime) {
  std::string bytes;
  pbf_writer event(bytes);
  event.add_double(kWallTime, wallTime);
  event.add_string(kFileVersion, "brain.Event:2");
  pbf_writer source(event, kSourceMetadata);
  source.add_string(kSourceWriter, "lambda-studio");
  return bytes;
}

std::string encodeScalars(std::int64_t step, const std::vector<Scalar>& scalars, double wallTime) {
  std::string bytes;
  pbf_writer event(bytes);
  event.add_double(kWallTime, wallTime);
  event.add_int64(kStep, step);
  pbf_writer summary(event, kSummary);
  for (const Scalar& scalar : scalars) {
    pbf_writer value(summary, kSummaryValue);
    value.add_string(kTag, scalar.tag);
    value.add_float(kSimpleValue, static_cast<float>(scalar.value));
  }
  return bytes;
}

namespace {

enum HistogramField : protozero::pbf_tag_type {
  kSmallest = 1,
  kGreatest = 2,
  kNumber = 3,
  kSum = 4,
  kSumOfSquares = 5,
  kBucketLimits = 6,
  kBuckets = 7
};

struct Buckets {
  std::vector<double> limits;  ///< Upper ends; each bucket begins where the one before ends.
  std::vector<double> counts;

  void add(double low, double high, double count) {
    if (!limits.empty() && limits.back() < low) {
      limits.push_back(low);
      counts.push_back(0);
    }
    limits.push_back(high);
    counts.push_back(count);
  }
};

/// Whether two neighbouring bins lie in one octave.
bool shareOctave(const HistogramBin& a, const HistogramBin& b) {
  if (a.low > 0) return std::ilogb(a.low) == std::ilogb(b.low);
  return b.high < 0 && std::ilogb(a.high) == std::ilogb(b.high);
}

void addHistogram(pbf_writer& value, const Histogram& histogram) {
  const std::vector<HistogramBin> bins = binsOf(histogram);
  pbf_writer proto(value, kHistogram);
  if (bins.empty()) return;
  Buckets buckets;
  double number = 0, sum = 0, squares = 0, merged = 0;
  double low = bins.front().low;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const auto count = static_cast<double>(bins[i].count);
    const double middle = (bins[i].low + bins[i].high) / 2;
    number += count;
    sum += count * middle;
    squares += count * middle * middle;
    merged += count;
    if (i + 1 < bins.size() && shareOctave(bins[i], bins[i + 1])) continue;
    buckets.add(low, bins[i].high, merged);
    merged = 0;
    if (i + 1 < bins.size()) low = bins[i + 1].low;
  }
  proto.add_double(kSmallest, bins.front().low);
  proto.add_double(kGreatest, bins.back().high);
  proto.add_double(kNumber, number);
  proto.add_double(kSum, sum);
  proto.add_double(kSumOfSquares, squares);
  proto.add_packed_double(kBucketLimits, buckets.limits.begin(), buckets.limits.end());
  proto.add_packed_double(kBuckets, buckets.counts.begin(), buckets.counts.end());
}

}  // namespace

std::string encodeHistograms(std::int64_t step,
                             const std::vector<TaggedHistogram>& histograms,
                             double wallTime) {
  std::string bytes;
  pbf_writer event(bytes);
  event.add_double(kWallTime, wallTime);
  event.add_int64(kStep, step);
  pbf_writer summary(event, kSummary);
  for (const TaggedHistogram& each : histograms) {
    pbf_writer value(summary, kSummaryValue);
    value.add_string(kTag, each.tag);
    addHistogram(value, *each.histogram);
  }
  return bytes;
}

std::string encodeRestart(std::int64_t step, double wallTime) {
  std::string bytes;
  pbf_writer event(bytes);
  event.add_double(kWallTime, wallTime);
  event.add_int64(kStep, step);
  pbf_writer session(event, kSessionLog);
  session.add_enum(kSessionStatus, kSessionStart);
  return bytes;
}

}  // namespace lambda
