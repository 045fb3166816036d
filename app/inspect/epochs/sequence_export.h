#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include <QPromise>
#include <QString>

#include "app/inspect/probe_view.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/theme/colors.h"

namespace lambda {

/// A sequence shows one layer epoch by epoch, and is written into a folder.
struct Sequence {
  InspectableLayer layer;
  std::vector<InspectableLayer> layers;          ///< All layers of the network.
  std::vector<std::filesystem::path> snapshots;  ///< One file for each epoch.
  std::vector<ProbeNorms> norms;                 ///< Of the layer, for each epoch.
  QString folder;
  Colors colors;
  std::chrono::milliseconds frameTime{500};  ///< The animation shows each epoch as long.
};

/// Writes the epochs of a layer as epoch-0001.png ..., as one animation epochs.gif, and norms.csv
/// into a folder, and reports the number of epochs that are done. Adds what went wrong and what to
/// do, empty where everything is written; nothing where it was cancelled, which it notices after
/// the picture under way. Throws Error where a snapshot can't be read.
void writeSequence(const Sequence& sequence, QPromise<QString>& promise);

}  // namespace lambda
