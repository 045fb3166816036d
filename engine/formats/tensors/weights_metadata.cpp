#include "engine/formats/tensors/weights_metadata.h"

#include <filesystem>

#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/field_json.h"
#include "engine/formats/json/graph_json.h"
#include "engine/formats/json/json.h"
#include "engine/formats/pictures/picture_decoding.h"
#include "engine/values/config/record_fields.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

/// The header without places and times: a file of weights is given to others, and the same training
/// gives the same file.
CheckpointHeader withoutPlaces(CheckpointHeader header) {
  header.environment.host.clear();
  header.environment.started.clear();
  header.environment.precisionRates = {};
  header.progress.seconds = 0;
  header.progress.epochSeconds = 0;
  header.progress.epochDataSeconds = 0;
  header.config.parentRun.clear();
  header.config.experiment.clear();
  header.progress.metricsBytes = 0;
  if (std::string* path = pathOf(header.config.data.source)) {
    *path = std::filesystem::path(*path).filename().string();
  }
  return header;
}

Json inputJson(const CheckpointHeader& header) {
  const MapShape& shape = header.config.architecture.input;
  Json input{{"channels", shape.channels}, {"height", shape.height}, {"width", shape.width}};
  if (shape.channels == 3) input["colors"] = "RGB";
  input["pictures"] = kPictureReading;
  input["range"] = "pixel / 255";
  input["mean"] = header.input.normalization.mean;
  input["deviation"] = header.input.normalization.deviation;
  return input;
}

Json trainingJson(const WeightsDescription& description, const CheckpointHeader& header) {
  const Environment& environment = header.environment;
  const RunConfig& config = header.config;
  Json training{{"program", "Lambda Studio " + environment.program},
                {"torch", environment.torch},
                {"device", environment.device},
                {"threads", environment.threads},
                {"seed", config.seed},
                {"data", jsonOf(config.data.source)},
                {"validationCount", config.data.validationCount},
                {"splitSeed", config.data.splitSeed},
                {"epochs", header.progress.epoch},
                {"steps", header.progress.step},
                {"weights", description.averaged ? "moving average" : "of the last step"}};
  if (header.dataSha256 != DataDigest()) training["dataSha256"] = jsonOf(header.dataSha256);
  return training;
}

Json scoresJson(const WeightsDescription& description) {
  Json scores = Json::object();
  if (description.validation) scores["validation"] = jsonOf(*description.validation);
  if (description.test) scores["test"] = jsonOf(*description.test);
  return scores;
}

}  // namespace

std::map<std::string, std::string> metadataOf(const WeightsDescription& description) {
  const CheckpointHeader header = withoutPlaces(description.header);
  const Architecture& architecture = header.config.architecture;
  std::map<std::string, std::string> metadata{
      {"format", "pt"},
      {"architecture", toJson(architecture)},
      {"graph", graphJson(graphOf(architecture), architecture.normStatistics)},
      {"input", formatJsonLine(inputJson(header))},
      {"classes", formatJsonLine(Json(header.input.classNames))},
      {"training", formatJsonLine(trainingJson(description, header))},
      {"scores", formatJsonLine(scoresJson(description))},
      {"license", description.license},
      {std::string(kCheckpointKey), toJson(header)}};
  if (!header.input.numbers.empty()) {
    metadata["numbers"] = formatJsonLine(jsonOf(header.input.numbers));
  }
  return metadata;
}

}  // namespace lambda
