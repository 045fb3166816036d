#pragma once

#include <optional>
#include <vector>

namespace lambda {

/// The share of the cores' time above which other processes disturb a measurement.
inline constexpr double kDisturbingLoad = 0.05;

/// Shares of the cores' time that this process could not use.
struct LoadShares {
  double others = 0;  ///< Used by other processes.
  double stolen = 0;  ///< Given to other virtual machines by the host.

  bool disturbs() const { return others + stolen > kDisturbingLoad; }
};

/// Seconds of work since a fixed time.
struct CoreSeconds {
  double busy = 0;    ///< All cores, all processes.
  double stolen = 0;  ///< All cores.
  double own = 0;     ///< This process and its ended children.
  double wall = 0;
};

/// Measures, from its construction on, how much other processes use the cores that this process may
/// use, according to /proc/stat.
class OtherLoad {
 public:
  OtherLoad();

  /// The shares since construction; none if the system does not report them.
  std::optional<LoadShares> shares() const;

 private:
  std::vector<int> cores_;
  std::optional<CoreSeconds> start_;
};

/// The shares between two measurements of `cores` cores.
LoadShares sharesOf(const CoreSeconds& start, const CoreSeconds& end, int cores);

}  // namespace lambda
