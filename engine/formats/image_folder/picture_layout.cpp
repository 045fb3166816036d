#include "engine/formats/image_folder/picture_layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <system_error>

#include "engine/formats/files/file_system.h"
#include "engine/formats/files/folder_search.h"
#include "engine/formats/pictures/picture_format.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr int kMostSearched = 100'000;  // Folders that are searched for a first picture.
constexpr int kMostNested = 4;          // Folders in which nothing else lies.
constexpr const char* kHint =
    "Put the pictures of each class into a separate folder that is named after the class.";

enum class Role { none, train, validation, test };

std::string lowerCase(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Role roleOfWord(std::string_view word) {
  constexpr std::array kTrain{"train"sv, "training"sv, "trn"sv};
  constexpr std::array kTest{"test"sv, "testing"sv, "tst"sv, "eval"sv, "evaluation"sv};
  constexpr std::array kValidation{"val"sv, "valid"sv, "validation"sv, "validate"sv, "dev"sv};
  const auto has = [&](const auto& words) { return std::ranges::find(words, word) != words.end(); };
  return has(kTrain)        ? Role::train
         : has(kTest)       ? Role::test
         : has(kValidation) ? Role::validation
                            : Role::none;
}

/// The role of a folder that is named "Training", "test_set" or "ValData".
Role roleOf(const std::string& name) {
  std::string word = lowerCase(name);
  std::erase_if(word, [](unsigned char c) { return c < 0x80 && std::isalnum(c) == 0; });
  if (const Role role = roleOfWord(word); role != Role::none) return role;
  for (const std::string_view end : {"set"sv, "data"sv, "split"sv, "images"sv, "dataset"sv}) {
    if (!word.ends_with(end)) continue;
    const Role role = roleOfWord(std::string_view(word).substr(0, word.size() - end.size()));
    if (role != Role::none) return role;
  }
  return Role::none;
}

/// The role of a folder that has one among several words, as "seg_train". Such a name alone says
/// little: a class may be called "train station".
Role roleAmongWords(const std::string& name) {
  std::string word;
  for (const char c : lowerCase(name) + ' ') {
    if (static_cast<unsigned char>(c) >= 0x80 || std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += c;
      continue;
    }
    if (const Role role = roleOfWord(word); role != Role::none) return role;
    word.clear();
  }
  return Role::none;
}

using FileTest = bool (*)(const fs::path& file);

bool isRead(const fs::path& file) {
  return !formatByName(file).empty();
}

bool isPicture(const fs::path& file) {
  return isRead(file) || isOtherPictureByName(file);
}

/// Whether a file that passes the test lies in the folder. Adds the folders in it to `below`.
bool holdsFile(const fs::path& folder, FileTest test, std::vector<fs::path>& below) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    const fs::path& path = entry->path();
    if (isLeftBehind(path)) continue;
    if (entry->is_directory(ignored)) {
      below.push_back(path);
    } else if (test(path)) {
      return true;
    }
  }
  return false;
}

bool holdsPictureItself(const fs::path& folder) {
  std::vector<fs::path> ignored;
  return holdsFile(folder, isRead, ignored);
}

/// As holdsFile(), also below the folder. `left`: how many folders may still be listed.
bool search(const fs::path& folder, FileTest test, FolderChain& chain, int& left) {
  if (--left < 0 || !chain.enter(folder)) return false;
  std::vector<fs::path> below;
  const bool isFound =
      holdsFile(folder, test, below) || std::ranges::any_of(below, [&](const fs::path& next) {
        return search(next, test, chain, left);
      });
  chain.leave();
  return isFound;
}

std::vector<std::string> foldersWithPictures(const fs::path& folder) {
  std::vector<std::string> names = foldersIn(folder);
  std::erase_if(names, [&](const std::string& name) { return !holdsPicture(folder / name); });
  return names;
}

