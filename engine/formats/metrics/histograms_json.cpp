#include "engine/formats/metrics/histograms_json.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr JsonLimits kHistogramsLimits{kLongestHistogramsLine, 6};
constexpr std::string_view kLineStart = "{\"step\": ";
constexpr std::int64_t kLargestStep = std::int64_t{1} << 53;
constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;  // The sum of all bins is an int64.

void appendNumber(std::string& text, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  text.append(digits, end);
}

void appendCount(std::string& text, const char* name, std::int64_t count) {
  if (count == 0) return;
  text.append(", \"").append(name).append("\": ");
  appendNumber(text, count);
}

void appendBins(std::string& text, const char* name, const BinCounts& bins) {
  if (bins.counts.empty()) return;
  text.append(", \"").append(name).append("\": {\"first\": ");
  appendNumber(text, bins.first);
  text += ", \"counts\": [";
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    if (i > 0) text += ',';
    appendNumber(text, bins.counts[i]);
  }
  text += "]}";
}

void append(std::string& text, const LayerHistogram& layer) {
  text += "{\"layer\": " + formatJsonLine(withValidUtf8(layer.layer));
  text.append(", \"kind\": \"").append(nameOf(layer.kind)).append("\"");
  const Histogram& histogram = layer.histogram;
  appendBins(text, "negative", histogram.negative);
  appendCount(text, "zero", histogram.zero);
  appendBins(text, "positive", histogram.positive);
  appendCount(text, "negativeInfinity", histogram.negativeInfinity);
  appendCount(text, "positiveInfinity", histogram.positiveInfinity);
  appendCount(text, "nan", histogram.notANumber);
  text += '}';
}

[[noreturn]] void refuse(const char* reason) {
  throw Error("", reason);
}

std::int64_t numberIn(const nlohmann::json& value, std::int64_t most) {
  if (!value.is_number_integer()) refuse("a number is missing");
  const bool isLarge =
      value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  if (isLarge || value.get<std::int64_t>() < 0) refuse("a number is out of range");
  return value.get<std::int64_t>();
}

std::int64_t countIn(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? 0 : numberIn(*found, kLargestCount);
}

const nlohmann::json& memberOf(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse("a part of the record is missing");
  return *found;
}

BinCounts binsIn(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (!found->is_object()) refuse("bins are no object");
  BinCounts bins;
  bins.first = static_cast<int>(numberIn(memberOf(*found, "first"), kMagnitudeBins - 1));
  const nlohmann::json& counts = memberOf(*found, "counts");
  if (!counts.is_array() || bins.first + counts.size() > kMagnitudeBins) {
    refuse("bins are out of range");
  }
  bins.counts.reserve(counts.size());
  for (const nlohmann::json& each : counts) {
    bins.counts.push_back(numberIn(each, kLargestCount));
  }
  return bins;
}

LayerHistogram layerIn(const nlohmann::json& object) {
  if (!object.is_object()) refuse("a layer is no object");
  const nlohmann::json& layer = memberOf(object, "layer");
  const nlohmann::json& kind = memberOf(object, "kind");
  if (!layer.is_string() || !kind.is_string()) refuse("a layer has no name or kind");
  const auto& names = kNamesOf<HistogramKind>.names;
  const auto name = std::ranges::find(names, kind.get_ref<const std::string&>());
  if (name == names.end()) refuse("the kind of a histogram is not known");
  return {.layer = layer.get<std::string>(),
          .kind = static_cast<HistogramKind>(name - names.begin()),
          .histogram = {.negative = binsIn(object, "negative"),
                        .zero = countIn(object, "zero"),
                        .positive = binsIn(object, "positive"),
                        .negativeInfinity = countIn(object, "negativeInfinity"),
                        .positiveInfinity = countIn(object, "positiveInfinity"),
                        .notANumber = countIn(object, "nan")}};
}

/// None for a line that can't be read: a picture lacks this step, and nothing else depends on it.
std::optional<HistogramRecord> readLine(std::string_view line) {
  try {
    return histogramsFromLine(line);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::string toLine(const HistogramRecord& record) {
  std::string text(kLineStart);
  appendNumber(text, record.step);
  text += ", \"epoch\": ";
  appendNumber(text, record.epoch);
  text += ", \"seconds\": " + formatNumber(record.seconds) + ", \"layers\": [";
  for (std::size_t i = 0; i < record.layers.size(); ++i) {
    if (i > 0) text += ", ";
    append(text, record.layers[i]);
  }
  return text += "]}\n";
}

std::optional<std::int64_t> stepOfHistogramsLine(std::string_view line) {
  if (!line.starts_with(kLineStart)) return std::nullopt;
  std::int64_t step = 0;
  const char* const begin = line.data() + kLineStart.size();
  const auto read = std::from_chars(begin, line.data() + line.size(), step);
  return read.ec == std::errc() ? std::optional(step) : std::nullopt;
}

HistogramRecord histogramsFromLine(std::string_view text) {
  const nlohmann::json line = parseJson(text, "", kHistogramsLimits);
  if (!line.is_object()) refuse("it is no object");
  HistogramRecord record;
  record.step = numberIn(memberOf(line, "step"), kLargestStep);
  record.epoch = static_cast<int>(numberIn(memberOf(line, "epoch"), 1'000'000'000));
  const nlohmann::json& seconds = memberOf(line, "seconds");
  if (!seconds.is_number()) refuse("a number is missing");
  record.seconds = seconds.get<double>();
  const nlohmann::json& layers = memberOf(line, "layers");
  if (!layers.is_array()) refuse("the layers are no list");
  for (const nlohmann::json& each : layers) record.layers.push_back(layerIn(each));
  return record;
}

HistogramsTail::Update HistogramsTail::poll() {
  Update update;
  const auto read = [&](std::string_view line) {
    if (auto record = readLine(line)) update.records.push_back(std::move(*record));
  };
  tail_.poll(
      [&] {
        update.restarted = true;
        lines_ = LineSplitter(kLongestHistogramsLine);
      },
      [&](std::string_view text) { lines_.feed(text, read, [] {}); });
  return update;
}

std::int64_t readHistograms(const std::filesystem::path& file,
                            const std::function<void(HistogramRecord record)>& take) {
  FileTail tail(file);
  LineSplitter lines(kLongestHistogramsLine);
  std::int64_t leftOut = 0;
  const auto read = [&](std::string_view line) {
    if (auto record = readLine(line)) {
      take(std::move(*record));
    } else {
      ++leftOut;
    }
  };
  tail.poll([] {}, [&](std::string_view text) { lines.feed(text, read, [&] { ++leftOut; }); });
  return leftOut;
}

std::vector<HistogramRecord> readHistograms(const std::filesystem::path& file) {
  return HistogramsTail(file).poll().records;
}

}  // namespace lambda
