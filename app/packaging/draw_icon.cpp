#include <cstdio>

#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

/// Draws an SVG as a square PNG: draw_icon SVG PNG PIXELS. The icon has no text, so that it needs
/// no application object and no fonts.
int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: draw_icon SVG PNG PIXELS\n", stderr);
    return 2;
  }
  const QString source = QString::fromLocal8Bit(argv[1]);
  const QString target = QString::fromLocal8Bit(argv[2]);
  const int pixels = QByteArray(argv[3]).toInt();
  QSvgRenderer renderer(source);
  if (!renderer.isValid() || pixels < 1) {
    std::fprintf(stderr, "draw_icon: %s is no SVG, or %s no size\n", argv[1], argv[3]);
    return 1;
  }
  QImage image(pixels, pixels, QImage::Format_ARGB32);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  renderer.render(&painter);
  painter.end();
  if (image.save(target, "PNG")) return 0;
  std::fprintf(stderr, "draw_icon: %s could not be written\n", argv[2]);
  return 1;
}
