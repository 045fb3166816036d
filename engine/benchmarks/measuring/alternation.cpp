#include "engine/benchmarks/measuring/alternation.h"

#include <utility>

namespace lambda {

template <class Keeps>
Timing Repetitions::timingWhere(const Keeps& keeps) const {
  std::vector<double> seconds;
  for (const Laps& laps : laps_) {
    double sum = 0;
    for (std::size_t i = 0; i < laps.size(); ++i) sum += keeps(i) ? laps[i] : 0;
    seconds.push_back(sum);
  }
  return timingOf(seconds);
}

Timing Repetitions::total() const {
  return timingWhere([](std::size_t) { return true; });
}

Timing Repetitions::part(std::size_t lap) const {
  return timingWhere([lap](std::size_t i) { return i == lap; });
}

Timing Repetitions::without(std::size_t lap) const {
  return timingWhere([lap](std::size_t i) { return i != lap; });
}

std::vector<Repetitions> alternate(const std::vector<std::function<Laps()>>& contenders,
                                   const AlternationOptions& options) {
  std::vector<Repetitions> all(contenders.size());
  for (int round = 0; round < options.warmUps; ++round) {
    for (const auto& contender : contenders) contender();
  }
  Stopwatch clock;
  double elapsed = 0;
  for (int round = 0; round < options.repetitions; ++round) {
    if (round >= options.fewest && elapsed > options.secondsAtMost) break;
    for (std::size_t i = 0; i < contenders.size(); ++i) all[i].add(contenders[i]());
    clock.lap();
    elapsed += clock.laps().back();
  }
  return all;
}

}  // namespace lambda
