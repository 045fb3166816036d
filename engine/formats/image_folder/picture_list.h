#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"

namespace lambda {

/// A picture of a list, which has not been opened.
struct ListedPicture {
  std::string path;           ///< Relative to the listed folder.
  std::uint16_t label = 0;    ///< Index of its class.
  std::uint64_t bytes = 0;    ///< Size of the file.
  std::int64_t modified = 0;  ///< When its content was changed, in nanoseconds; can be set.
  std::int64_t changed = 0;   ///< When the system last saw any change of it, likewise.

  bool operator==(const ListedPicture&) const = default;
};

/// A split of a list. Its pictures are sorted by path.
struct ListedSplit {
  std::string folder;  ///< Relative to the listed folder; empty for the folder itself.
  std::vector<ListedPicture> pictures;

  bool operator==(const ListedSplit&) const = default;
};

/// The pictures of a folder with class folders. The list depends only on the folder's content.
struct PictureList {
  std::filesystem::path folder;
  std::vector<std::string> classNames;  ///< The class folders of training, sorted.
  ListedSplit train, validation, test;  ///< Validation and test may be empty.
  /// Warnings: what is not read, and what was concluded from names. The places are paths relative
  /// to the folder.
  std::vector<DataFinding> findings;
};

/// A file of a list; `path` is relative to the folder. Throws Error where there is none.
ListedPicture listedPicture(const std::filesystem::path& folder,
                            const std::filesystem::path& path,
                            std::uint16_t label);

/// Lists the JPEG, PNG and WebP files, by their names' endings. Where `folder` has a training
/// split, its folders are the classes; otherwise all folders are, except splits for validation and
/// test. Splits are folders with class folders in them, named train, training, test, testing, eval,
/// val, valid, validation or dev, in any case, also with "set" or "data", or, as "seg_train", with
/// other words where the classes in them show it. Without a test split, the validation split is the
/// test set, which is said. With one, it is read only for ValidationPictures::folder.
///
/// Where all lies in a single folder, that is descended into. Pictures may lie in folders within a
/// class, which is said. Links are followed. Names that begin with a dot, and what file managers
/// and archivers leave behind, are skipped. All other files in class folders and pictures outside
/// of class folders are counted in `findings`. Throws Error for fewer than two classes, a class
/// without pictures, a class of another split that training lacks, two splits for training, and a
/// folder that can't be listed.
PictureList listPictures(const std::filesystem::path& folder,
                         ValidationPictures validation = ValidationPictures::drawn);

/// Whether listPictures() would find classes, judged by the first pictures; also by those in other
/// formats, which it names.
bool hasClassFolders(const std::filesystem::path& folder);

/// Whether there is a validation split beside a training split.
bool hasValidationSplit(const std::filesystem::path& folder);

/// Likewise, and a test split too, so that the validation split is not the test set.
bool hasValidationAndTestSplit(const std::filesystem::path& folder);

}  // namespace lambda
