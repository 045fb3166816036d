#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/formats/files/file_system.h"
#include "engine/formats/metrics/csv.h"
#include "engine/values/inspection/heatmap.h"

namespace lambda {

/// Writes the files of an inspection into a folder, and knows what they mean.
class InspectionFolder {
 public:
  /// Creates the folder. Throws Error where it can't.
  InspectionFolder(std::filesystem::path folder, FileSystem& system);

  /// Writes NAME.png and NAME.npy, unless the array is empty. Without a range, the style gets that
  /// of the values.
  void heatmap(const std::string& name,
               const std::string& meaning,
               const Array& array,
               HeatmapStyle style = {});

  /// The same with a picture of one's own in the colours of the style, which has a range.
  void map(const std::string& name,
           const std::string& meaning,
           const Array& array,
           const HeatmapStyle& style,
           const Image& image);

  /// Writes NAME.png alone.
  void picture(const std::string& name, const Image& image);

  /// Writes NAME.csv.
  void table(const std::string& name, const FloatTable& values);

  /// Writes summary.json, to which the meanings of the heat maps are added. Returns the names of
  /// all files.
  std::vector<std::string> finish(nlohmann::ordered_json summary);

 private:
  std::filesystem::path file(const std::string& name);

  std::filesystem::path folder_;
  FileSystem& system_;
  std::vector<std::string> files_;
  nlohmann::ordered_json pictures_ = nlohmann::ordered_json::object();
};

/// "k0", "k1", ..: names of rows or columns.
std::vector<std::string> numberedNames(const std::string& what, std::int64_t count);

}  // namespace lambda
