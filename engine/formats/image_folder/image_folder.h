#pragma once

#include <string>

#include "engine/formats/image_folder/picture_cache.h"
#include "engine/values/config/data_report.h"

namespace lambda {

/// Lists and loads the pictures, from the cache if it has them. A corrupt picture either throws an
/// Error that names it or is left out, according to `source.corrupt`. Also throws Error if no
/// training picture is left.
DecodedPictures readImageFolder(const ImageFolderSource& source);

/// Loads the pictures of a list, from the cache if it has them; the rest as readImageFolder().
DecodedPictures readPictures(const PictureList& list,
                             const PictureOptions& options,
                             CorruptPictures corrupt);

/// The properties of listed pictures, before any is decoded.
DatasetInfo picturesInfo(const PictureList& list, int size);

/// Decodes and checks listed pictures: adds files, findings, properties and whether they can be
/// used to the report. `testHint`: how a person adds a test set.
void checkPictures(const PictureList& list,
                   const PictureOptions& options,
                   CorruptPictures corrupt,
                   const std::string& testHint,
                   DataReport& report);

/// How many corrupt pictures were left out, and what was changed in others, in a line: "12 pictures
/// are turned, ..."; empty = nothing.
std::string changesText(const DecodedPictures& pictures);

/// The properties of the data set according to its folders, without decoding a picture.
DatasetInfo probeImageFolder(const ImageFolderSource& source);

/// Decodes and checks all pictures. Defects are reported, never thrown.
DataReport checkImageFolder(const ImageFolderSource& source);

}  // namespace lambda
