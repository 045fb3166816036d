#include "engine/formats/image_folder/picture_list.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <sys/stat.h>
#include <system_error>

#include "engine/formats/files/file_system.h"
#include "engine/formats/files/folder_search.h"
#include "engine/formats/image_folder/picture_layout.h"
#include "engine/formats/pictures/picture_format.h"
#include "engine/runtime/error.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPictures = 50'000'000;
constexpr std::size_t kMostFolders = 1'000'000;
constexpr const char* kHint =
    "Put the pictures of each class into a separate folder that is named after the class.";

std::int64_t nanosecondsOf(const timespec& time) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return kPerSecond * time.tv_sec + time.tv_nsec;
}

void passOver(PassedOver& passedOver, const fs::path& picture) {
  passedOver.addFile(picture,
                     isOtherPictureByName(picture)
                         ? "JPEG, PNG and WebP pictures are read: convert the others, for "
                           "example with mogrify -format png."
                         : "");
}

/// Lists the files of a data set, folder by folder.
class Walk {
 public:
  explicit Walk(fs::path root) : root_(std::move(root)) {}

  /// Adds all pictures in the folder and below. Throws Error if one can't be listed.
  void addPictures(const fs::path& folder,
                   std::uint16_t label,
                   std::vector<ListedPicture>& pictures) {
    if (++folders_ > kMostFolders) throw Error(root_.string(), "has too many folders");
    if (!chain_.enter(folder)) return passedOver.add("circular link", relative(folder));
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
         entry.increment(code)) {
      if (!isLeftBehind(entry->path())) add(*entry, label, pictures);
    }
    if (code) throw systemError(folder, "cannot list the folder", code.value());
    chain_.leave();
  }

  /// Counts the pictures that lie beside the class folders.
  void countLoosePictures(const fs::path& folder) {
    std::error_code code;
    for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
         entry.increment(code)) {
      std::error_code ignored;
      const fs::path& path = entry->path();
      const bool isPicture = !formatByName(path).empty() || isOtherPictureByName(path);
      if (isPicture && !isLeftBehind(path) && !entry->is_directory(ignored)) {
        passedOver.add("loose picture",
                       relative(path),
                       "Only what lies in class folders is read: move the pictures into them.");
      }
    }
  }

  /// Says which folders within class folders have pictures: they may be meant as classes.
  void addNestedTo(std::vector<DataFinding>& findings, const fs::path& folder) const {
    if (nestedFolders_ == 0) return;
    const bool isOne = nestedFolders_ == 1;
    findings.push_back({Severity::warning,
                        folder.string(),
                        "the pictures in " + formatCounted(nestedFolders_, "folder") +
                            " within class folders count to the class folder around " +
                            (isOne ? "it: " : "them, such as ") + firstNested_.string(),
                        isOne ? "If the folder is a class, move it beside the class folders."
                              : "If these folders are the classes, move them one level up."});
  }

  PassedOver passedOver;

 private:
  fs::path relative(const fs::path& path) const { return path.lexically_relative(root_); }

  void addFolder(const fs::path& folder,
                 std::uint16_t label,
                 std::vector<ListedPicture>& pictures) {
    const std::size_t before = pictures.size();
    addPictures(folder, label, pictures);
    const bool liesInClassFolder = chain_.depth() == 1;
    if (!liesInClassFolder || pictures.size() == before) return;
    if (nestedFolders_++ == 0 || relative(folder) < firstNested_) firstNested_ = relative(folder);
  }

  void add(const fs::directory_entry& entry,
           std::uint16_t label,
           std::vector<ListedPicture>& pictures) {
    const fs::path& path = entry.path();
    std::error_code failed;
    if (entry.is_directory(failed)) return addFolder(path, label, pictures);
    if (!entry.exists(failed)) return passedOver.add("broken link", relative(path));
    if (!entry.is_regular_file(failed)) return passedOver.add("special file", relative(path));
    if (formatByName(path).empty()) return passOver(passedOver, relative(path));
    if (pictures.size() == kMostPictures) throw Error(root_.string(), "has too many pictures");
    pictures.push_back(listedPicture(root_, relative(path), label));
  }

  fs::path root_;
  FolderChain chain_;
  std::size_t folders_ = 0;
  std::int64_t nestedFolders_ = 0;  // Directly in class folders, with pictures.
  fs::path firstNested_;            // By its name.
};

