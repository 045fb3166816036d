#include "engine/formats/idx/idx_files.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/formats/archives/gzip_reader.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t kMaxSide = 1024;
constexpr std::uint32_t kMaxCount = 10'000'000;
constexpr std::size_t kFixedBytes = 4;  // two zeros, the type, the number of dimensions
constexpr unsigned kUnsignedByte = 8;
constexpr const char* kHint = "Download the published file again.";

std::uint32_t numberAt(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8 | std::to_integer<std::uint32_t>(bytes[offset + i]);
  }
  return number;
}

IdxShape shapeOf(std::span<const std::byte> bytes, const std::string& place, int dimensions) {
  const std::size_t header = kFixedBytes + 4 * static_cast<std::size_t>(dimensions);
  if (bytes.size() < header) throw Error(place, "is too short for an IDX file", kHint);
  if (bytes[0] != std::byte{0} || bytes[1] != std::byte{0} ||
      bytes[2] != std::byte{kUnsignedByte}) {
    throw Error(place, "is not an IDX file of unsigned bytes: it must begin with 0, 0, 8", kHint);
  }
  if (std::to_integer<int>(bytes[3]) != dimensions) {
    throw Error(place,
                "has " + std::to_string(std::to_integer<int>(bytes[3])) +
                    " dimensions instead of " + std::to_string(dimensions),
                dimensions == 1 ? "Labels have one dimension: this may be a file of images."
                                : "Images have three dimensions: this may be a file of labels.");
  }
  IdxShape shape;
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i) {
    shape.push_back(numberAt(bytes, kFixedBytes + 4 * i));
    const std::uint32_t most = i == 0 ? kMaxCount : kMaxSide;
    if (shape.back() == 0 || shape.back() > most) {
      throw Error(place,
                  "announces " + std::to_string(shape.back()) +
                      (i == 0 ? " elements" : " pixels a side") + ", expected 1 to " +
                      std::to_string(most),
                  kHint);
    }
  }
  return shape;
}

std::uint64_t valuesIn(const IdxShape& shape) {
  std::uint64_t values = 1;
  for (const std::uint32_t side : shape) values *= side;
  return values;
}

IdxArray readIdx(const fs::path& file, int dimensions) {
  const std::string bytes = readFile(file, kMaxBytes);
  return parseIdx(std::as_bytes(std::span(bytes)), file.string(), dimensions);
}

/// The name without ".gz".
std::string plainName(const fs::path& path) {
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

enum Role : std::size_t { kTrainImages, kTrainLabels, kTestImages, kTestLabels, kRoles };

constexpr std::array<std::string_view, kRoles> kPublishedNames{"train-images-idx3-ubyte",
                                                               "train-labels-idx1-ubyte",
                                                               "t10k-images-idx3-ubyte",
                                                               "t10k-labels-idx1-ubyte"};

/// The role of a file by its name; kRoles for any other file.
Role roleOf(const fs::path& path) {
  const std::string name = plainName(path);
  const auto ends = [&](std::string_view a, std::string_view b) {
    return name.ends_with(a) || name.ends_with(b);
  };
  const bool isImages = ends("images-idx3-ubyte", "images.idx3-ubyte");
  const bool isLabels = ends("labels-idx1-ubyte", "labels.idx1-ubyte");
  if (!isImages && !isLabels) return kRoles;
  if (name.find("train") != name.npos) return isImages ? kTrainImages : kTrainLabels;
  if (name.find("t10k") != name.npos || name.find("test") != name.npos) {
    return isImages ? kTestImages : kTestLabels;
  }
  return kRoles;
}

std::vector<fs::path> entriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    entries.push_back(entry->path());
  }
  if (code) throw systemError(folder, "cannot list the folder", code.value());
  std::ranges::sort(entries);
  return entries;
}

/// The files with a role in the folder; Kaggle's copies of MNIST have each in a folder with its
/// name, some beside the file itself, which then is preferred.
std::vector<fs::path> filesWithRole(const fs::path& folder) {
  std::vector<fs::path> files, nested;
  std::error_code ignored;
  for (const fs::path& path : entriesOf(folder)) {
    if (roleOf(path) == kRoles) continue;
    const fs::path inner = path / path.filename();
    if (fs::is_regular_file(path, ignored)) files.push_back(path);
    if (fs::is_regular_file(inner, ignored)) nested.push_back(inner);
  }
  return files.empty() ? nested : files;
}

