#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_journal.h"
#include "engine/runtime/thread_governor.h"
#include "engine/training/start/prepared_run.h"
#include "engine/training/step/cuda_graph_plugin.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// A run that this process trains, with its folder, which the lock reserves for this process. The
/// order of the members matters: the lock must outlive everything that writes to the folder.
struct OpenRun {
  const RunConfig& config() const { return record.config; }

  TrainingProgress& progress() { return prepared.state->progress; }

  const TrainingProgress& progress() const { return prepared.state->progress; }

  RunFolder folder;
  std::unique_ptr<RunLock> lock;
  RunRecord record;
  PreparedRun prepared;
  std::unique_ptr<RunJournal> journal;
  std::optional<ThreadGovernor> governor = {};  ///< None = the number of threads is fixed.
  CudaGraphPlugin graphs = {};                  ///< Its recorder, if any, records the steps.
  /// Returns the bytes that can still be written to the disk of a folder.
  std::function<std::uintmax_t(const std::filesystem::path&)> freeBytes = freeBytesAt;
};

}  // namespace lambda
