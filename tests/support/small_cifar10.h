#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "engine/formats/cifar/cifar_files.h"
#include "engine/formats/files/durable_file.h"

namespace lambda {

/// The layout with this number of images in each file, whose digests are not compared.
inline CifarLayout cifar10WithImages(std::size_t images) {
  CifarLayout layout = cifar10Layout();
  layout.archiveSha256 = {};
  for (CifarFile& file : layout.files) file = {file.name, images};
  return layout;
}

/// A small CIFAR-10: files of ten images, one of each class.
inline const CifarLayout kSmallLayout = cifar10WithImages(10);

inline const std::vector<std::string> kCifar10FileNames = {"data_batch_1.bin",
                                                           "data_batch_2.bin",
                                                           "data_batch_3.bin",
                                                           "data_batch_4.bin",
                                                           "data_batch_5.bin",
                                                           "test_batch.bin"};

inline const std::string kCifar10MetaText =
    "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n";

/// File `index`: record i has label 9 - i and pixel p the value (index * 40 + i + p) % 251.
inline std::string smallBatch(std::size_t index) {
  std::string bytes;
  for (std::size_t i = 0; i < 10; ++i) {
    bytes.push_back(static_cast<char>(9 - i));
    for (std::size_t p = 0; p < 3072; ++p) {
      bytes.push_back(static_cast<char>((index * 40 + i + p) % 251));
    }
  }
  return bytes;
}

struct TarEntry {
  std::string path;
  std::string content;
  unsigned type = AE_IFREG;
};

/// The entries of the original archive, in its own order.
inline std::vector<TarEntry> smallEntries() {
  const std::string folder = "cifar-10-batches-bin/";
  return {{folder, "", AE_IFDIR},
          {folder + "data_batch_1.bin", smallBatch(0)},
          {folder + "batches.meta.txt", kCifar10MetaText},
          {folder + "data_batch_3.bin", smallBatch(2)},
          {folder + "data_batch_4.bin", smallBatch(3)},
          {folder + "test_batch.bin", smallBatch(5)},
          {folder + "readme.html", "<a href='x'>"},
          {folder + "data_batch_5.bin", smallBatch(4)},
          {folder + "data_batch_2.bin", smallBatch(1)}};
}

/// A tar of the entries, gzipped or not.
inline std::string tarOf(const std::vector<TarEntry>& entries, bool gzipped = true) {
  std::string bytes(std::size_t{1} << 20, '\0');
  for (const TarEntry& entry : entries) bytes.resize(bytes.size() + entry.content.size());
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_ustar(writer);
  if (gzipped) archive_write_add_filter_gzip(writer);
  archive_write_open_memory(writer, bytes.data(), bytes.size(), &used);
  for (const TarEntry& entry : entries) {
    archive_entry* head = archive_entry_new();
    archive_entry_set_pathname(head, entry.path.c_str());
    archive_entry_set_size(head, static_cast<la_int64_t>(entry.content.size()));
    archive_entry_set_filetype(head, entry.type);
    if (entry.type == AE_IFLNK) archive_entry_set_symlink(head, "/etc/passwd");
    archive_entry_set_perm(head, 0644);
    archive_write_header(writer, head);
    archive_write_data(writer, entry.content.data(), entry.content.size());
    archive_entry_free(head);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  bytes.resize(used);
  return bytes;
}

/// Writes the data set as files into a folder.
inline void writeSmallCifar10(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < kCifar10FileNames.size(); ++i) {
    writeFileDurably(folder / kCifar10FileNames[i], smallBatch(i));
  }
  writeFileDurably(folder / "batches.meta.txt", kCifar10MetaText);
}

}  // namespace lambda