/// The folders with such files, `folder` alone if it has some.
std::vector<fs::path> foldersWithRoles(const fs::path& folder) {
  constexpr const char* kRaw = "raw";  // Below a folder with the name of the set, by torchvision.
  std::error_code ignored;
  const auto has = [&](const fs::path& place) {
    // A folder that can't be listed is none of these, unless it is the only one.
    const fs::directory_iterator listing(place, ignored);
    return !ignored && !filesWithRole(place).empty();
  };
  for (const fs::path& place : {folder, folder / kRaw}) {
    if (has(place)) return {place};
  }
  std::vector<fs::path> found;
  for (const fs::path& path : entriesOf(folder)) {
    if (has(path)) {
      found.push_back(path);
    } else if (has(path / kRaw)) {
      found.push_back(path / kRaw);
    }
  }
  return found;
}

/// The folder that holds the files of the data set at `folder`.
fs::path folderWithRoles(const fs::path& folder) {
  const std::vector<fs::path> found = foldersWithRoles(folder);
  if (found.size() <= 1) return found.empty() ? folder : found.front();
  throw Error(folder.string(),
              "holds several data sets, such as " + found[0].lexically_relative(folder).string() +
                  " and " + found[1].lexically_relative(folder).string(),
              "Name the folder of one of them.");
}

LabeledImages imagesOf(IdxArray images,
                       const IdxArray& labels,
                       const fs::path& labelsFile,
                       const std::string& imagesFile) {
  if (images.shape[0] != labels.shape[0]) {
    throw Error(labelsFile.string(),
                "has " + std::to_string(labels.shape[0]) + " labels for the " +
                    std::to_string(images.shape[0]) + " images of " + imagesFile,
                "Use the two files of one data set.");
  }
  LabeledImages set;
  set.channels = 1;
  set.height = static_cast<int>(images.shape[1]);
  set.width = static_cast<int>(images.shape[2]);
  set.pixels = std::move(images.values);
  set.labels.assign(labels.values.begin(), labels.values.end());
  return set;
}

std::vector<std::string> numberedClasses(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

std::vector<std::int64_t> countsOf(const LabeledImages& images) {
  std::vector<std::int64_t> counts(images.classNames.size(), 0);
  for (const std::uint16_t label : images.labels) ++counts[label];
  return counts;
}

/// The names of the classes without images for training: "0", "5 to 9", "3, 7 and 9 to 12".
std::string untrainedClasses(const LabeledImages& train) {
  const std::vector<std::int64_t> counts = countsOf(train);
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < counts.size(); ++first) {
    if (counts[first] > 0) continue;
    std::size_t last = first;
    while (last + 1 < counts.size() && counts[last + 1] == 0) ++last;
    ranges.push_back(train.classNames[first] +
                     (last == first ? "" : " to " + train.classNames[last]));
    first = last;
  }
  std::string text;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ") + ranges[i];
  }
  return text;
}

std::optional<DataFinding> emptyClassesOf(const IdxDataset& set, const std::string& place) {
  const std::string classes = untrainedClasses(set.train);
  if (classes.empty()) return std::nullopt;
  return DataFinding{Severity::warning,
                     place,
                     "the classes are numbered from 0 to the largest label, " +
                         set.train.classNames.back() + ", but there are no images of " + classes,
                     "The network has an output for each of them, which learns nothing; to do "
                     "without, number the labels anew."};
}

/// Throws Error for a test image whose class has no image for training.
void requireTrainedClasses(const IdxDataset& set, const fs::path& testLabels) {
  const std::vector<std::int64_t> counts = countsOf(set.train);
  const auto label =
      std::ranges::find_if(set.test.labels, [&](std::uint16_t each) { return counts[each] == 0; });
  if (label == set.test.labels.end()) return;
  throw Error(testLabels.string(),
              "has the label " + std::to_string(*label) + ", of which there are no training images",
              "Use the four files of one data set.");
}

DatasetInfo infoOf(const IdxDataset& set) {
  return {.shape = {1, set.train.height, set.train.width},
          .classes = static_cast<int>(set.train.classNames.size()),
          .classNames = set.train.classNames,
          .trainCount = static_cast<std::int64_t>(set.train.count()),
          .testCount = static_cast<std::int64_t>(set.test.count())};
}

