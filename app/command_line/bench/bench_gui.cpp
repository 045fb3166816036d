#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "app/command_line/bench/bench_machine.h"
#include "app/command_line/bench/bench_options.h"
#include "app/command_line/bench/bench_rows.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/values/text/quantities.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct GuiOptions {
  OutputOptions output;
};

/// The path of the studio's benchmark, which is built beside this program.
fs::path studioBenchmark() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / "bench" / "bench_studio";
}

/// The standard output of a command. Throws Error where the command fails.
std::string outputOf(const fs::path& program) {
  std::string quoted = "'";
  for (const char c : program.string()) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  std::FILE* pipe = popen((quoted + "'").c_str(), "r");
  if (pipe == nullptr) throw Error(program.string(), "can't be started");
  std::string output;
  std::array<char, 4096> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe))
    output.append(part.data(), count);
  if (pclose(pipe) != 0) throw Error(program.string(), "failed; its own messages are above");
  return output;
}

/// The platform to run on: a display, or Qt's offscreen platform where there is none.
std::string choosePlatform() {
  if (const char* chosen = std::getenv("QT_QPA_PLATFORM")) return chosen;
  if (std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr)
    return "display";
  setenv("QT_QPA_PLATFORM", "offscreen", 1);
  return "offscreen";
}

Json rowJson(const std::string& name, double ms) {
  return {{"case", name}, {"ours", ms}, {"rivals", Json::object()}, {"ratio", Json::object()}};
}

Json rowsOf(const Json& figures) {
  Json rows = Json::array();
  rows.push_back(
      rowJson("first paint", kMsPerSecond * figures.at("firstPaintSeconds").get<double>()));
  rows.push_back(rowJson("tick late while training, p95", figures.at("tickLateMs95")));
  rows.push_back(rowJson("tick late while training, p99", figures.at("tickLateMs99")));
  rows.push_back(rowJson("tick late while training, maximum", figures.at("tickLateMsMost")));
  const double ours = figures.at("imagesPerSecond"), alone = figures.at("headlessImagesPerSecond");
  Json training = rowJson("an image trained in the studio", kMsPerSecond / ours);
  training["rivals"]["lambda train"] = kMsPerSecond / alone;
  training["ratio"]["lambda train"] = ours / alone;
  rows.push_back(training);
  return rows;
}

int runGui(const GuiOptions& options) {
  const fs::path program = studioBenchmark();
  std::error_code error;
  if (!fs::exists(program, error)) {
    throw Error(program.string(),
                "the studio's benchmark is not built",
                "cmake --preset release -DLAMBDA_STUDIO=ON -DLAMBDA_TESTS=ON && "
                "cmake --build build/release --target bench_studio lambda");
  }
  const BenchMachine machine;
  ProgressLine line(options.output.quiet);
  const std::string platform = choosePlatform();
  line.show({{"gui", "the studio trains the quickstart, with and without its window"}, 0});
  const Json figures = Json::parse(outputOf(program), nullptr, /*allow_exceptions=*/false);
  line.clear();
  if (!figures.is_object() || !figures.contains("headlessImagesPerSecond"))
    throw Error(program.string(), "printed no measurements");
  const Json rows = rowsOf(figures);
  if (options.output.json) {
    machine.printWarnings(line);
    printJson({{"benchmark", "gui"},
               {"machine", machine.json()},
               {"platform", platform},
               {"rows", rows},
               {"figures", figures}});
    return kExitOk;
  }
  TextTable table({{"what"}, {"ms", TextTable::Align::right}});
  for (const Json& row : rows)
    table.addRow({row.at("case"), formatFixed(row.at("ours").get<double>(), 2)});
  printText("The studio on " + platform + "\n\n" + table.text("  ") + "\n  Training runs at " +
            formatFixed(figures.at("speedOfHeadless").get<double>(), 3) +
            " of its speed without a window; the studio needs " +
            formatFixed(figures.at("restMegabytes").get<double>(), 0) + " MB at rest and " +
            formatFixed(figures.at("trainingMegabytes").get<double>(), 0) +
            " MB while it trains.\n\n" + machine.text());
  return kExitOk;
}

}  // namespace

void addBenchGui(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<GuiOptions>();
  CLI::App* command = addCommand(
      bench,
      "gui",
      "Responsiveness of the studio while it trains: first paint, late ticks, cost of the window",
      {{"lambda bench gui", "with a display or without one"},
       {"xvfb-run -a -s '-screen 0 1920x1080x24' lambda bench gui --json", "on a virtual display"}},
      "Runs the program bench/bench_studio beside this one, which is built with the tests.");
  addOutputFlags(command, options->output);
  onChosen(command, options, action, runGui);
}

}  // namespace lambda
