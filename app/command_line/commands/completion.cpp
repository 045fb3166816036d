#include "app/command_line/completion.h"

#include <string>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"

namespace lambda {

void addCompletion(CLI::App& program, Action& action) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = addCommand(
      program,
      "completion",
      "Print a script by which bash or zsh completes commands and options",
      {{"source <(lambda completion bash)", "for this shell"},
       {"lambda completion zsh > ~/.zfunc/_lambda", "for zsh, in a folder of its fpath"}},
      "A Debian package of this program installs both.");
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  // The program's commands are not there any more when the action runs.
  command->callback([shell, &program, &action] {
    try {
      addBenchParts(program, action);
    } catch (const Error& error) {
      reportError(error, false);
    }
    const std::string text = completionScript(program, *shell == "bash" ? Shell::bash : Shell::zsh);
    action = [text] {
      printText(text);
      return kExitOk;
    };
  });
}

}  // namespace lambda
