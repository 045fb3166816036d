#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/commands/export_data.h"
#include "app/command_line/dataset_text.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/run_source.h"
#include "app/command_line/text_table.h"
#include "app/interrupt.h"
#include "engine/data/download.h"
#include "engine/data/sources/data_sources.h"
#include "engine/runtime/error.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr char kCifar10[] = "cifar10";

struct DataOptions {
  std::string path = kCifar10;
  std::vector<std::string>
      assignments;  ///< For `check`: options of the kind of data, data.source.size=64.
  OutputOptions output;
};

Json reportJson(const DataReport& report) {
  Json files = Json::array();
  for (const DataFileReport& file : report.files) {
    files.push_back({{"name", file.name},
                     {"present", file.present},
                     {"isTest", file.isTest},
                     {"bytes", file.bytes},
                     {"sha1", file.sha1},
                     {"countPerClass", file.countPerClass}});
  }
  Json findings = Json::array();
  for (const DataFinding& finding : report.findings) {
    findings.push_back({{"severity", finding.severity == Severity::error ? "error" : "warning"},
                        {"place", finding.place},
                        {"text", finding.text},
                        {"hint", finding.hint}});
  }
  return {{"source", report.source},
          {"usable", report.usable},
          {"sha256", report.sha256},
          {"info", report.info ? datasetInfoJson(*report.info) : Json(nullptr)},
          {"files", files},
          {"findings", findings}};
}

std::int64_t imagesOf(const DataFileReport& file) {
  std::int64_t count = 0;
  for (const std::int64_t ofClass : file.countPerClass) count += ofClass;
  return count;
}

/// A table of the classes; empty where it would be long or is not known.
std::string classesText(const DataReport& report) {
  constexpr std::size_t kMostClassesShown = 40;
  const std::vector<ClassCount> counts = classCountsOf(report);
  if (counts.empty() || counts.size() > kMostClassesShown) return {};
  TextTable table({{"class"},
                   {"training and validation", TextTable::Align::right},
                   {"test", TextTable::Align::right}});
  for (const ClassCount& each : counts) {
    table.addRow({terminalText(each.name), formatCount(each.train), formatCount(each.test)});
  }
  return "\n" + table.text("  ");
}

void printReport(const DataReport& report) {
  std::string text = terminalText(report.source);
  text += report.usable ? ": whole, ready to train on\n" : ": can't be trained on\n";
  if (report.info) text += "  " + terminalText(datasetText(*report.info)) + "\n";
  TextTable table(
      {{"file"}, {"size", TextTable::Align::right}, {"images", TextTable::Align::right}});
  for (const DataFileReport& file : report.files) {
    table.addRow({terminalText(file.name),
                  file.present ? formatBytes(file.bytes) : "missing",
                  file.countPerClass.empty() ? "" : formatCount(imagesOf(file))});
  }
  if (!report.files.empty()) text += "\n" + table.text("  ");
  text += classesText(report);
  if (!report.findings.empty()) text += "\n";
  constexpr std::size_t kMostFindings = 20;
  const std::size_t shown = std::min(report.findings.size(), kMostFindings);
  for (std::size_t i = 0; i < shown; ++i) {
    const DataFinding& finding = report.findings[i];
    // Findings in a row with the same remedy share one hint.
    const bool isRepeated = i + 1 < shown && report.findings[i + 1].hint == finding.hint;
    text += finding.severity == Severity::error ? "  error    " : "  warning  ";
    text += terminalText(finding.place) + ": " + terminalText(finding.text) + "\n";
    if (!finding.hint.empty() && !isRepeated)
      text += "           " + terminalText(finding.hint, LineBreaks::kept) + "\n";
  }
  if (shown < report.findings.size()) {
    text += "  and " + std::to_string(report.findings.size() - shown) +
            " more: lambda data check --json lists them\n";
  }
  printText(text);
}

/// A place without a data set is a finding too, so that scripts always receive a report.
DataReport reportOf(const DataOptions& options) {
  try {
    RunConfig config;
    ConfigOptions changes;
    changes.data = options.path;
    changes.assignments = options.assignments;
    applyOptions(config, changes);
    return checkDataset(config.data.source);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    DataReport report;
    report.source = options.path;
    report.findings.push_back({Severity::error, error.place(), error.reason(), error.hint()});
    return report;
  }
}

int check(const DataOptions& options) {
  const DataReport report = reportOf(options);
  if (options.output.json) {
    printJson(reportJson(report));
  } else {
    printReport(report);
  }
  return report.usable ? kExitOk : kExitFailure;
}

/// Shows the received bytes and their rate.
class DownloadView {
 public:
  explicit DownloadView(ProgressLine& line) : line_(line) {}

