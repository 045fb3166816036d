#include "engine/formats/inspection/epoch_files.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::string_view kPrefix = "epoch-";

std::optional<int> epochOf(const fs::path& path, const char* extension) {
  const std::string stem = path.stem().string();
  if (path.extension() != extension || !stem.starts_with(kPrefix)) return std::nullopt;
  const char* first = stem.data() + kPrefix.size();
  const char* last = stem.data() + stem.size();
  int epoch = -1;
  const auto [end, failure] = std::from_chars(first, last, epoch);
  if (failure != std::errc() || end != last || epoch < 0) return std::nullopt;
  return epoch;
}

}  // namespace

std::string epochFileName(int epoch, const char* extension) {
  char name[64];
  std::snprintf(name, sizeof name, "epoch-%04d%s", epoch, extension);
  return name;
}

std::vector<fs::path> epochFilesOf(const fs::path& folder, const char* extension) {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const std::optional<int> epoch = epochOf(entry->path(), extension)) {
      found.emplace_back(*epoch, entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [epoch, path] : found) paths.push_back(std::move(path));
  return paths;
}

}  // namespace lambda
