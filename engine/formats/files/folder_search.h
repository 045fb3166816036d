#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/values/config/data_report.h"

// What a search through the folders of a data set passes over, and how it ends.
namespace lambda {

/// Whether a file or folder is none of the data: its name begins with a dot, or it is what file
/// managers and archivers leave behind.
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

/// Counts the files that are not read, by what they are.
class PassedOver {
 public:
  /// `kind`: what the file is, as a noun; `path` is relative to the listed folder.
  void add(std::string kind, const std::filesystem::path& path, std::string hint = {});

  /// The same, where the ending of its name says what the file is.
  void addFile(const std::filesystem::path& path, std::string hint = {});

  /// "5 .bmp files, 1 broken link"; empty where nothing was passed over.
  std::string summary() const;

  /// Adds a warning for each kind.
  void addTo(std::vector<DataFinding>& findings, const std::filesystem::path& folder) const;

 private:
  struct Entry {
    std::int64_t count = 0;
    /// The first by its name, so that the text does not depend on the disk.
    std::filesystem::path first;
    std::string hint;
  };

  std::map<std::string, Entry> found_;
};

}  // namespace lambda
