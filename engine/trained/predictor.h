#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/values/config/run_config.h"
#include "engine/values/images/image.h"
#include "engine/values/run/checkpoint_header.h"

namespace lambda {

struct PredictorOptions {
  /// Path of the run's data. It is read only for a checkpoint of an earlier version, which does not
  /// say how its images were normalised; none = as recorded.
  std::optional<std::string> data = std::nullopt;
  std::optional<DeviceConfig> device = std::nullopt;  ///< None = as configured for the run.
};

/// Classifies pictures, or predicts their numbers, by the network of a checkpoint or of exported
/// weights, the averaged weights if the run kept them, in the run's precision and with its flip
/// averaging. Lives on one thread, which it makes use the device's number of threads.
class Predictor {
 public:
  /// `run`: a run folder, for its best checkpoint; a checkpoint; or a file of exported weights.
  /// Throws Error for one that can't be read or is damaged, for a device that is missing, and for a
  /// network whose input has neither one nor three channels.
  explicit Predictor(const std::filesystem::path& run, const PredictorOptions& options = {});
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const CheckpointHeader& header() const;

  /// The file of the weights.
  const std::filesystem::path& checkpoint() const;

  /// False for exported weights: they have no digest that would show damage.
  bool isVerified() const;

  /// What the outputs of the network mean.
  const NetworkInput& input() const;

  /// Bytes of one image in predictImages(): channels x height x width.
  std::size_t imageBytes() const;

  /// A picture of any size as the network's input, in eight bits [channels, height, width]: scaled
  /// and cropped as inputImage() does. Thread-safe.
  std::vector<std::uint8_t> inputOf(const Image& picture) const;

  /// The probabilities of the classes, or the numbers in the units of the data, [count, outputs],
  /// of images in eight bits [count, channels, height, width], such as inputOf() makes. Throws
  /// Error if an output is not finite. Requires images.size() == count * imageBytes().
  std::vector<float> predictImages(std::vector<std::uint8_t> images);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a network predicts for a picture in a file.
struct PredictedFile {
  std::string file;
  std::vector<float> outputs = {};  ///< As predictImages(); empty if the picture can't be read.
  std::string problem = {};         ///< Why it can't be read; empty if it can.
  bool isTurned = false;            ///< Its EXIF orientation was applied.
  bool isTransparent = false;       ///< Its transparent pixels lie on white.
};

/// Classifies JPEG, PNG and WebP files, in their order. They are decoded on all threads of the
/// predictor's device and classified in batches; memory is taken for all pictures at once, so a
/// caller with many gives them in parts. Throws Error as Predictor::predictImages() does.
std::vector<PredictedFile> predictFiles(Predictor& predictor, std::span<const std::string> files);

}  // namespace lambda
