#include "engine/formats/inspection/inspection_folder.h"

#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/png.h"
#include "engine/formats/json/json.h"
#include "engine/formats/tensors/npy.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

InspectionFolder::InspectionFolder(fs::path folder, FileSystem& system)
    : folder_(std::move(folder)), system_(system) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw Error(folder_.string(),
                "can't create the folder: " + error.message(),
                "name a folder that you may write to");
  }
}

fs::path InspectionFolder::file(const std::string& name) {
  files_.push_back(name);
  return folder_ / name;
}

void InspectionFolder::heatmap(const std::string& name,
                               const std::string& meaning,
                               const Array& array,
                               HeatmapStyle style) {
  if (array.empty()) return;
  if (!style.range) style.range = rangeOf(style.map, array.values);
  map(name, meaning, array, style, renderHeatmap(array, style));
}

void InspectionFolder::map(const std::string& name,
                           const std::string& meaning,
                           const Array& array,
                           const HeatmapStyle& style,
                           const Image& image) {
  picture(name, image);
  writeNpy(file(name + ".npy"), array.values, array.shape, system_);
  nlohmann::ordered_json entry;
  entry["meaning"] = meaning;
  entry["shape"] = array.shape;
  entry["colors"] = style.map == ColorMap::viridis ? "viridis" : "blue-white-red";
  entry["low"] = style.rangePerTile ? 0 : style.range->low;
  entry["high"] = style.range->high;
  entry["scalePerTile"] = style.rangePerTile;
  pictures_[name] = std::move(entry);
}

void InspectionFolder::picture(const std::string& name, const Image& image) {
  writePng(file(name + ".png"), image, system_);
}

void InspectionFolder::table(const std::string& name, const FloatTable& values) {
  writeCsv(file(name + ".csv"), values, system_);
}

std::vector<std::string> InspectionFolder::finish(nlohmann::ordered_json summary) {
  summary["pictures"] = std::move(pictures_);
  writeFileDurably(file("summary.json"), formatJson(summary), system_);
  return std::move(files_);
}

std::vector<std::string> numberedNames(const std::string& what, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(what + std::to_string(i));
  return names;
}

}  // namespace lambda
