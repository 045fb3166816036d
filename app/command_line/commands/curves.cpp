#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/text_table.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/tensorboard/tensorboard_events.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSparklineColumns = 30;

struct CurvesOptions {
  std::vector<std::string> sources;
  OutputOptions output;
};

/// The curves of one run or of one TensorBoard log folder; a run's steps are its epochs.
struct CurveSource {
  std::string name;
  std::vector<Curve> curves;
  std::vector<std::string> remarks;  ///< About its files.
};

std::vector<Curve> epochCurves(const std::vector<EpochRecord>& epochs) {
  const std::string score =
      traitsOf(epochs.empty() ? ScoreKind() : epochs.front().train.scoredBy).name;
  std::vector<Curve> curves{{"train " + score, {}},
                            {"train loss", {}},
                            {"validation " + score, {}},
                            {"validation loss", {}}};
  for (const EpochRecord& epoch : epochs) {
    curves[0].points.push_back({epoch.epoch, 0, epoch.train.score});
    curves[1].points.push_back({epoch.epoch, 0, epoch.train.loss});
    if (!epoch.validation) continue;
    curves[2].points.push_back({epoch.epoch, 0, epoch.validation->score});
    curves[3].points.push_back({epoch.epoch, 0, epoch.validation->loss});
  }
  std::erase_if(curves, [](const Curve& curve) { return curve.points.empty(); });
  return curves;
}

CurveSource readEvents(const std::string& given, const fs::path& found) {
  EventFolder folder = readEventFolder(found);
  CurveSource source{given, std::move(folder.curves), {}};
  for (const EventRemark& remark : folder.remarks) {
    source.remarks.push_back(shownPath(remark.file) + ": " + remark.text);
  }
  if (source.curves.empty()) source.remarks.push_back(given + ": there are no scalars in it");
  return source;
}

CurveSource readRun(const fs::path& run) {
  const fs::path file = RunFolder::open(run).metrics();
  const Metrics metrics = readMetrics(file);
  CurveSource source{shownPath(run), epochCurves(metrics.epochs), {}};
  for (const std::string& remark : remarksOn(file, metrics)) {
    source.remarks.push_back(source.name + ": " + remark);
  }
  if (source.curves.empty() && source.remarks.empty()) {
    source.remarks.push_back(source.name + ": no epoch of the run is done yet");
  }
  return source;
}

CurveSource readSource(const std::string& given) {
  const std::string advice =
      "Give a run folder, a folder of TensorBoard event files, or an event file, whose name "
      "contains \"tfevents\".";
  const fs::path found = findRun(given, advice);
  std::error_code error;
  if (isEventFile(found)) return readEvents(given, found);
  if (!fs::is_directory(found, error)) throw Error(given, "this file has no curves", advice);
  const bool isRun = fs::exists(found / "run.json", error);
  return isRun ? readRun(found) : readEvents(given, found);
}

/// The curve as one line of block characters between its lowest and its highest value; values that
/// are not finite are gaps.
std::string sparkline(const Curve& curve) {
  static constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double low = INFINITY, high = -INFINITY;
  for (const CurvePoint& point : curve.points) {
    if (!std::isfinite(point.value)) continue;
    low = std::min(low, point.value);
    high = std::max(high, point.value);
  }
  const std::size_t columns = std::min(kSparklineColumns, curve.points.size());
  std::string line;
  for (std::size_t column = 0; column < columns; ++column) {
    // The first and the last point are always shown.
    const std::size_t index = columns < 2 ? 0 : column * (curve.points.size() - 1) / (columns - 1);
    const double value = curve.points[index].value;
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    line += std::isfinite(value) ? kBlocks[std::lround(7 * share)] : " ";
  }
  return line;
}

/// The first point with the best value; null where no value is finite.
const CurvePoint* bestOf(const Curve& curve) {
  const double sign = isLowGood(curve.name) ? -1 : 1;
  const CurvePoint* best = nullptr;
  for (const CurvePoint& point : curve.points) {
    if (!std::isfinite(point.value)) continue;
    if (best == nullptr || sign * point.value > sign * best->value) best = &point;
  }
  return best;
}

std::string valueText(double value) {
  return formatFixed(value, 4);
}

void print(const CurveSource& source) {
  printText(terminalText(source.name) + "\n");
  TextTable table({{"curve"},
                   {"points", TextTable::Align::right},
                   {"first", TextTable::Align::right},
                   {"last", TextTable::Align::right},
                   {"best", TextTable::Align::right},
                   {"at", TextTable::Align::right},
                   {""}});
  for (const Curve& curve : source.curves) {
    if (curve.points.empty()) continue;
    const CurvePoint* best = bestOf(curve);
    table.addRow({curve.name,
                  std::to_string(curve.points.size()),
                  valueText(curve.points.front().value),
                  valueText(curve.points.back().value),
                  best != nullptr ? valueText(best->value) : "-",
                  best != nullptr ? std::to_string(best->step) : "-",
                  sparkline(curve)});
  }
  if (!source.curves.empty()) printText(table.text("  ") + "\n");
  for (const std::string& remark : source.remarks) {
    printNote("lambda: " + terminalText(remark) + "\n");
  }
}

Json jsonOf(const CurveSource& source) {
  Json curves = Json::array();
  for (const Curve& curve : source.curves) {
    Json points = Json::array();
    for (const CurvePoint& point : curve.points) {
      points.push_back({{"step", point.step}, {"value", point.value}});
    }
    curves.push_back({{"name", curve.name}, {"points", points}});
    if (const CurvePoint* best = bestOf(curve)) {
      curves.back()["best"] = {{"step", best->step}, {"value", best->value}};
    }
  }
  return {{"source", source.name}, {"curves", curves}, {"remarks", source.remarks}};
}

int showCurves(const CurvesOptions& options) {
  std::vector<CurveSource> sources;
  for (const std::string& given : options.sources) sources.push_back(readSource(given));
  if (options.output.json) {
    Json list = Json::array();
    for (const CurveSource& source : sources) list.push_back(jsonOf(source));
    printJson({{"sources", list}});
    return kExitOk;
  }
  for (const CurveSource& source : sources) print(source);
  return kExitOk;
}

}  // namespace

void addCurves(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CurvesOptions>();
  CLI::App* command = addCommand(
      program,
      "curves",
      "Show the curves of runs and of TensorBoard logs beside each other",
      {{"lambda curves 2026-11-20_22-48-00_quickstart", "accuracy and loss by epoch"},
       {"lambda curves runs/mine ~/logs/theirs --json", "all points of both, for a script"}},
      "A run's curves are over its epochs, those of a TensorBoard log folder over its steps. The "
      "best\n"
      "value of a loss, an error, a perplexity and the like is the lowest one, else the highest. "
      "What\n"
      "is damaged, left out or logged again in event files is said after the curves.");
  command
      ->add_option("RUN|FOLDER|FILE",
                   options->sources,
                   "run folders, folders of event files, or event files")
      ->required();
  addJsonFlag(command, options->output);
  onChosen(command, options, action, showCurves);
}

}  // namespace lambda
