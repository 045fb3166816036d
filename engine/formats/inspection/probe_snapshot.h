#pragma once

#include <filesystem>
#include <vector>

#include "engine/values/probe_snapshot.h"

namespace lambda {

/// Publishes what a run keeps of its lambda layers after an epoch, in float32 tensors named
/// "LAYER.lambda.content", "LAYER.lambda.position", "LAYER.contributions.content",
/// "LAYER.contributions.position", "LAYER.embeddings", and "probabilities"; epoch and step are
/// metadata. Throws Error.
void writeProbeSnapshot(const std::filesystem::path& path, const ProbeSnapshot& snapshot);

/// Reads such a file. Those of earlier versions load with the arrays that they have. Throws Error
/// for a file that is not whole, or whose tensors are not float32 arrays of the expected ranks.
ProbeSnapshot readProbeSnapshot(const std::filesystem::path& path);

/// The probe snapshots in a run's inspection folder, by epoch; none where there is no folder.
std::vector<std::filesystem::path> probeSnapshotsOf(const std::filesystem::path& inspectionFolder);

}  // namespace lambda
