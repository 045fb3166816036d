#pragma once

#include <QStringList>

#include "app/studio/picture_writer.h"
#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// Draws the pictures that make sense for an experiment whose curves have been read, without those
/// that have no value so far.
void drawExperiment(const ExperimentState& state, const PictureSink& sink);

/// Writes the pictures that make sense for an experiment (picturesOf()) into a folder, which is
/// created: those of every measure, of every quantity of the curves, and against every cost.
/// Pictures without a value so far are left out. Each is written as PNG, SVG, PDF and CSV, in the
/// colours for paper. Returns the paths of the files. Throws Error for a folder that is no
/// experiment, has nothing to draw yet, or can't be written.
QStringList renderExperiment(const QString& experiment, const QString& folder);

}  // namespace lambda
