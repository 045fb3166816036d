#pragma once

#include <chrono>
#include <memory>

#include <QImage>
#include <QList>
#include <QString>

namespace lambda {

/// Writes pictures one after the other as an animated GIF that repeats for ever, which every
/// browser and slide program can open. finish() publishes the whole file; without it there is none.
///
/// GIF89a with the NETSCAPE2.0 application extension for the repetition, written by giflib.
class GifWriter {
 public:
  /// All pictures are shown in these colours, at most 256: each pixel gets the nearest one.
  GifWriter(const QString& path, const QSize& size, const QList<QRgb>& palette);
  ~GifWriter();

  /// Adds a picture of the size given at the start, shown for `duration`, rounded to 10 ms. Returns
  /// false where it could not be written; error() says why.
  bool add(const QImage& image, std::chrono::milliseconds duration);

  /// Completes the file. Returns false where it could not be written; error() says why.
  bool finish();

  QString error() const;

 private:
  struct Private;
  std::unique_ptr<Private> d_;
};

}  // namespace lambda
