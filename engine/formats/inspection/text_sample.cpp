#include "engine/formats/inspection/text_sample.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/inspection/epoch_files.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr const char* kExtension = ".json";
constexpr std::int64_t kBytes = 256;

const nlohmann::json& memberOf(const nlohmann::json& object,
                               const char* name,
                               const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) throw Error(place, std::string("\"") + name + "\" is missing");
  return *found;
}

std::int64_t countIn(const nlohmann::json& object,
                     const char* name,
                     std::int64_t most,
                     const std::string& place) {
  const nlohmann::json& value = memberOf(object, name, place);
  if (!value.is_number_integer() || value < 0 || value > most) {
    throw Error(place,
                std::string("\"") + name + "\" is no number from 0 to " + std::to_string(most));
  }
  return value.get<std::int64_t>();
}

/// A list of numbers from 0 to `most`.
template <class Number>
std::vector<Number> listIn(const nlohmann::json& object,
                           const char* name,
                           Number most,
                           const std::string& place) {
  const nlohmann::json& list = memberOf(object, name, place);
  std::vector<Number> numbers;
  const auto isFitting = [&](const nlohmann::json& value) {
    const bool isNumber =
        std::is_integral_v<Number> ? value.is_number_integer() : value.is_number();
    return isNumber && value >= 0 && value <= most;
  };
  if (!list.is_array() || !std::ranges::all_of(list, isFitting)) {
    throw Error(place, std::string("\"") + name + "\" is no list of numbers in their range");
  }
  return list.get<std::vector<Number>>();
}

}  // namespace

void writeTextSample(const fs::path& path, const TextSample& sample) {
  nlohmann::ordered_json object{{"epoch", sample.epoch}, {"step", sample.step}};
  if (sample.loss) object["loss"] = *sample.loss;
  object["prompt"] = sample.prompt;
  object["tokens"] = sample.tokens;
  object["probabilities"] = sample.probabilities;
  writeFileDurably(path, formatJsonLine(object) + "\n");
}

TextSample readTextSample(const fs::path& path) {
  return textSampleOf(readFile(path, kMostBytes), path.string());
}

TextSample textSampleOf(const std::string& text, const std::string& place) {
  const nlohmann::json object = parseJson(text, place, {.maxBytes = kMostBytes});
  if (!object.is_object()) throw Error(place, "it is no JSON object");
  TextSample sample{
      .epoch = static_cast<int>(countIn(object, "epoch", std::numeric_limits<int>::max(), place)),
      .step = countIn(object, "step", std::int64_t{1} << 53, place),
      .prompt = listIn<std::int64_t>(object, "prompt", kBytes - 1, place),
      .tokens = listIn<std::int64_t>(object, "tokens", kBytes - 1, place),
      .probabilities = listIn<double>(object, "probabilities", 1, place)};
  if (const auto loss = object.find("loss"); loss != object.end()) {
    if (!loss->is_number() || *loss < 0) throw Error(place, "\"loss\" is no number from 0 on");
    sample.loss = loss->get<double>();
  }
  if (sample.probabilities.size() != sample.tokens.size()) {
    throw Error(place, "it does not have one probability for each token");
  }
  return sample;
}

std::string textSampleName(int epoch) {
  return epochFileName(epoch, kExtension);
}

std::vector<fs::path> textSamplesOf(const fs::path& inspectionFolder) {
  return epochFilesOf(inspectionFolder, kExtension);
}

}  // namespace lambda
