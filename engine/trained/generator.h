#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/data/sequences/token_sampler.h"
#include "engine/data/sequences/token_text.h"
#include "engine/runtime/device.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// The length and the time of what was generated.
struct Generation {
  std::int64_t tokens = 0;
  double promptSeconds = 0;  ///< For reading the prompt, until the first token was drawn.
  double seconds = 0;        ///< For drawing all tokens after the first, without what is called.

  /// Of a token after the first; nothing where there is none.
  std::optional<double> secondsPerToken() const {
    if (tokens < 2) return std::nullopt;
    return seconds / static_cast<double>(tokens - 1);
  }
};

/// A token that was drawn, and what else the network said there.
struct GeneratedToken {
  std::int64_t token = 0;
  double probability = 0;                    ///< As SampledToken has it.
  std::vector<SampledToken> likeliest = {};  ///< As likeliestTokens() returns them.
  double seconds = 0;  ///< For drawing it; for the first one, for reading the prompt too.
};

/// What is generated, and how.
struct GenerationOptions {
  std::int64_t tokens = 200;  ///< How many are drawn, at least 1.
  SamplingOptions sampling = {};
  bool isParallel = false;    ///< Reads the whole sequence again for each token.
  std::size_t likeliest = 0;  ///< How many of the likeliest tokens are told with each one.
};

/// Continues texts by the network of a checkpoint or of exported weights, the averaged weights if
/// the run kept them, in float32. Lives on one thread, which it makes use the device's number of
/// threads.
class Generator {
 public:
  /// `run`: a run folder, for its best checkpoint; a checkpoint; or a file of exported weights.
  /// `device`: none = as configured for the run. `tokenizer`: a file for Tokenizer; none = that
  /// beside the weights, if there is one. Throws Error for one that can't be read or is damaged,
  /// for a device that is missing, for a network that does not predict tokens, and for a tokenizer
  /// with tokens that it does not have.
  explicit Generator(const std::filesystem::path& run,
                     const std::optional<DeviceConfig>& device = std::nullopt,
                     const std::optional<std::filesystem::path>& tokenizer = std::nullopt);
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// The file of the weights.
  const std::filesystem::path& checkpoint() const;

  /// False for exported weights: they have no digest that would show damage.
  bool isVerified() const;

  const ComputeDevice& device() const;

  /// How its tokens are read and written.
  const TokenText& text() const;

  /// Bytes of the weights that a token needs: all but the other rows of the token embedding.
  std::int64_t weightBytes() const;

  /// Called with each token that is drawn; returns whether to go on.
  using Written = std::function<bool(const GeneratedToken&)>;

  /// Draws the tokens, or fewer where it is stopped, each after all before it. `prompt`: none =
  /// TokenText::start(). The position of a draw is its place in the whole sequence. Throws Error
  /// for tokens outside of the vocabulary, sampling options outside their ranges, and where an
  /// output is not finite.
  Generation generate(std::span<const std::int64_t> prompt,
                      const GenerationOptions& options,
                      const Written& written);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lambda
