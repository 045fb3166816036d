#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/values/data_report.h"
#include "engine/values/data_source.h"
#include "engine/values/labeled_images.h"

namespace lambda {

/// The dimensions that an IDX file announces: [count] of labels, [count, height, width] of images.
using IdxShape = std::vector<std::uint32_t>;

/// An IDX file of unsigned bytes (LeCun, "THE MNIST DATABASE"): two zero bytes, the type 8, the
/// number of dimensions, each dimension in four bytes, most significant first, then the values.
struct IdxArray {
  IdxShape shape;
  std::vector<std::uint8_t> values;
};

/// Reads an IDX file in memory, gzipped or not, with `dimensions` dimensions. Magic, dimensions and
/// the exact length are checked before anything is allocated by them. Throws Error naming `place`.
IdxArray parseIdx(std::span<const std::byte> bytes, const std::string& place, int dimensions);

/// The four files of a data set. Names end as MNIST's do, "images-idx3-ubyte" and
/// "labels-idx1-ubyte", also with a dot for the first hyphen and with ".gz"; those of training
/// contain "train", those of the test "t10k" or "test". Relatives put a name in front.
struct IdxFileNames {
  std::filesystem::path trainImages, trainLabels, testImages, testLabels;
};

/// Looks into `folder`. Throws Error where one of the four is missing or there are two of one.
IdxFileNames findIdxFiles(const std::filesystem::path& folder);

/// Whether the folder has a file with a name as above.
bool hasIdxFiles(const std::filesystem::path& folder);

struct IdxDataset {
  LabeledImages train;  ///< One channel. The classes are numbered from 0 to the largest label.
  LabeledImages test;
};

/// Throws Error naming the file for what is missing, damaged or does not belong together.
IdxDataset readIdxDataset(const std::filesystem::path& folder);

/// What the set holds, without its images. Throws Error as readIdxDataset() does.
DatasetInfo probeIdxDataset(const std::filesystem::path& folder);

/// Judges the four files. Never throws for what it finds.
DataReport checkIdxDataset(const std::filesystem::path& folder);

}  // namespace lambda
