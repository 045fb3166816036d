#include "engine/trained/generator.h"

#include <chrono>
#include <system_error>

#include <ATen/ATen.h>

#include "engine/layers/sequences/token_embedding.h"
#include "engine/networks/continued_sequence.h"
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
                "its network takes images, and only one that predicts tokens can continue a text");
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
                               const GenerationOptions& options,
                               const Written& written) {
  const at::NoGradGuard noGradients;
  ContinuedSequence sequence(
      impl_->network(),
      options.sampling,
      options.isParallel ? SequenceReading::parallel : SequenceReading::recurrent);
  const auto drawnAfter = [&](std::span<const std::int64_t> tokens) {
    const auto start = std::chrono::steady_clock::now();
    const SampledToken drawn = sequence.drawAfter(tokens);
    GeneratedToken generated{.token = drawn.token, .probability = drawn.probability};
    generated.seconds = secondsSince(start);
    if (options.likeliest > 0) {
      generated.likeliest = likeliestTokens(sequence.logits(), options.likeliest);
    }
    return generated;
  };
  Generation done;
  const std::int64_t start = text().start();
  GeneratedToken drawn = drawnAfter(prompt.empty() ? std::span(&start, 1) : prompt);
  done.promptSeconds = drawn.seconds;
  while (true) {
    ++done.tokens;
    if (!written(drawn) || done.tokens == options.tokens) return done;
    const std::int64_t last = drawn.token;
    drawn = drawnAfter(std::span(&last, 1));
    done.seconds += drawn.seconds;
  }
}

}  // namespace lambda
