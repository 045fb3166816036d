#pragma once

#include "engine/formats/image_folder/picture_cache.h"
#include "engine/values/data_report.h"

namespace lambda {

/// Lists and loads the pictures, out of the cache where it has them. A corrupt picture is refused
/// with an Error that names it, or left out, as `source.corrupt` says. Throws Error also where
/// nothing is left of the training pictures.
DecodedPictures readImageFolder(const ImageFolderSource& source);

/// What the folders tell, without decoding a picture.
DatasetInfo probeImageFolder(const ImageFolderSource& source);

/// Decodes all pictures and judges them. Never throws for what it finds.
DataReport checkImageFolder(const ImageFolderSource& source);

}  // namespace lambda