ListedSplit listSplit(Walk& walk,
                      const fs::path& root,
                      const fs::path& part,
                      const PictureLayout& layout) {
  ListedSplit split;
  split.folder = part.string();
  const bool isTraining = part == layout.train;
  for (const std::string& name : isTraining ? layout.classes : foldersIn(root / part)) {
    const auto found = std::ranges::lower_bound(layout.classes, name);
    if (found == layout.classes.end() || *found != name) {
      if (!holdsPicture(root / part / name)) continue;
      throw Error((root / part / name).string(),
                  "is a class that the training pictures do not have",
                  "Remove the folder, or add the class to the training pictures.");
    }
    const auto label = static_cast<std::uint16_t>(found - layout.classes.begin());
    const std::size_t before = split.pictures.size();
    walk.addPictures(root / part / name, label, split.pictures);
    if (!isTraining || split.pictures.size() > before) continue;
    Walk alone(root);
    alone.addPictures(root / part / name, label, split.pictures);
    const std::string others = alone.passedOver.summary();
    throw Error((root / part / name).string(),
                "holds no JPEG, PNG or WebP picture" + (others.empty() ? "" : ", but " + others),
                "Remove the folder, or put the pictures of the class into it.");
  }
  walk.countLoosePictures(root / part);
  std::ranges::sort(split.pictures, {}, &ListedPicture::path);
  return split;
}

/// Empty where no layout can be concluded; listPictures() says why.
PictureLayout layoutIfClear(const fs::path& folder) {
  try {
    return layoutOf(folder);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

ListedPicture listedPicture(const fs::path& folder, const fs::path& path, std::uint16_t label) {
  struct stat status {};

  const fs::path file = folder / path;
  if (stat(file.c_str(), &status) != 0) throw systemError(file, "cannot read the size", errno);
  return {path.string(),
          label,
          static_cast<std::uint64_t>(status.st_size),
          nanosecondsOf(status.st_mtim),
          nanosecondsOf(status.st_ctim)};
}

PictureList listPictures(const fs::path& folder, ValidationPictures validation) {
  PictureLayout layout = layoutOf(folder);
  if (layout.classes.size() < 2 || layout.classes.size() > kMostClasses) {
    throw Error((folder / layout.train).string(),
                "has " + std::to_string(layout.classes.size()) +
                    " folders, expected 2 to 65536: one for each class",
                kHint);
  }
  const bool usesFolder = validation == ValidationPictures::folder;
  if (usesFolder && !layout.validation) {
    throw Error(folder.string(),
                "has no validation split, which data.source.validation asks for",
                "Draw the validation images by chance: train with --set "
                "data.source.validation=drawn.");
  }
  if (!usesFolder && layout.validation && layout.test) {
    layout.findings.push_back(
        {Severity::warning,
         (folder / *layout.validation).string(),
         "is not read: there is a test split too, and the validation images "
         "are drawn from the training pictures",
         "To validate with it, train with --set data.source.validation=folder."});
  }
  if (!usesFolder && layout.validation && !layout.test) {
    layout.findings.push_back(
        {Severity::warning,
         (folder / *layout.validation).string(),
         "is the test set: there is no test split",
         "To validate with this folder, put pictures for the test into test/, in "
         "class folders."});
  }
  PictureList list;
  list.folder = folder;
  Walk walk(folder);
  list.train = listSplit(walk, folder, layout.train, layout);
  if (!layout.train.empty()) walk.countLoosePictures(folder);
  if (usesFolder) list.validation = listSplit(walk, folder, *layout.validation, layout);
  const auto& test = usesFolder || layout.test ? layout.test : layout.validation;
  if (test) list.test = listSplit(walk, folder, *test, layout);
  list.classNames = std::move(layout.classes);
  list.findings = std::move(layout.findings);
  walk.addNestedTo(list.findings, folder);
  walk.passedOver.addTo(list.findings, folder);
  return list;
}

bool hasClassFolders(const fs::path& folder) {
  const std::vector<std::string> names = foldersIn(folder);
  return std::ranges::any_of(names, [&](const std::string& name) {
    return holdsPicture(folder / name, /*alsoUnread=*/true);
  });
}

bool hasValidationSplit(const fs::path& folder) {
  return layoutIfClear(folder).validation.has_value();
}

bool hasValidationAndTestSplit(const fs::path& folder) {
  const PictureLayout layout = layoutIfClear(folder);
  return layout.validation && layout.test;
}

}  // namespace lambda
