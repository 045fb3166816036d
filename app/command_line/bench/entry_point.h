#pragma once

#include "app/command_line/command.h"

namespace lambda {

/// The only symbol that lambda-benchmarks.so exports: adds the parts of `lambda bench`. It has C
/// linkage, so that it is found by its name; the caller and the library are always built together.
using AddBenchmarks = void (*)(CLI::App& bench, Action& action);

inline constexpr const char* kAddBenchmarksSymbol = "lambdaAddBenchmarks";
inline constexpr const char* kBenchmarksLibrary = "lambda-benchmarks.so";

}  // namespace lambda
