#pragma once

#include <vector>

namespace lambda::test {

// The relatives of the lambda layer as their papers write them, in double and with a loop for each
// index. They share no code with the engine. Weights of 1x1 convolutions are [out, in]; channel i
// of head h is channel h c + i, with c channels for each head.

/// A map [b, channels, H, W].
struct NaiveMap {
  int batch = 0;
  int channels = 0;
  int height = 0;
  int width = 0;
  std::vector<double> values;

  int positions() const { return height * width; }

  double at(int b, int channel, int n) const {
    return values[static_cast<std::size_t>((b * channels + channel) * positions() + n)];
  }

  double& at(int b, int channel, int n) {
    return values[static_cast<std::size_t>((b * channels + channel) * positions() + n)];
  }

  /// A map of zeros with the same batch and positions.
  NaiveMap ofDepth(int depth) const;
};

struct NaiveProjections {
  std::vector<double> queries;  ///< [d, in]
  std::vector<double> keys;
  std::vector<double> values;
  int depth = 0;  ///< d
  int heads = 1;
};

struct NaiveResult {
  NaiveMap output;
  std::vector<double> weights;  ///< [b, h, n, m]; empty for layers without weights of pairs.
};

/// Bello et al., 2019, equations 3 and 4, with tables [2H - 1, c] and [2W - 1, c] that all heads
/// share; both are empty without relative positions. `causal`: n sees only m <= n.
NaiveResult naiveSelfAttention(const NaiveMap& x,
                               const NaiveProjections& projections,
                               const std::vector<double>& rowTable,
                               const std::vector<double>& columnTable,
                               bool causal);

/// Ramachandran et al., 2019, equation 3, with tables [r, h, c / 2].
NaiveResult naiveLocalAttention(const NaiveMap& x,
                                const NaiveProjections& projections,
                                int scope,
                                const std::vector<double>& rowTable,
                                const std::vector<double>& columnTable);

/// Attention within rows, or within columns (Ho et al., 2019), with a table [2 size - 1, c] that
/// all heads share; empty without relative positions. The weights are those of all pairs of
/// positions.
NaiveResult naiveLineAttention(const NaiveMap& x,
                               const NaiveProjections& projections,
                               bool alongRows,
                               const std::vector<double>& table);

/// Shen et al., 2018, equation 4, or Katharopoulos et al., 2020, equations 5 and 7. `causal`: n
/// sees only m <= n, over which sums and the softmax of keys then run.
NaiveResult naiveLinearAttention(const NaiveMap& x,
                                 const NaiveProjections& projections,
                                 bool isSoftmax,
                                 bool causal);

/// Wang et al., 2018, equations 2 to 6; `output` [out, d].
NaiveResult naiveNonLocal(const NaiveMap& x,
                          const NaiveProjections& projections,
                          const std::vector<double>& output,
                          int outputDepth,
                          bool isSoftmax);

/// Hu et al., 2018, equations 2 to 4, with biases: `squeeze` [s, in] and `excite` [in, s].
NaiveMap naiveChannelAttention(const NaiveMap& x,
                               const std::vector<double>& squeeze,
                               const std::vector<double>& squeezeBias,
                               const std::vector<double>& excite,
                               const std::vector<double>& exciteBias);

/// Woo et al., 2018, equation 3, with filters [2, k, k] of the mean and the maximum over channels.
NaiveMap naiveSpatialAttention(const NaiveMap& x,
                               const std::vector<double>& filters,
                               double bias,
                               int kernelSize);

/// A convolution with filters [out, in / groups, k, k] and k / 2 zeros around the map.
NaiveMap naiveConvolution(const NaiveMap& x,
                          const std::vector<double>& filters,
                          int depth,
                          int kernelSize,
                          int stride,
                          int groups);

}  // namespace lambda::test
