#include <algorithm>
#include <clocale>
#include <exception>
#include <iostream>
#include <sstream>
#include <string_view>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/process_start.h"

namespace lambda {

namespace {

bool asksForJson(int argc, char** argv) {
  return std::any_of(
      argv, argv + argc, [](const char* text) { return std::string_view(text) == "--json"; });
}

/// The action that the arguments request; help and version are printed here and leave none.
Action parse(int argc, char** argv) {
  const auto program = makeProgram();
  Action action;
  addTrain(*program, action);
  addResume(*program, action);
  addFork(*program, action);
  addRepeat(*program, action);
  addControl(*program, action);
  addFollow(*program, action);
  addExperiment(*program, action);
  addEvaluate(*program, action);
  addInspect(*program, action);
  addPredict(*program, action);
  addGenerate(*program, action);
  addExport(*program, action);
  addImport(*program, action);
  addCurves(*program, action);
  addReport(*program, action);
  addPresets(*program, action);
  addLayers(*program, action);
  addSettings(*program, action);
  addDescribe(*program, action);
  addData(*program, action);
  addInfo(*program, action);
  addVerify(*program, action);
  addBench(*program, action);
  addCompletion(*program, action);
  try {
    program->parse(argc, argv);
    if (!action) printText(program->help());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != kExitOk) throw usageErrorOf(*program, error);
    std::ostringstream help;
    program->exit(error, help, help);
    printText(help.str());
  }
  return action;
}

int run(int argc, char** argv) {
  const Action action = parse(argc, argv);
  const int status = action ? action() : kExitOk;
  if (!std::cout.flush()) {
    throw Error("standard output",
                "the report could not be written",
                "Free disk space, or keep the reading program open.");
  }
  return status;
}

}  // namespace

}  // namespace lambda

int main(int argc, char** argv) {
  lambda::prepareProcess();
  std::setlocale(LC_CTYPE, "");
  try {
    return lambda::run(argc, argv);
  } catch (const std::exception& error) {
    return lambda::reportError(error, lambda::asksForJson(argc, argv));
  } catch (...) {
    return lambda::reportUnknownError(lambda::asksForJson(argc, argv));
  }
}
