#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "engine/runs/run_folder.h"
#include "engine/runs/run_journal.h"
#include "engine/runtime/thread_governor.h"
#include "engine/training/prepared_run.h"
#include "engine/training/step/cuda_graph_plugin.h"
#include "engine/values/run_record.h"

namespace lambda {

/// A run that this process trains: what it trains with, and its folder, which the lock keeps for
/// this process. The order of the members matters: the lock outlives everything that writes.
struct OpenRun {
  const RunConfig& config() const { return record.config; }

  TrainingProgress& progress() { return prepared.state->progress; }

  const TrainingProgress& progress() const { return prepared.state->progress; }

  RunFolder folder;
  std::unique_ptr<RunLock> lock;
  RunRecord record;
  PreparedRun prepared;
  std::unique_ptr<RunJournal> journal;
  std::optional<ThreadGovernor> governor = {};  ///< None: the number of threads stays.
  CudaGraphPlugin graphs = {};  ///< Neither recorder nor obstacle: steps are not recorded.
  /// Bytes that can still be written to the disk of a folder.
  std::function<std::uintmax_t(const std::filesystem::path&)> freeBytes = freeBytesAt;
};

}  // namespace lambda