/// Whether the folder can be a split: its pictures lie in folders.
bool holdsClasses(const fs::path& folder) {
  const std::size_t folders = foldersWithPictures(folder).size();
  return folders >= 2 || (folders == 1 && !holdsPictureItself(folder));
}

/// The folder in which the classes lie, `folder` or one deeper, where each holds only the next.
fs::path descended(const fs::path& folder, const std::vector<std::string>& classes) {
  fs::path place = folder;
  for (int i = 0; i < kMostNested; ++i) {
    const std::vector<std::string> names = foldersWithPictures(place);
    if (names.size() != 1 || roleOf(names[0]) != Role::none ||
        std::ranges::binary_search(classes, names[0]) || !holdsClasses(place / names[0])) {
      break;
    }
    place /= names[0];
  }
  return place;
}

/// "a, b and c", of at most five names.
std::string listOf(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  if (names.size() > kMostNamed)
    text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  return text;
}

/// Concludes the layout step by step.
class Conclusion {
 public:
  explicit Conclusion(const fs::path& folder) : folder_(folder), root_(descended(folder, {})) {}

  PictureLayout run() {
    if (root_ != folder_) {
      note(folder_, "the classes lie deeper, in " + relative(root_).string(), {});
    }
    filled_ = foldersWithPictures(root_);
    findSplits();
    const std::vector<std::string> trains = namesOf(Role::train);
    if (trains.size() > 1) {
      throw Error(root_.string(),
                  "has several splits for training: " + listOf(trains),
                  "Name the folder of one data set, or keep one training split.");
    }
    trains.empty() ? concludeWithoutTraining() : concludeWith(trains[0]);
    return std::move(layout_);
  }

 private:
  fs::path relative(const fs::path& path) const {
    return path == folder_ ? fs::path() : path.lexically_relative(folder_);
  }

  void note(const fs::path& place, std::string text, std::string hint) {
    layout_.findings.push_back(
        {Severity::warning, place.string(), std::move(text), std::move(hint)});
  }

  std::vector<std::string> namesOf(Role role) const {
    std::vector<std::string> names;
    for (const auto& [name, itsRole] : splits_) {
      if (itsRole == role) names.push_back(name);
    }
    return names;
  }

  void findSplits() {
    const auto add = [&](auto roleOfName) {
      for (const std::string& name : filled_) {
        const Role role = roleOfName(name);
        if (role != Role::none && holdsClasses(root_ / name)) splits_.emplace(name, role);
      }
    };
    add(roleOf);
    const std::map<std::string, Role> certain = splits_;
    const bool hasTraining = !namesOf(Role::train).empty();
    add(roleAmongWords);
    const bool areAll = certain.empty() && splits_.size() == filled_.size();
    const std::vector<std::string> trains = namesOf(Role::train);
    if (trains.size() == 1 && (hasTraining || areAll || sharesClasses(trains[0]))) return;
    splits_ = certain;
  }

  /// Whether another split holds a class of the training split.
  bool sharesClasses(const std::string& train) const {
    const std::vector<std::string> classes = foldersWithPictures(descended(root_ / train, {}));
    return std::ranges::any_of(splits_, [&](const auto& split) {
      if (split.second == Role::train) return false;
      const fs::path place = descended(root_ / split.first, classes);
      return std::ranges::any_of(foldersWithPictures(place), [&](const std::string& name) {
        return std::ranges::binary_search(classes, name);
      });
    });
  }

  /// The first split of the role; the others are named.
  std::optional<fs::path> takeSplit(Role role) {
    const std::vector<std::string> names = namesOf(role);
    if (names.empty()) return std::nullopt;
    for (std::size_t i = 1; i < names.size(); ++i) {
      note(root_ / names[i], "is not read: " + names[0] + " is the split of this kind", {});
    }
    return relative(descended(root_ / names[0], layout_.classes));
  }

