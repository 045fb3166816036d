#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The number of images in the two files. A record has 2 + 3072 bytes: the coarse label, the fine
/// label, and the planes of red, green and blue, 32x32 each.
struct Cifar100Layout {
  std::size_t trainImages = 50'000;
  std::size_t testImages = 10'000;
};

struct Cifar100 {
  LabeledImages train;  ///< train.bin
  LabeledImages test;   ///< test.bin
};

/// Whether the folder has the files of the version for Python, for which a check says what is
/// needed.
bool isPythonCifar100(const std::filesystem::path& folder);

/// Reads the binary version of CIFAR-100 (Krizhevsky, 2009) with its fine or coarse labels, from a
/// folder with train.bin and test.bin, a folder that contains cifar-100-binary/ or
/// cifar-100-binary.tar.gz, or the archive itself, whose gzip CRC is verified. Throws Error for the
/// first defect, naming the file and the record; checkCifar100() lists them all.
Cifar100 readCifar100(const std::filesystem::path& path,
                      Cifar100Labels labels,
                      const Cifar100Layout& layout = {});

/// Checks the same places: sizes, labels, class names and class counts. Defects are reported, never
/// thrown.
DataReport checkCifar100(const std::filesystem::path& path,
                         Cifar100Labels labels,
                         const Cifar100Layout& layout = {});

/// Reads an archive in memory, gzipped or not; `place` names it in errors.
Cifar100 parseCifar100Archive(std::span<const std::byte> bytes,
                              const std::string& place,
                              Cifar100Labels labels,
                              const Cifar100Layout& layout = {});

}  // namespace lambda
