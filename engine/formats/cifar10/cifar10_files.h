#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/values/config/data_report.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The ten classes in the order of their labels.
inline constexpr std::array<std::string_view, 10> kCifar10Classes = {
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

/// SHA-256 of the published cifar-10-binary.tar.gz.
inline constexpr std::string_view kCifar10ArchiveSha256 =
    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd";

/// SHA-1 of data_batch_1.bin to data_batch_5.bin and test_batch.bin in the published archive, from
/// Apache MXNet's reader (gluon.data.vision.CIFAR10).
inline constexpr std::array<std::string_view, 6> kCifar10FileSha1 = {
    "aadd24acce27caa71bf4b10992e9e7b2d74c2540",
    "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795",
    "1dd00a74ab1d17a6e7d73e185b69dbf31242f295",
    "aab85764eb3584312d3c7f65fd2fd016e36a258e",
    "26e2849e66a845b7f1e4614ae70f4889ae604628",
    "67eb016db431130d61cd03c7ad570b013799c88c"};

/// The size of the data set and the digests of its published files; an empty digest is not
/// compared. The published data set has 10 000 images in each of its six files.
struct Cifar10Layout {
  std::size_t imagesPerFile = 10'000;
  std::string_view archiveSha256 = kCifar10ArchiveSha256;
  std::array<std::string_view, 6> fileSha1 = kCifar10FileSha1;
};

struct Cifar10 {
  LabeledImages train;  ///< data_batch_1.bin to data_batch_5.bin, in this order.
  LabeledImages test;   ///< test_batch.bin.
};

/// Reads the binary version of CIFAR-10 from a folder with its .bin files, a folder that contains
/// cifar-10-batches-bin/ or cifar-10-binary.tar.gz, or the archive itself, which is streamed
/// without writing files. The files are untrusted. Throws Error for the first defect, naming the
/// file or entry and the record; checkCifar10() lists them all.
Cifar10 readCifar10(const std::filesystem::path& path, const Cifar10Layout& layout = {});

/// Checks the same places without keeping the images: sizes, labels, classes, digests, and an
/// archive's own checksum. Class counts other than the published ones, missing class names, and
/// well-formed files that are not the published ones are warnings. Defects are reported, never
/// thrown.
DataReport checkCifar10(const std::filesystem::path& path, const Cifar10Layout& layout = {});

/// Reads an archive in memory as readCifar10() reads a file; `place` names it in errors.
Cifar10 parseCifar10Archive(std::span<const std::byte> bytes,
                            const std::string& place,
                            const Cifar10Layout& layout = {});

}  // namespace lambda
