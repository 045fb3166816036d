#include "engine/data/sources/foreign_data.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/formats/pictures/picture_format.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

/// Files of one kind, by the ending of their names.
struct ForeignKind {
  std::string_view ending;
  std::string_view what;  ///< "a zip archive"
  std::string_view hint;
};

constexpr std::string_view kUnpack =
    "Unpack it, and name the folder: for zip archives, unzip FILE -d FOLDER.";
constexpr std::string_view kWriteOut =
    "Write the images as PNG files, into a folder for each class. MNIST is read from its IDX "
    "files.";
constexpr std::string_view kWriteTable =
    "For numbers of pictures: a line of column names, then a picture and its numbers in each line, "
    "with commas between. For classes: the pictures in a folder for each class.";
constexpr std::string_view kNameFolder =
    "Name the folder that has a folder of pictures for each class.";

constexpr std::array kForeignKinds{
    ForeignKind{".zip", "a zip archive", kUnpack},
    ForeignKind{".7z", "a 7-Zip archive", kUnpack},
    ForeignKind{".rar", "a RAR archive", kUnpack},
    ForeignKind{".tar", "a tar archive of no known data set", kUnpack},
    ForeignKind{".tgz", "a tar archive of no known data set", kUnpack},
    ForeignKind{".gz", "a gzip archive of no known data set", kUnpack},
    ForeignKind{".xz", "an xz archive", kUnpack},
    ForeignKind{".bz2", "a bzip2 archive", kUnpack},
    ForeignKind{".csv", "a table (CSV) whose first column names no pictures", kWriteTable},
    ForeignKind{".tsv", "a table (TSV)", kWriteOut},
    ForeignKind{".parquet", "a table (Parquet)", kWriteOut},
    ForeignKind{".npz", "an archive of NumPy arrays", kWriteOut},
    ForeignKind{".npy", "a NumPy array", kWriteOut},
    ForeignKind{".h5", "an HDF5 file", kWriteOut},
    ForeignKind{".hdf5", "an HDF5 file", kWriteOut},
    ForeignKind{".mat", "a MATLAB file", kWriteOut},
    ForeignKind{".pkl", "a pickle, which is never read,", kWriteOut},
    ForeignKind{".tfrecord", "a file of TensorFlow records", kWriteOut},
};

const ForeignKind* kindOf(const fs::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found = std::ranges::find(kForeignKinds, ending, &ForeignKind::ending);
  return found == kForeignKinds.end() ? nullptr : &*found;
}

bool isPicture(const fs::path& file) {
  return !formatByName(file).empty() || isOtherPictureByName(file);
}

std::optional<Error> foreignFolder(const fs::path& folder) {
  std::optional<fs::path> foreign, picture;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    std::error_code ignored;
    const fs::path& path = entry->path();
    if (!entry->is_regular_file(ignored)) continue;
    if (kindOf(path) != nullptr && (!foreign || path < *foreign)) foreign = path;
    if (isPicture(path) && (!picture || path < *picture)) picture = path;
  }
  if (foreign) {
    const ForeignKind& kind = *kindOf(*foreign);
    return Error(folder.string(),
                 "holds no data set that is read, but " + foreign->filename().string() + ", " +
                     std::string(kind.what),
                 std::string(kind.hint));
  }
  if (!picture) return std::nullopt;
  return Error(folder.string(),
               "holds pictures, such as " + picture->filename().string() +
                   ", but no class folders: what they show is not known",
               "Put the pictures of each class into a folder that is named after the class.");
}

}  // namespace

std::optional<Error> foreignDataAt(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return foreignFolder(path);
  if (!fs::is_regular_file(status)) {
    return Error(path.string(),
                 "is a pipe or a device, neither a folder nor a file",
                 "Name a folder or an archive.");
  }
  if (const ForeignKind* kind = kindOf(path)) {
    return Error(
        path.string(), "is " + std::string(kind->what) + ", and not read", std::string(kind->hint));
  }
  if (!isPicture(path)) return std::nullopt;
  return Error(path.string(), "is a picture, not a data set", std::string(kNameFolder));
}

}  // namespace lambda
