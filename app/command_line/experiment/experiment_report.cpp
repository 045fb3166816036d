#include "engine/experiments/report/experiment_report.h"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/command_line/experiment/experiment_commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/studio_program.h"
#include "engine/experiments/read_experiment.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr const char* kFigures = "figures";

struct ReportOptions {
  std::string experiment;
  std::string out;
};

/// Draws the figures, where that is possible. Returns their paths in the folder of the report.
std::vector<std::string> figuresOf(const ExperimentFolder& folder,
                                   const ExperimentState& state,
                                   const fs::path& out) {
  const auto hasEpoch = [](const ExperimentCell& cell) { return cell.epochsDone > 0; };
  if (std::ranges::none_of(state.cells, hasEpoch)) return {};
  const std::optional<fs::path> program = studioProgram();
  if (!program) {
    printNote("The report has no figures: they need lambda-studio, installed beside lambda.\n");
    return {};
  }
  std::vector<std::string> figures = drawFigures(*program, folder.path(), out / kFigures);
  for (std::string& figure : figures) figure = std::string(kFigures) + "/" + figure;
  printText(terminalText(shownPath(out / kFigures)) + "\n");
  return figures;
}

int report(const ReportOptions& options) {
  requireNoFileOfRun(options.out);
  const ExperimentFolder folder = findExperiment(options.experiment);
  const ExperimentState state = readExperiment(folder);
  const fs::path out = options.out;
  std::error_code error;
  fs::create_directories(out, error);
  if (error) {
    throw Error(out.string(),
                "the folder can't be created: " + error.message(),
                "Choose a folder that you may write to.");
  }
  const auto write = [&out](const std::string& name, const std::string& text) {
    writeFileDurably(out / name, text);
    printText(terminalText(shownPath(out / name)) + "\n");
  };
  write("report.tex", latexReport(state));
  write("runs.csv", runsCsv(state));
  write("results.csv", resultsCsv(state));
  // Without its figures a report is still one.
  try {
    write("report.md", markdownReport(state, figuresOf(folder, state, out)));
  } catch (const Error&) {
    write("report.md", markdownReport(state));
    throw;
  }
  return kExitOk;
}

}  // namespace

void addExperimentReport(CLI::App& parent, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = addCommand(
      parent,
      "report",
      "Write the tables of an experiment as Markdown, LaTeX and CSV, and its figures",
      {{"lambda experiment report content-position --out report",
        "report.md, report.tex, runs.csv, results.csv and the folder figures"}},
      "The figures are drawn by lambda-studio, where it is installed, as PNG, SVG, PDF and CSV.\n"
      "The same runs give the same tables to the byte. Every mean stands with its deviation and "
      "its 95 %\n"
      "interval, and every difference with the interval of the pairs.");
  command
      ->add_option("EXPERIMENT",
                   options->experiment,
                   "the folder of an experiment, or the name of one in experiments/")
      ->required();
  command->add_option("-o,--out", options->out, "folder for the files")
      ->type_name("DIR")
      ->required();
  onChosen(command, options, action, report);
}

}  // namespace lambda
