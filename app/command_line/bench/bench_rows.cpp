#include "app/command_line/bench/bench_rows.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/benchmarks/core/core_order_names.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

const TimedForm& oursOf(const BenchmarkRow& row) {
  return row.forms.front();
}

/// Achieved rate as a share of a ceiling; 0 where one of the values is not known.
double shareOf(double amount, double seconds, double ceiling) {
  return amount > 0 && seconds > 0 && ceiling > 0 ? amount / seconds / ceiling : 0;
}

bool isOnGpu(const ReportedRow& reported) {
  return reported.ceilings.device.kind == DeviceKind::cuda;
}

double peakShare(const ReportedRow& reported) {
  const BenchmarkRow& row = reported.row;
  return shareOf(row.flops, oursOf(row).time.median, reported.ceilings.peakOf(row.precision));
}

double copyShare(const ReportedRow& reported) {
  const BenchmarkRow& row = reported.row;
  return shareOf(row.bytes, oursOf(row).time.median, reported.ceilings.copyBandwidth);
}

/// The least time that the ceilings allow, as a share of ours.
double floorShare(const ReportedRow& reported) {
  return std::max(peakShare(reported), copyShare(reported));
}

/// The values of all forms that have one.
template <class ValueOf>
Json valuesJson(const BenchmarkRow& row, const ValueOf& valueOf) {
  Json values = Json::object();
  for (const TimedForm& form : row.forms) {
    if (const auto value = valueOf(form)) values[form.name] = *value;
  }
  return values;
}

std::vector<std::string> rivalsOf(const std::vector<ReportedRow>& rows) {
  std::vector<std::string> names;
  for (const ReportedRow& each : rows) {
    for (std::size_t i = 1; i < each.row.forms.size(); ++i) {
      const std::string& name = each.row.forms[i].name;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

const TimedForm* formOf(const BenchmarkRow& row, const std::string& name) {
  const auto found = std::ranges::find(row.forms, name, &TimedForm::name);
  return found == row.forms.end() ? nullptr : &*found;
}

}  // namespace

std::string millisecondsText(double seconds) {
  const double ms = kMsPerSecond * seconds;
  return formatFixed(ms, ms < 9.995 ? 3 : (ms < 99.95 ? 1 : 0));
}

Json rowJson(const ReportedRow& reported) {
  const BenchmarkRow& row = reported.row;
  const double ours = oursOf(row).time.median;
  Json rivals = Json::object(), ratio = Json::object(), spread = Json::object();
  for (const TimedForm& form : row.forms) {
    spread[form.name] = {kMsPerSecond * form.time.low, kMsPerSecond * form.time.high};
    if (&form == &oursOf(row)) continue;
    rivals[form.name] = kMsPerSecond * form.time.median;
    ratio[form.name] = form.time.median / ours;
  }
  Json json{{"case", row.name},
            {"ours", kMsPerSecond * ours},
            {"rivals", rivals},
            {"ratio", ratio},
            {"spread", spread},
            {"threads", row.threads},
            {"batch", row.batch},
            {"precision", nameOf(row.precision)},
            {"repetitions", row.repetitions},
            {"oursName", oursOf(row).name}};
  if (!row.path.empty()) json["path"] = row.path;
  if (row.order) json["order"] = nameOf(*row.order);
  if (row.flops > 0) {
    json["flops"] = row.flops;
    json[isOnGpu(reported) ? "shareOfProductPeak" : "shareOfMultiplyAddPeak"] = peakShare(reported);
  }
  if (row.bytes > 0) {
    json["bytes"] = row.bytes;
    json["shareOfCopyBandwidth"] = copyShare(reported);
  }
  if (row.flops > 0 && row.bytes > 0) json["shareOfFloor"] = floorShare(reported);
  const Json called = valuesJson(row, [](const TimedForm& form) {
    return form.called ? std::optional(kMsPerSecond * form.called->median) : std::nullopt;
  });
  if (!called.empty()) json["called"] = called;
  const Json errors = valuesJson(row, [](const TimedForm& form) { return form.relativeError; });
  const Json memory = valuesJson(row, [](const TimedForm& form) { return form.extraBytes; });
  if (!errors.empty()) json["relativeError"] = errors;
  if (!memory.empty()) json["extraBytes"] = memory;
  return json;
}

std::string aboveCeilingText(const ReportedRow& reported) {
  const double share = floorShare(reported);
  if (share <= 1) return {};
  return reported.row.name + " has " + formatPercent(share, /*decimals=*/0) +
         " of a ceiling: a fault of the measurement, quote neither";
}

std::string rowsText(const std::vector<ReportedRow>& rows) {
  using Align = TextTable::Align;
  const std::vector<std::string> rivals = rivalsOf(rows);
  std::vector<TextTable::Column> columns{
      {"threads", Align::right}, {"case"}, {"ours, ms", Align::right}, {"p10..p90", Align::right}};
  for (const std::string& rival : rivals) columns.push_back({rival, Align::right});
  const bool areOnGpu = std::ranges::any_of(rows, isOnGpu);
  const bool countsFlops =
      std::ranges::any_of(rows, [](const ReportedRow& each) { return each.row.flops > 0; });
  const auto shareOf = areOnGpu ? floorShare : (countsFlops ? peakShare : copyShare);
  columns.push_back(
      {areOnGpu ? "of floor" : (countsFlops ? "of peak" : "of copying"), Align::right});
  if (areOnGpu) columns.push_back({"called, ms", Align::right});
  const bool tellsMemory = std::ranges::any_of(
      rows, [](const ReportedRow& each) { return oursOf(each.row).extraBytes.has_value(); });
  if (tellsMemory) columns.push_back({"extra memory", Align::right});
  const bool tellsOrder =
      std::ranges::any_of(rows, [](const ReportedRow& each) { return each.row.order.has_value(); });
  if (tellsOrder) columns.push_back({"order"});
  TextTable table(columns);
  int threads = rows.empty() ? 0 : rows.front().row.threads;
  for (const ReportedRow& each : rows) {
    const BenchmarkRow& row = each.row;
    if (row.threads != threads) table.addRule();
    threads = row.threads;
    const TimedForm& ours = oursOf(row);
    std::vector<std::string> cells{
        std::to_string(row.threads),
        row.name,
        millisecondsText(ours.time.median),
        millisecondsText(ours.time.low) + ".." + millisecondsText(ours.time.high)};
    for (const std::string& rival : rivals) {
      const TimedForm* form = formOf(row, rival);
      cells.push_back(form == nullptr ? ""
                                      : formatFixed(form->time.median / ours.time.median, 2) + "x");
    }
    cells.push_back(formatPercent(shareOf(each), 0));
    if (areOnGpu) cells.push_back(ours.called ? millisecondsText(ours.called->median) : "");
    if (tellsMemory) cells.push_back(ours.extraBytes ? formatBytes(*ours.extraBytes) : "");
    if (tellsOrder) cells.emplace_back(row.order ? nameOf(*row.order) : std::string_view());
    table.addRow(cells);
  }
  return table.text("  ");
}

int BenchFailures::report() const {
  for (const Json& each : failures_) {
    printNote("lambda: could not time " + terminalText(each.at("case").get<std::string>()) + ": " +
              terminalText(each.at("error").get<std::string>()) + "\n");
  }
  return failures_.empty() ? kExitOk : kExitFailure;
}

void BenchFailures::add(const std::string& name, int threads, const Error& error) {
  const std::string why =
      error.place() == name ? error.reason() : error.place() + ": " + error.reason();
  failures_.push_back({{"case", name}, {"threads", threads}, {"error", why}});
}

}  // namespace lambda
