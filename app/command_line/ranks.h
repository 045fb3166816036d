#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "engine/experiments/child_process.h"
#include "engine/runtime/processes/processes.h"

namespace lambda {

/// The processes that train one run: those of torchrun, srun or mpirun, or those of --processes,
/// which this starts with its own arguments.
class Ranks {
 public:
  /// `wanted`: by --processes; 0 = as a launcher says. Joins the others. Throws Error as
  /// joinProcesses(), and where a launcher has started another number of processes than is wanted.
  Ranks(int wanted, const OutputOptions& output);

  /// Leaves the others, and waits a little until those that it started have ended; then it kills
  /// them.
  ~Ranks();

  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Null = this process trains alone.
  Processes* processes() { return processes_.get(); }

  /// Runs `train` on rank 0. The other ranks train what rank 0 trains and write nothing; a signal
  /// to one of them asks rank 0 to save and to end. Returns the exit status.
  int run(const std::function<int()>& train);

 private:
  int follow();

  std::vector<ChildProcess> started_;
  std::shared_ptr<Processes> processes_;
};

/// Throws Error where a launcher has started several processes of a command that is for one.
void requireNoLaunch(const std::string& command);

/// Adds the option --processes.
void addProcesses(CLI::App& command, int& processes);

}  // namespace lambda
