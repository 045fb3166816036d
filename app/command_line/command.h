#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "engine/runtime/error.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// Exit statuses; 128 + N after signal N.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

/// The command line, or a configuration it names, can't be understood: exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;

  explicit UsageError(const Error& error) : Error(error) {}
};

/// A configuration that can be read but not trained: exit status 2.
class InvalidConfiguration : public Error {
 public:
  InvalidConfiguration(const std::string& source, std::vector<Problem> problems)
      : Error(source, "the configuration can't be trained"), problems_(std::move(problems)) {}

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// The action that the command line requests; returns the exit status.
using Action = std::function<int()>;

/// The form of reports.
struct OutputOptions {
  bool json = false;   ///< One JSON object is the only output on standard output.
  bool quiet = false;  ///< No progress on standard error.
};

/// A line of help with a command that works as it is typed.
struct Example {
  std::string command;
  std::string meaning;
};

/// The program without its commands: its help, --version, and the layout of all help texts.
std::unique_ptr<CLI::App> makeProgram();

/// `summary` is one line for the list of commands; the command's own help continues with `details`.
CLI::App* addCommand(CLI::App& parent,
                     const std::string& name,
                     const std::string& summary,
                     const std::vector<Example>& examples,
                     const std::string& details = {});

void addJsonFlag(CLI::App* command, OutputOptions& output);

/// --json and --quiet.
void addOutputFlags(CLI::App* command, OutputOptions& output);

/// Makes the command's `run(options)` the program's action where the command is chosen.
template <class Options>
void onChosen(CLI::App* command,
              const std::shared_ptr<Options>& options,
              Action& action,
              int (*run)(const Options&)) {
  command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
}

/// A check that the value of an option is a whole number from 1, in digits alone, that an int
/// holds.
CLI::Validator isWholeNumberFromOne();

/// The error in the arguments, with the nearest command or option.
UsageError usageErrorOf(const CLI::App& program, const CLI::ParseError& error);

}  // namespace lambda
