#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/config/data_report.h"

// What the names in a folder of pictures mean. What isLeftBehind() names counts as absent.
namespace lambda {

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
