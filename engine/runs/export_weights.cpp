#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/checkpoint_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/evaluations_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/formats/onnx/onnx_model.h"
#include "engine/formats/python/python_network.h"
#include "engine/formats/tokenizer/tokenizer.h"
#include "engine/runs/run_export.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Adds the scores that were measured for the weights at that position of the run.
void addScores(const RunFolder& folder, const RunRecord& record, WeightsDescription& description) {
  const TrainingProgress& at = description.header.progress;
  for (const EpochRecord& epoch : readMetrics(folder.metrics()).epochs) {
    if (epoch.step == at.step && epoch.epoch == at.epoch) description.validation = epoch.validation;
  }
  for (const EvaluationRecord& each : readEvaluations(folder.evaluations()).records) {
    if (each.step == at.step && each.split == Split::test) description.test = each.scores;
  }
  std::error_code error;
  const bool hasBest = fs::exists(folder.bestCheckpoint(), error);
  const bool wasTested = hasBest ? at.bestEpoch == at.epoch : at.epoch == record.epochsDone;
  if (wasTested && at.batch == 0 && record.testScore && record.testLoss) {
    description.test = Scores{*record.testLoss, *record.testScore, record.scoredBy};
  }
}

/// What is known of a checkpoint's weights. Without the run around it, that is its header alone.
WeightsDescription describe(const fs::path& checkpoint, const Weights& weights, bool areScored) {
  WeightsDescription description{.header = weights.header, .averaged = weights.averaged};
  const fs::path run = fs::absolute(checkpoint).lexically_normal().parent_path().parent_path();
  std::error_code error;
  if (!fs::exists(run / "run.json", error)) return description;
  const RunFolder folder = RunFolder::open(run);
  std::vector<Problem> warnings;
  const RunRecord record = readRunRecord(folder.record(), warnings);
  description.license = record.license;
  description.header.dataSha256 = record.dataSha256;
  if (areScored) addScores(folder, record, description);
  return description;
}

std::string onnxOf(const Weights& weights,
                   const WeightsDescription& description,
                   const fs::path& checkpoint,
                   bool isStep) {
  std::map<std::string, std::string> metadata = metadataOf(description);
  // These serve readers of safetensors.
  metadata.erase("format");
  metadata.erase("graph");  // The file has its own.
  metadata.erase(std::string(kCheckpointKey));
  const auto encode = isStep ? encodeOnnxStep : encodeOnnx;
  return encode(weights.header.config.architecture,
                weights.file,
                {.input = weights.header.input,
                 .programVersion = weights.header.environment.program,
                 .metadata = std::move(metadata),
                 .place = checkpoint.string()});
}

void makeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) {
    throw Error(folder.string(),
                "this folder can't be made",
                "Give the name of a new folder in one that you may write to.");
  }
}

}  // namespace

ExportedWeights exportWeights(const WeightsRequest& request) {
  const fs::path checkpoint = checkpointAt(request.run);
  Weights weights = readWeights(checkpoint, request.choice);
  if (!weights.header.input.isKnown()) weights.header.input = request.input;
  const bool areScored =
      request.choice == WeightsChoice::evaluated || weights.header.config.recipe.emaDecay == 0;
  WeightsDescription description = describe(checkpoint, weights, areScored);
  if (request.license) description.license = *request.license;

  ExportedWeights exported{.checkpoint = checkpoint,
                           .tensors = static_cast<std::int64_t>(weights.file.tensors.size()),
                           .values = weights.values,
                           .averaged = weights.averaged};
  switch (request.what) {
    case RunExport::pytorch:
      makeFolder(request.out);
      exported.files = {request.out / "model.py", request.out / kPythonWeights};
      writeFileDurably(exported.files[0], std::string(pythonNetwork()));
      writeWeights(exported.files[1], weights, description);
      break;
    case RunExport::onnx:
    case RunExport::onnxStep:
      exported.files = {request.out};
      writeFileDurably(
          request.out,
          onnxOf(weights, description, checkpoint, request.what == RunExport::onnxStep));
      break;
    default:
      exported.files = {request.out};
      writeWeights(request.out, weights, description);
      break;
  }
  const fs::path tokenizer = tokenizerBeside(checkpoint);
  std::error_code error;
  if (fs::exists(tokenizer, error)) {
    exported.files.push_back(tokenizerBeside(exported.files.back()));
    writeFileDurably(exported.files.back(), readFile(tokenizer, Tokenizer::maxBytes));
  }
  return exported;
}

}  // namespace lambda