  void show(const DownloadProgress& progress) {
    if (!line_.isDue()) return;
    const auto now = std::chrono::steady_clock::now();
    if (!started_) {
      started_ = true;
      start_ = now;
      firstBytes_ = progress.receivedBytes;
    }
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const double fresh = static_cast<double>(progress.receivedBytes - firstBytes_);
    const double rate = seconds > 0.5 ? fresh / seconds : 0;
    const double total = static_cast<double>(progress.totalBytes);
    const double done = total > 0 ? static_cast<double>(progress.receivedBytes) / total : 0;
    const double left = total - static_cast<double>(progress.receivedBytes);
    line_.show({{progress.phase == DownloadPhase::check ? "checking" : "fetching",
                 formatPercent(done, 0),
                 "ETA " + (rate > 0 ? formatClock(left / rate) : "..."),
                 formatBytes(progress.receivedBytes) + " of " + formatBytes(progress.totalBytes),
                 formatBytes(std::llround(rate)) + "/s"},
                done});
  }

 private:
  ProgressLine& line_;
  bool started_ = false;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t firstBytes_ = 0;
};

std::string outcomeText(DownloadOutcome outcome) {
  switch (outcome) {
    case DownloadOutcome::downloaded:
      return "downloaded";
    case DownloadOutcome::alreadyPresent:
      return "alreadyPresent";
    case DownloadOutcome::cancelled:
      break;
  }
  return "cancelled";
}

int get(const DataOptions& options) {
  const DownloadRequest request = cifar10Download(options.path);
  ProgressLine line(options.output.quiet);
  DownloadView view(line);
  Interrupt interrupt([] {});
  line.print("CIFAR-10, " + formatBytes(request.bytes) + " from " + request.url);
  const DownloadOutcome outcome = download(request, [&](const DownloadProgress& progress) {
    view.show(progress);
    return interrupt.exitStatus() == 0;
  });
  line.clear();
  if (options.output.json) {
    printJson({{"path", request.destination.string()}, {"outcome", outcomeText(outcome)}});
  } else if (outcome == DownloadOutcome::cancelled) {
    printText("Stopped. What was received is kept: the same command continues from there.\n");
  } else {
    const bool isNew = outcome == DownloadOutcome::downloaded;
    printText(terminalText(request.destination.string()) +
              (isNew ? ": whole, digest right\n" : ": already there, digest right\n") +
              "Next: lambda train resnet50-cifar-ccll --data " + shellPath(options.path) + "\n");
  }
  return outcome == DownloadOutcome::cancelled ? interrupt.exitStatus() : kExitOk;
}

}  // namespace

void addData(CLI::App& program, Action& action) {
  CLI::App* data =
      addCommand(program,
                 "data",
                 "Fetch, check or export a data set; the built-in shapes10 needs no files",
                 {{"lambda data get cifar10", "fetch CIFAR-10, 162 MiB, into ./cifar10"},
                  {"lambda data check ~/cifar10", "check the files there"},
                  {"lambda data export shapes10 --out shapes10.npz", "its images for NumPy"}});
  data->require_subcommand(1);
  addExportData(data, action);

  const auto getOptions = std::make_shared<DataOptions>();
  CLI::App* getCommand = addCommand(
      *data,
      "get",
      "Fetch a data set and check its digest; a stopped download continues where it ended",
      {{"lambda data get cifar10", "into ./cifar10, where the presets look for it"},
       {"lambda data get cifar10 ~/data/cifar10", "elsewhere; then train with --data"}});
  getCommand
      ->add_option_function<std::string>(
          "DATASET",
          [](const std::string& name) {
            if (name != kCifar10) {
              throw UsageError(
                  name, "there is no data set of this name", "Only cifar10 can be fetched.");
            }
          },
          "cifar10")
      ->required();
  getCommand->add_option("PATH", getOptions->path, "folder for the archive (default: cifar10)");
  addOutputFlags(getCommand, getOptions->output);
  onChosen(getCommand, getOptions, action, get);

  const auto checkOptions = std::make_shared<DataOptions>();
  CLI::App* checkCommand =
      addCommand(*data,
                 "check",
                 "Check every file of a data set: CIFAR-10, CIFAR-100, IDX files, pictures, text",
                 {{"lambda data check cifar10", "a folder with the .bin files or the archive"},
                  {"lambda data check ~/mnist", "a folder with IDX files"},
                  {"lambda data check ~/flowers --set data.source.size=64",
                   "a folder of pictures for each class"},
                  {"lambda data check book.txt", "a text file, or a folder of them"},
                  {"lambda data check cifar-10-binary.tar.gz --json", "an archive, for a script"}});
  checkCommand->add_option(
      "PATH", checkOptions->path, "a folder, an archive or a text (default: cifar10)");
  addSetOption(checkCommand, checkOptions->assignments);
  addJsonFlag(checkCommand, checkOptions->output);
  onChosen(checkCommand, checkOptions, action, check);
}

}  // namespace lambda
