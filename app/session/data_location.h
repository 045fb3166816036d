#pragma once

#include <filesystem>

#include "engine/values/config/data_source.h"

namespace lambda {

/// The folder to which CIFAR-10 is downloaded, and in which all pages search for it: in the folder
/// that the person chose for data, else in the program's own.
std::filesystem::path standardDataFolder();

/// The source with the place of its files: unchanged where the files are there, or where a person
/// chose the place; otherwise, for a set that can be downloaded, the folder for downloads. The
/// files may be in neither. Looks at the disk: for tasks in the background.
DataSource locatedSource(const DataSource& source, const std::filesystem::path& dataFolder);

/// Where the files of a source are.
struct DataLocation {
  DataSource source;     ///< As locatedSource() returns it.
  bool isFound = false;  ///< There is something at its place.
};

/// Looks for the files of a source that has some, in the background.
DataLocation locate(const DataSource& source, const std::filesystem::path& dataFolder);

/// Whether the place is that of a new configuration.
bool hasDefaultPath(const DataSource& source);

/// Whether a dropped path may be a data set: a folder that is no run and no
/// experiment, an archive, a text, or a table of numbers of pictures.
bool looksLikeData(const std::filesystem::path& path);

/// Whether a data set is recognised at the path from the names of its files. A folder of texts is
/// none: it may as well be a log.
bool holdsData(const std::filesystem::path& path);

}  // namespace lambda
