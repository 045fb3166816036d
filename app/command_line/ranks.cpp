#include "app/command_line/ranks.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "app/command_line/report.h"
#include "app/interrupt.h"
#include "engine/runtime/error.h"
#include "engine/runtime/processes/launch.h"
#include "engine/runtime/processes/reachable_address.h"
#include "engine/runtime/seconds_since.h"
#include "engine/training/loop/trainer.h"

namespace lambda {

namespace {

constexpr const char* kThisHost = "127.0.0.1";

constexpr double kEndSeconds = 3;
constexpr std::chrono::milliseconds kPoll{20};

/// The arguments of this process, with the path of its program first.
std::vector<std::string> ownArguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string each; std::getline(file, each, '\0');) arguments.push_back(each);
  arguments.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  return arguments;
}

std::vector<std::string> variablesOf(const Launch& launch) {
  return {"RANK=" + std::to_string(launch.rank),
          "WORLD_SIZE=" + std::to_string(launch.size),
          "LOCAL_RANK=" + std::to_string(launch.localRank),
          "LOCAL_WORLD_SIZE=" + std::to_string(launch.localSize),
          "MASTER_ADDR=" + launch.host,
          "MASTER_PORT=" + std::to_string(launch.port)};
}

Launch localLaunch(int size) {
  Launch launch;
  launch.launcher = "lambda";
  launch.size = size;
  launch.localSize = size;
  launch.host = kThisHost;
  const ListeningSocket socket = listenOnThisHost();
  launch.port = socket.port;
  launch.listening = socket.file;
  return launch;
}

}  // namespace

Ranks::Ranks(int wanted, const OutputOptions& output) {
  std::optional<Launch> launch = launchOfThisProcess();
  if (launch && wanted > 0 && wanted != launch->size) {
    throw Error("--processes",
                launch->launcher + " has started " + std::to_string(launch->size) +
                    " processes, not " + std::to_string(wanted),
                "Leave the option out.");
  }
  if (!launch && wanted > 1) {
    launch = localLaunch(wanted);
    for (int rank = 1; canJoinProcesses() && rank < wanted; ++rank) {
      Launch other = *launch;
      other.rank = other.localRank = rank;
      started_.emplace_back(ownArguments(),
                            ChildProcess::Options{.environment = variablesOf(other)});
    }
  }
  if (!launch) return;
  Meeting meeting;
  if (!output.quiet) meeting.note = [](const std::string& text) { printNote(text + "\n"); };
  processes_ = joinProcesses(*launch, meeting);
}

Ranks::~Ranks() {
  processes_.reset();
  const auto start = std::chrono::steady_clock::now();
  for (ChildProcess& each : started_) {
    while (!each.poll() && secondsSince(start) < kEndSeconds) std::this_thread::sleep_for(kPoll);
    each.kill();
  }
}

int Ranks::run(const std::function<int()>& train) {
  if (!processes_) return train();
  try {
    return processes_->isFirst() ? train() : follow();
  } catch (const std::exception& error) {
    processes_->leave(error.what());
    throw;
  }
}

int Ranks::follow() {
  Interrupt interrupt([this] { processes_->requestStop(); });
  followTraining(*processes_);
  return interrupt.exitStatus();
}

void requireNoLaunch(const std::string& command) {
  const std::optional<Launch> launch = launchOfThisProcess();
  if (!launch) return;
  throw Error("lambda " + command,
              launch->launcher + " has started " + std::to_string(launch->size) +
                  " processes, and only train, resume and experiment run work together",
              "Start one process.");
}

void addProcesses(CLI::App& command, int& processes) {
  command
      .add_option("--processes",
                  processes,
                  "train with so many processes on this machine, each on a part of every batch; "
                  "torchrun, srun and mpirun start them on many")
      ->check(isWholeNumberFromOne())
      ->type_name("N");
}

}  // namespace lambda