  void concludeWith(const std::string& train) {
    const fs::path place = descended(root_ / train, {});
    layout_.train = relative(place);
    layout_.classes = foldersIn(place);
    takeOtherSplits();
    for (const std::string& name : filled_) {
      if (splits_.contains(name)) continue;
      const bool isSplit = roleOf(name) != Role::none;
      note(root_ / name,
           isSplit
               ? "is not read: its pictures lie in no class folders, so that they can't be scored"
               : "is not read: it lies beside the training split " + train,
           isSplit ? "" : "Move it into the training split if it is a class.");
    }
  }

  void takeOtherSplits() {
    layout_.validation = takeSplit(Role::validation);
    layout_.test = takeSplit(Role::test);
  }

  void concludeWithoutTraining() {
    std::vector<std::string> classes = foldersIn(root_);
    std::erase_if(classes, [&](const std::string& name) { return splits_.contains(name); });
    layout_.train = relative(root_);
    layout_.classes = classes;
    const std::string named = splits_.empty() ? std::string() : splits_.begin()->first;
    if (!splits_.empty() && filled_.size() == splits_.size()) {
      throw Error(root_.string(),
                  "has the split " + named + ", but none for training",
                  "Name the folder in which the training pictures lie too, in train/.");
    }
    requireClassesBeside();
    noteClassesNamedAsSplits();
    if (!splits_.empty()) {
      takeOtherSplits();
      note(root_,
           "beside the class folders lies " + named + ", which is read as a split, not as a class",
           "Put the class folders into train/, so that nothing is concluded from names.");
    }
    noteEqualFolders();
  }

  /// Folders with the names of splits that have no class folders can be classes only beside others.
  void requireClassesBeside() {
    std::vector<std::string> named;
    for (const std::string& name : filled_) {
      if (!splits_.contains(name) && roleOf(name) != Role::none) named.push_back(name);
    }
    if (named.empty()) return;
    if (named.size() + splits_.size() == filled_.size()) {
      throw Error((root_ / named[0]).string(),
                  "is named as a split, but its pictures lie in no class folders",
                  kHint);
    }
  }

  void noteClassesNamedAsSplits() {
    for (const std::string& name : filled_) {
      if (splits_.contains(name)) continue;
      const bool isNamedAsSplit =
          roleOf(name) != Role::none ||
          (roleAmongWords(name) != Role::none && holdsClasses(root_ / name));
      if (!isNamedAsSplit) continue;
      note(root_ / name,
           "is read as a class, although it has the name of a split",
           "If it is a split, name the splits train, val and test.");
    }
  }

  void noteEqualFolders() {
    const std::vector<std::string>& classes = layout_.classes;
    std::vector<std::string> common;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const fs::path place = root_ / classes[i];
      const std::vector<std::string> names = foldersIn(place);
      if (i == 0) common = names;
      std::erase_if(common,
                    [&](const auto& name) { return !std::ranges::binary_search(names, name); });
      if (common.size() < 2 || holdsPictureItself(place)) return;
    }
    if (classes.size() < 2) return;
    note(root_,
         listOf(classes) + " are read as the classes, but hold the same folders, " +
             listOf(common) + ", as splits do",
         "If they are splits, name them train, val and test.");
  }

  fs::path folder_;
  fs::path root_;                       ///< Holds the splits or the classes.
  std::vector<std::string> filled_;     ///< The folders with pictures in it.
  std::map<std::string, Role> splits_;  ///< Those of them that are splits.
  PictureLayout layout_;
};

}  // namespace

std::vector<std::string> foldersIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !isLeftBehind(entry->path())) {
      names.push_back(entry->path().filename().string());
    }
  }
  if (code) throw systemError(folder, "cannot list the folder", code.value());
  std::ranges::sort(names);
  return names;
}

bool holdsPicture(const fs::path& folder, bool alsoUnread) {
  FolderChain chain;
  int left = kMostSearched;
  return search(folder, alsoUnread ? isPicture : isRead, chain, left);
}

PictureLayout layoutOf(const fs::path& folder) {
  return Conclusion(folder).run();
}

}  // namespace lambda
