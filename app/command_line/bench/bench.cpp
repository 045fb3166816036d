#include "app/command_line/bench/bench_options.h"
#include "app/command_line/commands/commands.h"

namespace lambda {

void addBench(CLI::App& program, Action& action) {
  CLI::App* bench =
      addCommand(program,
                 "bench",
                 "Time parts of the engine against other ways to write them",
                 {{"lambda bench core", "the lambda core against plain ATen"},
                  {"lambda bench step tudelft-lambda", "training steps, and the conv twin's"}},
                 "Ratios of one run mean something; seconds of different machines do not. The "
                 "machine's ceilings are measured in the same run.");
  bench->require_subcommand(1);
  addBenchCore(*bench, action);
  addBenchLayer(*bench, action);
  addBenchStep(*bench, action);
  addBenchData(*bench, action);
  addBenchGui(*bench, action);
}

}  // namespace lambda
