#include "app/command_line/bench/entry_point.h"

#include "app/command_line/bench/bench_options.h"

extern "C" __attribute__((visibility("default"))) void lambdaAddBenchmarks(CLI::App& bench,
                                                                           lambda::Action& action) {
  lambda::addBenchCore(bench, action);
  lambda::addBenchLayer(bench, action);
  lambda::addBenchWkv(bench, action);
  lambda::addBenchStep(bench, action);
  lambda::addBenchEvaluation(bench, action);
  lambda::addBenchNetworks(bench, action);
  lambda::addBenchScaling(bench, action);
  lambda::addBenchData(bench, action);
  lambda::addBenchGui(bench, action);
}
