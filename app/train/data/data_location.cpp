#include "app/train/data/data_location.h"

#include <array>
#include <string_view>
#include <system_error>

namespace lambda {

namespace fs = std::filesystem;

fs::path cifar10Location(const std::string& source, const fs::path& dataFolder) {
  std::error_code ignored;
  if (!source.empty() && source != kShapes10Source && fs::exists(source, ignored)) return source;
  // A path that somebody chose stays what it is, so that it can be said what is wrong with it.
  if (!source.empty() && source != kShapes10Source && source != kCifar10Source) return source;
  return dataFolder;
}

bool looksLikeData(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return !fs::exists(path / "run.json", ignored);
  constexpr std::array<std::string_view, 3> kArchives{".tar.gz", ".tgz", ".tar"};
  const std::string name = path.filename().string();
  for (const std::string_view end : kArchives) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

}  // namespace lambda
