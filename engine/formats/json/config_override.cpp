#include "engine/formats/json/config_override.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::string_view kEvery = "[*]";

/// Cuts "stages[1].blocks" into "stages", "[1]", "blocks".
std::vector<std::string_view> stepsOf(std::string_view path) {
  std::vector<std::string_view> steps;
  while (!path.empty()) {
    std::size_t length = path.find_first_of(".[", 1);
    if (path.front() == '[') {
      const auto close = path.find(']');
      length = close == std::string_view::npos ? close : close + 1;
    }
    steps.push_back(path.substr(0, length));
    path.remove_prefix(std::min(length, path.size()));
    if (!path.empty() && path.front() == '.') path.remove_prefix(1);
  }
  return steps;
}

/// One assignment of the text `value` to the fields that a path names.
class Assignment {
 public:
  Assignment(std::string path, std::string_view value)
      : path_(std::move(path)), value_(value), steps_(stepsOf(path_)) {}

  void apply(RunConfig& config) {
    if (steps_.empty()) throw Error("", "there is no path before the \"=\"", "Write PATH=VALUE.");
    if (assignFields(config, 0) > 0) return;
    if (missing_) throw *missing_;
    throw Error(path_, "the list is empty, so there is nothing to set");
  }

 private:
  /// Each overload returns the number of fields that were set.
  template <class M>
  int assign(M& member, std::size_t step, const Field& field) {
    if constexpr (HasKinds<M>) {
      if (step < steps_.size() && steps_[step] != "kind") {
        return std::visit([&](auto& options) { return assignFields(options, step, true); }, member);
      }
      if (step + 1 < steps_.size()) return noteMissing(step + 1, {});
      return set(member, field);
    } else if constexpr (std::is_arithmetic_v<M> || std::is_enum_v<M> ||
                         std::is_same_v<M, std::string> || HasOptionsBeside<M>) {
      if (step < steps_.size()) return noteMissing(step, {});
      return set(member, field);
    } else {
      if (step == steps_.size()) return set(member, field);
      if constexpr (requires { member.size(); }) {
        return assignElements(member, step);
      } else {
        return assignFields(member, step);
      }
    }
  }

  template <class T>
  int assignFields(T& value, std::size_t step, bool hasKind = false) {
    int count = 0;
    bool found = false;
    std::vector<std::string_view> names;
    if (hasKind) names.push_back("kind");
    visitFields(value, [&](const Field& field, auto& member) {
      names.push_back(field.name);
      if (!field.isNamed(steps_[step])) return;
      found = true;
      count = assign(member, step + 1, field);
    });
    return found ? count : noteMissing(step, names);
  }

  template <class T>
  int assignElements(std::vector<T>& list, std::size_t step) {
    const Field element{"", ""};
    int count = 0;
    if (steps_[step] == kEvery) {
      for (T& value : list) count += assign(value, step + 1, element);
      return count;
    }
    const std::string_view text = steps_[step];
    std::size_t index = 0;
    const char* end = text.data() + text.size() - 1;
    const auto parsed = text.front() == '[' ? std::from_chars(text.data() + 1, end, index)
                                            : std::from_chars_result{};
    if (parsed.ptr != end || parsed.ec != std::errc() || *end != ']' || index >= list.size()) {
      std::string last;
      if (list.size() > 1) last = ", up to [" + std::to_string(list.size() - 1) + "]";
      throw Error(path_,
                  "there is no element " + std::string(text) + " here",
                  list.empty() ? "The list is empty."
                               : "Possible here are [*] for every element, [0]" + last + ".");
    }
    return assign(list[index], step + 1, element);
  }

  template <class M>
  int set(M& member, const Field& field) {
    M value{};
    if constexpr (HasOptionsBeside<M>) value = member;  // The new kind keeps what both have.
    FieldReader(path_, nullptr).read(document<M>(), "", field, value);
    member = std::move(value);
    return 1;
  }

  /// The value as JSON; texts and names need no quotes.
  template <class M>
  nlohmann::json document() const {
    const char first = value_.empty() ? '\0' : value_.front();
    constexpr bool isText = std::is_same_v<M, std::string>;
    constexpr bool isName = std::is_enum_v<M> || HasKinds<M> || HasOptionsBeside<M>;
    // What is no number is read as a text: the reader says what it expected, a parser can't.
    constexpr bool isNumber = std::is_arithmetic_v<M>;
    const bool isBare = isText     ? first != '"'
                        : isNumber ? !nlohmann::json::accept(value_)
                                   : isName && first != '"' && first != '{';
    if (!isBare) return parseJson(value_, path_);
    const nlohmann::ordered_json text = std::string(value_);
    return parseJson(formatJsonLine(text), path_);
  }

  /// Stores the error instead of throwing it: with [*] another element may have the field.
  int noteMissing(std::size_t step, const std::vector<std::string_view>& names) {
    if (missing_) return 0;
    const std::string wrong(steps_[step]);
    const std::string nearest = nearestName(wrong, names);
    std::string hint = nearest.empty() ? "" : "Did you mean " + nearest + "? ";
    if (!names.empty()) hint += "Possible here: " + joined(names) + ".";
    missing_.emplace(path_,
                     names.empty() ? "a single value has no part " + wrong : "there is no " + wrong,
                     hint);
    return 0;
  }

  std::string path_;
  std::string_view value_;
  std::vector<std::string_view> steps_;
  std::optional<Error> missing_;
};

}  // namespace

void applyOverride(RunConfig& config, std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw Error(std::string(assignment),
                "there is no \"=\"",
                "Write PATH=VALUE, for example recipe.batchSize=64.");
  }
  RunConfig changed = config;
  Assignment(std::string(assignment.substr(0, equals)), assignment.substr(equals + 1))
      .apply(changed);
  config = std::move(changed);
}

void applyFix(RunConfig& config, const Fix& fix) {
  RunConfig changed = config;
  Assignment(fix.path, fix.value).apply(changed);
  config = std::move(changed);
}

}  // namespace lambda
