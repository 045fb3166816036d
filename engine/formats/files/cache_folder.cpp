#include "engine/formats/files/cache_folder.h"

#include <cstdlib>

namespace fs = std::filesystem;

namespace lambda {

fs::path cacheFolder() {
  const auto folderOf = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
  };
  const fs::path cache = folderOf("XDG_CACHE_HOME");
  if (!cache.empty()) return cache / "lambda-studio";
  const fs::path home = folderOf("HOME");
  return home.empty() ? home : home / ".cache" / "lambda-studio";
}

}  // namespace lambda
