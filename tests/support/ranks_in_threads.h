#pragma once

#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/runtime/processes/processes.h"
#include "tests/support/free_port.h"

namespace lambda::test {

/// A launch of this host for a rank.
inline Launch launchHere(int rank, int size, std::uint16_t port) {
  Launch launch;
  launch.launcher = "test";
  launch.rank = launch.localRank = rank;
  launch.size = launch.localSize = size;
  launch.host = "127.0.0.1";
  launch.port = port;
  return launch;
}

/// Ranks that wait for each other only shortly.
inline Meeting shortMeeting() {
  using namespace std::chrono_literals;
  return {.noted = 300ms, .givenUp = 1500ms, .lost = 2s};
}

/// Lets every rank, a thread each, do its part; returns the failures in the order of the ranks,
/// empty = none.
inline std::vector<std::string> inThreads(int size,
                                          const std::function<void(Processes&)>& part,
                                          const Meeting& meeting = {}) {
  // LibTorch records the operations of all groups of a process in one list, without a lock.
  setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/1);
  const std::uint16_t port = freePort();
  std::vector<std::string> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      std::shared_ptr<Processes> processes;
      try {
        processes = joinProcesses(launchHere(rank, size, port), meeting);
        part(*processes);
      } catch (const std::exception& error) {
        failures[static_cast<std::size_t>(rank)] = error.what();
        if (processes) processes->leave(error.what());
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return failures;
}

}  // namespace lambda::test
