#include "engine/formats/metrics/predictions_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/line_splitter.h"
#include "engine/formats/metrics/csv.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr char kHowToWrite[] =
    "Write it with lambda export RUN --to predictions --split train --out FILE.csv, with a run of "
    "the same data, data.validationCount and data.splitSeed.";

/// Each number of a line is shorter than this.
constexpr std::size_t kLongestNumber = 64;
/// Probabilities in bfloat16 are rounded by up to 1/256 of their value.
constexpr double kSumTolerance = 0.01;

/// Takes the lines of a file of predictions one after the other.
class PredictionLines {
 public:
  /// `classes`: the class that each one of the file is.
  PredictionLines(const std::filesystem::path& file,
                  std::vector<std::uint16_t> classes,
                  std::size_t count)
      : file_(file.string()), classes_(std::move(classes)), predictions_(count), lineOf_(count) {}

  /// `number`: of the line in the file, from 1.
  void take(std::string_view line, std::size_t number) {
    number_ = number;
    rest_ = line;
    hasMore_ = true;
    const std::size_t image = index("index", predictions_.size(), "images");
    ImagePrediction found;
    found.label = classes_[index("label", classes_.size(), "classes")];
    const std::size_t prediction = index("prediction", classes_.size(), "classes");
    found.prediction = classes_[prediction];
    real("loss");
    found.probability = probabilityOf(prediction);
    if (hasMore_) refuse("it has more cells than there are columns");
    if (lineOf_[image] > 0) {
      refuse("image " + std::to_string(image) + " stands already in line " +
             std::to_string(lineOf_[image]));
    }
    lineOf_[image] = number;
    predictions_[image] = found;
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(file_ + ", line " + std::to_string(number_), reason, kHowToWrite);
  }

  [[noreturn]] void refuseTooLong(std::size_t number) {
    number_ = number;
    refuse("the line is too long for the numbers of one image");
  }

  std::vector<ImagePrediction> all() && {
    const auto missing = std::ranges::find(lineOf_, std::size_t{0});
    if (missing == lineOf_.end()) return std::move(predictions_);
    throw Error(file_ + ", line " + std::to_string(number_),
                "the file ends without a prediction for image " +
                    std::to_string(missing - lineOf_.begin()) + " of " +
                    std::to_string(lineOf_.size()) + " training images",
                kHowToWrite);
  }

 private:
  std::string_view cell(const std::string& column) {
    if (!hasMore_) refuse("the column " + column + " is missing");
    const std::size_t comma = rest_.find(',');
    const std::string_view found = rest_.substr(0, comma);
    hasMore_ = comma != std::string_view::npos;
    rest_.remove_prefix(hasMore_ ? comma + 1 : rest_.size());
    return found;
  }

  template <class Number>
  Number number(const std::string& column) {
    const std::string_view text = cell(column);
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc() || end != text.data() + text.size()) {
      refuse("the " + column + " \"" + terminalText(text.substr(0, kLongestNumber)) +
             "\" is not a number that fits");
    }
    return value;
  }

  std::size_t index(const std::string& column, std::size_t count, const char* things) {
    const auto value = number<std::uint64_t>(column);
    if (value >= count) {
      refuse("the " + column + " is " + std::to_string(value) + ", but there are only " +
             std::to_string(count) + " " + things);
    }
    return static_cast<std::size_t>(value);
  }

  double real(const std::string& column) {
    const auto value = number<double>(column);
    if (!std::isfinite(value) || value < 0) refuse("the " + column + " is not a number from 0");
    return value;
  }

  /// Reads the probabilities of all classes.
  double probabilityOf(std::size_t prediction) {
    double sum = 0, greatest = 0, found = 0;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const double value = real("probability");
      sum += value;
      greatest = std::max(greatest, value);
      if (i == prediction) found = value;
    }
    if (std::fabs(sum - 1) > kSumTolerance || greatest > 1) {
      refuse("the sum of the probabilities is not 1");
    }
    if (found < greatest) refuse("the prediction is not the most probable class");
    return found;
  }

  std::string file_;
  std::vector<std::uint16_t> classes_;
  std::vector<ImagePrediction> predictions_;  ///< By image.
  std::vector<std::size_t> lineOf_;           ///< By image; 0 = not read yet.
  std::size_t number_ = 1;
  std::string_view rest_;  ///< Of the line, after the cells that were read.
  bool hasMore_ = false;
};

