#include "engine/formats/metrics/metrics_json.h"

#include <algorithm>
#include <utility>

#include "engine/formats/files/file_system.h"
#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/values/config/record_fields.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr int kMostWarnings = 100;
constexpr JsonLimits kLineLimits{kLongestMetricsLine, 4};

/// `without`: a key that the many lines of most runs do not have.
template <class Record>
std::string lineOf(const char* kind, const Record& record, const char* without = "") {
  nlohmann::ordered_json line;
  line["kind"] = kind;
  appendFields(line, record);
  line.erase(without);
  return formatJsonLine(line) + "\n";
}

template <class Record>
void readRecord(const nlohmann::json& line, std::vector<Record>& records) {
  Record record;
  FieldReader("", nullptr).readFields(line, "", record);
  records.push_back(std::move(record));
}

/// Whether a line is that of a batch, without parsing it: toLine() writes the kind first.
bool isOfBatch(std::string_view line) {
  constexpr std::size_t kStart = 20;
  return line.substr(0, kStart).find("\"batch\"") != std::string_view::npos;
}

}  // namespace

std::string toLine(const BatchRecord& record) {
  return lineOf("batch", record, record.allReduceSeconds ? "" : "allReduceSeconds");
}

std::string toLine(const EpochRecord& record) {
  return lineOf("epoch", record);
}

std::string toLine(const EventRecord& record) {
  EventRecord clean = record;
  clean.text = withValidUtf8(record.text);
  return lineOf("event", clean);
}

void MetricsReader::feed(std::string_view text, Metrics& metrics) {
  lines_.feed(
      text,
      [&](std::string_view line) {
        ++line_;
        readLine(line, metrics);
      },
      [&] {
        ++line_;
        warn(metrics, "it is longer than " + std::to_string(kLongestMetricsLine) + " bytes");
      });
}

void MetricsReader::readLine(std::string_view text, Metrics& metrics) {
  try {
    const nlohmann::json line = parseJson(text, "", kLineLimits);
    const bool hasKind = line.is_object() && line.contains("kind");
    const nlohmann::json kind = hasKind ? line["kind"] : nlohmann::json();
    if (kind == "batch") {
      readRecord(line, metrics.batches);
    } else if (kind == "epoch") {
      readRecord(line, metrics.epochs);
    } else if (kind == "event") {
      readRecord(line, metrics.events);
    } else {
      warn(metrics, "it is not a record of a known kind");
    }
  } catch (const Error& error) {
    warn(metrics, reasonWithinLine(error));
  }
}

void MetricsReader::warn(Metrics& metrics, const std::string& reason) {
  ++warnings_;
  if (warnings_ < kMostWarnings) {
    metrics.warnings.push_back("line " + std::to_string(line_) + " skipped: " + reason);
  } else if (warnings_ == kMostWarnings) {
    metrics.warnings.push_back("line " + std::to_string(line_) +
                               " skipped, and further ones that can't be read");
  }
}

Metrics metricsFromText(std::string_view text) {
  Metrics metrics;
  MetricsReader().feed(text, metrics);
  return metrics;
}

MetricsTail::Update MetricsTail::poll() {
  Update update;
  tail_.poll(
      [&] {
        update.restarted = true;
        reader_ = {};
      },
      [&](std::string_view text) { reader_.feed(text, update.metrics); });
  return update;
}

Metrics readMetrics(const std::filesystem::path& file, std::uint64_t bytes) {
  Metrics metrics;
  MetricsReader reader;
  FileTail(file).poll([] {},
                      [&](std::string_view text) {
                        text = text.substr(0, std::min<std::uint64_t>(text.size(), bytes));
                        bytes -= text.size();
                        reader.feed(text, metrics);
                      });
  return metrics;
}

std::vector<std::string> remarksOn(const std::filesystem::path& file, const Metrics& metrics) {
  const std::string name = file.filename().string();
  if (!isThere(file)) {
    return {name +
            " is missing, and all epochs with it: lambda resume rebuilds it from the run's "
            "event files"};
  }
  std::vector<std::string> remarks;
  for (const std::string& warning : metrics.warnings) remarks.push_back(name + ": " + warning);
  return remarks;
}

std::vector<EpochRecord> readEpochs(const std::filesystem::path& file) {
  Metrics metrics;
  MetricsReader reader;
  LineSplitter lines(kLongestMetricsLine);
  const auto readLine = [&](std::string_view line) {
    if (!isOfBatch(line)) reader.feed(std::string(line) + "\n", metrics);
  };
  FileTail(file).poll([] {}, [&](std::string_view text) { lines.feed(text, readLine, [] {}); });
  return std::move(metrics.epochs);
}

}  // namespace lambda
