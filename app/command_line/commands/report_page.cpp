#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/studio_program.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

struct ReportPageOptions {
  std::vector<std::string> sources;
  std::string out;
};

int writePage(const ReportPageOptions& options) {
  requireNoFileOfRun(options.out);
  const std::optional<fs::path> program = studioProgram();
  if (!program) {
    throw Error("report",
                "its pictures are drawn by lambda-studio, which is not installed beside lambda",
                "Build or install it, or use `lambda info` and `lambda experiment report`.");
  }
  // A path that begins with a dash would be read as an option.
  std::vector<std::string> arguments{"--report", fs::absolute(options.out).string(), "--"};
  for (const std::string& source : options.sources) {
    arguments.push_back(fs::absolute(findRun(source)).string());
  }
  runStudio("report", *program, arguments);
  printText(terminalText(shownPath(fs::absolute(options.out))) + "\n");
  return kExitOk;
}

}  // namespace

void addReport(CLI::App& program, Action& action) {
  const auto options = std::make_shared<ReportPageOptions>();
  CLI::App* command = addCommand(
      program,
      "report",
      "Write a run, a comparison of runs or an experiment as one page of HTML",
      {{"lambda report 2026-11-20_22-48-00_quickstart --out quickstart.html", "one run"},
       {"lambda report runs/mine runs/theirs --out both.html", "what two runs differ in"},
       {"lambda report experiments/content-position --out answer.html", "an experiment"}},
      "The page contains its pictures, needs no network, and runs no script. It is written by\n"
      "lambda-studio, which must be installed beside lambda; no window and no display are needed.");
  command
      ->add_option("RUN",
                   options->sources,
                   "run folders, names of runs in runs/, or the folder of an experiment")
      ->required();
  command->add_option("-o,--out", options->out, "the page")->type_name("FILE")->required();
  onChosen(command, options, action, writePage);
}

}  // namespace lambda
