#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/formats/tensors/safetensors.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/inspection/probe_snapshot.h"

namespace lambda {

/// Publishes the state of a run's lambda layers after an epoch as float32 tensors named
/// "LAYER.lambda.content", "LAYER.lambda.position", "LAYER.contributions.content",
/// "LAYER.contributions.position", "LAYER.embeddings" and "LAYER.embeddings.change",
/// "LAYER.singular_values.content", "...position" and "...total", "LAYER.patterns",
/// "LAYER.patterns.shares", "LAYER.change_patterns", "LAYER.change_patterns.shares", and
/// "probabilities"; epoch and step are metadata. Throws Error.
void writeProbeSnapshot(const std::filesystem::path& path, const ProbeSnapshot& snapshot);

/// Reads such a file of a run whose network has these layers. A file of an earlier version is read
/// with the arrays that it has. Throws Error for an incomplete file, a layer that the network does
/// not have, and arrays that are not float32, do not have the layer's sizes, or lack the array that
/// they are shown with.
ProbeSnapshot readProbeSnapshot(const std::filesystem::path& path,
                                std::span<const InspectableLayer> layers);

/// The same of a file in memory, whose digest is not compared. `place` names it in errors.
ProbeSnapshot probeSnapshotOf(const SafeTensors& file,
                              const std::string& place,
                              std::span<const InspectableLayer> layers);

/// The probe snapshots in a run's inspection folder, by epoch; none if there is no folder.
std::vector<std::filesystem::path> probeSnapshotsOf(const std::filesystem::path& inspectionFolder);

}  // namespace lambda
