#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "engine/verification/verification.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct VerifyOptions {
  OutputOptions output;
};

Json resultJson(const StatementResult& result) {
  Json json{{"name", result.name},
            {"statement", result.statement},
            {"source", result.source},
            {"residual", result.residual},
            {"limit", result.limit},
            {"ok", result.holds()}};
  if (!result.failure.empty()) json["failure"] = result.failure;
  return json;
}

int run(const VerifyOptions& options) {
  Json statements = Json::array();
  int failed = 0;
  const bool allHold = verifyStatements([&](const StatementResult& result, int) {
    if (!result.holds()) ++failed;
    if (options.output.json) {
      statements.push_back(resultJson(result));
    } else {
      printText(textOf(result));
      std::cout.flush();
    }
    return true;
  });
  if (options.output.json) {
    printJson({{"statements", statements}, {"ok", allHold}});
  } else {
    printText(allHold ? "All statements hold.\n"
                      : std::to_string(failed) + " of the statements do not hold in this build.\n");
  }
  return allHold ? kExitOk : kExitFailure;
}

}  // namespace

void addVerify(CLI::App& program, Action& action) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = addCommand(
      program,
      "verify",
      "Check the statements of the papers with the layers of this build",
      {{"lambda verify", "every statement with the residual found; status 1 if one does not hold"},
       {"lambda verify --json", "the same for a script"}},
      "Each statement says that two computations are equal. Both are done with random weights and\n"
      "several shapes; the residual is their greatest difference, as a share of the greatest "
      "value.");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, run);
}

}  // namespace lambda
