#pragma once

#include <functional>

#include <QImage>
#include <QSize>
#include <QString>

#include "widgets/theme/colors.h"

namespace lambda {

class Exportable;

enum class ExportFormat { png, svg, pdf, csv };

struct ExportOptions {
  QSize size;                      ///< In pixels, with the caption; empty = as the plot proposes.
  double pixelRatio = 2;           ///< PNG: device pixels per pixel of `size`.
  const Colors* colors = nullptr;  ///< Null = the colours for paper.
};

/// The picture's name as the stem of a file in any folder. Its texts may come from files:
/// characters other than letters, digits and "-_.+" become "-", it does not begin with "." or "-",
/// and it has 1 to 80 characters.
QString fileStemOf(const Exportable& source);

/// The format that a file name ends in; PNG where it ends in none of the four.
ExportFormat formatOf(const QString& path);

/// The size of the exported picture in pixels, with its caption; at most 15,000 pixels a side
/// unless the options give it.
QSize exportedSize(const Exportable& source, const ExportOptions& options);

/// The picture as pixels, for the clipboard and PNG files: a very large one with fewer pixels than
/// the options ask for.
QImage toImage(const Exportable& source, const ExportOptions& options);

/// The picture as a data: URI, for a page that contains its pictures: as SVG or as PNG, whichever
/// is shorter.
QString toDataUri(const Exportable& source, const ExportOptions& options);

/// Draws the picture, or collects its numbers, and returns what writes the file: all of it or
/// nothing. The writer may be called on any thread, also after the picture was destroyed; it
/// returns an empty text, or what went wrong and what to do.
std::function<QString()> exportWriter(const Exportable& source,
                                      const QString& path,
                                      const ExportOptions& options);

/// Draws and writes at once.
QString writeExport(const Exportable& source, const QString& path, const ExportOptions& options);

}  // namespace lambda
