#include "engine/networks/continued_sequence.h"

#include <utility>

namespace lambda {

ContinuedSequence::ContinuedSequence(Network network,
                                     const SamplingOptions& sampling,
                                     SequenceReading reading)
    : network_(std::move(network)), sampler_(sampling), reading_(reading), sequence_(network_) {}

SampledToken ContinuedSequence::drawAfter(std::span<const std::int64_t> tokens) {
  if (reading_ == SequenceReading::parallel) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    tokens = tokens_;
    sequence_ = GrowingSequence(network_);
  }
  logits_ = sequence_.append(tokens).to(at::kCPU).contiguous();
  return sampler_.sample(logits(), static_cast<std::uint64_t>(sequence_.length()));
}

std::span<const float> ContinuedSequence::logits() const {
  return {logits_.const_data_ptr<float>(), static_cast<std::size_t>(logits_.numel())};
}

}  // namespace lambda
