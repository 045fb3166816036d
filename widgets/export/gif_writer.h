#pragma once

#include <chrono>
#include <memory>

#include <QImage>
#include <QList>
#include <QString>

namespace lambda {

/// Writes pictures one after the other as an animated GIF that repeats for ever, which every
/// browser and slide program opens. The file appears whole with finish(), or not at all.
///
/// GIF89a with the NETSCAPE2.0 application extension for the repetition, written by giflib.
class GifWriter {
 public:
  /// All pictures are shown in these colours, 256 at the most: the nearest is taken.
  GifWriter(const QString& path, const QSize& size, const QList<QRgb>& palette);
  ~GifWriter();

  /// Adds a picture of the size given at the start, shown for so long (to 10 ms). Returns false
  /// where it could not be written; error() says why.
  bool add(const QImage& image, std::chrono::milliseconds duration);

  /// Ends the file. Returns false where it could not be written; error() says why.
  bool finish();

  QString error() const;

 private:
  struct Private;
  std::unique_ptr<Private> d_;
};

}  // namespace lambda
