#include "app/command_line/bench/bench_options.h"
#include "app/command_line/commands/commands.h"

namespace lambda {

void addBench(CLI::App& program, Action& action) {
  CLI::App* bench = addCommand(
      program,
      "bench",
      "Time parts of the engine against other implementations",
      {{"lambda bench core", "the lambda core against plain ATen"},
       {"lambda bench step tudelft-lambda", "training steps, and those of the convolution twin"}},
      "Compare the ratios of one run, not the seconds of different machines. The "
      "machine's ceilings are measured in the same run.");
  bench->require_subcommand(1);
  addBenchCore(*bench, action);
  addBenchLayer(*bench, action);
  addBenchStep(*bench, action);
  addBenchEvaluation(*bench, action);
  addBenchNetworks(*bench, action);
  addBenchData(*bench, action);
  addBenchGui(*bench, action);
}

}  // namespace lambda
