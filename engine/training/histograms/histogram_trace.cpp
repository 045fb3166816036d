#include "engine/training/histograms/histogram_trace.h"

#include <algorithm>
#include <cmath>

#include "engine/runtime/seconds_since.h"

namespace lambda {

namespace {

/// The first images of a map or of features [b, ...], every n-th pixel of them where one image has
/// more values than a sample.
at::Tensor sampleOf(const at::Tensor& output) {
  const std::int64_t each = output.numel() / std::max<std::int64_t>(output.size(0), 1);
  const std::int64_t wanted = HistogramTrace::kSampledValues / std::max<std::int64_t>(each, 1);
  at::Tensor sample =
      output.detach().narrow(0, 0, std::clamp<std::int64_t>(wanted, 1, output.size(0)));
  if (each > HistogramTrace::kSampledValues && output.dim() == 4) {
    const auto apart = static_cast<std::int64_t>(
        std::ceil(std::sqrt(static_cast<double>(each) / HistogramTrace::kSampledValues)));
    sample = sample.slice(2, 0, output.size(2), apart).slice(3, 0, output.size(3), apart);
  }
  return sample.clone();
}

}  // namespace

void HistogramTrace::visit(const std::string& layer,
                           const at::Tensor& input,
                           const at::Tensor& output) {
  const auto start = std::chrono::steady_clock::now();
  const at::NoGradGuard noGradient;
  Sample sample{layer, sampleOf(output), {}};
  if (withInput_.contains(layer)) {
    const std::int64_t images = std::min(kSampledImages, input.size(0));
    sample.input = input.detach().narrow(0, 0, images).clone();
  }
  samples_.push_back(std::move(sample));
  seconds_ += secondsSince(start);
}

}  // namespace lambda
