#pragma once

#include <optional>
#include <vector>

namespace lambda {

/// From here on, a measurement is disturbed: as a share of the cores' time.
inline constexpr double kDisturbingLoad = 0.05;

/// What this process did not get of its cores' time, as shares of all of it.
struct LoadShares {
  double others = 0;  ///< Other processes had it.
  double stolen = 0;  ///< The host of this virtual machine gave it to another one.

  bool disturbs() const { return others + stolen > kDisturbingLoad; }
};

/// Seconds of work since some moment.
struct CoreSeconds {
  double busy = 0;    ///< All cores, all processes.
  double stolen = 0;  ///< All cores.
  double own = 0;     ///< This process and its children that ended.
  double wall = 0;
};

/// Watches who else uses the cores that this process may use, from its construction on, by the
/// kernel's account (/proc/stat).
class ForeignLoad {
 public:
  ForeignLoad();

  /// None where the system does not tell.
  std::optional<LoadShares> shares() const;

 private:
  std::vector<int> cores_;
  std::optional<CoreSeconds> start_;
};

/// The same from two moments of `cores` cores.
LoadShares sharesOf(const CoreSeconds& start, const CoreSeconds& end, int cores);

}  // namespace lambda
