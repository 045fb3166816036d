#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The dimensions in an IDX header: [count] for labels, [count, height, width] for images.
using IdxShape = std::vector<std::uint32_t>;

/// An IDX file of unsigned bytes (LeCun, "THE MNIST DATABASE"): two zero bytes, the type 8, the
/// number of dimensions, each dimension in four bytes, most significant first, then the values.
struct IdxArray {
  IdxShape shape;
  std::vector<std::uint8_t> values;
};

/// Reads an IDX file in memory, gzipped or not, with `dimensions` dimensions. The magic number, the
/// dimensions and the exact length are checked before memory is allocated for the values. Throws
/// Error naming `place`.
IdxArray parseIdx(std::span<const std::byte> bytes, const std::string& place, int dimensions);

/// The four files of a data set. Their names end as MNIST's do, in "images-idx3-ubyte" or
/// "labels-idx1-ubyte", also with a dot for the first hyphen and with ".gz". Those of the training
/// set contain "train", those of the test set "t10k" or "test". A prefix, as in EMNIST, is allowed.
struct IdxFileNames {
  std::filesystem::path trainImages, trainLabels, testImages, testLabels;
};

/// Finds the four files in `folder`, or where torchvision and Kaggle lay them: in raw/, in a folder
/// in it, in raw/ there, or each in a folder with its own name. Throws Error if one is missing, and
/// if there are two for one role or several data sets.
IdxFileNames findIdxFiles(const std::filesystem::path& folder);

/// Whether a file with a name as above lies in one of these places.
bool hasIdxFiles(const std::filesystem::path& folder);

struct IdxDataset {
  LabeledImages train;  ///< One channel. The classes are numbered from 0 to the largest label.
  LabeledImages test;
};

/// Reads all four files. Throws Error naming the file if one is missing, damaged or does not fit,
/// and for a test image whose class has no training image.
IdxDataset readIdxDataset(const std::filesystem::path& folder);

/// The properties of the data set, without its images; classes without images are noted. Throws
/// Error as readIdxDataset() does.
DatasetInfo probeIdxDataset(const std::filesystem::path& folder);

/// Checks the four files. Defects are reported, never thrown.
DataReport checkIdxDataset(const std::filesystem::path& folder);

}  // namespace lambda
