#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "engine/runs/run_export.h"

namespace lambda {

struct ExportOptions {
  std::string run;
  std::string format;
  std::optional<std::string> out;
  bool raw = false;
  std::optional<std::string> license;
  std::optional<std::string> split;
  std::optional<int> augmented;
  std::optional<std::string> data;
  OutputOptions output;
};

/// What an export wrote.
struct ExportOutcome {
  int status = kExitOk;  ///< Another one where it was interrupted; nothing was written then.
  std::vector<std::filesystem::path> files = {};  ///< Or one folder.
  std::uint64_t bytes = 0;
  std::optional<std::filesystem::path> checkpoint = std::nullopt;
  std::string what = {};  ///< A clause for people, on what the files hold.
};

/// Exports `run`, an answer of findRun(), to `out`. Throws Error.
ExportOutcome exportTo(const ExportOptions& options,
                       RunExport format,
                       const std::filesystem::path& run,
                       const std::filesystem::path& out);

}  // namespace lambda
