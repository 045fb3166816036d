#include "app/command_line/completion.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/command_line/command.h"
#include "engine/formats/json/presets.h"
#include "engine/runs/run_export.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

/// An array of a shell. Names of presets are names of files, in which anything may stand.
std::string arrayOf(const std::vector<std::string>& words) {
  std::string text = "(";
  for (const std::string& word : words) text += (text.size() > 1 ? " " : "") + shellWord(word);
  return text + ")";
}

/// The words and files that complete the value of an option, or an argument.
struct Values {
  std::vector<std::string> words;
  bool files = false;
  bool isFlag = false;
};

/// The words of CLI11's "SPLIT:{train,validation,test}".
std::vector<std::string> wordsInBraces(const std::string& type) {
  std::vector<std::string> words;
  std::size_t at = type.find('{');
  const std::size_t end = type.find('}');
  if (at == std::string::npos || end == std::string::npos) return words;
  while (at < end) {
    const std::size_t next = std::min(type.find(',', at + 1), end);
    words.push_back(type.substr(at + 1, next - at - 1));
    at = next;
  }
  return words;
}

bool names(std::string_view type, std::string_view word) {
  return type.find(word) != std::string_view::npos;
}

Values valuesOf(const CLI::Option& option) {
  Values values;
  values.isFlag = option.get_expected_max() == 0;
  const std::string type = option.get_positional() ? option.get_name(true) : option.get_type_name();
  values.words = wordsInBraces(option.get_type_name());
  for (const std::string_view place :
       {"DIR", "FILE", "PATH", "RUN", "CHECKPOINT", "IMAGE", "EXPERIMENT", "SOURCE"}) {
    values.files = values.files || names(type, place);
  }
  if (names(type, "PRESET") || names(type, "NETWORK") || names(type, "NAME")) {
    if (option.get_positional() || names(type, "NETWORK")) {
      // A terminal would obey a control character in an offer.
      for (const std::string& name : presetNames()) {
        if (terminalText(name) == name) values.words.push_back(name);
      }
    }
  }
  if (type == "DEVICE") values.words = {"automatic", "cpu", "cuda"};
  if (type == "FORMAT") {
    for (const RunExportTraits& each : kRunExports) values.words.emplace_back(each.name);
  }
  return values;
}

/// A command with the words that name it: "train", "data export".
struct Command {
  std::string words;
  const CLI::App* app;
};

void collect(const CLI::App& app, const std::string& words, std::vector<Command>& commands) {
  commands.push_back({words, &app});
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*each, words.empty() ? each->get_name() : words + " " + each->get_name(), commands);
  }
}

std::vector<std::string> subcommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
  }
  return names;
}

std::vector<std::string> namesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

/// The cases that lead from a command and the next word to the command within it. `more` is done
/// too.
std::string wordCases(const std::vector<Command>& commands,
                      const std::string& open,
                      const std::string& more) {
  std::string text;
  for (const Command& command : commands) {
    if (command.words.empty()) continue;
    const std::size_t last = command.words.rfind(' ');
    const std::string before =
        last == std::string::npos ? std::string() : command.words.substr(0, last);
    text += "      " + open + shellWord(before + " " + command.app->get_name()) +
            ") command=" + shellWord(command.words) + more + " ;;\n";
  }
  return text;
}

/// The lines of one command in the bash function: its options, what they take, its arguments.
std::string bashCase(const Command& command) {
  std::vector<std::string> options;
  std::string values;
  Values arguments;
  for (const CLI::Option* option : command.app->get_options()) {
    const Values each = valuesOf(*option);
    if (option->get_positional()) {
      arguments.words.insert(arguments.words.end(), each.words.begin(), each.words.end());
      arguments.files = arguments.files || each.files;
      continue;
    }
    const std::vector<std::string> names = namesOf(*option);
    options.insert(options.end(), names.begin(), names.end());
    if (each.isFlag) continue;
    std::string pattern;
    for (const std::string& name : names) pattern += (pattern.empty() ? "" : "|") + name;
    values += "        " + pattern + ") words=" + arrayOf(each.words) +
              " files=" + (each.files ? "yes" : "") + " taken=yes ;;\n";
  }
  const std::vector<std::string> subcommands = subcommandsOf(*command.app);
  arguments.words.insert(arguments.words.end(), subcommands.begin(), subcommands.end());
  return "    " + shellWord(command.words) + ")\n      options=" + arrayOf(options) +
         "\n      words=" + arrayOf(arguments.words) + " files=" + (arguments.files ? "yes" : "") +
         "\n      case $previous in\n" + values + "      esac ;;\n";
}

