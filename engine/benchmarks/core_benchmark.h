#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lambda {

/// A lambda core on a square map with global relative embeddings.
struct CoreCase {
  int side = 8;          ///< Of the map: n = m = side^2.
  int outputDepth = 64;  ///< d = h v
  int queryDepth = 16;   ///< k
  int heads = 4;         ///< h
};

/// How long one form of the core takes, forward and backward together, in seconds.
struct CoreTiming {
  std::string form;
  double median = 0;
  double low = 0;    ///< 10th percentile.
  double high = 0;   ///< 90th percentile.
  double error = 0;  ///< Largest relative distance of output and gradients from float64.
};

struct CoreBenchmark {
  CoreCase shape;
  std::vector<CoreTiming> timings;  ///< The fused kernel first.
};

struct CoreBenchmarkOptions {
  int batch = 128;
  int repetitions = 30;
  int threads = 0;  ///< 0 = one a core.
};

/// The stages of the ResNet-50 of the published reproduction, and one large map.
std::vector<CoreCase> standardCoreCases();

/// Times the fused kernel and the ways to write the core in plain ATen against each other in
/// float32 on the CPU: the einsum that implementations ship, lambdas by one matrix product, and
/// queries first by two. In turn, on the same tensors of several sets. Each form is first compared
/// with float64; throws Error for one that is further than 1e-4 from it, before anything is timed.
CoreBenchmark runCoreBenchmark(const CoreCase& shape, const CoreBenchmarkOptions& options);

}  // namespace lambda
