#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lambda {

/// A picture of a list, which has not been opened.
struct ListedPicture {
  std::string path;           ///< Relative to the listed folder.
  std::uint16_t label = 0;    ///< Index of its class.
  std::uint64_t bytes = 0;    ///< Size of the file.
  std::int64_t modified = 0;  ///< When it was last changed, in nanoseconds of the file clock.

  bool operator==(const ListedPicture&) const = default;
};

/// The pictures of a folder with class folders. The list depends only on the folder's content.
struct PictureList {
  std::filesystem::path folder;
  std::vector<std::string> classNames;  ///< The class folders of training, sorted.
  std::vector<ListedPicture> train;     ///< Sorted by path.
  std::vector<ListedPicture> test;      ///< From test/, val/ or validation/; may be empty.
  std::string testFolder;               ///< The name of the test folder; empty = there is none.
};

/// Lists .jpg, .jpeg and .png files. Where `folder` has a folder train/, its folders are the
/// classes, and the first of test/, val/ and validation/ that has class folders is the test set.
/// Otherwise the folders in `folder` are the classes, all pictures are for training, and there is
/// no test set. Pictures may lie in folders within a class. Names that begin with a dot are
/// skipped, and links to folders are not followed. Throws Error for fewer than two classes, a class
/// without pictures, a class of the test set that training lacks, and a folder that can't be
/// listed.
PictureList listPictures(const std::filesystem::path& folder);

/// Whether listPictures() would find classes, judged by the first pictures.
bool hasClassFolders(const std::filesystem::path& folder);

}  // namespace lambda
