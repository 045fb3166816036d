#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lambda {

/// One setting of a part of a network, described by its field.
struct Setting {
  std::string name;
  std::string meaning;
  std::string range;
  nlohmann::ordered_json defaultValue;
  nlohmann::ordered_json min;
  nlohmann::ordered_json max;
  nlohmann::ordered_json values;
};

struct Part {
  std::string name;
  std::string meaning;
  std::string path;  ///< The path in a configuration.
  std::vector<Setting> settings;
};

/// The mixers of a network.
std::vector<Part> mixerParts();

/// All other parts of a network.
std::vector<Part> networkParts();

/// Everything of a run except its network.
std::vector<Part> runParts();

nlohmann::ordered_json partsJson(const std::vector<Part>& parts);

/// Each part as a table of its settings.
std::string partsText(const std::vector<Part>& parts);

}  // namespace lambda
