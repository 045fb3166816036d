#include "engine/formats/image_folder/numbered_pictures.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/image_folder/image_folder.h"
#include "engine/formats/metrics/csv.h"
#include "engine/formats/pictures/picture_format.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1 << 30;
constexpr std::string_view kSplit = "split";

using Numbers = std::vector<double>;

/// The content of a CSV file.
struct NumberedList {
  PictureList pictures;
  std::vector<std::string> names;            ///< Of the numbers.
  std::map<std::string, Numbers> numbersOf;  ///< By the path of the picture.
};

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file.string()) {
    list_.pictures.folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
    // One class for all, which decoding and its cache ask for.
    list_.pictures.classNames = {"picture"};
  }

  NumberedList read() {
    const std::vector<CsvLine> lines = decodeCsv(readFile(file_, kMostBytes), file_);
    if (lines.empty()) {
      throw Error(file_, "has no line", "Begin it with a line of column names: file,age,height");
    }
    readNames(lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) add(lines[i]);
    if (list_.pictures.train.pictures.empty()) throw Error(file_, "has no picture to train on");
    for (std::size_t i = 0; i < list_.names.size(); ++i) requireSpread(i);
    return std::move(list_);
  }

 private:
  void readNames(const CsvLine& line) {
    columns_ = line.cells;
    std::set<std::string> known;
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      const std::string& name = columns_[i];
      if (name.empty() || !known.insert(name).second) {
        refuse(line, "the column \"" + name + "\" has no name of its own", "Name each column.");
      }
      if (name != kSplit) list_.names.push_back(name);
    }
    if (!list_.names.empty()) return;
    refuse(line,
           "has no column of numbers",
           "The first column names a picture, and at least one other has a number to predict.");
  }

  void add(const CsvLine& line) {
    if (line.cells.size() != columns_.size()) {
      refuse(line,
             "has " + std::to_string(line.cells.size()) + " cells, the first line " +
                 std::to_string(columns_.size()),
             "Write a cell for each column.");
    }
    const fs::path path = pathOf(line);
    Numbers numbers;
    std::string_view split = "train";
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      if (columns_[i] == kSplit) {
        if (!line.cells[i].empty()) split = line.cells[i];
      } else {
        numbers.push_back(numberOf(line, i));
      }
    }
    if (!list_.numbersOf.emplace(path.string(), std::move(numbers)).second) {
      refuse(line, "names " + path.string() + " again", "List every picture once.");
    }
    splitOf(line, split).pictures.push_back(listedPicture(list_.pictures.folder, path, 0));
  }

  /// Throws Error for a path that a file must not choose.
  fs::path pathOf(const CsvLine& line) const {
    const fs::path path = fs::path(line.cells.front()).lexically_normal();
    const bool leadsOut = path.is_absolute() || (!path.empty() && *path.begin() == "..");
    if (leadsOut || path.empty()) {
      refuse(line,
             "the picture is \"" + line.cells.front() + "\"",
             "Name a file in the folder of the CSV file or below it.");
    }
    std::error_code ignored;
    if (!fs::is_regular_file(list_.pictures.folder / path, ignored)) {
      refuse(line, "there is no picture " + path.string(), "Check its name.");
    }
    if (formatByName(path).empty()) {
      refuse(line, path.string() + " is no JPEG, PNG or WebP file", "Convert the picture.");
    }
    return path;
  }

  double numberOf(const CsvLine& line, std::size_t column) const {
    const std::string& text = line.cells[column];
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() ||
        !(std::abs(value) <= std::numeric_limits<float>::max())) {
      refuse(line,
             "the " + columns_[column] + " is \"" + text + "\"",
             "Write a number, with a point before its decimals.");
    }
    return value;
  }

  /// Throws Error for numbers whose differences would be lost in float32, as of times in seconds.
  void requireSpread(std::size_t column) const {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const auto& [path, numbers] : list_.numbersOf) {
      least = std::min(least, numbers[column]);
      most = std::max(most, numbers[column]);
    }
    constexpr double kFewestSteps = 4096;
    const double step = std::max(std::abs(least), std::abs(most)) * 0x1p-24;
    if (most == least || most - least >= kFewestSteps * step) return;
    throw Error(file_,
                "the numbers of " + list_.names[column] + " go from " + formatNumber(least) +
                    " to " + formatNumber(most) + ", and float32 can't tell them apart well",
                "Subtract a constant from the column.");
  }

  ListedSplit& splitOf(const CsvLine& line, std::string_view name) {
    PictureList& pictures = list_.pictures;
    if (name == "train") return pictures.train;
    if (name == "validation" || name == "val") return pictures.validation;
    if (name == "test") return pictures.test;
    refuse(line,
           "the split is \"" + std::string(name) + "\"",
           "Write train, validation or test, or leave it empty.");
  }

  [[noreturn]] void refuse(const CsvLine& line,
                           const std::string& reason,
                           const std::string& hint) const {
    throw Error(file_ + ", line " + std::to_string(line.number), reason, hint);
  }

  std::string file_;
  std::vector<std::string> columns_;
  NumberedList list_;
};

