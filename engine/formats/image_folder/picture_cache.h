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

/// How many pictures were changed when they were decoded, beyond their size.
struct PictureCounts {
  std::uint64_t turned = 0;       ///< By their EXIF orientation.
  std::uint64_t transparent = 0;  ///< They lie on white.
  std::uint64_t misnamed = 0;     ///< Their content is another readable format than their name's.
  std::string misnamedExample;    ///< The first of them: "a/1.jpg is a PNG picture".

  bool operator==(const PictureCounts&) const = default;
};

/// How pictures become images.
struct PictureOptions {
  int size = 64;  ///< Side in pixels.
  TransparentPictures transparent = TransparentPictures::white;
};

/// The decoded pictures of a list, in its order, without the corrupt ones.
struct DecodedPictures {
  LabeledImages train;
  LabeledImages validation;
  LabeledImages test;
  std::vector<CorruptPicture> corrupt;
  PictureCounts counts;
};

/// Decodes, resizes and crops every picture, on as many threads as there are cores. Pictures that
/// can't be decoded are left out and listed, as are those that are refused. Throws Error if the
/// images do not fit into memory.
DecodedPictures decodePictures(const PictureList& list, const PictureOptions& options);

/// The name of the file in which the decoded pictures of a list are kept: a digest of the folder,
/// of the names, sizes and times of all pictures, and of `options`. Any change of these gives
/// another name.
std::string cacheNameOf(const PictureList& list, const PictureOptions& options);

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
                             const PictureOptions& options,
                             const std::filesystem::path& cacheFolder = pictureCacheFolder());

}  // namespace lambda
