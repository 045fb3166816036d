#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/image_folder/picture_list.h"
#include "engine/values/data_source.h"
#include "engine/values/labeled_images.h"

namespace lambda {

/// A picture that could not be decoded.
struct CorruptPicture {
  std::string path;  ///< Relative to the listed folder.
  std::string reason;
};

/// The decoded pictures of a list, in its order, but for those left out.
struct DecodedPictures {
  LabeledImages train;
  LabeledImages test;
  std::vector<CorruptPicture> corrupt;
};

/// Decodes, resizes and crops every picture, on as many threads as there are cores. What can't be
/// decoded is left out and listed. Throws Error where the images do not fit into memory.
DecodedPictures decodePictures(const PictureList& list, int size);

/// The name of the file in which the decoded pictures of a list are kept: a digest of the folder,
/// of the names, sizes and times of all pictures, and of `size`. Whatever changes gives another
/// name.
std::string cacheNameOf(const PictureList& list, int size);

/// The folder of such files: $XDG_CACHE_HOME/lambda-studio/pictures, else
/// ~/.cache/lambda-studio/pictures; empty where neither is known.
std::filesystem::path pictureCacheFolder();

/// Writes decoded pictures as the file `path`, whole or not at all. Throws Error.
void writePictureCache(const std::filesystem::path& path, const DecodedPictures& pictures);

/// Maps the file and copies the images out of it. Its digest and all lengths are checked before
/// anything is believed. Empty where there is no such file, or one that is damaged.
std::optional<DecodedPictures> readPictureCache(const std::filesystem::path& path,
                                                const PictureList& list,
                                                int size);

/// As decodePictures(), out of the cache where it has them; what was decoded is put there, so far
/// as the folder can be written.
DecodedPictures loadPictures(const PictureList& list,
                             int size,
                             const std::filesystem::path& cacheFolder = pictureCacheFolder());

}  // namespace lambda
