#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/config/data_report.h"

// What the names in a folder of pictures mean. Names that begin with a dot, and what file managers
// and archivers leave behind, count as absent everywhere.
namespace lambda {

/// Whether a file or folder is one of those that count as absent.
bool isLeftBehind(const std::filesystem::path& path);

/// The folders from one to another below it, by which a search knows that a link leads back.
class FolderChain {
 public:
  /// Adds the next folder. False, and it is not added, if it is one of the chain or holds one, and
  /// if it lies too deep.
  bool enter(const std::filesystem::path& folder);

  void leave() { chain_.pop_back(); }

  std::size_t depth() const { return chain_.size(); }

 private:
  std::vector<std::filesystem::path> chain_;  ///< Without links.
};

/// The names of the folders in `folder`, sorted; links are followed. Throws Error if it can't be
/// listed.
std::vector<std::string> foldersIn(const std::filesystem::path& folder);

/// Whether a picture, by its name's ending, lies in the folder or below; `alsoUnread`: also one in
/// a format that is not read.
bool holdsPicture(const std::filesystem::path& folder, bool alsoUnread = false);

/// Where classes and splits lie. Paths are relative to the folder; the empty path is the folder.
struct PictureLayout {
  std::filesystem::path train;       ///< Its folders are the classes.
  std::vector<std::string> classes;  ///< Sorted.
  std::optional<std::filesystem::path> validation, test;
  std::vector<DataFinding> findings;  ///< Warnings: what was concluded, and what is left out.
};

/// Concludes the layout by the rules of listPictures(). Throws Error for splits without classes or
/// without training, and for two splits for training.
PictureLayout layoutOf(const std::filesystem::path& folder);

}  // namespace lambda
