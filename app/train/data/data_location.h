#pragma once

#include <filesystem>

#include "engine/values/data_source.h"

namespace lambda {

/// The source with the place where its files are to be read: as it stands where they are there, or
/// where a person chose the place; else, for a set that can be downloaded, the folder that
/// downloads go to. The files may be in neither.
DataSource locatedSource(const DataSource& source, const std::filesystem::path& dataFolder);

/// Whether the place is still the one that a new configuration has.
bool hasDefaultPath(const DataSource& source);

/// Whether somebody may mean a data set by dropping this: a folder that is no run, or an archive.
bool looksLikeData(const std::filesystem::path& path);

}  // namespace lambda