std::string bashScript(const std::vector<Command>& commands) {
  std::string text = R"(# Completion of lambda for bash: lambda completion bash
_lambda() {
  local word command= current=${COMP_WORDS[COMP_CWORD]} previous= files= taken=
  local -a options=() words=()
  ((COMP_CWORD > 0)) && previous=${COMP_WORDS[COMP_CWORD - 1]}
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
)";
  text += wordCases(commands, "", "");
  text += "    esac\n  done\n  case $command in\n";
  for (const Command& command : commands) text += bashCase(command);
  text += R"(  esac
  # Unlike compgen -W, a comparison expands nothing that stands in a word.
  [[ $current == -* && ! $taken ]] && words=("${options[@]}") files=
  COMPREPLY=()
  [[ ! $files ]] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
  for word in "${words[@]}"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
}
complete -o filenames -F _lambda lambda
)";
  return text;
}

/// Text within '...' of an _arguments specification.
std::string zshText(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      safe += std::string("\\") + c;
    } else {
      safe += c == '\n' ? ' ' : c;
    }
  }
  return safe;
}

/// The arrays of a zsh function. An action in a specification is evaluated, the words of an array
/// are not.
class ZshArrays {
 public:
  /// Completes the words and files.
  std::string action(const Values& values) {
    if (values.words.empty()) return values.files ? "_files" : " ";
    const std::string name = "values_" + std::to_string(count_++);
    definitions_ += "      local -a " + name + "=" + arrayOf(values.words) + "\n";
    return values.files ? "{compadd -a " + name + "; _files}" : "compadd -a " + name;
  }

  const std::string& definitions() const { return definitions_; }

 private:
  int count_ = 0;
  std::string definitions_;
};

std::string zshCase(const Command& command) {
  ZshArrays arrays;
  std::string text;
  for (const CLI::Option* option : command.app->get_options()) {
    const Values values = valuesOf(*option);
    if (option->get_positional()) {
      text +=
          " \\\n        '*:" + zshText(option->get_name(true)) + ":" + arrays.action(values) + "'";
      continue;
    }
    for (const std::string& name : namesOf(*option)) {
      text += " \\\n        '*" + name + "[" + zshText(option->get_description()) + "]" +
              (values.isFlag ? "" : ": :" + arrays.action(values)) + "'";
    }
  }
  const std::vector<std::string> subcommands = subcommandsOf(*command.app);
  if (!subcommands.empty()) {
    text += " \\\n        '1:command:" + arrays.action({.words = subcommands}) + "'";
  }
  return "    " + shellWord(command.words) + ")\n" + arrays.definitions() + "      _arguments -s" +
         text + " ;;\n";
}

std::string zshScript(const std::vector<Command>& commands) {
  std::string text = R"(#compdef lambda
# Completion of lambda for zsh: lambda completion zsh
_lambda() {
  local word command=
  integer i taken=0
  for ((i = 2; i < CURRENT; i++)); do
    case "$command ${words[i]}" in
)";
  text += wordCases(commands, "(", " taken=i");
  text += R"(    esac
  done
  # The words of the command become one, as _arguments expects.
  if ((taken > 1)); then
    words=(lambda "${(@)words[taken + 1,-1]}")
    ((CURRENT -= taken - 1))
  fi
  case $command in
)";
  for (const Command& command : commands) text += zshCase(command);
  return text + "  esac\n}\n_lambda \"$@\"\n";
}

}  // namespace

std::string completionScript(const CLI::App& program, Shell shell) {
  std::vector<Command> commands;
  collect(program, "", commands);
  return shell == Shell::bash ? bashScript(commands) : zshScript(commands);
}

}  // namespace lambda
