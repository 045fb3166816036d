#include "app/command_line/commands/inspect_lesions.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/command.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "app/command_line/training_view.h"
#include "app/interrupt.h"
#include "engine/formats/inspection/lesion_files.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

/// A difference of accuracies in percentage points: "-3.20".
std::string pointsText(double difference) {
  return (difference > 0 ? "+" : "") + formatFixed(100 * difference, 2);
}

void printLesions(const LesionTable& table) {
  using Align = TextTable::Align;
  constexpr std::size_t kLineWidth = 90;
  printText((table.layer.empty() ? "All lambda layers" : table.layer) + " without a part, on " +
            formatCount(table.images) + " " + std::string(nameOf(table.split)) +
            " images, after epoch " + std::to_string(table.epoch) + ":\n");
  TextTable rows({{""},
                  {"accuracy", Align::right},
                  {"points", Align::right},
                  {"95 % interval", Align::right},
                  {"changed", Align::right},
                  {"loss", Align::right}});
  rows.addRow(
      {"uncut", formatAccuracy(table.uncut.score), "", "", "", formatFixed(table.uncut.loss, 4)});
  rows.addRule();
  for (const LesionScore& score : table.lesions) {
    rows.addRow({textOf(score.lesion),
                 formatAccuracy(score.scores.score),
                 pointsText(score.difference),
                 pointsText(score.interval.low) + " to " + pointsText(score.interval.high),
                 formatCount(score.changed),
                 formatFixed(score.scores.loss, 4)});
  }
  printText(rows.text("  "));
  printText(
      wrapped("Parts are cut one at a time and nothing is trained after it: a network that was "
              "trained without a part could do better, and parts that can stand in for each other "
              "seem worth little. The interval of a difference is by the images that only one of "
              "the two networks classifies rightly, for this training alone; changed counts the "
              "images whose predicted class is another.",
              kLineWidth,
              "") +
      "\n");
}

}  // namespace

void addLesionsOptions(CLI::App* command, InspectLesionsOptions& options) {
  CLI::Option* lesions = command->add_flag(
      "--lesions", options.wanted, "cut one part after another, and score the network without it");
  for (const char* other : {"--list", "--image", "--query", "--text", "--sequence", "--position"}) {
    lesions->excludes(command->get_option(other));
  }
  command
      ->add_option("--images",
                   options.images,
                   "of lesions: number of images of the split (default: " +
                       std::to_string(options.images) + ")")
      ->type_name("N")
      ->check(isWholeNumberFromOne())
      ->needs(lesions);
}

int inspectLesions(const LesionRequest& request,
                   const std::optional<std::string>& folder,
                   bool asJson) {
  RunControl control;
  ProgressLine line(/*quiet=*/false);
  TrainingView view(line);
  Interrupt interrupt([&] { control.requestStop(); });
  const std::optional<LesionTable> table = scoreLesions(request, control, view);
  line.clear();
  if (!table) return interrupt.exitStatus();
  std::vector<std::string> files;
  if (folder) files = writeLesions(*folder, *table);
  if (asJson) {
    nlohmann::ordered_json json = lesionsJson(*table);
    if (folder) {
      json["out"] = *folder;
      json["files"] = files;
    }
    printJson(json);
    return kExitOk;
  }
  printLesions(*table);
  if (folder) printText(files[0] + " and " + files[1] + " in " + terminalText(*folder) + "\n");
  return kExitOk;
}

}  // namespace lambda
