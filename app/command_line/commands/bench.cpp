#include "app/command_line/bench/entry_point.h"
#include "app/command_line/commands/commands.h"
#include "engine/runtime/plugin.h"

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
  bench->preparse_callback([&](std::size_t) { addBenchParts(program, action); });
}

void addBenchParts(CLI::App& program, Action& action) {
  const PluginFunction function =
      pluginFunction(pluginFile(kBenchmarksLibrary), kAddBenchmarksSymbol);
  if (function.address == nullptr) {
    throw Error(kBenchmarksLibrary,
                "The benchmarks can't be run: " + function.obstacle + ".",
                "From the sources, app/run bench builds their library.");
  }
  reinterpret_cast<AddBenchmarks>(function.address)(*program.get_subcommand("bench"), action);
}

}  // namespace lambda
