#include "engine/trained/export_run.h"

#include "engine/data/image_export.h"
#include "engine/data/measured_input.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "engine/trained/evaluate_run.h"
#include "engine/trained/trained_network.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// Images between two reports of the progress.
constexpr std::int64_t kImagesPerReport = 256;

ExportReport exportText(const ExportJob& job) {
  ExportReport report{.files = {job.out}};
  writeFileDurably(job.out, exportedText(job.run, job.what, report.remarks));
  report.bytes = fs::file_size(job.out);
  return report;
}

/// What a checkpoint of an earlier version lacks, from the run's data. Weights can be exported
/// without it; formats that need it refuse them.
NetworkInput missingInput(const ExportJob& job) {
  const CheckpointHeader header = readCheckpointHeader(checkpointAt(job.run));
  if (header.input.isKnown()) return {};
  try {
    return measuredInput(header.config.data, job.data);
  } catch (const Error&) {
    return {};
  }
}

ExportReport exportTensors(const ExportJob& job) {
  const ExportedWeights weights = exportWeights({.run = job.run,
                                                 .what = job.what,
                                                 .out = job.out,
                                                 .choice = job.weights,
                                                 .license = job.license,
                                                 .input = missingInput(job)});
  ExportReport report{.files = weights.files,
                      .checkpoint = weights.checkpoint,
                      .tensors = weights.tensors,
                      .values = weights.values,
                      .averaged = weights.averaged};
  for (const fs::path& file : weights.files) report.bytes += fs::file_size(file);
  return report;
}

std::optional<ExportReport> exportPredictions(const ExportJob& job,
                                              RunControl& control,
                                              Observer& observer) {
  const Split split = job.split.value_or(Split::test);
  const auto written = writePredictions(
      {.run = job.run, .split = split, .data = job.data}, job.out, control, observer);
  if (!written) return std::nullopt;
  const Evaluation& evaluation = written->evaluation;
  return ExportReport{.files = {job.out},
                      .bytes = written->bytes,
                      .checkpoint = evaluation.checkpoint,
                      .images = evaluation.images,
                      .split = split,
                      .scores = evaluation.scores,
                      .otherData = evaluation.otherData,
                      .dataPlace = evaluation.dataPlace,
                      .isDataCompared = evaluation.isDataCompared,
                      .isVerified = evaluation.isVerified};
}

std::optional<ExportReport> exportPictures(const ExportJob& job,
                                           RunControl& control,
                                           Observer& observer) {
  const fs::path checkpoint = checkpointAt(job.run);
  const CheckpointHeader header = readCheckpointHeader(checkpoint);
  ImageExportRequest request{
      .config = job.data ? withData(header.config, *job.data, checkpoint) : header.config,
      .input = header.input,
      .split = job.split.value_or(Split::train),
      .augmentedInEpoch = job.augmentedInEpoch,
      .out = job.out};
  const auto exported = exportImages(request, [&](std::int64_t done, std::int64_t total) {
    if (done % kImagesPerReport != 0) return true;
    return waitForBatch(control, observer, {std::nullopt, done, total});
  });
  if (!exported) return std::nullopt;
  return ExportReport{.files = {job.out},
                      .bytes = exported->bytes,
                      .images = exported->images,
                      .mixedImages = exported->mixed,
                      .split = request.split};
}

}  // namespace

std::optional<ExportReport> exportRun(const ExportJob& job,
                                      RunControl& control,
                                      Observer& observer) {
  if (isFileOfRun(job.out)) {
    throw Error(job.out.string(),
                "this is a file of a run, which an export never replaces",
                "Choose another place.");
  }
  for (const fs::path& file : {job.out, job.out / kPythonWeights}) requireOtherFile(file, job.run);
  switch (traitsOf(job.what).form) {
    case ExportForm::weights:
      return exportTensors(job);
    case ExportForm::computed:
      return job.what == RunExport::images ? exportPictures(job, control, observer)
                                           : exportPredictions(job, control, observer);
    case ExportForm::network:
    case ExportForm::text:
      break;
  }
  return exportText(job);
}

}  // namespace lambda
