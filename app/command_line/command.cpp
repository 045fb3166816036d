#include "app/command_line/command.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "app/command_line/text_table.h"
#include "engine/runtime/device.h"
#include "engine/runtime/environment.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

constexpr std::size_t kHelpColumn = 26;
constexpr std::size_t kCommandColumn = 14;
constexpr std::size_t kHelpWidth = 68;

/// The width of descriptions; more where COLUMNS asks for more, as manual pages do, which wrap
/// them.
std::size_t helpWidth() {
  const char* columns = std::getenv("COLUMNS");
  const int asked = columns != nullptr ? std::atoi(columns) : 0;
  return std::max(kHelpWidth, static_cast<std::size_t>(std::clamp(asked, 0, 10'000)));
}

/// Help in reading order: what the command does, its usage, its options, examples.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kHelpColumn);
    label("Positionals", "Arguments");
  }

  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string name;
    for (const CLI::App* part = app; part != nullptr; part = part->get_parent()) {
      name = part->get_name() + (name.empty() ? "" : " ") + name;
    }
    std::string text = "\nUsage: " + name;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) text += " " + make_option_usage(option);
    }
    const bool hasCommands = !app->get_subcommands({}).empty();
    return text + (hasCommands ? " COMMAND [OPTIONS]\n" : " [OPTIONS]\n");
  }

  std::string make_subcommand(const CLI::App* command) const override {
    const std::string description = command->get_description();
    const std::string summary = description.substr(0, description.find('\n'));
    std::ostringstream line;
    CLI::detail::format_help(line, command->get_name(), summary, kCommandColumn);
    return line.str();
  }

  std::string make_option_name(const CLI::Option* option, bool isPositional) const override {
    if (isPositional) return option->get_name(true, false);
    const std::string names = option->get_name(false, true);
    const auto comma = names.find(',');
    return comma == std::string::npos ? "    " + names
                                      : names.substr(0, comma) + ", " + names.substr(comma + 1);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional() || option->get_type_size() == 0) return "";
    // CLI11 adds what its checks say: "N:INT in [1 - 100]" or "SPLIT:{train,test}".
    const std::string type = option->get_type_name();
    const std::size_t colon = type.find(':');
    const std::string checks = colon == std::string::npos ? "" : type.substr(colon + 1);
    if (!checks.starts_with('{')) return " " + type.substr(0, colon);
    std::string choices = checks.substr(1, checks.find('}') - 1);
    std::replace(choices.begin(), choices.end(), ',', '|');
    return " " + choices;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), helpWidth(), "");
  }
};

std::string examplesText(const std::vector<Example>& examples) {
  std::string text = "Examples:\n";
  for (const Example& example : examples) {
    text += "  " + example.command + "\n      " + example.meaning + "\n";
  }
  text.pop_back();
  return text;
}

/// The innermost command that was chosen.
const CLI::App& chosenOf(const CLI::App& program) {
  const CLI::App* chosen = &program;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  return *chosen;
}

/// The command's full name, "data get"; empty for the program itself.
std::string nameWithin(const CLI::App& program, const CLI::App& command) {
  if (&command == &program) return "";
  const std::string parent = nameWithin(program, *command.get_parent());
  return (parent.empty() ? "" : parent + " ") + command.get_name();
}

std::vector<std::string> possibleWords(const CLI::App& command, bool isOption) {
  std::vector<std::string> words;
  if (isOption) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* sub : command.get_subcommands({})) words.push_back(sub->get_name());
  }
  return words;
}

}  // namespace

std::unique_ptr<CLI::App> makeProgram() {
  auto program = std::make_unique<CLI::App>(
      "Lambda Studio on the command line: build, train and inspect lambda networks.", "lambda");
  program->formatter(std::make_shared<HelpFormatter>());
  program->set_help_flag("-h,--help", "show this help");
  program->set_version_flag("--version",
                            "lambda " + programVersion() + " (LibTorch " + torchVersion() + ")",
                            "show the versions of Lambda Studio and LibTorch");
  program->footer(
      examplesText({
          {"lambda train quickstart",
           "train a small network on built-in images in a minute or two"},
          {"lambda presets", "see which networks there are"},
          {"lambda describe quickstart", "layers, parameters and cost of one of them"},
          {"lambda train --help", "every command has examples"},
      }) +
      "\n\nExit status: 0 done, 1 failed, 2 the command or the configuration is wrong,\n"
      "130 or 143 stopped by Ctrl-C or SIGTERM after saving.");
  return program;
}

CLI::App* addCommand(CLI::App& parent,
                     const std::string& name,
                     const std::string& summary,
                     const std::vector<Example>& examples,
                     const std::string& details) {
  CLI::App* command =
      parent.add_subcommand(name, details.empty() ? summary : summary + "\n\n" + details);
  command->group("Commands");
  command->footer(examplesText(examples));
  return command;
}

void addJsonFlag(CLI::App* command, OutputOptions& output) {
  command->add_flag("--json", output.json, "report as one JSON object on standard output");
}

void addOutputFlags(CLI::App* command, OutputOptions& output) {
  addJsonFlag(command, output);
  command->add_flag("-q,--quiet", output.quiet, "no progress on standard error");
}

CLI::Validator isWholeNumberFromOne() {
  return {[](const std::string& text) -> std::string {
            int value = 0;
            const char* end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            if (read.ec == std::errc() && read.ptr == end && value >= 1) return {};
            return text + " is not a whole number from 1 to " +
                   std::to_string(std::numeric_limits<int>::max()) + ", written in digits";
          },
          ""};
}

UsageError usageErrorOf(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& chosen = chosenOf(program);
  const std::string place = nameWithin(program, chosen);
  const std::string help = "See lambda " + place + (place.empty() ? "" : " ") + "--help.";
  const std::vector<std::string> unknown = chosen.remaining();
  if (!unknown.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string word = unknown.front().substr(0, unknown.front().find('='));
    const bool isOption = word.starts_with('-');
    const std::vector<std::string> words = possibleWords(chosen, isOption);
    const std::vector<std::string_view> views(words.begin(), words.end());
    const std::string nearest = nearestName(word, views);
    const bool isCommand = !isOption && !words.empty();
    return {place,
            isCommand ? "there is no command " + word
                      : (isOption ? "there is no option " : "nothing is expected here: ") + word,
            (nearest.empty() ? "" : "Did you mean " + nearest + "? ") + help};
  }
  std::string reason = error.what();
  reason = reason.substr(0, reason.find('\n'));
  constexpr std::string_view kNoNumber = "Could not convert: ";
  if (reason.starts_with(kNoNumber)) {
    return {place,
            reason.substr(kNoNumber.size()) + ": the option takes no such value",
            "A whole number is written in digits, such as 100, and is at most " +
                std::to_string(std::numeric_limits<int>::max()) + ". " + help};
  }
  return {place, reason, help};
}

}  // namespace lambda
