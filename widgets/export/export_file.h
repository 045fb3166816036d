#pragma once

#include <QImage>
#include <QSize>
#include <QString>

#include "widgets/theme/colors.h"

namespace lambda {

class Exportable;

enum class ExportFormat { png, svg, pdf, csv };

struct ExportOptions {
  QSize size;                      ///< In pixels; empty = as the plot proposes.
  double pixelRatio = 2;           ///< PNG: device pixels a pixel.
  const Colors* colors = nullptr;  ///< Null = for paper.
};

/// The format a file name ends in; PNG where it ends in none of ours.
ExportFormat formatOf(const QString& path);

/// The picture as pixels, for the clipboard and PNG files.
QImage toImage(const Exportable& source, const ExportOptions& options);

/// Writes the file whole or not at all. Returns an empty text, or what went wrong and what to do.
QString writeExport(const Exportable& source, const QString& path, const ExportOptions& options);

}  // namespace lambda
