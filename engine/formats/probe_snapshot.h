#pragma once

#include <filesystem>
#include <vector>

#include "engine/values/probe_snapshot.h"

namespace lambda {

/// Reads what a run stored of its lambda layers after an epoch (inspection/epoch-NNNN.safetensors).
/// Files of earlier versions load with the arrays that they have. Throws Error for a file that is
/// not whole, or whose tensors are not float32 arrays of the expected ranks.
ProbeSnapshot readProbeSnapshot(const std::filesystem::path& path);

/// The probe snapshots in a run's inspection folder, by epoch; none where there is no folder.
std::vector<std::filesystem::path> probeSnapshotsOf(const std::filesystem::path& inspectionFolder);

}  // namespace lambda
