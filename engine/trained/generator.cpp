#include "engine/trained/generator.h"

#include <chrono>
#include <system_error>

#include <ATen/ATen.h>

#include "engine/layers/sequences/token_embedding.h"
#include "engine/networks/growing_sequence.h"
#include "engine/runtime/error.h"
#include "engine/runtime/seconds_since.h"
#include "engine/trained/trained_network.h"

namespace lambda {

namespace {

TokenText textOf(const TrainedNetwork& trained,
                 const std::optional<std::filesystem::path>& tokenizer) {
  const RunConfig& config = trained.header().config;
  if (config.architecture.task != Task::tokens) {
    throw Error(trained.checkpoint().string(),
                "its network takes images and writes no text",
                "Give a run with a network that predicts tokens.");
  }
  const int vocabulary = config.architecture.outputs;
  const std::filesystem::path file = tokenizer.value_or(tokenizerBeside(trained.checkpoint()));
  std::error_code error;
  if (!tokenizer && !std::filesystem::exists(file, error)) return {config.data.source, vocabulary};
  return {config.data.source,
          vocabulary,
          std::make_shared<const Tokenizer>(Tokenizer::readFor(vocabulary, file))};
}

}  // namespace

struct Generator::Impl {
  Impl(const std::filesystem::path& run,
       const std::optional<DeviceConfig>& device,
       const std::optional<std::filesystem::path>& tokenizer)
      : trained(run, {.device = device}), text(textOf(trained, tokenizer)) {}

  Network& network() { return trained.weights().network; }

  TrainedNetwork trained;
  TokenText text;
};

Generator::Generator(const std::filesystem::path& run,
                     const std::optional<DeviceConfig>& device,
                     const std::optional<std::filesystem::path>& tokenizer)
    : impl_(std::make_unique<Impl>(run, device, tokenizer)) {}

Generator::~Generator() = default;

const std::filesystem::path& Generator::checkpoint() const {
  return impl_->trained.checkpoint();
}

bool Generator::isVerified() const {
  return impl_->trained.weights().isVerified;
}

const ComputeDevice& Generator::device() const {
  return impl_->trained.resolved().device();
}

const TokenText& Generator::text() const {
  return impl_->text;
}

std::int64_t Generator::weightBytes() const {
  std::int64_t bytes = 0;
  for (const at::Tensor& parameter : impl_->network()->parameters()) {
    bytes += static_cast<std::int64_t>(parameter.nbytes());
  }
  for (const auto& module : impl_->network()->modules()) {
    const auto* embedding = module->as<TokenEmbeddingImpl>();
    if (embedding == nullptr) continue;
    const auto table = static_cast<std::int64_t>(embedding->weight.nbytes());
    bytes -= table - table / embedding->weight.size(0);
  }
  return bytes;
}

Generation Generator::generate(std::span<const std::int64_t> prompt,
                               std::int64_t count,
                               const SamplingOptions& sampling,
                               const Written& written) {
  const at::NoGradGuard noGradients;
  TokenSampler sampler(sampling);
  GrowingSequence sequence(impl_->network());
  const auto drawnAfter = [&](std::span<const std::int64_t> tokens, double& seconds) {
    const auto start = std::chrono::steady_clock::now();
    const at::Tensor logits = sequence.append(tokens).to(at::kCPU).contiguous();
    const SampledToken drawn =
        sampler.sample({logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel())},
                       static_cast<std::uint64_t>(sequence.length()));
    seconds += secondsSince(start);
    return drawn;
  };
  Generation done;
  const std::int64_t start = text().start();
  SampledToken drawn =
      drawnAfter(prompt.empty() ? std::span(&start, 1) : prompt, done.promptSeconds);
  while (true) {
    ++done.tokens;
    if (!written(drawn) || done.tokens == count) return done;
    const std::int64_t last = drawn.token;
    drawn = drawnAfter(std::span(&last, 1), done.seconds);
  }
}

}  // namespace lambda
