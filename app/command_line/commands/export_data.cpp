#include "app/command_line/commands/export_data.h"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "app/interrupt.h"
#include "engine/data/image_export.h"
#include "engine/runs/run_export.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

struct ExportDataOptions {
  std::string source;
  std::string out;
  std::string split{nameOf(Split::train)};
  std::vector<std::string> assignments;
  OutputOptions output;
};

/// The images of a data set alone: none are kept for validation.
ImageExportRequest requestOf(const ExportDataOptions& options) {
  ImageExportRequest request;
  ConfigOptions changes;
  changes.data = options.source;
  changes.assignments = options.assignments;
  applyOptions(request.config, changes);
  request.config.data.validationCount = 0;
  request.split = enumOf<Split>(options.split).value_or(request.split);
  request.out = options.out;
  requireNoFileOfRun(request.out);
  return request;
}

int exportData(const ExportDataOptions& options) {
  const ImageExportRequest request = requestOf(options);
  ProgressLine line(options.output.quiet);
  Interrupt interrupt([] {});
  const auto exported = exportImages(request, [&](std::int64_t done, std::int64_t total) {
    if (line.isDue()) {
      line.show({{formatCount(done) + " of " + formatCount(total) + " images"},
                 static_cast<double>(done) / static_cast<double>(total)});
    }
    return interrupt.exitStatus() == 0;
  });
  line.clear();
  if (!exported) return interrupt.exitStatus();
  if (options.output.json) {
    printJson({{"file", options.out}, {"bytes", exported->bytes}, {"images", exported->images}});
  } else {
    printText(terminalText(options.out) + ": " + formatBytes(exported->bytes) + ", " +
              formatCounted(exported->images, std::string(nameOf(request.split)) + " image") +
              "\n");
  }
  return kExitOk;
}

}  // namespace

void addExportData(CLI::App* data, Action& action) {
  const auto options = std::make_shared<ExportDataOptions>();
  CLI::App* command = addCommand(
      *data,
      "export",
      "Write the images of a data set for other programs",
      {{"lambda data export shapes10 --out shapes10/train", "PNG files, a folder for each class"},
       {"lambda data export shapes10 --split test --out shapes10/test",
        "the test images beside them"},
       {"lambda data export ~/cifar10 --out cifar10.npz", "one archive for NumPy"}},
      "An --out that ends in .npz becomes an archive with images [n, height, width, channels],\n"
      "of grey images [n, height, width], and with labels [n] and classes. To write the images as "
      "a run splits and augments them:\n"
      "lambda export RUN --to images");
  command->add_option("SOURCE", options->source, "shapes10, or a path of a data set")->required();
  command->add_option("-o,--out", options->out, "the folder, which is new, or the archive")
      ->type_name("PATH")
      ->required();
  command->add_option("--split", options->split, "train (default) or test")
      ->type_name("SPLIT")
      ->check(CLI::IsMember({"train", "test"}));
  addSetOption(command, options->assignments);
  addOutputFlags(command, options->output);
  onChosen(command, options, action, exportData);
}

}  // namespace lambda