DataFileReport fileReport(const fs::path& file) {
  std::error_code code;
  const auto bytes = fs::file_size(file, code);
  DataFileReport report;
  report.name = file.filename().string();
  report.present = !code;
  report.bytes = code ? 0 : bytes;
  return report;
}

}  // namespace

IdxArray parseIdx(std::span<const std::byte> bytes, const std::string& place, int dimensions) {
  std::vector<std::byte> unpacked;
  if (isGzip(bytes)) {
    unpacked = gunzip(bytes, place, kMaxBytes);
    bytes = unpacked;
  }
  IdxArray array;
  array.shape = shapeOf(bytes, place, dimensions);
  const std::size_t header = kFixedBytes + 4 * array.shape.size();
  const std::uint64_t expected = header + valuesIn(array.shape);
  if (bytes.size() != expected) {
    throw Error(place,
                "has " + std::to_string(bytes.size()) + " bytes instead of the " +
                    std::to_string(expected) + " that it announces",
                kHint);
  }
  const auto* values = reinterpret_cast<const std::uint8_t*>(bytes.data());
  array.values.assign(values + header, values + bytes.size());
  return array;
}

IdxFileNames findIdxFiles(const fs::path& folder) {
  std::array<fs::path, kRoles> found;
  for (const fs::path& file : filesWithRole(folderWithRoles(folder))) {
    fs::path& place = found[roleOf(file)];
    // The files are sorted, so a plain file comes before the gzipped one of the same name.
    if (!place.empty() && plainName(place) == plainName(file)) continue;
    if (!place.empty()) {
      throw Error(folder.string(),
                  "has two files for the same role: " + place.filename().string() + " and " +
                      file.filename().string(),
                  "Put each data set into a separate folder.");
    }
    place = file;
  }
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (!found[role].empty()) continue;
    throw Error(folder.string(),
                "there is no " + std::string(kPublishedNames[role]) + ", plain or with .gz",
                "A data set of IDX files has four files in one folder.");
  }
  return {found[kTrainImages], found[kTrainLabels], found[kTestImages], found[kTestLabels]};
}

bool hasIdxFiles(const fs::path& folder) {
  return !foldersWithRoles(folder).empty();
}

IdxDataset readIdxDataset(const fs::path& folder) {
  const IdxFileNames names = findIdxFiles(folder);
  const auto read = [](const fs::path& images, const fs::path& labels) {
    return imagesOf(readIdx(images, 3), readIdx(labels, 1), labels, images.filename().string());
  };
  IdxDataset set{read(names.trainImages, names.trainLabels),
                 read(names.testImages, names.testLabels)};
  if (set.train.height != set.test.height || set.train.width != set.test.width) {
    throw Error(names.testImages.string(),
                "its images differ in size from those of the training set",
                "Use the files of one data set.");
  }
  const auto largest = [](const LabeledImages& images) {
    return *std::ranges::max_element(images.labels);
  };
  const int classes = 1 + std::max(largest(set.train), largest(set.test));
  set.train.classNames = set.test.classNames = numberedClasses(classes);
  requireTrainedClasses(set, names.testLabels);
  return set;
}

DatasetInfo probeIdxDataset(const fs::path& folder) {
  const IdxDataset set = readIdxDataset(folder);
  DatasetInfo info = infoOf(set);
  if (const auto finding = emptyClassesOf(set, folder.string())) {
    info.notes.push_back(finding->place + ": " + finding->text + ". " + finding->hint);
  }
  return info;
}

DataReport checkIdxDataset(const fs::path& folder) {
  DataReport report;
  report.source = folder.string();
  try {
    const IdxFileNames names = findIdxFiles(folder);
    for (const fs::path& file :
         {names.trainImages, names.trainLabels, names.testImages, names.testLabels}) {
      report.files.push_back(fileReport(file));
    }
    const IdxDataset set = readIdxDataset(folder);
    report.files[kTrainLabels].countPerClass = countsOf(set.train);
    report.files[kTestLabels].isTest = true;
    report.files[kTestLabels].countPerClass = countsOf(set.test);
    if (auto finding = emptyClassesOf(set, report.source)) {
      report.findings.push_back(std::move(*finding));
    }
    report.info = infoOf(set);
    report.usable = true;
  } catch (const Error& error) {
    report.findings.push_back({Severity::error, error.place(), error.reason(), error.hint()});
  }
  return report;
}

}  // namespace lambda
