#include "engine/runtime/processes/launch.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr int kMostRanks = 1 << 20;
constexpr int kFirstPort = 20000;
constexpr int kPorts = 10000;
constexpr const char* kThisHost = "127.0.0.1";

/// The variables of one launcher.
class Variables {
 public:
  Variables(const EnvironmentLookup& lookup, const char* launcher)
      : lookup_(lookup), launcher_(launcher) {}

  std::string text(const char* name) const {
    const char* value = lookup_(name);
    return value == nullptr ? "" : value;
  }

  std::string required(const char* name) const {
    std::string value = text(name);
    if (value.empty()) throw Error(name, "it is not set, though " + launcher_ + " started this");
    return value;
  }

  int number(const char* name, int least, int most) const {
    const std::string value = required(name);
    int number = 0;
    const char* end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < least || number > most) {
      throw Error(name,
                  "it is \"" + std::string(utf8Prefix(value, 40)) + "\", not a number from " +
                      std::to_string(least) + " to " + std::to_string(most));
    }
    return number;
  }

  int number(const char* name, int least, int most, int otherwise) const {
    return text(name).empty() ? otherwise : number(name, least, most);
  }

 private:
  const EnvironmentLookup& lookup_;
  std::string launcher_;
};

/// MASTER_PORT, else a port that all processes of the job find by its name.
std::uint16_t portOf(const Variables& variables, const std::string& job) {
  int hash = 0;
  for (const char each : job) hash = (hash * 31 + static_cast<unsigned char>(each)) % kPorts;
  return static_cast<std::uint16_t>(variables.number("MASTER_PORT", 1, 65535, kFirstPort + hash));
}

Launch ofTorchrun(const Variables& variables) {
  Launch launch;
  launch.size = variables.number("WORLD_SIZE", 1, kMostRanks);
  launch.rank = variables.number("RANK", 0, launch.size - 1);
  launch.localSize = variables.number("LOCAL_WORLD_SIZE", 1, launch.size, 1);
  launch.localRank = variables.number("LOCAL_RANK", 0, launch.localSize - 1, 0);
  launch.host = variables.required("MASTER_ADDR");
  launch.port = static_cast<std::uint16_t>(variables.number("MASTER_PORT", 1, 65535));
  launch.job = variables.text("TORCHELASTIC_RUN_ID");
  launch.storeIsServed = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  launch.attempt = variables.number("TORCHELASTIC_RESTART_COUNT", 0, 1 << 20, 0);
  return launch;
}

/// The number of tasks on the first host of "4(x2),3".
int tasksOnFirstHost(const std::string& tasks) {
  int number = 0;
  std::from_chars(tasks.data(), tasks.data() + tasks.size(), number);
  return number;
}

Launch ofSlurm(const Variables& variables) {
  Launch launch;
  launch.size = variables.number("SLURM_STEP_NUM_TASKS", 1, kMostRanks);
  launch.rank = variables.number("SLURM_PROCID", 0, launch.size - 1);
  launch.localRank = variables.number("SLURM_LOCALID", 0, launch.size - 1);
  // Slurm lists the tasks of every host; the number of the first host is taken for all of them.
  launch.localSize =
      std::max(launch.localRank + 1, tasksOnFirstHost(variables.text("SLURM_STEP_TASKS_PER_NODE")));
  launch.host = variables.text("MASTER_ADDR");
  if (launch.host.empty()) launch.host = firstHostOf(variables.required("SLURM_STEP_NODELIST"));
  launch.job = variables.text("SLURM_JOB_ID") + "." + variables.text("SLURM_STEP_ID");
  launch.port = portOf(variables, launch.job);
  return launch;
}

Launch ofOpenMpi(const Variables& variables) {
  Launch launch;
  launch.size = variables.number("OMPI_COMM_WORLD_SIZE", 1, kMostRanks);
  launch.rank = variables.number("OMPI_COMM_WORLD_RANK", 0, launch.size - 1);
  launch.localSize = variables.number("OMPI_COMM_WORLD_LOCAL_SIZE", 1, launch.size);
  launch.localRank = variables.number("OMPI_COMM_WORLD_LOCAL_RANK", 0, launch.localSize - 1);
  launch.host = variables.text("MASTER_ADDR");
  if (launch.host.empty()) {
    if (launch.localSize < launch.size) {
      throw Error("MASTER_ADDR",
                  "it is not set, and mpirun does not tell the host of rank 0",
                  "give its name: mpirun -x MASTER_ADDR=HOST ...");
    }
    launch.host = kThisHost;
  }
  // Open MPI's name of this start.
  launch.job = variables.text("PMIX_NAMESPACE");
  launch.port = portOf(variables, launch.job);
  return launch;
}

struct Launcher {
  const char* name;
  const char* mark;  // The variable that shows that it started this process.
  Launch (*read)(const Variables& variables);
};

// srun and mpirun may themselves start torchrun, whose variables are then those that count.
constexpr Launcher kLaunchers[] = {{"torchrun", "RANK", ofTorchrun},
                                   {"mpirun", "OMPI_COMM_WORLD_RANK", ofOpenMpi},
                                   // A batch script itself has SLURM_NTASKS, but is no task.
                                   {"srun", "SLURM_STEP_NUM_TASKS", ofSlurm}};

}  // namespace

std::string firstHostOf(const std::string& list) {
  const auto refuse = [&]() -> Error {
    return {"list of hosts",
            "\"" + std::string(utf8Prefix(list, 80)) + "\" is not a list of Slurm",
            "name the host of rank 0 with MASTER_ADDR."};
  };
  std::string host;
  for (std::size_t i = 0; i < list.size() && list[i] != ','; ++i) {
    if (list[i] != '[') {
      host += list[i];
      continue;
    }
    const std::size_t close = list.find(']', i);
    if (close == std::string::npos) throw refuse();
    const std::size_t end = list.find_first_of("-,]", i + 1);
    host += list.substr(i + 1, end - i - 1);
    i = close;
  }
  const bool isName = !host.empty() && host.find_first_of("[] \t\n") == std::string::npos;
  if (!isName) throw refuse();
  return host;
}

std::vector<std::string> variablesOfNoLaunch() {
  std::vector<std::string> variables;
  for (const Launcher& each : kLaunchers) variables.push_back(std::string(each.mark) + "=");
  return variables;
}

std::optional<Launch> launchOf(const EnvironmentLookup& variable) {
  for (const auto& [name, mark, read] : kLaunchers) {
    const Variables variables(variable, name);
    if (variables.text(mark).empty()) continue;
    Launch launch = read(variables);
    launch.launcher = name;
    if (launch.size == 1) return std::nullopt;
    return launch;
  }
  return std::nullopt;
}

std::optional<Launch> launchOfThisProcess() {
  return launchOf([](const char* name) { return std::getenv(name); });
}

}  // namespace lambda
