#include "engine/benchmarks/measuring/other_load.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include <sched.h>

namespace lambda {

namespace {

std::vector<int> allowedCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

double secondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double ownSeconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    seconds += secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime);
  }
  return seconds;
}

std::optional<CoreSeconds> secondsNow(const std::vector<int>& cores) {
  std::ifstream stat("/proc/stat");
  const double ticksPerSecond = static_cast<double>(sysconf(_SC_CLK_TCK));
  CoreSeconds now;
  std::size_t seen = 0;
  for (std::string line; std::getline(stat, line);) {
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    if (!name.starts_with("cpu") || name == "cpu") continue;
    if (std::ranges::find(cores, std::stoi(name.substr(3))) == cores.end()) continue;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupt = 0, soft = 0, stolen = 0;
    if (!(fields >> user >> nice >> system >> idle >> wait >> interrupt >> soft >> stolen)) break;
    now.busy += (user + nice + system) / ticksPerSecond;
    now.stolen += stolen / ticksPerSecond;
    ++seen;
  }
  if (seen == 0 || seen < cores.size()) return std::nullopt;
  now.own = ownSeconds();
  now.wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now;
}

}  // namespace

OtherLoad::OtherLoad() : cores_(allowedCores()), start_(secondsNow(cores_)) {}

std::optional<LoadShares> OtherLoad::shares() const {
  const std::optional<CoreSeconds> end = secondsNow(cores_);
  if (!start_ || !end) return std::nullopt;
  return sharesOf(*start_, *end, static_cast<int>(cores_.size()));
}

LoadShares sharesOf(const CoreSeconds& start, const CoreSeconds& end, int cores) {
  const double all = cores * (end.wall - start.wall);
  if (all <= 0) return {};
  const double others = (end.busy - start.busy) - (end.own - start.own);
  return {std::clamp(others / all, 0.0, 1.0),
          std::clamp((end.stolen - start.stolen) / all, 0.0, 1.0)};
}

}  // namespace lambda
