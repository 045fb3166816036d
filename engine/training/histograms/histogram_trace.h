#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/layers/forward_trace.h"

namespace lambda {

/// Copies samples of what the layers of a forward pass compute: outputs of all layers, and inputs
/// of some. The copies are small, so that they take almost no time of the pass.
class HistogramTrace : public ForwardTrace {
 public:
  struct Sample {
    std::string layer;
    at::Tensor output;  ///< About kSampledValues of the first images.
    at::Tensor input;   ///< [kSampledImages or fewer, d, H, W]; undefined unless asked for.
  };

  static constexpr std::int64_t kSampledValues = 1 << 15;
  static constexpr std::int64_t kSampledImages = 8;

  /// `withInput`: the layers whose input is copied too.
  explicit HistogramTrace(std::set<std::string> withInput) : withInput_(std::move(withInput)) {}

  bool isPassive() const override { return true; }

  void visit(const std::string& layer, const at::Tensor& input, const at::Tensor& output) override;

  const std::vector<Sample>& samples() const { return samples_; }

  /// Seconds that the copies have taken on this thread.
  double seconds() const { return seconds_; }

 private:
  std::set<std::string> withInput_;
  std::vector<Sample> samples_;
  double seconds_ = 0;
};

}  // namespace lambda
