#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <fcntl.h>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "engine/formats/files/file_system.h"
#include "engine/runtime/seconds_since.h"
#include "engine/trained/predictor.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

/// Pictures that are read and classified together.
constexpr std::int64_t kPart = 1024;
constexpr char kStandardInput[] = "-";
constexpr std::size_t kLongestName = 1 << 16;

struct PredictOptions {
  std::string run;
  std::vector<std::string> images;
  std::optional<std::string> list;
  int top = 5;
  std::optional<std::string> data;
  DeviceOptions device;
  OutputOptions output;
};

/// The names of the pictures: those of the command line, then those of the list, which has one on
/// each line or, as find -print0 writes them, a NUL byte after each. The list may be a pipe.
class Names {
 public:
  explicit Names(const PredictOptions& options)
      : place_(options.list.value_or("")), waiting_(options.images.begin(), options.images.end()) {
    if (!options.list) return;
    list_ = place_ == kStandardInput ? ::dup(STDIN_FILENO)
                                     : ::open(place_.c_str(), O_RDONLY | O_CLOEXEC);
    if (list_ < 0) throw systemError(place_, "this list can't be opened", errno);
  }

  ~Names() {
    if (list_ >= 0) ::close(list_);
  }

  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  /// The next part; empty at the end. Throws Error where the list can't be read.
  std::vector<std::string> next() {
    while (std::ssize(waiting_) < kPart && list_ >= 0) readMore();
    const auto end = waiting_.begin() + std::min(kPart, std::ssize(waiting_));
    std::vector<std::string> part(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return part;
  }

 private:
  void readMore() {
    std::array<char, 1 << 16> bytes;
    const ssize_t count = ::read(list_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) return;
    if (count < 0) throw systemError(place_, "this list can't be read", errno);
    line_.append(bytes.data(), static_cast<std::size_t>(count));
    if (!separator_) separator_ = separatorOf(line_);
    // The last line may have no end.
    if (count == 0) {
      if (!separator_) separator_ = '\n';
      if (!line_.empty()) line_ += *separator_;
      ::close(std::exchange(list_, -1));
    }
    if (separator_) addLines(*separator_);
    if (line_.size() > kLongestName) {
      throw Error(place_,
                  "this list has a line of more than " + std::to_string(kLongestName) + " bytes",
                  "Give a file with the name of a picture on each line.");
    }
  }

  /// Returns what ends the names of a list that begins like this; nothing where the beginning
  /// does not tell it yet.
  static std::optional<char> separatorOf(std::string_view beginning) {
    if (beginning.find('\0') != std::string_view::npos) return '\0';
    if (beginning.find('\n') != std::string_view::npos) return '\n';
    return std::nullopt;
  }

  void addLines(char separator) {
    std::size_t start = 0;
    for (std::size_t end = 0; (end = line_.find(separator, start)) != std::string::npos;
         start = end + 1) {
      const std::string_view line = std::string_view(line_).substr(start, end - start);
      separator == '\n' ? addLine(line) : addTerminated(line);
    }
    line_.erase(0, start);
  }

  /// Takes a name with a NUL byte after it. Empty ones come from what is no list, such as zeros.
  void addTerminated(std::string_view name) {
    if (name.empty()) {
      throw Error(place_,
                  "has a NUL byte without a name before it",
                  "Write one name on each line, or a NUL byte after every name.");
    }
    addName(name);
  }

  void addName(std::string_view name) {
    if (!name.empty()) waiting_.emplace_back(name);
  }

  /// Takes the name out of a line, also one of a list that was written on Windows.
  void addLine(std::string_view line) {
    ++lines_;
    if (line.find('\0') != std::string_view::npos) {
      throw Error(place_,
                  "line " + std::to_string(lines_) + " has a NUL byte, which no name has",
                  "Write one name on each line, or a NUL byte after every name.");
    }
    if (lines_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    addName(line);
  }

  std::string place_;
  std::deque<std::string> waiting_;
  std::string line_;  ///< The beginning of the next line.
  int list_ = -1;     ///< Closed at the end of the list.
  std::int64_t lines_ = 0;
  std::optional<char> separator_;  ///< What ends each name; nothing before it is known.
};

/// The most probable classes, as indices.
std::vector<std::size_t> topOf(const std::vector<float>& probabilities, int top) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = std::min(order.size(), static_cast<std::size_t>(top));
  std::partial_sort(
      order.begin(),
      order.begin() + static_cast<std::ptrdiff_t>(count),
      order.end(),
      [&](std::size_t a, std::size_t b) {
        return probabilities[a] != probabilities[b] ? probabilities[a] > probabilities[b] : a < b;
      });
  order.resize(count);
  return order;
}

class Report {
 public:
  Report(const PredictOptions& options, const Predictor& predictor)
      : options_(options), predictor_(predictor) {}

  void add(const PredictedFile& result) {
    if (!result.problem.empty()) {
      ++unread_;
      printNote("lambda: " + terminalText(result.file) + ": " + terminalText(result.problem) +
                "\n");
      if (options_.output.json) {
        predictions_.push_back({{"image", result.file}, {"error", result.problem}});
      }
      return;
    }
    ++images_;
    turned_ += result.isTurned ? 1 : 0;
    transparent_ += result.isTransparent ? 1 : 0;
    options_.output.json ? addJson(result) : print(result);
  }

