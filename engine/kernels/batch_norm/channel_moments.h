#pragma once

#include <cstdint>

namespace lambda {

/// The moments of some values of each channel.
struct ChannelMoments {
  double count = 0;           ///< Values of one channel.
  double* mean = nullptr;     ///< [channels]
  double* squares = nullptr;  ///< Sums of squared differences from the mean, [channels].
};

/// Adds the moments of further values to channels [begin, end), but leaves the counts: Chan, Golub
/// and LeVeque (1983), "Algorithms for computing the sample variance", equation 1.5b.
inline void mergeChannels(const ChannelMoments& more,
                          std::int64_t begin,
                          std::int64_t end,
                          const ChannelMoments& all) {
  const double share = more.count / (all.count + more.count);
  const double weight = all.count * share;
  for (std::int64_t c = begin; c < end; ++c) {
    const double difference = more.mean[c] - all.mean[c];
    all.mean[c] += difference * share;
    all.squares[c] += more.squares[c] + difference * difference * weight;
  }
}

/// The map by which a batch norm changes the values of a channel: (x - mean) scale + shift. The
/// mean is the nearest float, so that differences from it are exact; the shift makes up for its
/// rounding error.
struct ChannelScale {
  ChannelScale(double exactMean, double inverseDeviation, float weight, float bias)
      : mean(static_cast<float>(exactMean)) {
    const double factor = inverseDeviation * static_cast<double>(weight);
    const double lacking = exactMean - static_cast<double>(mean);
    scale = static_cast<float>(factor);
    shift = static_cast<float>(static_cast<double>(bias) - lacking * factor);
  }

  float mean, scale, shift;
};

}  // namespace lambda
