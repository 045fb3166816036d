#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/formats/json/json.h"
#include "engine/values/config/fields.h"
#include "engine/values/config/usual_augmentation.h"
#include "engine/values/fields/problem.h"
#include "engine/values/text/text.h"

// JSON of any value with visitFields(). Include it only in sources of this module, because it
// includes all of nlohmann's header.

namespace lambda {

/// The schema number that this program writes. It reads this one and all before it.
inline constexpr int kSchema = 3;

template <class T>
struct IsOptional : std::false_type {};

template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
nlohmann::ordered_json jsonOf(const T& value);

/// Equal neighbouring blocks are written once, with their number as "repeat".
inline nlohmann::ordered_json jsonOfBlocks(const std::vector<Block>& blocks) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t next = i + 1;
    while (next < blocks.size() && blocks[next] == blocks[i]) ++next;
    nlohmann::ordered_json block = jsonOf(blocks[i]);
    if (next - i > 1) block["repeat"] = next - i;
    list.push_back(std::move(block));
    i = next;
  }
  return list;
}

/// Appends the fields of `value` to `object`, in their order.
template <class T>
void appendFields(nlohmann::ordered_json& object, const T& value) {
  visitFields(value,
              [&](const Field& field, const auto& member) { object[field.name] = jsonOf(member); });
}

template <class T>
nlohmann::ordered_json jsonOf(const T& value) {
  using Json = nlohmann::ordered_json;
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? Json(value) : Json(formatNumber(value));
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(nameOf(value));
  } else if constexpr (HasOptionsBeside<T>) {
    return std::string(kindNameOf(value));
  } else if constexpr (IsOptional<T>::value) {
    return value ? jsonOf(*value) : Json(nullptr);
  } else if constexpr (std::is_same_v<T, std::vector<Block>>) {
    return jsonOfBlocks(value);
  } else if constexpr (requires { value.size(); }) {
    auto list = Json::array();
    for (const auto& element : value) list.push_back(jsonOf(element));
    return list;
  } else {
    auto object = Json::object();
    if constexpr (HasKinds<T>) {
      object["kind"] = std::string(kindNameOf(value));
      std::visit([&](const auto& options) { appendFields(object, options); }, value);
    } else {
      appendFields(object, value);
    }
    return object;
  }
}

/// Reads values out of a parsed document. Wrong types, names and ranges throw
/// Error(file, "PATH: reason"); unknown keys become warnings; missing keys leave a field unchanged.
class FieldReader {
 public:
  using Json = nlohmann::json;

  /// Without `warnings`, unknown keys are ignored.
  FieldReader(std::string file, std::vector<Problem>* warnings)
      : file_(std::move(file)), warnings_(warnings) {}

  /// Reads the fields of an object. `alsoKnown` are keys that the caller reads itself.
  template <class T>
  void readFields(const Json& json,
                  const std::string& path,
                  T& value,
                  std::initializer_list<std::string_view> alsoKnown = {}) const {
    requireObject(json, path);
    chooseKeys(json, value);
    std::vector<std::string_view> known(alsoKnown);
    visitFields(value, [&](const Field& field, auto& member) {
      known.push_back(field.name);
      auto found = json.find(field.name);
      if (field.formerName != nullptr) {
        known.push_back(field.formerName);
        if (found == json.end()) found = json.find(field.formerName);
      }
      if (found == json.end()) return;
      read(*found, join(path, found.key()), field, member);
      chooseDefaults(member, value);
    });
    warnOfUnknown(json, path, known);
  }

  template <class M>
  void read(const Json& json, const std::string& path, const Field& field, M& member) const {
    if constexpr (std::is_same_v<M, bool>) {
      member = readBool(json, path);
    } else if constexpr (std::is_integral_v<M>) {
      member = readInteger<M>(json, path, field);
    } else if constexpr (std::is_floating_point_v<M>) {
      member = readDouble(json, path, field);
    } else if constexpr (std::is_same_v<M, std::string>) {
      member = readString(json, path);
    } else if constexpr (std::is_enum_v<M>) {
      const auto& names = kNamesOf<M>.names;
      member = static_cast<M>(readName(json, path, names));
    } else if constexpr (HasOptionsBeside<M>) {
      changeKind(member, readName(json, path, KindsOf<M>::names));
    } else if constexpr (HasKinds<M>) {
      readVariant(json, path, member);
    } else if constexpr (IsOptional<M>::value) {
      member.reset();
      if (!json.is_null()) read(json, path, field, member.emplace());
    } else if constexpr (requires { member.push_back({}); }) {
      readList(json, path, field, member);
    } else {
      readFields(json, path, member);
    }
  }

  /// The document in the present schema. Throws Error unless its "schema" is a number that this
  /// program reads.
  Json upgraded(Json document) const;

