#include "app/command_line/commands/commands.h"
#include "app/command_line/experiment/experiment_commands.h"

namespace lambda {

void addExperiment(CLI::App& program, Action& action) {
  CLI::App* command = addCommand(
      program,
      "experiment",
      "Run many variants with many seeds, and say what their differences are",
      {{"lambda experiment list", "the experiments that come with the program, and your own"},
       {"lambda experiment run content-position --dry-run", "the plan and the time it needs here"},
       {"lambda experiment run content-position", "run it; the same command continues it"},
       {"lambda experiment show experiments/content-position", "what its runs say so far"},
       {"lambda experiment report experiments/content-position --out report",
        "tables as Markdown, LaTeX and CSV, and figures"}},
      "An experiment is a question, variants of a configuration, and seeds. Runs of one seed "
      "share\n"
      "initial weights, data order and augmentation, so that differences are paired. Each run is "
      "an\n"
      "ordinary run folder and is trained by a process of its own. Several machines may work on "
      "one\n"
      "folder: every run is trained once.");
  command->require_subcommand(1);
  addExperimentList(*command, action);
  addExperimentRun(*command, action);
  addExperimentShow(*command, action);
  addExperimentReport(*command, action);
}

}  // namespace lambda
