#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "engine/values/config/run_config.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/network_input.h"

namespace lambda {

struct ImageExportRequest {
  RunConfig config;         ///< Its data, the split of its training images, and its augmentation.
  NetworkInput input = {};  ///< Of a trained network, to which other data is fitted; or not known.
  Split split = Split::train;
  /// The images that are trained on, as the network gets them in that epoch, counted from 1; none =
  /// all images of the split, as they are.
  std::optional<int> augmentedInEpoch = std::nullopt;
  std::filesystem::path out;
};

struct ExportedImages {
  std::int64_t images = 0;
  std::int64_t mixed = 0;  ///< Of them, those that mixup or CutMix mixes with others.
  std::uint64_t bytes = 0;
};

/// Writes the images of a split, in its order. An `out` that ends in .npz becomes a NumPy archive:
/// `images` [n, height, width, channels] of bytes, without the last dimension for one channel,
/// `labels` [n] of int64, and `classes`, their names. Any other `out` becomes a folder
/// CLASS/NNNNNN.png, which is a data set of this program and of torchvision's ImageFolder.
///
/// Where a run mixes images, so do augmented ones: each is mixed with its partner of that epoch,
/// and its class is the one with the larger share. The archive then also has `partnerLabels` [n]
/// and `shares` [n] of float64, the share of `labels`; the folder has mixing.csv with file, class,
/// share and partner. An image that is left over in the epoch is not mixed and has the share 1.
///
/// What is written appears as a whole or not at all. `proceed` is called with the number of images
/// done; if it returns false, nothing is written and returned. Throws Error for data that can't be
/// read, for an `out` that exists as another kind of file or is a folder with files, for PNG files
/// of images with neither one nor three channels, and for a split other than train with
/// augmentation.
std::optional<ExportedImages> exportImages(
    const ImageExportRequest& request,
    const std::function<bool(std::int64_t done, std::int64_t total)>& proceed);

}  // namespace lambda
