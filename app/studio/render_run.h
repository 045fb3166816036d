#pragma once

#include <QStringList>

namespace lambda {

/// Writes the pictures of a run into a folder, which is created: the curves, and for every lambda
/// layer the contents of the last epoch's probe: lambda matrices, contributions, position
/// embeddings. Each is written as PNG, SVG, PDF and CSV, in the colours for paper. Returns the
/// paths of the files. Throws Error for a folder that is no run, has nothing to draw yet, or can't
/// be written.
QStringList renderRun(const QString& run, const QString& folder);

}  // namespace lambda
