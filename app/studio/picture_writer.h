#pragma once

#include <QString>
#include <QStringList>

namespace lambda {

class Exportable;

/// Writes plots and pictures as PNG, SVG, PDF and CSV into a folder, in the colours for paper.
class PictureWriter {
 public:
  /// Creates the folder. Throws Error where that fails.
  explicit PictureWriter(const QString& folder);

  /// Writes the four files of one picture, which must have numbers. Throws Error.
  void write(const Exportable& source);

  /// The paths of all files, in the order of writing.
  const QStringList& files() const { return files_; }

 private:
  QString folder_;
  QStringList files_;
};

}  // namespace lambda
