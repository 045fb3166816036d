#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lambda {

/// A setting of a theory experiment: a number in a range.
struct TheoryParameter {
  std::string name;   ///< A stable word for files and command lines, "learningRate".
  std::string title;  ///< As a form shows it, "Learning rate".
  double value = 0;   ///< The default.
  double least = 0;
  double greatest = 0;
  bool isWhole = false;  ///< Only whole numbers are meant.
  std::string hint;      ///< One sentence: what it does, and where the default comes from.

  bool operator==(const TheoryParameter&) const = default;
};

/// The values of parameters, by name. Those that are not named have their defaults.
using TheorySettings = std::map<std::string, double>;

/// A line of a figure. `x` and `y` have the same size; a value that is not finite is a gap.
struct TheorySeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  bool arePoints = false;  ///< Drawn as single points and not as a line.

  bool operator==(const TheorySeries&) const = default;
};

struct TheoryFigure {
  std::string title;
  std::string xTitle;  ///< With the unit.
  std::string yTitle;
  bool isXLogarithmic = false;
  bool isYLogarithmic = false;
  std::vector<TheorySeries> series;

  bool operator==(const TheoryFigure&) const = default;
};

/// A number that an experiment found, beside the one that its source reports.
struct TheoryNumber {
  std::string title;
  double value = 0;
  std::string unit = {};  ///< "%", or empty.
  std::optional<double> deviation =
      {};         ///< Standard deviation over `count` repetitions, count - 1.
  int count = 1;  ///< Repetitions that `value` is the mean of.
  std::optional<double> published = {};  ///< The source's value, in the same unit.
  std::string publishedText = {};        ///< What the source says, in a few words; may be empty.

  bool operator==(const TheoryNumber&) const = default;
};

/// What an experiment found, or has found so far.
struct TheoryResult {
  std::vector<TheoryFigure> figures;
  std::vector<TheoryNumber> numbers;

  bool operator==(const TheoryResult&) const = default;
};

/// What a theory experiment asks and what can be set.
struct TheoryDescription {
  std::string name;         ///< A stable word, "small-initialisation".
  std::string title;        ///< "Implicit bias by small initialisation".
  std::string question;     ///< One sentence.
  std::string sourceTitle;  ///< The text that it reproduces.
  std::vector<TheoryParameter> parameters;

  bool operator==(const TheoryDescription&) const = default;
};

}  // namespace lambda
