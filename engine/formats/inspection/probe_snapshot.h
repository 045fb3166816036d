#pragma once

#include <filesystem>
#include <vector>

#include "engine/values/inspection/probe_snapshot.h"

namespace lambda {

/// Publishes the state of a run's lambda layers after an epoch as float32 tensors named
/// "LAYER.lambda.content", "LAYER.lambda.position", "LAYER.contributions.content",
/// "LAYER.contributions.position", "LAYER.embeddings" and "LAYER.embeddings.change",
/// "LAYER.singular_values.content", "...position" and "...total", "LAYER.patterns",
/// "LAYER.patterns.shares", "LAYER.change_patterns", "LAYER.change_patterns.shares", and
/// "probabilities"; epoch and step are metadata. Throws Error.
void writeProbeSnapshot(const std::filesystem::path& path, const ProbeSnapshot& snapshot);

/// Reads such a file. A file of an earlier version is read with the arrays that it has. Throws
/// Error for an incomplete file, or if its tensors are not float32 arrays of the expected ranks.
ProbeSnapshot readProbeSnapshot(const std::filesystem::path& path);

/// The probe snapshots in a run's inspection folder, by epoch; none if there is no folder.
std::vector<std::filesystem::path> probeSnapshotsOf(const std::filesystem::path& inspectionFolder);

}  // namespace lambda
