#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// The place of this process among those that were started together, each of which is a rank.
struct Launch {
  std::string launcher;        ///< For messages: "torchrun", "srun", "mpirun" or "lambda".
  int rank = 0;                ///< From 0 to size - 1; rank 0 writes the run.
  int size = 1;                ///< The number of ranks on all hosts.
  int localRank = 0;           ///< The number of this process among those on its host.
  int localSize = 1;           ///< The number of ranks on this host.
  std::string host;            ///< Where the ranks meet: the name or address of the host of rank 0.
  std::uint16_t port = 0;      ///< The port there.
  bool storeIsServed = false;  ///< The launcher serves the store at that place, not rank 0.
  std::string job = {};        ///< What tells this start from others that meet at the same place.
  int attempt = 0;             ///< How often the launcher has started all ranks anew.
  int listening = -1;          ///< On rank 0 a socket that listens there already; -1 = none.

  bool isFirst() const { return rank == 0; }

  bool operator==(const Launch&) const = default;
};

/// Gets the value of an environment variable; null if it is not set.
using EnvironmentLookup = std::function<const char*(const char* name)>;

/// The launch that the variables of torchrun, srun or mpirun describe; nothing for a process that
/// was started by itself, or as one of one. Where the launcher names no port, ranks meet at one
/// that the number of the job decides, and with mpirun, which names no host either, at this host
/// unless MASTER_ADDR says another. Throws Error naming the variable that is missing or has no
/// meaning.
std::optional<Launch> launchOf(const EnvironmentLookup& variable);

/// The launch of this process.
std::optional<Launch> launchOfThisProcess();

/// The variables, "NAME=", that make a child process one by itself, which belongs to no launch.
std::vector<std::string> variablesOfNoLaunch();

/// The host that a list of Slurm begins with: "node[07-12,20],login1" begins with node07. Throws
/// Error for a list that is not of that form.
std::string firstHostOf(const std::string& list);

}  // namespace lambda
