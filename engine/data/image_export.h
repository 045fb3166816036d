#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "engine/values/config/run_config.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

struct ImageExportRequest {
  RunConfig config;  ///< Its data, the split of its training images, and its augmentation.
  Split split = Split::train;
  /// Training images as the network gets them in that epoch, counted from 1; none = as they are.
  std::optional<int> augmentedInEpoch = std::nullopt;
  std::filesystem::path out;
};

struct ExportedImages {
  std::int64_t images = 0;
  std::uint64_t bytes = 0;
};

/// Writes the images of a split, in its order. An `out` that ends in .npz becomes a NumPy archive:
/// `images` [n, height, width, channels] of bytes, without the last dimension for one channel,
/// `labels` [n] of int64, and `classes`, their names. Any other `out` becomes a folder
/// CLASS/NNNNNN.png, which is a data set of this program and of torchvision's ImageFolder. What is
/// written appears as a whole or not at all. `proceed` is called with the number of images done; if
/// it returns false, nothing is written and returned. Throws Error for data that can't be read, for
/// an `out` that exists as another kind of file or is a folder with files, for PNG files of images
/// with neither one nor three channels, and for a split other than train with augmentation.
std::optional<ExportedImages> exportImages(
    const ImageExportRequest& request,
    const std::function<bool(std::int64_t done, std::int64_t total)>& proceed);

}  // namespace lambda
