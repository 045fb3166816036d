#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/config/data_source.h"

namespace lambda {

/// A file of records. A record has a byte for each label and then the planes of red, green and
/// blue, 32x32 bytes each.
struct CifarFile {
  std::string_view name;
  std::size_t images = 10'000;
  std::string_view sha1 = {};  ///< Of the published file; empty is not compared.
};

/// One of the labels of an image.
struct CifarLabel {
  std::size_t classes = 10;
  std::string_view namesFile;         ///< A line for each class.
  std::size_t mostNamesBytes = 4096;  ///< The greatest size of namesFile.
};

/// Another version of a data set, or another data set, that lies where this one is looked for.
struct CifarVersion {
  std::string_view sign;  ///< A part of its path.
  std::string_view what;  ///< "the MATLAB version"
};

/// What is said of defects, where it depends on the data set.
struct CifarTexts {
  std::string noFiles = {};  ///< Empty: each missing file is named.
  std::string missingNames;
  std::string wrongNames;
  std::string archiveHint;
  std::string filesHint;
  std::string twiceHint;
  std::string versionHint;
};

/// The files of a data set of the CIFAR family (Krizhevsky, 2009), in its binary version.
struct CifarLayout {
  std::string_view title;
  std::string_view folder;              ///< The folder in the published archive.
  std::string_view archive;             ///< The name of the published archive.
  std::string_view archiveSha256 = {};  ///< Empty is not compared.
  std::vector<CifarFile> files;         ///< The training files in their order, then the test file.
  std::vector<CifarLabel> labels;       ///< From the last label byte of a record to the first.
  std::size_t label = 0;                ///< The index in `labels` of the one that is read.
  /// In the order of the labels; empty: without the file of names, classes are numbered.
  std::vector<std::string_view> classNames = {};
  /// Bytes behind the archive's end and a test class without training images are errors. Otherwise
  /// digests are there to compare, and unequal class counts are a warning.
  bool isStrict = false;

  /// Names in a folder or archive of this data set, besides those above.
  std::vector<std::string_view> signs;
  std::string_view archivedFolder;    ///< A part of the names of folders in its archives.
  std::string_view folderStart = {};  ///< How the name of a folder of its files begins.
  /// All are in a folder of the version for Python; no other version has the first.
  std::vector<std::string_view> pythonFiles;
  std::vector<CifarVersion> versions;  ///< The first is the version for Python.
  CifarTexts texts;
};

/// SHA-256 of the published cifar-10-binary.tar.gz.
inline constexpr std::string_view kCifar10ArchiveSha256 =
    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd";

/// Ten classes; five training files and a test file of 10 000 images each.
CifarLayout cifar10Layout();

/// 100 classes in 20 superclasses; 50 000 training images and 10 000 test images.
CifarLayout cifar100Layout(Cifar100Labels labels);

}  // namespace lambda