PictureOptions optionsOf(const PictureNumbersSource& source) {
  return {source.size, source.transparent};
}

/// Gives the decoded pictures of a split their numbers in the place of the class.
void giveNumbers(const NumberedList& list,
                 const ListedSplit& split,
                 const std::set<std::string>& corrupt,
                 LabeledImages& images) {
  images.labels.clear();
  images.classNames.clear();
  images.numberNames = list.names;
  for (const ListedPicture& picture : split.pictures) {
    if (corrupt.contains(picture.path)) continue;
    const Numbers& numbers = list.numbersOf.at(picture.path);
    for (const double number : numbers) images.numbers.push_back(static_cast<float>(number));
  }
}

NumberedPictures withNumbers(const NumberedList& list, DecodedPictures pictures) {
  std::set<std::string> corrupt;
  for (const CorruptPicture& picture : pictures.corrupt) corrupt.insert(picture.path);
  giveNumbers(list, list.pictures.train, corrupt, pictures.train);
  giveNumbers(list, list.pictures.validation, corrupt, pictures.validation);
  giveNumbers(list, list.pictures.test, corrupt, pictures.test);
  std::string changes = changesText(pictures);
  return {std::move(pictures.train),
          std::move(pictures.validation),
          std::move(pictures.test),
          std::move(changes)};
}

/// Adds the numbers to what is known of the pictures.
DatasetInfo withNumbers(const NumberedList& list, DatasetInfo info) {
  info.task = Task::regression;
  info.classes = static_cast<int>(list.names.size());
  info.classNames = list.names;
  return info;
}

}  // namespace

bool isNumberedList(const fs::path& file) {
  std::error_code ignored;
  if (file.extension() != ".csv" || !fs::is_regular_file(file, ignored)) return false;
  std::ifstream stream(file);
  std::string names, first;
  if (!std::getline(stream, names) || !std::getline(stream, first)) return false;
  first.resize(std::min(first.find(','), first.size()));
  std::erase(first, '"');
  return !formatByName(first).empty();
}

NumberedPictures readNumberedPictures(const PictureNumbersSource& source) {
  const NumberedList list = Reader(source.path).read();
  return withNumbers(list, readPictures(list.pictures, optionsOf(source), source.corrupt));
}

DatasetInfo probeNumberedPictures(const PictureNumbersSource& source) {
  const NumberedList list = Reader(source.path).read();
  return withNumbers(list, picturesInfo(list.pictures, source.size));
}

DataReport checkNumberedPictures(const PictureNumbersSource& source) {
  DataReport report;
  report.source = source.path;
  try {
    const NumberedList list = Reader(source.path).read();
    checkPictures(list.pictures,
                  optionsOf(source),
                  source.corrupt,
                  "Write test in a column named split for pictures of the test.",
                  report);
    report.info = withNumbers(list, *report.info);
  } catch (const Error& error) {
    report.findings.push_back({Severity::error, error.place(), error.reason(), error.hint()});
  }
  return report;
}

}  // namespace lambda
