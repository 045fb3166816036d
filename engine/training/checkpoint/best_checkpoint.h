#pragma once

#include <filesystem>
#include <optional>

#include "engine/runs/run_folder.h"
#include "engine/values/run/checkpoint_header.h"

namespace lambda {

/// The progress in an intact checkpoint; nothing if it is missing or damaged.
std::optional<TrainingProgress> progressIn(const std::filesystem::path& checkpoint);

/// Makes best.safetensors the best of the run so far, for a run that keeps the best weights from
/// now on. Without the file, or if it is of a later step, the best epoch is one of those to come.
void adoptBest(const RunFolder& folder, TrainingProgress& at);

}  // namespace lambda
