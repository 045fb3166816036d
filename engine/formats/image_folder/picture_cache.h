#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/formats/image_folder/picture_list.h"
#include "engine/values/config/data_source.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// A picture that could not be decoded.
struct CorruptPicture {
  std::string path;  ///< Relative to the listed folder.
  std::string reason;
};

/// The decoded pictures of a list, in its order, without the corrupt ones.
struct DecodedPictures {
  LabeledImages train;
  LabeledImages test;
  std::vector<CorruptPicture> corrupt;
};

/// Decodes, resizes and crops every picture, on as many threads as there are cores. Pictures that
/// can't be decoded are left out and listed. Throws Error if the images do not fit into memory.
DecodedPictures decodePictures(const PictureList& list, int size);

/// The name of the file in which the decoded pictures of a list are kept: a digest of the folder,
/// of the names, sizes and times of all pictures, and of `size`. Any change of these gives another
/// name.
std::string cacheNameOf(const PictureList& list, int size);

/// The folder of these cache files: $XDG_CACHE_HOME/lambda-studio/pictures, else
/// ~/.cache/lambda-studio/pictures; empty where neither is known.
std::filesystem::path pictureCacheFolder();

/// Writes decoded pictures as the file `path`, whole or not at all. Throws Error.
void writePictureCache(const std::filesystem::path& path, const DecodedPictures& pictures);

/// Maps the file and copies the images out of it, after checking its digest and all lengths. Empty
/// if the file is missing or damaged.
std::optional<DecodedPictures> readPictureCache(const std::filesystem::path& path,
                                                const PictureList& list,
                                                int size);

/// As decodePictures(), but from the cache if it has them. Otherwise the decoded pictures are added
/// to the cache, if its folder is writable.
DecodedPictures loadPictures(const PictureList& list,
                             int size,
                             const std::filesystem::path& cacheFolder = pictureCacheFolder());

}  // namespace lambda