/// The names of the classes in the first line; empty for a line without them.
std::vector<std::string> classesIn(const std::string& head) {
  constexpr std::array<std::string_view, 4> kOthers{"index", "label", "prediction", "loss"};
  try {
    const std::vector<CsvLine> lines = decodeCsv(head, {});
    if (lines.empty()) return {};
    const std::vector<std::string>& cells = lines.front().cells;
    if (cells.size() < kOthers.size() ||
        !std::ranges::equal(kOthers, std::span(cells).first(kOthers.size()))) {
      return {};
    }
    return {cells.begin() + kOthers.size(), cells.end()};
  } catch (const Error&) {
    return {};
  }
}

[[noreturn]] void refuseHead(const std::filesystem::path& file,
                             const std::vector<std::string>& classNames) {
  constexpr std::size_t kMostOfHead = 1 << 16;
  std::string start(kMostOfHead, '\0');
  start.resize(FileReader(file).read(std::as_writable_bytes(std::span(start))));
  const std::vector<std::string> found = classesIn(start.substr(0, start.find('\n')));
  if (!found.empty()) {
    throw Error(file.string() + ", line 1",
                "its classes are not those of this data set" +
                    differingLists("The file", found, "The data", classNames),
                kHowToWrite);
  }
  throw Error(file.string() + ", line 1",
              "it does not name the columns of predictions for the classes of this data set, which "
              "begin with " +
                  terminalText(predictionsHead(classNames).substr(0, 80)),
              kHowToWrite);
}

/// Reads the first line, but not its end. Returns the class that each one of the file is.
std::vector<std::uint16_t> readHead(FileReader& reader,
                                    const std::vector<std::string>& classNames) {
  // The names in any order give as many bytes.
  std::string head = predictionsHead(classNames);
  head.pop_back();
  std::string start(head.size(), '\0');
  const bool isWhole = reader.read(std::as_writable_bytes(std::span(start))) == start.size();
  std::vector<std::uint16_t> classes(classNames.size());
  std::iota(classes.begin(), classes.end(), std::uint16_t{0});
  if (isWhole && start == head) return classes;
  std::map<std::string, std::uint16_t> places;
  for (const std::uint16_t place : classes) places[classNames[place]] = place;
  const std::vector<std::string> found = isWhole ? classesIn(start) : std::vector<std::string>();
  if (found.size() != classes.size()) refuseHead(reader.path(), classNames);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto place = places.find(found[i]);
    if (place == places.end()) refuseHead(reader.path(), classNames);
    classes[i] = place->second;
    places.erase(place);
  }
  return classes;
}

}  // namespace

std::string predictionsHead(const std::vector<std::string>& classNames) {
  std::string line = "index,label,prediction,loss";
  for (const std::string& name : classNames) line += ',' + csvCell(name);
  return line + '\n';
}

std::vector<ImagePrediction> readPredictionsCsv(const std::filesystem::path& file,
                                                const std::vector<std::string>& classNames,
                                                std::size_t count) {
  FileReader reader(file);
  PredictionLines lines(file, readHead(reader, classNames), count);
  // A name of a class may have line breaks.
  const std::string head = predictionsHead(classNames);
  const auto headLines = static_cast<std::size_t>(std::ranges::count(head, '\n'));
  std::size_t number = headLines - 1;
  const auto take = [&](std::string_view line) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number > headLines) {
      if (!line.empty()) lines.take(line, number);
    } else if (!line.empty()) {
      lines.refuse("its columns are not those of the classes of this data set");
    }
  };
  LineSplitter splitter((classNames.size() + 4) * kLongestNumber);
  std::array<char, 1 << 16> part;
  while (const std::size_t bytes = reader.read(std::as_writable_bytes(std::span(part)))) {
    splitter.feed({part.data(), bytes}, take, [&] { lines.refuseTooLong(number + 1); });
  }
  // The last line may have no end; after a whole one, this is an empty line.
  splitter.feed("\n", take, [&] { lines.refuseTooLong(number + 1); });
  return std::move(lines).all();
}

}  // namespace lambda
