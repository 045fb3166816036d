#include "app/command_line/commands/export_forms.h"

#include <iostream>

#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/training_view.h"
#include "app/interrupt.h"
#include "engine/data/image_export.h"
#include "engine/data/sources/data_sources.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/prediction/predictions_file.h"
#include "engine/runs/run_folder.h"
#include "engine/values/text/quantities.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

ExportOutcome exportText(RunExport format, const fs::path& run, const fs::path& out) {
  writeFileDurably(out, exportedText(run, format));
  return {.files = {out}, .bytes = fs::file_size(out)};
}

ExportOutcome exportWeightsTo(const ExportOptions& options,
                              RunExport format,
                              const fs::path& run,
                              const fs::path& out) {
  const ExportedWeights weights =
      exportWeights({.run = run,
                     .what = format,
                     .out = out,
                     .choice = options.raw ? WeightsChoice::raw : WeightsChoice::evaluated,
                     .license = options.license});
  ExportOutcome outcome{.files = weights.files, .checkpoint = weights.checkpoint};
  for (const fs::path& file : weights.files) outcome.bytes += fs::file_size(file);
  outcome.what = formatCounted(weights.tensors, "tensor") + ", " + formatCount(weights.values) +
                 " values" + (weights.averaged ? ", averaged over training" : "") + ", of " +
                 shownPath(weights.checkpoint);
  return outcome;
}

/// The split that --split names; the default of each format is the one that is wanted most.
Split splitOf(const ExportOptions& options, Split usual) {
  return options.split ? enumOf<Split>(*options.split).value_or(usual) : usual;
}

ExportOutcome exportPredictions(const ExportOptions& options,
                                const fs::path& run,
                                const fs::path& out) {
  RunControl control;
  ProgressLine line(options.output.quiet);
  TrainingView view(line);
  Interrupt interrupt([&] { control.requestStop(); });
  const Split split = splitOf(options, Split::test);
  const auto written =
      writePredictions({.run = run, .split = split, .data = options.data}, out, control, view);
  line.clear();
  if (!written) return {.status = interrupt.exitStatus()};
  const Evaluation& evaluation = written->evaluation;
  if (!evaluation.isVerified) std::cerr << unverifiedNote(evaluation.checkpoint);
  return {.files = {out},
          .bytes = written->bytes,
          .checkpoint = evaluation.checkpoint,
          .what = formatCounted(evaluation.images, std::string(nameOf(split)) + " image") +
                  ", accuracy " + formatAccuracy(evaluation.scores.accuracy) + ", by " +
                  shownPath(evaluation.checkpoint)};
}

ExportOutcome exportImagesTo(const ExportOptions& options,
                             const fs::path& run,
                             const fs::path& out) {
  RunControl control;
  ProgressLine line(options.output.quiet);
  Interrupt interrupt([&] { control.requestStop(); });
  ImageExportRequest request{.config = readCheckpointHeader(checkpointAt(run)).config,
                             .split = splitOf(options, Split::train),
                             .augmentedInEpoch = options.augmented,
                             .out = out};
  DataSource& source = request.config.data.source;
  if (options.data) source = recognizeDataSource(*options.data, source);
  const auto exported = exportImages(request, [&](std::int64_t done, std::int64_t total) {
    if (line.isDue()) {
      line.show({{"images " + formatCount(done) + " of " + formatCount(total)},
                 static_cast<double>(done) / static_cast<double>(total)});
    }
    return control.mode() != RunControl::Mode::stopping;
  });
  line.clear();
  if (!exported) return {.status = interrupt.exitStatus()};
  return {.files = {out},
          .bytes = exported->bytes,
          .what = formatCounted(exported->images, std::string(nameOf(request.split)) + " image")};
}

}  // namespace

ExportOutcome exportTo(const ExportOptions& options,
                       RunExport format,
                       const fs::path& run,
                       const fs::path& out) {
  switch (traitsOf(format).form) {
    case ExportForm::weights:
      return exportWeightsTo(options, format, run, out);
    case ExportForm::computed:
      return format == RunExport::images ? exportImagesTo(options, run, out)
                                         : exportPredictions(options, run, out);
    case ExportForm::network:
    case ExportForm::text:
      break;
  }
  return exportText(format, run, out);
}

}  // namespace lambda
