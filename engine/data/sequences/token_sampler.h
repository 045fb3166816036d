#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lambda {

/// How tokens are drawn from what a network says.
struct SamplingOptions {
  static constexpr double highestTemperature = 100;

  double temperature = 1;  ///< 0 to 100; the logits are divided by it. 0: the most probable token.
  double topP = 1;         ///< Above 0, at most 1: the probability of the tokens that may be drawn.
  std::uint64_t seed = 0;
};

struct SampledToken {
  std::int64_t token = 0;
  /// The network's: the softmax of the logits themselves, before temperature and top-p.
  double probability = 0;
};

/// The most probable tokens, at most `count`, by falling probability, of equal ones the lower
/// first; probabilities as SampledToken has them. `logits`: [vocabulary], finite.
std::vector<SampledToken> likeliestTokens(std::span<const float> logits, std::size_t count);

/// Draws the next token of a text. A draw is a function of the logits, the options and the
/// position, so that the same seed gives the same text; a text that is continued later goes on as
/// one that was drawn at once. Probabilities are computed in float64: C libraries may differ in the
/// last place of the exponential function, which changes a draw only within about 1e-13 of the
/// border between two tokens.
///
/// Top-p (the nucleus of Holtzman et al., 2020, arXiv:1904.09751) applies to the probabilities at
/// the temperature. Tokens are taken by falling probability, of equal ones the lower number first,
/// until their sum, rounded after each in float64, reaches the share topP of the sum over all. The
/// token that reaches it is still taken, so that there always is one; with topP = 1 all are.
class TokenSampler {
 public:
  /// Throws Error for options outside their ranges.
  explicit TokenSampler(const SamplingOptions& options);

  /// `logits`: [vocabulary]. Of equal logits, the temperature 0 takes the lowest token. Throws
  /// Error if there are none or one is not finite.
  SampledToken sample(std::span<const float> logits, std::uint64_t position);

 private:
  std::int64_t draw(std::uint64_t position);
  void keepNucleus();

  SamplingOptions options_;
  // These are of the last call, and keep their memory.
  std::vector<double> weights_;    // [vocabulary], probabilities at the temperature up to a factor.
  std::vector<std::size_t> kept_;  // The tokens that may be drawn, in the order of the draw.
};

}  // namespace lambda