  int finish(double seconds) const {
    if (!options_.output.quiet && turned_ > 0) {
      printNote("turned by their orientation in EXIF: " + formatCounted(turned_, "picture") + "\n");
    }
    if (!options_.output.quiet && transparent_ > 0) {
      printNote("transparent, and composited on white: " + formatCounted(transparent_, "picture") +
                "\n");
    }
    if (options_.output.json) {
      printJson({{"checkpoint", predictor_.checkpoint().string()},
                 {"images", images_},
                 {"turned", turned_},
                 {"transparent", transparent_},
                 {"seconds", seconds},
                 {"predictions", predictions_}});
    } else if (images_ >= kPart && !options_.output.quiet) {
      printNote(formatCount(images_) + " images, " +
                formatMeasured(static_cast<double>(images_) / seconds, 3) + " a second\n");
    }
    return unread_ > 0 ? kExitFailure : kExitOk;
  }

 private:
  std::string nameOf(std::size_t index) const {
    const std::vector<std::string>& names = predictor_.input().classNames;
    return index < names.size() ? names[index] : std::to_string(index);
  }

  void print(const PredictedFile& result) const {
    std::string line = terminalText(result.file) + ":";
    const char* separator = " ";
    const auto append = [&](const std::string& name, const std::string& value) {
      line += separator + terminalText(name) + " " + value;
      separator = ", ";
    };
    const std::vector<NumberScale>& numbers = predictor_.input().numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      append(numbers[i].name, formatMeasured(result.outputs[i], 4));
    }
    if (numbers.empty()) {
      for (const std::size_t index : topOf(result.outputs, options_.top)) {
        append(nameOf(index), formatPercent(result.outputs[index]));
      }
    }
    printText(line + "\n");
  }

  void addJson(const PredictedFile& result) {
    const std::vector<NumberScale>& numbers = predictor_.input().numbers;
    if (!numbers.empty()) {
      Json predicted;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        predicted[numbers[i].name] = static_cast<double>(result.outputs[i]);
      }
      predictions_.push_back({{"image", result.file}, {"numbers", std::move(predicted)}});
      return;
    }
    Json top = Json::array();
    for (const std::size_t index : topOf(result.outputs, options_.top)) {
      top.push_back({{"class", nameOf(index)},
                     {"index", index},
                     {"probability", static_cast<double>(result.outputs[index])}});
    }
    predictions_.push_back({{"image", result.file}, {"top", top}});
  }

  const PredictOptions& options_;
  const Predictor& predictor_;
  Json predictions_ = Json::array();
  std::int64_t images_ = 0;
  std::int64_t unread_ = 0;
  std::int64_t turned_ = 0;
  std::int64_t transparent_ = 0;
};

int predict(const PredictOptions& options) {
  if (options.images.empty() && !options.list) {
    throw UsageError("IMAGE",
                     "no picture is given",
                     "Name JPEG, PNG or WebP files, or give --list FILE with a name on each line.");
  }
  const std::filesystem::path run = findRun(options.run);
  Predictor predictor(run, {.data = options.data, .device = deviceOf(options.device, run)});
  if (!predictor.isVerified()) printNote(unverifiedNote(predictor.checkpoint()));
  Names names(options);
  Report report(options, predictor);
  const auto start = std::chrono::steady_clock::now();
  for (std::vector<std::string> part = names.next(); !part.empty(); part = names.next()) {
    for (const PredictedFile& result : predictFiles(predictor, part)) report.add(result);
    std::cout.flush();
  }
  return report.finish(secondsSince(start));
}

}  // namespace

void addPredict(CLI::App& program, Action& action) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command =
      addCommand(program,
                 "predict",
                 "Classify pictures by a trained network",
                 {{"lambda predict runs/2026-11-20_22-48-00_quickstart photo.png --top 3",
                   "the three most probable classes"},
                  {"find photos -name '*.jpg' | lambda predict RUN --list - --json",
                   "many pictures, named on standard input"}},
                 "A picture is scaled until it covers the network's input, cropped to its middle "
                 "and normalised\n"
                 "as in training. One that can't be read is reported; the others are classified, "
                 "and the exit\n"
                 "status is 1.");
  command
      ->add_option("RUN|CHECKPOINT",
                   options->run,
                   "a run folder, its name in runs/, a checkpoint or exported weights")
      ->required();
  command->add_option("IMAGE", options->images, "JPEG, PNG or WebP files");
  command
      ->add_option(
          "--list",
          options->list,
          "a file with a name on each line, or with a NUL byte after each; - = standard input")
      ->type_name("FILE");
  command->add_option("--top", options->top, "how many classes of each picture (default: 5)")
      ->type_name("N")
      ->check(isWholeNumberFromOne());
  command
      ->add_option("--data",
                   options->data,
                   "where the data is, for a run that is older than its input record")
      ->type_name("PATH");
  addDeviceOptions(command, options->device);
  addOutputFlags(command, options->output);
  onChosen(command, options, action, predict);
}

}  // namespace lambda
