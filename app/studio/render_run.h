#pragma once

#include <optional>

#include <QStringList>

#include "app/studio/picture_writer.h"
#include "engine/values/inspection/probe_snapshot.h"
#include "engine/values/run/metrics.h"

namespace lambda {

class RunFolder;
struct Architecture;

/// Draws loss and score of one run over its steps; nothing before the first step.
void drawCurves(const Metrics& metrics, const PictureSink& sink);

/// The probe of the last epoch that has one. Reads the disk; throws Error for a damaged file.
std::optional<ProbeSnapshot> lastProbeOf(const RunFolder& folder, const Architecture& network);

/// Draws the contents of a probe: of each lambda layer the lambda matrices, contributions and
/// position embeddings. Throws Error for one with too many numbers.
void drawLayers(const ProbeSnapshot& probe, const PictureSink& sink);

/// Writes the pictures of a run into a folder, which is created: the curves, and for every lambda
/// layer the contents of the last epoch's probe: lambda matrices, contributions, position
/// embeddings. Each is written as PNG, SVG, PDF and CSV, in the colours for paper. Returns the
/// paths of the files. Throws Error for a folder that is no run, has nothing to draw yet, or can't
/// be written.
QStringList renderRun(const QString& run, const QString& folder);

}  // namespace lambda
