#pragma once

#include <cstdint>
#include <unordered_map>

#include <torch/nn/module.h>

namespace lambda {

/// Copies in bfloat16 of the filters of a network's convolutions, for training in mixed precision
/// (Micikevicius et al., 2018: "Mixed precision training", section 3.1). The parameters are the
/// masters, float32. Where copies are in use, convolve() takes them in the place of the masters,
/// which autocast would round in every step, and gradients are the copies'. The bits are those that
/// autocast gives. Lives on the training thread.
class Bfloat16Weights {
 public:
  explicit Bfloat16Weights(torch::nn::Module& network);

  /// The copy of a parameter; undefined if it has none.
  at::Tensor copyOf(const at::Tensor& master) const;

  /// Makes those copies again whose masters LibTorch's operations have written since. Who writes
  /// masters by their addresses writes the copies too.
  void follow();

  /// The copies of `weights` are in use on this thread while it lives; null = none are.
  class InUse {
   public:
    explicit InUse(const Bfloat16Weights* weights);
    ~InUse();

    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    const Bfloat16Weights* before_;
  };

  /// The copy of a parameter that is in use on this thread, else the parameter itself.
  static at::Tensor inUseFor(const at::Tensor& master);

 private:
  struct Pair {
    at::Tensor master;
    at::Tensor copy;
    std::int64_t version;  // Of the master, when the copy was made.
  };

  std::unordered_map<const at::TensorImpl*, Pair> pairs_;
};

}  // namespace lambda
