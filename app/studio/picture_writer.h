#pragma once

#include <cstddef>
#include <functional>
#include <set>

#include <QString>
#include <QStringList>

namespace lambda {

class Exportable;

/// Takes a picture, which lives no longer than the call, and what it shows, in words.
using PictureSink = std::function<void(const Exportable& picture, const QString& text)>;

/// Writes plots and pictures as PNG, SVG, PDF and CSV into a folder, in the colours for paper, and
/// nothing outside of it, whatever their names are.
class PictureWriter {
 public:
  /// Creates the folder. Throws Error where that fails.
  explicit PictureWriter(const QString& folder);

  /// Writes the four files of one picture, which must have numbers. A picture with the name of an
  /// earlier one gets a number. Throws Error, also for more than kMostPictures.
  void write(const Exportable& source);

  /// Writes every picture that it is given.
  PictureSink sink() {
    return [this](const Exportable& picture, const QString&) { write(picture); };
  }

  /// The paths of all files, in the order of writing.
  const QStringList& files() const { return files_; }

  static constexpr std::size_t kMostPictures = 1000;

 private:
  QString freeStem(const Exportable& source);

  QString folder_;
  std::set<QString> stems_;
  QStringList files_;
};

}  // namespace lambda
