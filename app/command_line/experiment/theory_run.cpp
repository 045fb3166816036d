#include "app/command_line/experiment/theory_run.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "app/interrupt.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"
#include "engine/runtime/run_control.h"
#include "engine/theory/theory.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"
#include "engine/values/theory/theory_csv.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

class TheoryView : public TheoryObserver {
 public:
  TheoryView(ProgressLine& line, RunControl& control, std::string title)
      : line_(line), control_(control), title_(std::move(title)) {}

  void progressed(double fraction) override { line_.show({{title_}, fraction}); }

  void resultChanged(std::shared_ptr<const TheoryResult> /*result*/) override {}

  bool isStopRequested() override { return control_.mode() == RunControl::Mode::stopping; }

 private:
  ProgressLine& line_;
  RunControl& control_;
  std::string title_;
};

TheorySettings settingsOf(const std::vector<std::string>& texts) {
  TheorySettings settings;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    double value = 0;
    const char* end = text.data() + text.size();
    const auto read = equals == std::string::npos
                          ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                          : std::from_chars(text.data() + equals + 1, end, value);
    if (read.ec != std::errc() || read.ptr != end) {
      throw UsageError("--set", text + " is not NAME=NUMBER", "For example --set seed=1.");
    }
    settings[text.substr(0, equals)] = value;
  }
  return settings;
}

std::string withUnit(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

std::string valueText(const TheoryNumber& number) {
  std::string text = formatRounded(number.value);
  if (number.deviation) text += " ± " + formatRounded(*number.deviation);
  return withUnit(text, number.unit);
}

std::string publishedText(const TheoryNumber& number) {
  const std::string value =
      number.published ? withUnit(formatRounded(*number.published), number.unit) : std::string();
  if (value.empty() || number.publishedText.empty()) return value + number.publishedText;
  return value + ": " + number.publishedText;
}

std::string resultText(const TheoryDescription& description, const TheoryResult& result) {
  TextTable table(
      {{"quantity"}, {"found", Align::right}, {"repetitions", Align::right}, {"source"}});
  for (const TheoryNumber& number : result.numbers) {
    table.addRow(
        {number.title, valueText(number), std::to_string(number.count), publishedText(number)});
  }
  return description.question + "\nSource: " + description.sourceTitle + "\n\n" + table.text();
}

Json resultJson(const TheoryDescription& description, const TheoryResult& result) {
  Json numbers = Json::array();
  for (const TheoryNumber& number : result.numbers) {
    numbers.push_back({{"title", number.title},
                       {"value", number.value},
                       {"unit", number.unit},
                       {"deviation", number.deviation ? Json(*number.deviation) : Json(nullptr)},
                       {"count", number.count},
                       {"published", number.published ? Json(*number.published) : Json(nullptr)},
                       {"publishedText", number.publishedText}});
  }
  Json figures = Json::array();
  for (const TheoryFigure& figure : result.figures) {
    Json series = Json::array();
    for (const TheorySeries& each : figure.series) {
      series.push_back({{"name", each.name}, {"x", each.x}, {"y", each.y}});
    }
    figures.push_back({{"title", figure.title},
                       {"xTitle", figure.xTitle},
                       {"yTitle", figure.yTitle},
                       {"series", series}});
  }
  return {{"name", description.name},
          {"question", description.question},
          {"source", description.sourceTitle},
          {"numbers", numbers},
          {"figures", figures}};
}

void writeFigures(const TheoryResult& result, const fs::path& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) throw Error(out.string(), "the folder can't be created: " + error.message());
  for (std::size_t i = 0; i < result.figures.size(); ++i) {
    const fs::path file = out / ("figure-" + std::to_string(i + 1) + ".csv");
    writeFileDurably(file, theoryCsv(result.figures[i]));
    printNote(terminalText(shownPath(file)) + ": " + result.figures[i].title + "\n");
  }
}

}  // namespace

bool isTheoryExperiment(std::string_view name) {
  return std::ranges::find(theoryExperiments(), name, &TheoryDescription::name) !=
         theoryExperiments().end();
}

int runTheoryExperiment(const std::string& name,
                        const std::vector<std::string>& settings,
                        const std::string& out,
                        const OutputOptions& output) {
  const TheoryDescription& description = theoryExperiment(name);
  loadTheory();
  RunControl control;
  Interrupt interrupt([&] { control.requestStop(); });
  ProgressLine line(output.quiet);
  TheoryView view(line, control, description.title);
  std::optional<TheoryResult> result;
  try {
    result = runTheory(name, settingsOf(settings), view);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error);
  }
  line.clear();
  if (!result) return interrupt.exitStatus();
  if (!out.empty()) writeFigures(*result, out);
  if (output.json) {
    printJson(resultJson(description, *result));
  } else {
    printText(resultText(description, *result));
  }
  return kExitOk;
}

}  // namespace lambda
