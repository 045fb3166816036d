#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "engine/formats/cifar/cifar_layout.h"
#include "engine/values/config/data_report.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

struct Cifar {
  LabeledImages train;  ///< Of the training files, in their order.
  LabeledImages test;   ///< Of the test file.
};

/// Whether an existing path looks like this data set, judged by names in the folder or of the
/// archive's first entries. The names include those of versions that can't be read, for which a
/// check says what is needed.
bool holdsCifar(const std::filesystem::path& path, const CifarLayout& layout);

/// Reads the binary version from a folder with its .bin files, a folder that contains the published
/// folder or archive, or the archive itself, which is streamed without writing files, and whose
/// gzip CRC is verified. The files are untrusted. Throws Error for the first defect, naming the
/// file or entry and the record; checkCifar() lists them all.
Cifar readCifar(const std::filesystem::path& path, const CifarLayout& layout);

/// Checks the same places without keeping the images: sizes, labels, classes, digests, and an
/// archive's own checksum. Missing class names, well-formed files that are not the published ones,
/// and unequal class counts of CIFAR-10 are warnings. Defects are reported, never thrown.
DataReport checkCifar(const std::filesystem::path& path, const CifarLayout& layout);

/// Reads an archive in memory, gzipped or not, as readCifar() reads a file; `place` names it in
/// errors.
Cifar parseCifarArchive(std::span<const std::byte> bytes,
                        const std::string& place,
                        const CifarLayout& layout);

}  // namespace lambda
