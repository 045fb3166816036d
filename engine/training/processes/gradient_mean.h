#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/runtime/processes/processes.h"

namespace lambda {

/// A bucket of gradients that was sent.
struct SentBucket {
  std::int64_t bytes = 0;
  std::chrono::steady_clock::time_point at;  ///< When its last gradient was there.
};

/// Gives every rank the gradients of the joint batch: those of each rank, weighted by its share of
/// the loss, are summed. They travel in buckets of 25 MiB, the first of 1 MiB, by the Reducer of
/// LibTorch's DistributedDataParallel (Li et al., 2020, arXiv:2006.15704). The buckets never
/// change, so that the order of the sums, and the bits, are the same after a resume. Lives on the
/// training thread.
class GradientMean {
 public:
  /// `parameters`: all that get a gradient in every step, in the module's order. `overlaps`:
  /// buckets travel while the backward pass still computes others; otherwise there is one for each
  /// type of number, at its end. `processes` must outlive this.
  GradientMean(Processes& processes, std::vector<at::Tensor> parameters, bool overlaps);
  ~GradientMean();

  GradientMean(const GradientMean&) = delete;
  GradientMean& operator=(const GradientMean&) = delete;

  /// Runs the backward pass of the loss and leaves the joint gradients. `share`: of this rank in
  /// the joint loss. Throws Error as Processes, and what the backward pass throws.
  void backward(const at::Tensor& loss, double share);

  /// The seconds of the latest backward() after this rank's own gradients were there: it waited for
  /// the others and for the network.
  double waitedSeconds() const;

  /// The buckets of the latest backward(), in the order in which they were sent.
  const std::vector<SentBucket>& sentBuckets() const;

 private:
  class GpuWait;
  class Sum;
  struct Buckets;

  /// Makes the buckets where autograd has forgotten those that were there.
  void prepare();

  Processes& processes_;
  std::vector<at::Tensor> parameters_;
  bool overlaps_;
  std::unique_ptr<Buckets> buckets_;
};

}  // namespace lambda
