#include "app/experiments/draft/proposed_axis.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/experiments/difference_text.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

constexpr int kDigits = 9;           ///< Fewer than a double has, so that 0.3 - 0.1 is 0.2.
constexpr double kSmallRate = 1e-4;  ///< The first value above 0 of a setting whose size matters.

double stepOf(Stepping stepping) {
  switch (stepping) {
    case Stepping::eights:
      return 8;
    case Stepping::odd:
      return 2;
    case Stepping::hundredth:
      return 0.01;
    case Stepping::one:
    case Stepping::doubling:
    case Stepping::oneTwoFive:
      break;
  }
  return 1;
}

bool isByFactor(Stepping stepping) {
  return stepping == Stepping::doubling || stepping == Stepping::oneTwoFive;
}

/// The value with those below and above it that are in its range, ascending.
std::vector<double> neighbours(double value, const FieldRow& row) {
  std::vector<double> values;
  if (!isByFactor(row.stepping)) {
    const double step = stepOf(row.stepping);
    values = {value - step, value, value + step};
  } else if (value == 0) {
    const double first = row.stepping == Stepping::doubling ? 1 : kSmallRate;
    values = {0, first, 10 * first};
  } else {
    values = {value / 2, value, value * 2};
  }
  std::erase_if(values, [&](double each) { return each < row.min || each > row.max; });
  return values;
}

std::vector<std::string> proposedValues(const FieldRow& row) {
  std::vector<std::string> texts;
  if (std::holds_alternative<bool>(row.value)) return {"false", "true"};
  if (const auto* choice = std::get_if<Choice>(&row.value)) return choice->names;
  if (const auto* number = std::get_if<double>(&row.value)) {
    for (const double each : neighbours(*number, row))
      texts.push_back(formatRounded(each, kDigits));
  } else if (const auto* whole = std::get_if<std::int64_t>(&row.value)) {
    for (const double each : neighbours(static_cast<double>(*whole), row)) {
      if (each == std::floor(each)) texts.push_back(formatRounded(each, kDigits));
    }
  } else {
    texts.push_back(std::get<std::string>(row.value));
  }
  return texts;
}

std::string lowered(std::string text) {
  // Names such as "EMA of weights" keep their capitals.
  const bool isName = text.size() > 1 && std::isupper(static_cast<unsigned char>(text[1])) != 0;
  if (!isName && !text.empty()) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") - first + 1));
}

}  // namespace

Axis proposedAxis(const FieldRow& row) {
  Axis axis{.path = row.path, .values = proposedValues(row)};
  if (const auto* number = std::get_if<double>(&row.value)) {
    axis.from = *number / 2;
    axis.to = *number * 2;
  }
  return axis;
}

std::string proposedQuestion(const FieldRow& row) {
  if (std::holds_alternative<bool>(row.value)) {
    return "Is it better with or without: " + lowered(row.label) + "?";
  }
  return "Which " + lowered(row.label) + " is best?";
}

std::vector<Measure> proposedMeasures(ScoreKind score) {
  std::vector<Measure> measures;
  for (std::size_t i = 0; i < kNamesOf<Quantity>.names.size(); ++i) {
    const auto quantity = static_cast<Quantity>(i);
    const QuantityTraits traits = traitsOf(quantity);
    const bool isScore =
        traits.measured == Measured::validationScore || traits.measured == Measured::testScore;
    if (isScore && traits.scoredBy == score) measures.push_back({quantity});
  }
  measures.push_back({Quantity::imagesPerSecond});
  return measures;
}

std::string proposedName(const FieldRow& row) {
  std::string name;
  for (const char letter : row.label) {
    const auto plain = static_cast<unsigned char>(letter);
    if (std::isalnum(plain) != 0 && plain < 128) {
      name += static_cast<char>(std::tolower(plain));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "experiment" : name;
}

std::vector<std::string> valuesFromText(std::string_view text) {
  std::vector<std::string> values;
  std::string value;
  int depth = 0;
  bool isQuoted = false;
  const auto end = [&] {
    if (std::string whole = trimmed(value); !whole.empty()) values.push_back(std::move(whole));
    value.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"' && (i == 0 || text[i - 1] != '\\')) isQuoted = !isQuoted;
    if (!isQuoted && (letter == '{' || letter == '[')) ++depth;
    if (!isQuoted && (letter == '}' || letter == ']')) --depth;
    if (letter == ',' && depth <= 0 && !isQuoted) {
      end();
    } else {
      value += letter;
    }
  }
  end();
  return values;
}

std::string valuesText(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

}  // namespace lambda
