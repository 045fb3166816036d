#include "widgets/export/export_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <QBuffer>
#include <QFileInfo>
#include <QFontMetrics>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "widgets/export/exportable.h"
#include "widgets/export/saved_file.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kDotsPerInch = 96;

// Some pictures grow with what a file holds, such as the number of its layers or epochs.
constexpr int kLongestSide = 15'000;   // Pixels of the drawing.
constexpr double kMostPixels = 100e6;  // 400 MB.

QFont captionFont() {
  QFont font = smallFont();
  font.setWeight(QFont::DemiBold);
  return font;
}

/// The height of the caption and of the gap below it; 0 without a caption.
int captionHeight(const Exportable& source, int width) {
  const QString caption = source.exportCaption();
  if (caption.isEmpty()) return 0;
  const QRect lines =
      QFontMetrics(captionFont())
          .boundingRect(
              QRect(0, 0, width, std::numeric_limits<int>::max() / 2), Qt::TextWordWrap, caption);
  return lines.height() + spacing::kGap;
}

void paintWithCaption(const Exportable& source,
                      QPainter& painter,
                      const QSize& size,
                      const Colors& colors) {
  painter.fillRect(QRect(QPoint(), size), colors.page);
  const int top = captionHeight(source, size.width());
  painter.save();
  painter.setFont(captionFont());
  painter.setPen(colors.text);
  painter.drawText(
      QRect(0, 0, size.width(), top), Qt::AlignTop | Qt::TextWordWrap, source.exportCaption());
  painter.restore();
  painter.translate(0, top);
  source.paintTo(painter, size - QSize(0, top), colors);
}

const Colors& exportColors(const ExportOptions& options) {
  return options.colors ? *options.colors : printColors();
}

QByteArray toPng(const QImage& image) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return bytes;
}

/// Without the characters that XML does not have (XML 1.0, section 2.2), which texts from files may
/// contain: a reader would refuse the whole drawing.
QByteArray validXml(QByteArray bytes) {
  bytes.removeIf([](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
  });
  return bytes.replace("\xEF\xBF\xBE", "").replace("\xEF\xBF\xBF", "");
}

QByteArray toSvg(const Exportable& source, const ExportOptions& options) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  const QSize size = exportedSize(source, options);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(size);
  generator.setResolution(kDotsPerInch);
  generator.setViewBox(QRect(QPoint(), size));
  // Qt 6.4 writes the title without escaping it.
  generator.setTitle(fileStemOf(source));
  QPainter painter(&generator);
  paintWithCaption(source, painter, size, exportColors(options));
  painter.end();
  return validXml(std::move(bytes));
}

QByteArray toPdf(const Exportable& source, const ExportOptions& options) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  const QSize size = exportedSize(source, options);
  QPdfWriter writer(&buffer);
  writer.setTitle(fileStemOf(source));
  writer.setResolution(kDotsPerInch);
  writer.setPageSize(
      QPageSize(QSizeF(size) / kDotsPerInch, QPageSize::Inch, QString(), QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF());
  QPainter painter(&writer);
  // Otherwise images are stored as JPEG, which changes their colours.
  painter.setRenderHint(QPainter::LosslessImageRendering);
  paintWithCaption(source, painter, size, exportColors(options));
  painter.end();
  return bytes;
}

/// The file of a drawing or of the numbers. Pictures of pixels take longer and are encoded by
/// toPng().
QByteArray toBytes(const Exportable& source, ExportFormat format, const ExportOptions& options) {
  switch (format) {
    case ExportFormat::svg:
      return toSvg(source, options);
    case ExportFormat::pdf:
      return toPdf(source, options);
    case ExportFormat::csv:
      return source.toCsv().toUtf8();
    case ExportFormat::png:
      break;
  }
  return {};
}

QString writeFile(const QString& path, const QByteArray& bytes) {
  const QString problem = saveFile(path, bytes);
  return problem.isEmpty() ? QString()
                           : u"Could not write %1: %2. Choose another folder."_s.arg(path, problem);
}

}  // namespace

QString fileStemOf(const Exportable& source) {
  constexpr qsizetype kLongest = 80;  // At most 240 bytes, for file systems with 255.
  QString stem = source.exportName().left(kLongest);
  for (QChar& c : stem) {
    if (!c.isLetterOrNumber() && !u"-_.+"_s.contains(c)) c = u'-';
  }
  const auto first = std::ranges::find_if(stem, [](QChar c) { return c != u'.' && c != u'-'; });
  stem.erase(stem.begin(), first);
  return stem.isEmpty() ? u"picture"_s : stem;
}

ExportFormat formatOf(const QString& path) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix == u"svg"_s) return ExportFormat::svg;
  if (suffix == u"pdf"_s) return ExportFormat::pdf;
  if (suffix == u"csv"_s) return ExportFormat::csv;
  return ExportFormat::png;
}

QSize exportedSize(const Exportable& source, const ExportOptions& options) {
  if (!options.size.isEmpty()) return options.size;
  const QSize drawing = source.exportSize().boundedTo(QSize(kLongestSide, kLongestSide));
  return drawing + QSize(0, captionHeight(source, drawing.width()));
}

QImage toImage(const Exportable& source, const ExportOptions& options) {
  const QSize size = exportedSize(source, options);
  const double pixels = static_cast<double>(size.width()) * size.height();
  const double ratio = std::min(options.pixelRatio, std::sqrt(kMostPixels / pixels));
  QImage image(size * ratio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  paintWithCaption(source, painter, size, exportColors(options));
  return image;
}

QString toDataUri(const Exportable& source, const ExportOptions& options) {
  const QByteArray svg = toSvg(source, options);
  const QByteArray png = toPng(toImage(source, options));
  const bool isVector = svg.size() <= png.size();
  return (isVector ? u"data:image/svg+xml;base64,"_s : u"data:image/png;base64,"_s) +
         QString::fromLatin1((isVector ? svg : png).toBase64());
}

std::function<QString()> exportWriter(const Exportable& source,
                                      const QString& path,
                                      const ExportOptions& options) {
  const ExportFormat format = formatOf(path);
  if (format == ExportFormat::png) {
    return [path, image = toImage(source, options)] { return writeFile(path, toPng(image)); };
  }
  const QByteArray bytes = toBytes(source, format, options);
  if (bytes.isEmpty()) {
    return [name = source.exportName()] {
      return u"%1 has no numbers to write as CSV. Choose PNG, SVG or PDF."_s.arg(name);
    };
  }
  return [path, bytes] { return writeFile(path, bytes); };
}

QString writeExport(const Exportable& source, const QString& path, const ExportOptions& options) {
  return exportWriter(source, path, options)();
}

}  // namespace lambda
