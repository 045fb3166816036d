#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "engine/training/input/run_data.h"
#include "engine/training/loop/conductor.h"
#include "tests/support/resolved_on_cpu.h"

namespace lambda::test {

/// A new run folder in `runs`, to train a state in on the CPU.
inline OpenRun openTestRun(const RunConfig& config,
                           std::unique_ptr<TrainingState> state,
                           const std::filesystem::path& runs,
                           Observer& observer) {
  RunFolder folder = RunFolder::create(runs, config.name);
  auto lock = std::make_unique<RunLock>(folder);
  RunRecord record;
  record.config = config;
  auto journal = std::make_unique<RunJournal>(folder, observer);
  ResolvedConfig resolved = onCpu(config);
  auto data = std::make_unique<RunData>(resolved);
  return {.folder = std::move(folder),
          .lock = std::move(lock),
          .record = std::move(record),
          .prepared = {std::move(resolved), std::move(data), std::move(state)},
          .journal = std::move(journal)};
}

}  // namespace lambda::test
