#pragma once

#include <functional>
#include <vector>

#include <QString>

#include "engine/runs/run_export.h"

class QWidget;

namespace lambda {

/// Asks without blocking for a file and one of these formats, as the engine names them. `stem` is
/// the proposed name of the file without what the format adds to it.
void askForExport(QWidget& parent,
                  const QString& title,
                  const QString& stem,
                  const std::vector<RunExport>& formats,
                  const std::function<void(const QString& path, RunExport format)>& then);

}  // namespace lambda