  [[noreturn]] void fail(const std::string& path,
                         const std::string& reason,
                         const std::string& hint = {}) const;

  static std::string join(const std::string& path, std::string_view key);

 private:
  /// Lets a value have the fields that `json` has, where they depend on another member.
  template <class T>
  void chooseKeys(const Json& json, T& value) const {
    const auto choose = [&](ScoreKind& scoredBy) {
      for (const ScoreKind kind : kScoreKinds) {
        const ScoreTraits score = traitsOf(kind);
        if (json.contains(score.key) || json.contains(score.bestKey) ||
            json.contains(score.testKey)) {
          scoredBy = kind;
          return;
        }
      }
    };
    if constexpr (requires { value.scoredBy; }) choose(value.scoredBy);
    if constexpr (requires { value.scores.scoredBy; }) choose(value.scores.scoredBy);
  }

  /// Changes the fields of a value that depend on the member that was read, and come after it.
  template <class M, class T>
  static void chooseDefaults(const M& member, T& value) {
    if constexpr (std::is_same_v<T, DataConfig> && std::is_same_v<M, DataSource>) {
      value.augmentation = usualAugmentation(member);
    }
  }

  void requireObject(const Json& json, const std::string& path) const;
  void warnOfUnknown(const Json& json,
                     const std::string& path,
                     const std::vector<std::string_view>& known) const;
  bool readBool(const Json& json, const std::string& path) const;
  double readDouble(const Json& json, const std::string& path, const Field& field) const;
  std::string readString(const Json& json, const std::string& path) const;
  std::size_t readName(const Json& json,
                       const std::string& path,
                       std::span<const std::string_view> names) const;
  template <HasKinds Variant>
  void readVariant(const Json& json, const std::string& path, Variant& value) const;
  void requireInteger(const Json& json, const std::string& path) const;
  void requireRange(double value, const std::string& path, const Field& field) const;
  void requireLength(std::size_t length, const std::string& path, const Field& field) const;
  std::size_t readRepeat(const Json& block, const std::string& path) const;

  template <class M>
  M readInteger(const Json& json, const std::string& path, const Field& field) const {
    requireInteger(json, path);
    const auto convert = [&](auto number) {
      requireRange(static_cast<double>(number), path, field);
      if (!std::in_range<M>(number)) {
        constexpr auto kRange = std::numeric_limits<M>{};
        fail(path,
             std::to_string(number) + " is outside " + std::to_string(kRange.min()) + " .. " +
                 std::to_string(kRange.max()) + " (" + field.meaning + ")");
      }
      return static_cast<M>(number);
    };
    return json.is_number_unsigned() ? convert(json.get<std::uint64_t>())
                                     : convert(json.get<std::int64_t>());
  }

  template <class T>
  void readList(const Json& json,
                const std::string& path,
                const Field& field,
                std::vector<T>& list) const {
    if (!json.is_array()) fail(path, "expected a list");
    list.clear();
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::string place = path + "[" + std::to_string(i) + "]";
      T element{};
      std::size_t count = 1;
      if constexpr (std::is_same_v<T, Block>) {
        readFields(json[i], place, element, {"repeat"});
        count = readRepeat(json[i], place);
      } else {
        read(json[i], place, Field{"", ""}, element);
      }
      requireLength(list.size() + count, path, field);
      list.insert(list.end(), count, element);
    }
  }

  std::string file_;
  std::vector<Problem>* warnings_;
};

template <HasKinds Variant>
void FieldReader::readVariant(const Json& json, const std::string& path, Variant& value) const {
  const auto& names = KindsOf<Variant>::names;
  if (json.is_string()) {
    if constexpr (requires { KindsOf<Variant>::ofText; }) {
      const auto& text = json.get_ref<const std::string&>();
      if (std::ranges::find(names, text) == names.end()) {
        value = KindsOf<Variant>::ofText(text);
        return;
      }
    }
    value = valueOfKind<Variant>(readName(json, path, names));
    return;
  }
  requireObject(json, path);
  if (!json.contains("kind")) {
    fail(path, std::string(KindsOf<Variant>::noun) + " needs a \"kind\": one of " + joined(names));
  }
  value = valueOfKind<Variant>(readName(json["kind"], join(path, "kind"), names));
  std::visit([&](auto& options) { readFields(json, path, options, {"kind"}); }, value);
}

/// A whole document, which begins with the schema number.
template <class T>
std::string documentOf(const T& value) {
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  appendFields(document, value);
  return formatJson(document);
}

/// Reads a whole document of this or an earlier schema.
template <class T>
T readDocument(nlohmann::json document, const std::string& file, std::vector<Problem>& warnings) {
  const FieldReader reader(file, &warnings);
  T value;
  reader.readFields(reader.upgraded(std::move(document)), "", value, {"schema"});
  return value;
}

}  // namespace lambda
