#include "engine/formats/image_folder/picture_list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <string_view>
#include <system_error>

#include "engine/formats/files/file_system.h"
#include "engine/runtime/error.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainFolder = "train";
constexpr std::array<const char*, 3> kTestFolders{"test", "val", "validation"};
constexpr std::size_t kMostPictures = 50'000'000;
constexpr const char* kHint =
    "Put the pictures of each class into a separate folder that is named after the class.";

bool isFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool isHidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

bool isPicture(const fs::path& path) {
  std::string end = path.extension().string();
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end == ".jpg" || end == ".jpeg" || end == ".png";
}

std::vector<std::string> foldersIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !isHidden(entry->path())) {
      names.push_back(entry->path().filename().string());
    }
  }
  if (code) throw systemError(folder, "cannot list the folder", code.value());
  std::ranges::sort(names);
  return names;
}

bool holdsPicture(const fs::path& folder) {
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (isPicture(entry->path())) return true;
  }
  return false;
}

void addPictures(const fs::path& root,
                 const fs::path& folder,
                 std::uint16_t label,
                 std::vector<ListedPicture>& pictures) {
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    const fs::path& path = entry->path();
    std::error_code failed;
    if (isHidden(path) || !isPicture(path) || !entry->is_regular_file(failed)) continue;
    if (pictures.size() == kMostPictures) throw Error(root.string(), "has too many pictures");
    const auto modified = entry->last_write_time(failed).time_since_epoch();
    const auto bytes = entry->file_size(failed);
    if (failed) throw systemError(path, "cannot read the size", failed.value());
    pictures.push_back({path.lexically_relative(root).string(),
                        label,
                        bytes,
                        std::chrono::duration_cast<std::chrono::nanoseconds>(modified).count()});
  }
  if (code) throw systemError(folder, "cannot list the folder", code.value());
}

std::vector<ListedPicture> picturesOf(const fs::path& root,
                                      const fs::path& part,
                                      const std::vector<std::string>& classNames) {
  std::vector<ListedPicture> pictures;
  for (const std::string& name : foldersIn(part)) {
    const auto found = std::ranges::lower_bound(classNames, name);
    if (found == classNames.end() || *found != name) {
      if (!holdsPicture(part / name)) continue;
      throw Error((part / name).string(),
                  "is a class that the training pictures do not have",
                  "Remove the folder, or add the class to the training pictures.");
    }
    const auto label = static_cast<std::uint16_t>(found - classNames.begin());
    addPictures(root, part / name, label, pictures);
  }
  std::ranges::sort(pictures, {}, &ListedPicture::path);
  return pictures;
}

void requireEveryClass(const PictureList& list, const fs::path& part) {
  std::vector<bool> hasPicture(list.classNames.size());
  for (const ListedPicture& picture : list.train) hasPicture[picture.label] = true;
  for (std::size_t i = 0; i < hasPicture.size(); ++i) {
    if (hasPicture[i]) continue;
    throw Error((part / list.classNames[i]).string(),
                "holds no JPEG or PNG picture",
                "Remove the folder, or put the pictures of the class into it.");
  }
}

}  // namespace

PictureList listPictures(const fs::path& folder) {
  const bool hasParts = isFolder(folder / kTrainFolder);
  const fs::path train = hasParts ? folder / kTrainFolder : folder;
  PictureList list;
  list.folder = folder;
  list.classNames = foldersIn(train);
  if (list.classNames.size() < 2 || list.classNames.size() > kMostClasses) {
    throw Error(train.string(),
                "has " + std::to_string(list.classNames.size()) +
                    " folders, expected 2 to 65536: one for each class",
                kHint);
  }
  list.train = picturesOf(folder, train, list.classNames);
  requireEveryClass(list, train);
  if (!hasParts) return list;
  for (const char* name : kTestFolders) {
    // Pictures without classes, such as ImageNet's test set, can't be scored.
    if (!isFolder(folder / name) || foldersIn(folder / name).empty()) continue;
    list.test = picturesOf(folder, folder / name, list.classNames);
    list.testFolder = name;
    break;
  }
  return list;
}

bool hasClassFolders(const fs::path& folder) {
  const fs::path train = isFolder(folder / kTrainFolder) ? folder / kTrainFolder : folder;
  std::error_code code;
  for (fs::directory_iterator entry(train, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !isHidden(entry->path()) && holdsPicture(entry->path())) {
      return true;
    }
  }
  return false;
}

}  // namespace lambda
