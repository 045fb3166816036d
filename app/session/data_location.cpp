#include "app/session/data_location.h"

#include <array>
#include <string_view>
#include <system_error>

#include <QFile>
#include <QStandardPaths>

#include "app/session/studio_settings.h"
#include "engine/data/sources/data_sources.h"
#include "engine/formats/image_folder/numbered_pictures.h"
#include "engine/runtime/error.h"
#include "engine/values/config/fields.h"

namespace lambda {

namespace fs = std::filesystem;

fs::path standardDataFolder() {
  QString data = readStudioSettings().dataFolder;
  if (data.isEmpty()) data = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  return fs::path(QFile::encodeName(data).toStdString()) / traitsOf(Cifar10Source()).kind;
}

DataSource locatedSource(const DataSource& source, const fs::path& dataFolder) {
  const std::string* path = pathOf(source);
  std::error_code ignored;
  if (!path || !traitsOf(source).canBeDownloaded || fs::exists(*path, ignored)) return source;
  // A path that somebody chose stays unchanged, so that an error can name it.
  if (!hasDefaultPath(source)) return source;
  DataSource located = source;
  *pathOf(located) = dataFolder.string();
  return located;
}

DataLocation locate(const DataSource& source, const fs::path& dataFolder) {
  DataLocation location{.source = locatedSource(source, dataFolder)};
  std::error_code ignored;
  location.isFound = fs::exists(*pathOf(location.source), ignored);
  return location;
}

bool hasDefaultPath(const DataSource& source) {
  const DataSource plain = valueOfKind<DataSource>(source.index());
  const std::string* path = pathOf(source);
  return path && (path->empty() || *path == *pathOf(plain));
}

bool looksLikeData(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return !fs::exists(path / "run.json", ignored) &&
           !fs::exists(path / "experiment.json", ignored);
  }
  constexpr std::array<std::string_view, 5> kEnds{".tar.gz", ".tgz", ".tar", ".txt", ".md"};
  const std::string name = path.filename().string();
  for (const std::string_view end : kEnds) {
    if (name.ends_with(end)) return true;
  }
  return isNumberedList(path);
}

bool holdsData(const fs::path& path) {
  if (!looksLikeData(path)) return false;
  try {
    const bool isText = traitsOf(recognizeDataSource(path.string())).isSequences;
    std::error_code ignored;
    return !isText || !fs::is_directory(path, ignored);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace lambda
