#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "engine/training/training_loop.h"

namespace lambda::test {

/// The parts with which a loop trains a state on the CPU, in a new run folder.
inline TrainingLoop::Parts loopParts(const RunConfig& config,
                                     std::unique_ptr<TrainingState> state,
                                     const std::filesystem::path& runs,
                                     Observer& observer) {
  RunFolder folder = RunFolder::create(runs, config.name);
  auto lock = std::make_unique<RunLock>(folder);
  RunRecord record;
  record.config = config;
  auto journal = std::make_unique<RunJournal>(folder, observer);
  return {.folder = std::move(folder),
          .lock = std::move(lock),
          .record = std::move(record),
          .data = std::make_unique<RunData>(config, at::kCPU),
          .state = std::move(state),
          .journal = std::move(journal)};
}

}  // namespace lambda::test
