#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

// The public library: the trained networks of Lambda Studio in other programs. It needs nothing but
// the standard library, and stays as it is between versions with the same first number.

namespace lambda {

/// Classifies pictures by a network that Lambda Studio trained. Not thread-safe: each thread makes
/// its own. All members throw std::runtime_error with a place, a reason and what to do.
class [[gnu::visibility("default")]] Classifier {
 public:
  /// `run`: a run folder, for its best checkpoint; a checkpoint; or a file of exported weights.
  explicit Classifier(const std::filesystem::path& run);
  ~Classifier();
  Classifier(Classifier &&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  /// In the order of the probabilities.
  const std::vector<std::string>& classNames() const;

  /// The probabilities [classes] of a JPEG, PNG or WebP file, scaled and cropped as in training.
  std::vector<float> classify(const std::filesystem::path& picture);

  /// The same of pixels in eight bits, `rgb` [height, width, 3], the top row first.
  std::vector<float> classify(std::span<const std::uint8_t> rgb, int width, int height);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lambda
