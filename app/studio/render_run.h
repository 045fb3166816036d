#pragma once

#include <QStringList>

namespace lambda {

/// Writes what there is to see of a run into a folder, which is made: the curves, and for every
/// lambda layer what the last epoch's probe kept of it: lambda matrices, contributions, position
/// embeddings. Each as PNG, SVG, PDF and CSV, in the colours of paper. Returns the paths of the
/// files. Throws Error for a folder that is no run, has nothing to draw yet, or can't be written.
QStringList renderRun(const QString& run, const QString& folder);

}  // namespace lambda
